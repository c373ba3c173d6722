"""The parts of addresses, and what is found by them."""

import asyncio
from typing import Annotated

from fastapi import Path, Query
from stemma_client import DocumentView, RecordedEvent, SectionView
from stemma_client.reading import ReadLog, reading_of, until
from stemma_contracts.tokens import Digest, Token
from stemma_contracts.v1.answers import Problem

from stemma_gateway.problems import Conflict, NotFound
from stemma_gateway.sessions import Session

LOOKS, LOOK_AGAIN_S = 3, 0.1
DocumentId = Annotated[Token, Path(description="the id of a document")]
SectionId = Annotated[Token, Path(description="the id of a section of it")]
Number = Annotated[int, Path(ge=1, le=2**31, description="the number of a version")]
DigestOf = Annotated[Digest, Path(description="the SHA-256 of stored content, in hex")]
AtLeast = Annotated[
    int, Query(ge=0, le=2**53, description="the `sequence` of an answer: what was answered is in what is read")
]


At = Annotated[int, Query(ge=0, le=2**53, description="a `sequence` of the log: as it was then; 0: as it is now")]


async def has_come_to(session: Session, sequence: int, document_id: str | None = None) -> bool:
    """Whether the log, or that of a document, has a sequence: of several servers, one may be behind for a moment."""
    for _ in range(LOOKS):
        if sequence <= await session.client.position(document_id):
            return True
        await asyncio.sleep(LOOK_AGAIN_S)
    return False


async def told(session: Session, document_id: str, at_least: int) -> None:
    """Raises `Conflict` for a sequence that no answer about a document had: it would be waited for in vain."""
    if at_least and not await has_come_to(session, at_least, document_id):
        raise Conflict(Problem.of("log_behind", "at_least"))


async def log_of(session: Session, document_id: str, at_least: int = 0) -> list[RecordedEvent]:
    return list((await read_log(session, document_id, at_least)).events)


async def read_log(session: Session, document_id: str, at_least: int = 0) -> ReadLog:
    """A document with its log, of which only what this session does not know is read; raises as `log_of` does."""
    await told(session, document_id, at_least)
    return await session.followed.documents.read(document_id, at_least=at_least)


async def read_log_at(session: Session, document_id: str, at_least: int, at: int) -> ReadLog:
    """The same as it was at a sequence; raises `NotFound` for one before its first."""
    read = await read_log(session, document_id, at_least)
    if not at:
        return read
    events = tuple(until(read.events, at))
    if not events:
        raise NotFound(Problem.of("document_unknown", "at", document_id=document_id))
    return ReadLog(await asyncio.to_thread(reading_of, document_id, events), events)


async def document_of(session: Session, document_id: str, at_least: int = 0) -> DocumentView:
    return (await read_log(session, document_id, at_least)).document


async def section_of(session: Session, document_id: str, section_id: str, at_least: int = 0) -> SectionView:
    return section_in(await document_of(session, document_id, at_least), section_id)


def section_in(document: DocumentView, section_id: str) -> SectionView:
    if (section := document.sections.get(section_id)) is None:
        raise NotFound(Problem.of("section_unknown", section_id=section_id))
    return section
