"""References to content."""

from __future__ import annotations

from pydantic import Field, StrictInt

from stemma_contracts.base import Contract
from stemma_contracts.tokens import Digest, FileName


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
    media_type: str = Field(max_length=127)
    name: FileName = Field(description="path inside the input folder, for example media/plan.png")


class InputFile(Contract):
    """An input of a document: its path inside the input folder and its content."""

    name: FileName
    artifact: ArtifactRef
