"""What a document is written from: inputs with a role, their versions, and what reading them gave."""

from typing import Annotated

from pydantic import Field, StringConstraints

from stemma_contracts.base import Contract
from stemma_contracts.tokens import FileName, Token

from .forms import FoundFields
from .references import ArtifactRef, InputFile

BRIEF = "brief"
"""The id of the brief, which is an input as well."""
MOST_CHANGED_PARTS = 1000
"""In one event; where more changed, everything did."""
MOST_USED_PARTS = 1500
"""Of all inputs together, in the event of a validation; of what is beyond, the whole input counts as used."""

Fingerprint = Annotated[str, StringConstraints(min_length=1, max_length=16)]
"""Of a part of a text, a paragraph, an item or a row: `stemma_markdown.parts`."""


class Unreadable(Contract):
    """Why a file could not be read: ``reason`` is one word for programs, ``detail`` says it to people."""

    reason: Token
    detail: str = Field(default="", max_length=300)


class UnreadableInput(Unreadable):
    """An input that nobody needs to try to read."""

    input_id: Token


class ReadingFigures(Contract):
    """How much was read; ``recognised`` counts the pages whose text was recognised in a picture of them."""

    pages: int = Field(default=0, ge=0)
    recognised: int = Field(default=0, ge=0)
    characters: int = Field(default=0, ge=0)
    tables: int = Field(default=0, ge=0)


MOST_WARNINGS = 20
"""Of one file; further ones are counted."""


class ReadingWarning(Contract):
    """What of a file was not read, or may have been read wrongly; ``place`` is a page, a sheet or a slide."""

    code: Token
    detail: str = Field(default="", max_length=300)
    place: str = Field(default="", max_length=200)


class InputReading(Contract):
    """What reading a file gave: its text, where in the file each part stands, and its images."""

    text: ArtifactRef = Field(description="Markdown, or the file itself if it is text already")
    anchors: ArtifactRef | None = Field(default=None, description="Anchors as JSON")
    images: tuple[InputFile, ...] = ()
    figures: ReadingFigures = ReadingFigures()
    warnings: tuple[ReadingWarning, ...] = Field(default=(), max_length=MOST_WARNINGS)
    more_warnings: int = Field(default=0, ge=0)
    language: str = Field(default="", max_length=35, description="BCP 47 tag of the text")
    title: ArtifactRef | None = Field(default=None, description="of a brief: what it calls itself, in one line")
    form: FoundFields | None = Field(default=None, description="of a form: the fields that were found, as a proposal")
    drawn: ArtifactRef | None = Field(default=None, description="DrawnPages as JSON, where pages were drawn")
    proposed_role: str = Field(default="", max_length=64, description="a role that the text is certain to have")


class Anchor(Contract):
    """From here on (``offset``, in characters) the text stands at this place of the file."""

    offset: int = Field(ge=0)
    kind: Token = Field(description="page, heading, sheet, slide or part")
    label: str = Field(max_length=300, description="as it is cited: `p. 12`, `Prices!A2:F9`")


class Anchors(Contract):
    """The body of the artifact ``anchors``, in the order of the text."""

    anchors: tuple[Anchor, ...] = ()


class PageWord(Contract):
    """A word on a drawn page; its box is in points from the upper left corner."""

    text: str
    left: float
    top: float
    right: float
    bottom: float


class PageWords(Contract):
    """The body of the artifact ``words``, in the order of the file; none of a page that is a picture."""

    words: tuple[PageWord, ...] = ()


class DrawnPage(Contract):
    """A page of a file as people see it."""

    label: str = Field(max_length=300, description="as it is cited: that of an anchor")
    width: float = Field(gt=0, description="in points")
    height: float = Field(gt=0, description="in points")
    image: ArtifactRef = Field(description="a PNG")
    words: ArtifactRef = Field(description="PageWords as JSON")


class DrawnPages(Contract):
    """The body of the artifact ``drawn``: the first pages of a file, without those that could not be drawn."""

    pages: tuple[DrawnPage, ...] = ()


class ChangedPart(Contract):
    """A block of an input before and after; one of them is empty if it was added or removed."""

    before: str = ""
    after: str = ""
    heading: str = Field(default="", max_length=200)
    line: int = Field(default=0, ge=0, description="of the text after, or of the one before if it is gone")


class InputChanges(Contract):
    """The body of the artifact ``changes``; ``left_off`` counts the blocks beyond what it holds."""

    changed: tuple[ChangedPart, ...] = ()
    left_off: int = Field(default=0, ge=0)


class InputDifference(Contract):
    """What a version of an input changed in the one before: for programs by parts, for people in an artifact."""

    changes: ArtifactRef = Field(description="InputChanges as JSON")
    blocks: int = Field(ge=0, description="how many blocks changed; 0: nothing but the looks")
    parts: tuple[Fingerprint, ...] | None = Field(
        default=None,
        max_length=MOST_CHANGED_PARTS,
        description="parts of the text before that are changed, gone, or just above something new; absent: all of them",
    )


class InputVersion(Contract):
    """A version of an input; 0: it could not be read yet."""

    input_id: Token
    version: int = Field(ge=0)
    role: str = Field(default="", max_length=64, description="what it was for; absent in old logs")


class UsedInput(Contract):
    """An input that a text rests on, with the parts of it; with ``whole`` any part of it may be meant."""

    input_id: Token
    parts: tuple[Fingerprint, ...] = ()
    whole: bool = False


class ChangedInput(Contract):
    """An input that is not any more what a section rests on."""

    input_id: Token
    name: FileName
    accepted_version: int = Field(ge=0, description="the version that the section rests on")
    current_version: int = Field(ge=0)
    withdrawn: bool = False
    role: str = Field(default="", max_length=64, description="what it is for now, if it is no evidence any more")
    lapse: str = Field(default="", max_length=64, description="why the entry that it came from may not be used")
    changes: ArtifactRef | None = Field(default=None, description="InputChanges of the last version, as JSON")
