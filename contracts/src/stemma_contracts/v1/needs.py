"""What a paused graph waits for, and how it is answered."""

from typing import Literal

from pydantic import Field

from stemma_contracts.base import Contract
from stemma_contracts.tokens import FileName, Token

from .exports import ExportFormat
from .references import ArtifactRef, InputFile


class MissingReference(Contract):
    """An image that an input refers to and that was not supplied."""

    reference: str = Field(max_length=500, description="the path that the input gives, inside the input folder")
    file: FileName = Field(description="the input that refers to it")
    candidates: tuple[FileName, ...] = Field(default=(), description="supplied images with such a name")


class Need(Contract):
    """What a paused graph waits for: an answer in words or a choice, from a person or a service.

    A ``validation`` or ``conversion`` is of the text ``draft``; ``assets`` are images that it may show besides
    those among the inputs. ``references`` are what a person is asked to supply or to skip, by decisions. An
    ``excerpt`` is a part of a text under the title of the whole.
    """

    need_id: Token
    kind: Literal["question", "upload", "validation", "conversion"]
    question: ArtifactRef | None = Field(default=None, description="the question in words")
    checkpoint_id: str = Field(max_length=128, description="the checkpoint that the answer resumes")
    draft: ArtifactRef | None = None
    assets: tuple[InputFile, ...] = ()
    format: ExportFormat | None = Field(default=None, description="what a conversion is to give")
    excerpt: bool = Field(default=False, description="what only the whole text can tell is not checked")
    references: tuple[MissingReference, ...] = ()
    forms: tuple[str, ...] = Field(default=(), description="the only answers in words that are understood; none: any")


Answerer = Literal["person", "validator", "converter"]
"""Who met a need, or failed to."""

SKIP = "skip"
"""The decision to leave a missing image out."""


def answer_form(words: str) -> str:
    """An answer in words as it is compared with the ``forms`` of a need: without case, spaces and a full stop."""
    return " ".join(words.casefold().split()).rstrip(".!")


class GivenAnswer(Contract):
    """What a person answered to a question before; the same question again has it, and nobody is asked twice."""

    question: str = Field(max_length=64, description="SHA-256 of the question in words")
    answer: ArtifactRef


class NeedAnswer(Contract):
    """The body of a person's answer with decisions: words, and by reference `SKIP`, an input or a new image."""

    text: str = ""
    decisions: dict[str, str | InputFile] = Field(default={}, description="a text is `skip` or the name of an input")
