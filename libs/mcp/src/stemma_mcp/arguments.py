"""The arguments that tools have in common; a text is never null, and an empty one is as good as none.

An argument whose type is exactly a string is taken as it is. The SDK reads others as JSON where they are strings, and
would turn a text such as ``null`` or ``[1]`` into something else.
"""

from __future__ import annotations

import base64
import binascii
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema, model_validator
from stemma_contracts.base import invalid_field
from stemma_contracts.tokens import TOKEN_PATTERN, FileName
from stemma_contracts.v1.references import UploadRef, UploadRole
from stemma_contracts.v1.requests import SeenVersion as SeenSection

_OR_NOTHING = TOKEN_PATTERN.replace("{1,64}", "{0,64}")

DocumentId = Annotated[str, Field(pattern=TOKEN_PATTERN, description="From start_document or list_documents.")]
SectionId = Annotated[
    str, Field(pattern=TOKEN_PATTERN, description="Id of a section, from document_status; not its title.")
]
SeenVersion = Annotated[
    int,
    Field(ge=1, description="The version that you read; if it is not current, nothing is changed."),
]
SeenSections = Annotated[
    list[SeenSection],
    Field(min_length=1, max_length=100, description="Each section with the version of it that you read."),
]
ProposalId = Annotated[str, Field(pattern=TOKEN_PATTERN, description="The id of the proposed edit, from read_section.")]
ThreadId = Annotated[str, Field(pattern=TOKEN_PATTERN, description="The id of a thread, from read_section.")]
InputId = Annotated[
    str, Field(pattern=TOKEN_PATTERN, description="The id of an input, from list_inputs; brief is the brief.")
]
SeenInput = Annotated[
    int, Field(ge=0, description="The version that list_inputs told; if it is not current, nothing is changed.")
]
RequestId = Annotated[
    str,
    Field(
        pattern=_OR_NOTHING,
        description="Your own id of this call (a UUID): with it, it is done once.",
    ),
]
ReplaceEdited = Annotated[
    bool,
    Field(description="Let go what people wrote, which else is merged. Ask them first."),
]


class GivenFile(BaseModel):
    """A file, by its content, or one that was uploaded to the gateway before."""

    model_config = ConfigDict(extra="forbid")

    name: FileName = Field(description="File name with its ending, such as facts.md or media/plan.png.")
    text: str = Field(default="", description="The content of a file of text.")
    base64: str = Field(default="", description="Any other file, in base64; in place of text.")
    upload: Annotated[UploadRef | None, WithJsonSchema({"type": "object"})] = Field(
        default=None, description="What POST /uploads answered; in place of text."
    )

    @model_validator(mode="after")
    def _one_content(self) -> GivenFile:
        if [bool(self.text), bool(self.base64), self.upload is not None].count(True) != 1:
            raise invalid_field("give exactly one of text, base64 and upload", "text")
        return self

    @property
    def content(self) -> bytes:
        """The bytes of the file; raises `ValueError` for what is no base64."""
        try:
            return base64.b64decode(self.base64, validate=True) if self.base64 else self.text.encode()
        except binascii.Error:
            raise ValueError("it is no base64") from None


class GivenInput(GivenFile):
    """A file that a document is written from."""

    role: UploadRole = Field(
        default="evidence",
        description="evidence has facts, price rates; request demands; internal is never quoted; past-text and style "
        "are written like.",
    )
