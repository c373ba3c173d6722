"""References to content."""

from __future__ import annotations

from pydantic import Field

from stemma_contracts.base import Contract
from stemma_contracts.tokens import Digest, FileName


class ArtifactRef(Contract):
    """A reference to unchangeable content in the artifact store; ``digest`` is its SHA-256 in hex."""

    digest: Digest
    size: int = Field(ge=0, description="bytes")
    media_type: str = Field(max_length=127, description="RFC 6838 media type")
    name: FileName = Field(description="file name for people; never used as a path on a host")
