"""Ids of inputs: numbers in the order in which they came, none given twice; and how many a document can have."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import count

from stemma_contracts.v1.inputs import BRIEF
from stemma_contracts.v1.references import InputFile
from stemma_document.inputs import evidence_of
from stemma_document.state import Document

MOST_INPUTS = 200
MOST_LIST_BYTES = 48 * 1024
"""What the list of inputs, with what was found in them, may take up in a job."""
ONE_BYTES = 768
"""What one of them takes up there."""


def next_ids(document: Document) -> Iterator[str]:
    """The ids of inputs to come."""
    given = sum(one.input_id != BRIEF for one in document.inputs.values())
    return (f"input-{number}" for number in count(given + 1))


def room(document: Document) -> int:
    """The bytes that are left in the list of inputs of a job, with those kept free that are still to be read."""
    awaited = sum(one.pending is not None for one in document.inputs.values())
    return MOST_LIST_BYTES - listed(evidence_of(document)) - awaited * ONE_BYTES


def listed(files: Iterable[InputFile]) -> int:
    """The bytes that files take up in such a list."""
    return sum(len(file.model_dump_json(exclude_defaults=True)) for file in files)
