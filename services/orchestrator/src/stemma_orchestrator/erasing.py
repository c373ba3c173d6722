"""Takes away what lies on the bus of a document that is erased, message by message: the server overwrites such a one,
where a purge only forgets it. Each step is harmless if it is done again.

The log goes last, behind the event that stays. Whoever was at work on the document may still store something: what
comes late is looked for again.
"""

import asyncio
import json
import re
import time
from base64 import urlsafe_b64decode
from collections import Counter
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import suppress
from dataclasses import dataclass

from nats.aio.client import Client
from nats.js import JetStreamContext
from nats.js.api import RawStreamMsg
from nats.js.errors import APIError, NotFoundError
from nats.js.kv import KeyValue
from stemma_artifacts import objects
from stemma_contracts import subjects
from stemma_contracts.subjects import ANY
from stemma_contracts.v1.erasure import ErasedStore
from stemma_domain.state import Document, Erased
from stemma_eventlog import StreamId
from stemma_messaging.stored import messages_in

REMAIN = ("backups", "service-logs", "copies-of-people", "pages-of-databases")
"""What may hold copies and is no store of a service."""
LOG = "log"
"""Remains where an earlier release made it so that the server deletes nothing of it: restored from a backup it can."""
COPIED_WITHIN_S = 5.0
POLL_S = 0.05
_VIEWS = f"KV_{subjects.VIEWS_BUCKET}"
_VIEWED = f"KV_{subjects.VIEWED_BUCKET}"
_DIGEST = re.compile(rb'"([0-9a-f]{64})"')


@dataclass(frozen=True)
class Piece:
    """One thing that is stored of a document: a message, with ``chunks`` the description of an object."""

    store: str
    stream: str
    sequence: int
    chunks: str = ""


class Eraser:
    """What is stored of a document on the bus, beside its log: counted, and taken away."""

    def __init__(self, nats: Client, views: KeyValue) -> None:
        self._nats = nats
        self._js = nats.jetstream()
        self._views = views

    async def would_erase(self, stream: StreamId, document: Document) -> tuple[ErasedStore, ...]:
        """What there is; threads are counted by the service that keeps them, once they go."""
        counts = Counter({"events": document.number})
        counts.update([piece.store async for piece in self._pieces(stream, document)])
        return _told(counts | Counter(summaries=await self._summaries(stream)))

    async def erase(self, stream: StreamId, document: Document) -> tuple[ErasedStore, ...]:
        """Take all away but the log; what there was."""
        counts = Counter[str]()
        async for piece in self._pieces(stream, document):
            await self.take(piece, stream.tenant)
            counts[piece.store] += 1
        counts["summaries"] = await self._erase_summaries(stream)
        return _told(counts)

    async def remain(self) -> tuple[str, ...]:
        """What nobody can take away."""
        config = (await self._js.stream_info(subjects.EVENTS)).config
        return (*REMAIN, LOG) if config.deny_delete else REMAIN

    async def erase_log(self, stream: StreamId, erased: Erased) -> None:
        """Take the log away but for the event that stays, the latest first: what is left of it can be folded.

        Copies of tenants have the same sequences; they hear of no deletion.
        """
        pattern = subjects.event(stream.tenant, stream.document_id, ANY)
        await self._cut(self._js, pattern, erased.sequence)
        await self._erase_summaries(stream)
        copy = self._copy(stream.tenant)
        await _came_to(copy, pattern, erased.sequence)
        await self._cut(copy, pattern, erased.sequence)

    async def erase_late(self, tenant: str, erased: Collection[StreamId]) -> int:
        """Take away what was stored after documents of a tenant were erased; how much that was.

        What has no subject of its document is looked through once for all of them.
        """
        found = [piece for stream in erased async for piece in self._under_its_name(stream)]
        found += [piece async for piece in self._large(tenant, erased)]
        found += [piece async for piece in self._mentioned(tenant, erased)]
        for piece in found:
            await self.take(piece, tenant)
        return len(found) + sum([await self._erase_summaries(stream) for stream in erased])

    async def _cut(self, js: JetStreamContext, pattern: str, stays: int) -> None:
        found = [one.seq or 0 async for one in messages_in(js, subjects.EVENTS, pattern)]
        for sequence in (one for one in reversed(found) if one != stays):
            if not await _deleted(js, subjects.EVENTS, sequence):
                return

    def _copy(self, tenant: str) -> JetStreamContext:
        return self._nats.jetstream(prefix=subjects.copies_api(tenant))

    async def _pieces(self, stream: StreamId, document: Document) -> AsyncIterator[Piece]:
        async for piece in self._jobs(stream):
            yield piece
        async for piece in self._under_its_name(stream):
            yield piece
        async for piece in self._large(stream.tenant, [stream]):
            yield piece
        referred = await self._referred(stream)
        async for piece in self._objects("uploads", subjects.uploads_bucket(stream.tenant), _is_one_of(referred)):
            yield piece
        async for piece in self._told(stream, document):
            yield piece

    async def _under_its_name(self, stream: StreamId) -> AsyncIterator[Piece]:
        """What can be found when the log is gone."""
        tenant, document_id = stream.tenant, stream.document_id
        places = (
            ("model-calls", subjects.RECORDS, subjects.record(tenant, document_id, ANY)),
            ("artifacts", subjects.ARTIFACTS, subjects.artifact(tenant, document_id, ANY)),
            ("timers", subjects.TIMERS, subjects.timer(tenant, document_id, ANY, ANY)),
            ("timers", subjects.TIMERS, subjects.elapsed(tenant, document_id, ANY, ANY)),
            ("viewed", _VIEWED, f"$KV.{subjects.VIEWED_BUCKET}.{subjects.viewed_key(tenant, ANY, document_id)}"),
        )
        for store, name, pattern in places:
            async for one in messages_in(self._js, name, pattern):
                yield Piece(store, name, one.seq or 0)

    def _large(self, tenant: str, streams: Collection[StreamId]) -> AsyncIterator[Piece]:
        prefixes = tuple(f"{tenant}/{one.document_id}/" for one in streams)
        return self._objects("artifacts", subjects.artifacts_bucket(tenant), lambda name, _: name.startswith(prefixes))

    async def _jobs(self, stream: StreamId) -> AsyncIterator[Piece]:
        about = f"{stream.tenant}/{stream.document_id}"
        async for one in messages_in(self._js, subjects.JOBS, subjects.REST):
            if (one.headers or {}).get("ce-subject") == about:
                yield Piece("jobs", subjects.JOBS, one.seq or 0)

    async def _referred(self, stream: StreamId) -> frozenset[str]:
        pattern = subjects.event(stream.tenant, stream.document_id, ANY)
        events = [one.data or b"" async for one in messages_in(self._js, subjects.EVENTS, pattern)]
        return frozenset(digest.decode() for data in events for digest in _DIGEST.findall(data))

    async def _objects(self, store: str, bucket: str, wanted: Callable[[str, str], bool]) -> AsyncIterator[Piece]:
        async for one in messages_in(self._js, f"OBJ_{bucket}", f"$O.{bucket}.M.{ANY}"):
            with suppress(objects.BadObject, ValueError):
                described, named = objects.read(one.data or b""), json.loads(one.data or b"{}")
                if wanted(str(named.get("name")), _hex(str(named.get("digest")))):
                    yield Piece(store, f"OBJ_{bucket}", one.seq or 0, f"$O.{bucket}.C.{described.nuid}")

    async def _told(self, stream: StreamId, document: Document) -> AsyncIterator[Piece]:
        """Answers, but for that to the request of the erasure, and what is said of it elsewhere."""
        asked = document.erasure.request_id if document.erasure else ""
        for request_id in document.requests:
            if request_id != asked:
                async for one in messages_in(self._js, subjects.ANSWERS, subjects.answer(stream.tenant, request_id)):
                    yield Piece("answers", subjects.ANSWERS, one.seq or 0)
        async for piece in self._mentioned(stream.tenant, [stream]):
            yield piece

    async def _mentioned(self, tenant: str, streams: Collection[StreamId]) -> AsyncIterator[Piece]:
        """Notices and dead letters."""
        notices = subjects.notice(tenant, ANY, ANY)
        for store, name, pattern in (
            ("notices", subjects.NOTICES, notices),
            ("dead-letters", subjects.DEAD, subjects.REST),
        ):
            async for one in messages_in(self._js, name, pattern):
                if any(_is_about(one, stream) for stream in streams):
                    yield Piece(store, name, one.seq or 0)

    async def take(self, piece: Piece, tenant: str) -> None:
        """Take one thing away, with the chunks of an object."""
        if piece.chunks:
            async for chunk in messages_in(self._js, piece.stream, piece.chunks):
                await _deleted(self._js, piece.stream, chunk.seq or 0)
        if piece.stream == _VIEWED:
            found = await self._js.get_msg(_VIEWED, seq=piece.sequence)
            await self._js.purge_stream(_VIEWED, subject=found.subject)
            return
        await _deleted(self._js, piece.stream, piece.sequence)
        if piece.stream == subjects.ANSWERS:
            await _deleted(self._copy(tenant), piece.stream, piece.sequence)

    async def _summaries(self, stream: StreamId) -> int:
        return len(await self._keys(stream))

    async def _keys(self, stream: StreamId) -> list[str]:
        key = subjects.view_key(stream.tenant, stream.document_id)
        found = [one async for one in messages_in(self._js, _VIEWS, f"$KV.{subjects.VIEWS_BUCKET}.{key}") if one.data]
        sections = messages_in(self._js, _VIEWS, f"$KV.{subjects.VIEWS_BUCKET}.{key}.{ANY}")
        return [one.subject or "" async for one in sections] + [one.subject or "" for one in found]

    async def _erase_summaries(self, stream: StreamId) -> int:
        """Followers are told that the document is gone; what lies under it nobody follows."""
        keys, key = await self._keys(stream), subjects.view_key(stream.tenant, stream.document_id)
        if not keys:
            return 0
        await self._views.purge(key)
        sections = f"$KV.{subjects.VIEWS_BUCKET}.{key}.{ANY}"
        for js in (self._js, self._copy(stream.tenant)):
            await js.purge_stream(_VIEWS, subject=sections)
        return len(keys)


def _told(counts: Counter[str]) -> tuple[ErasedStore, ...]:
    return tuple(ErasedStore(store=store, count=count) for store, count in sorted(counts.items()) if count)


def _is_one_of(digests: frozenset[str]) -> Callable[[str, str], bool]:
    return lambda _, digest: digest in digests


def _hex(digest: str) -> str:
    """The digest of an object as references have it; raises `ValueError`."""
    return urlsafe_b64decode(digest.removeprefix("SHA-256=")).hex()


def _is_about(message: RawStreamMsg, stream: StreamId) -> bool:
    """Whether a message is about a document, as it says itself, also where nobody can read it."""
    about, said = f"{stream.tenant}/{stream.document_id}", (message.headers or {}).get("ce-subject", "")
    return about in (said, said.rpartition("/")[0]) or f'"{stream.document_id}"'.encode() in (message.data or b"")


_NOT_DELETED = 10057
"""Of a message that is not there, and of a stream that was made to refuse it."""
_BEFORE_ALL = 10043
"""Of a message that is not there either, nor any before it."""


async def _deleted(js: JetStreamContext, stream: str, sequence: int) -> bool:
    """Whether a message is gone; the log of an earlier release refuses that. Raises `APIError` for what may pass."""
    try:
        await js.delete_msg(stream, sequence)
    except APIError as refused:
        if refused.err_code not in (_NOT_DELETED, _BEFORE_ALL):
            raise
        return refused.err_code == _BEFORE_ALL or refused.description == "no message found"
    return True


async def _came_to(copy: JetStreamContext, pattern: str, sequence: int) -> None:
    """Wait until a copy has the event that stays: nothing of the document comes behind it."""
    deadline = time.monotonic() + COPIED_WITHIN_S
    while time.monotonic() < deadline:
        with suppress(NotFoundError):
            if ((await copy.get_last_msg(subjects.EVENTS, pattern)).seq or 0) >= sequence:
                return
        await asyncio.sleep(POLL_S)
