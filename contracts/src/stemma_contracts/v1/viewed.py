"""What a person has viewed of a document: nothing but a help for that person, who alone reads it."""

from __future__ import annotations

from pydantic import Field

from stemma_contracts.base import Contract
from stemma_contracts.tokens import Token

MOST_VIEWED = 500
"""Sections of one document."""


class ViewedSections(Contract):
    """The version of each section that was viewed, under the key of its owner in the bucket ``viewed``."""

    versions: dict[Token, int] = Field(default={}, max_length=MOST_VIEWED)
