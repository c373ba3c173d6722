"""The read model of documents: what lists and pages show without reading a log."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterable, Mapping
from contextlib import aclosing, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from nats.aio.msg import Msg
from nats.js.api import RawStreamMsg
from pydantic import BaseModel, ValidationError
from stemma_contracts import subjects
from stemma_contracts.v1.document import DocumentStatus
from stemma_contracts.v1.summary import DocumentSummary, SectionSummary

from .connection import Connection
from .errors import DocumentNotFoundError, NotReadYetError

if TYPE_CHECKING:
    from stemma_contracts.v1.budgets import BudgetQuestion
    from stemma_contracts.v1.views import SectionView

_STREAM = f"KV_{subjects.VIEWS_BUCKET}"
_KEYS = f"$KV.{subjects.VIEWS_BUCKET}"
FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.01, 0.5
"""Between two looks at a summary that is to be later."""
_ANEW = "`stemma-orchestrator --repair` makes it anew"

M = TypeVar("M", bound=BaseModel)


@dataclass(frozen=True)
class Overview:
    """A document with its sections, in their order, as the read model has them; what is large stands by reference.

    What a section is doing is told by ``document``; of one that is being made ``sections`` has what it was before, and
    nothing of one that never rested or that an earlier release wrote.
    """

    document: DocumentSummary
    sections: Mapping[str, SectionView]


@dataclass(frozen=True)
class Listed:
    """What the read model says of a document since a place in it: None where it is gone or cannot be read."""

    sequence: int
    document_id: str
    summary: DocumentSummary | None


@dataclass(frozen=True)
class Listing:
    """The documents of a tenant, newest first, and the place in the read model that they were read to."""

    documents: list[DocumentSummary]
    sequence: int


async def read_listing(connection: Connection, tenant: str, *, warns: bool = True) -> Listing:
    """All documents of a tenant."""
    subject = f"{_KEYS}.{tenant}.{subjects.ANY}"
    async with aclosing(connection.snapshot(_STREAM, subject, latest=True)) as messages:
        found = [_listed(connection, message, warns=warns) async for message in messages]
    documents = [each.summary for each in found if each.summary is not None]
    newest_first = sorted(documents, key=lambda summary: summary.created_at, reverse=True)
    return Listing(newest_first, max((each.sequence for each in found), default=0))


async def follow_listing(connection: Connection, tenant: str, from_sequence: int) -> AsyncGenerator[Listed, None]:
    """The documents of a tenant whose summaries changed at that place or later, and those to come, without end."""
    subject = f"{_KEYS}.{tenant}.{subjects.ANY}"
    async with aclosing(connection.follow(_STREAM, subject, from_sequence)) as messages:
        async for message in messages:
            yield _listed(connection, message)


def _listed(connection: Connection, message: Msg, *, warns: bool = True) -> Listed:
    summary = _read(connection, message.subject, message, DocumentSummary, warns=warns)
    return Listed(message.metadata.sequence.stream, message.subject.rpartition(".")[2], summary)


@dataclass(frozen=True)
class Sections:
    """All sections of a tenant that rest, from the read model."""

    connection: Connection

    async def __call__(self) -> dict[tuple[str, str], SectionView]:
        """The sections by document and section, read beside the event loop: there may be tens of thousands."""
        subject = f"{_KEYS}.{self.connection.address.tenant}.{subjects.ANY}.{subjects.ANY}"
        async with aclosing(self.connection.snapshot(_STREAM, subject, latest=True)) as messages:
            stored = [message async for message in messages]
        return await asyncio.to_thread(sections_by_place, self.connection, stored)


def sections_by_place(connection: Connection, stored: Iterable[Msg]) -> dict[tuple[str, str], SectionView]:
    from stemma_contracts.v1.views import SectionView  # with most of what messages are made of

    read = ((one.subject.split(".")[-2], _read(connection, one.subject, one, SectionView)) for one in stored)
    return {(document_id, section.section_id): section for document_id, section in read if section is not None}


async def read_ids(connection: Connection, tenant: str) -> list[str]:
    """The ids of all documents of a tenant: the keys of the read model, without what lies under them."""
    keys = await connection.subjects_in(_STREAM, f"{_KEYS}.{tenant}.{subjects.ANY}")
    return sorted(key.rpartition(".")[2] for key in keys)


async def read_overview(
    connection: Connection, tenant: str, document_id: str, at_least: int, wait_s: float
) -> Overview:
    """The read model of a document once it is as late as a sequence of the log."""
    subject = f"{_KEYS}.{subjects.view_key(tenant, document_id)}"
    document = await _document(connection, subject, at_least, wait_s)
    if document is None and at_least:
        raise NotReadYetError(document_id, at_least)
    if document is None:
        raise DocumentNotFoundError.of("document_unknown", document_id=document_id)
    from stemma_contracts.v1.views import SectionView  # with most of what messages are made of

    keys = [f"{subject}.{section.section_id}" for section in document.sections]
    stored = await asyncio.gather(*(connection.last_message(_STREAM, key) for key in keys))
    read = (_read(connection, key, last, SectionView) for key, last in zip(keys, stored, strict=True))
    return Overview(document, {section.section_id: section for section in read if section is not None})


async def _document(connection: Connection, subject: str, at_least: int, wait_s: float) -> DocumentSummary | None:
    seen: int | None = None
    pause = FIRST_PAUSE_S
    with suppress(TimeoutError):
        async with asyncio.timeout(wait_s if at_least else None):
            while True:
                last = await connection.last_message(_STREAM, subject)
                if last and last.seq != seen:
                    seen, found = last.seq, _read(connection, subject, last, DocumentSummary)
                    if found is not None and found.last_sequence >= at_least:
                        return found
                if not at_least:
                    break
                await asyncio.sleep(pause)
                pause = min(2 * pause, LONGEST_PAUSE_S)
    return None


def _read(
    connection: Connection, subject: str, stored: Msg | RawStreamMsg | None, model: type[M], *, warns: bool = True
) -> M | None:
    """What lies under a key, if anything does; what cannot be read is told of and left out."""
    if stored is None or not stored.data:
        return None
    try:
        return model.model_validate_json(stored.data)
    except ValidationError:
        document_id = subject.removeprefix(f"{_KEYS}.").split(".")[1]
        if warns:
            connection.tell(f"the summary of {document_id} cannot be read and is left out; {_ANEW}")
        return None


def waiting_sections(document: DocumentSummary) -> list[SectionSummary]:
    """The sections that wait for a person, as far as the summary of their document tells."""
    return [] if document.status is DocumentStatus.CANCELLED else [one for one in document.sections if one.waits_for]


def asked_of_budget(document: DocumentSummary) -> BudgetQuestion | None:
    """The question of a budget that would be passed, if one waits for a person."""
    return document.budget.question if document.budget and document.status is not DocumentStatus.CANCELLED else None


def commented_sections(document: DocumentSummary) -> list[SectionSummary]:
    """The sections with comments that nobody resolved."""
    if document.status is DocumentStatus.CANCELLED:
        return []
    return [section for section in document.sections if section.open_threads]


def listed_sections(document: DocumentSummary) -> list[SectionSummary]:
    """The sections that wait for a person, then those with nothing but comments that are open."""
    waiting = waiting_sections(document)
    return [*waiting, *(section for section in commented_sections(document) if section not in waiting)]
