"""What exports are made of: their sections, the versions that they compare, and what a person should know."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, StrictInt

from stemma_contracts.base import Contract
from stemma_contracts.tokens import Token

from .values import ArtifactRef, SectionStatus


class VersionPair(Contract):
    """Two versions of one section that an export compares; 0 stands for the time before anything was written."""

    section_id: Token
    from_version: StrictInt = Field(ge=0)
    to_version: StrictInt = Field(ge=0)


class ExportSection(Contract):
    """One section of an export; ``draft`` is absent while nothing has been written.

    ``previous`` is the draft that a comparison leads from, absent if nothing was written then.
    """

    section_id: Token
    title: str
    status: SectionStatus
    stale: bool = False
    version: int = Field(default=0, ge=0, description="0: nothing written yet")
    draft: ArtifactRef | None = None
    previous: ArtifactRef | None = None
    max_pages: int | None = Field(default=None, ge=1, description="pages that it may take")


class ExportWarning(Contract):
    """Something in an export that a person should know, by section; ``count`` times."""

    code: Literal[
        "not_written", "not_approved", "stale", "missing_image", "dropped_image", "dropped_link", "dropped_html"
    ]
    section_id: Token | None = None
    count: int = Field(default=1, ge=1)


class OverlongSection(Contract):
    """A section that takes more pages of an export than its outline allows it."""

    section_id: Token
    pages: int = Field(ge=1, description="pages that it stands on, counted in the PDF")
    max_pages: int = Field(ge=1)
