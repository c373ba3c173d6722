"""A DOCX that comes back from a word processor: what people did to the document, as it is shown before it counts."""

from typing import Literal

from pydantic import AwareDatetime, Field

from stemma_contracts.base import Contract

from .references import ArtifactRef

CommentUse = Literal["comment", "question", "guidance", "nothing"]
"""What a comment in a file becomes: a comment on its section, one that waits for an answer, an instruction for the
editor agent, or nothing.
"""
MOST_COMMENTS_CHOSEN = 1_000


class ReturnedEdit(Contract):
    """What a section says after somebody's changes; nobody is named where they were not tracked."""

    author: str
    at: AwareDatetime | None = None
    before: str
    after: str


class ReturnedComment(Contract):
    """A comment on some words; ``parent`` is the one that it answers. One that is ``resolved`` is not taken over."""

    comment_id: str
    author: str
    at: AwareDatetime | None = None
    text: str
    quote: str = ""
    resolved: bool = False
    parent: str = ""


class ReturnedConflict(Contract):
    """What the file and a newer version both changed, each in its own way; what is not there is empty."""

    base: str = ""
    file: str = ""
    document: str = ""


class ReturnedObject(Contract):
    """Something that is no text and is not taken over: a picture, or formulas.

    ``about`` says which: the description of a picture, or the words beside it.
    """

    change: Literal["picture_added", "picture_gone", "picture_moved", "picture_replaced", "formulas_changed"]
    about: str = ""


class ReturnedSection(Contract):
    """What people did to a section: to the version that left, and as edits (``merged``) of the one that it has now.

    Where both changed the same, ``merged`` has the words of the file. ``unwritten`` are words for which there is no
    place in its Markdown, ``unsupported`` changes of what is no text. ``removed``: all of its text is
    gone from the file; nothing of that is taken over, as a section has a text.
    """

    section_id: str
    version: int
    now: int
    edits: tuple[ReturnedEdit, ...] = ()
    merged: tuple[ReturnedEdit, ...] = ()
    conflicts: tuple[ReturnedConflict, ...] = ()
    comments: tuple[ReturnedComment, ...] = ()
    unwritten: tuple[str, ...] = ()
    unsupported: tuple[ReturnedObject, ...] = ()
    removed: bool = False

    @property
    def is_outdated(self) -> bool:
        """Whether it has another version since the file left."""
        return self.now != self.version


class ReturnedDocument(Contract):
    """What a file says. ``certainty`` is 1 where it has our marks, else the share of the text that was found in it.

    ``around`` is what was changed or added outside of the sections, and ``comments`` are those on text there: nobody
    can take them over but a person.
    """

    sections: tuple[ReturnedSection, ...] = ()
    certainty: float = Field(default=1.0, ge=0, le=1)
    around: tuple[str, ...] = ()
    comments: tuple[ReturnedComment, ...] = ()


class ReturnFigures(Contract):
    """How much people did in a file."""

    certainty: float = Field(default=1.0, ge=0, le=1)
    edits: int = Field(default=0, ge=0)
    comments: int = Field(default=0, ge=0)
    conflicts: int = Field(default=0, ge=0)


class WrittenVersion(Contract):
    """A version of a section."""

    section_id: str
    version: int = Field(ge=1)
    draft: ArtifactRef


class WrittenVersions(Contract):
    """All that a file may show: the sections in their order, of each the current version last."""

    versions: tuple[WrittenVersion, ...] = ()
