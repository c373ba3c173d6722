"""References to content."""

from typing import Annotated, Any, Literal, get_args

from pydantic import AfterValidator, Field, StrictInt

from stemma_contracts.base import Contract
from stemma_contracts.shown import check_upload_name
from stemma_contracts.tokens import Digest, FileName, Token

InputRole = Literal["request", "evidence", "past-text", "style"]
"""What an input is for: it asks for the document, it says what is so, it is an earlier text whose manner may be taken
and nothing of what it says, it says how to write."""

UploadRole = Literal["request", "evidence", "past-text", "style", "form", "internal", "price"]
"""What a request may say that a file is for.

A form is one of the buyer's that is to come back with answers in it. What is internal informs people and models and is
never quoted. A price is a rate sheet of the bidder that prices are computed from.
"""

_KEPT_AS: dict[UploadRole, InputRole] = {"form": "request", "internal": "style", "price": "evidence"}


def known_role(word: str) -> UploadRole | None:
    """The role of a word; None for that of a later release."""
    return next((role for role in get_args(UploadRole) if role == word), None)


class ArtifactRef(Contract):
    """A reference to unchangeable content in the artifact store; ``digest`` is its SHA-256 in hex."""

    digest: Digest
    size: int = Field(ge=0, description="bytes")
    media_type: str = Field(max_length=127, description="RFC 6838 media type")
    name: FileName = Field(description="file name for people; never used as a path on a host")


class UploadRef(Contract):
    """A reference to an object that the caller put into the upload bucket of its tenant."""

    object_name: str = Field(min_length=1, max_length=255, description="name in the upload bucket")
    digest: Digest
    size: StrictInt = Field(ge=0, description="bytes")
    media_type: Annotated[str, AfterValidator(str.lower)] = Field(max_length=127)
    name: Annotated[str, AfterValidator(check_upload_name)] = Field(
        description="path inside the input folder, for example media/plan.png"
    )
    role: UploadRole = Field(default="evidence", description="of an input")
    role_confirmed: bool = Field(
        default=False,
        description="a person chose the role; else evidence whose name or content says otherwise is what they propose",
    )


class InputFile(Contract):
    """An input of a document: its path inside the input folder and its content.

    In a job the content is what was read of the file, and ``anchors`` say where in the file it stands.
    """

    name: FileName
    artifact: ArtifactRef
    input_id: Token | None = Field(default=None, description="absent in old logs: input-1, input-2 and so on")
    role: InputRole = "evidence"
    anchors: ArtifactRef | None = Field(default=None, description="Anchors as JSON")
    form: bool = Field(default=False, description="it is to come back with answers in it; its role is then request")
    internal: bool = Field(default=False, description="never quoted; its role is then style")
    price: bool = Field(default=False, description="prices are computed from it; its role is then evidence")
    proposed: bool = Field(default=False, description="nobody chose the role: name and content of the file propose it")

    @staticmethod
    def fields_of(role: UploadRole) -> dict[str, Any]:
        """The fields that say what a file is for; readers of the first release know four roles."""
        kept = _KEPT_AS.get(role)
        return {"role": kept, str(role): True} if kept else {"role": role}

    @property
    def used_as(self) -> UploadRole:
        """What the file is for."""
        if self.form:
            return "form"
        if self.internal:
            return "internal"
        return "price" if self.price else self.role
