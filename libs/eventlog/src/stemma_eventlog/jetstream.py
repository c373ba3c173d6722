"""The event log on a NATS JetStream stream.

Compare and set rests on ``Nats-Expected-Last-Subject-Sequence`` with the literal filter
``stemma.event.v1.<tenant>.<document>.>``: the server keys its check on that string, so every writer
must send the same one. Several events of one decision go as an atomic batch (ADR-50), which nats-py
has no call for; a document's history is read by `read_batch`.
"""

import asyncio
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from uuid import uuid4

from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.errors import NoRespondersError
from nats.errors import TimeoutError as NatsTimeout
from stemma_contracts import MAX_MESSAGE_BYTES, Envelope, Family, Registry, UpcastFailed, subjects
from stemma_contracts import registry as default_registry

from .batches import ReadRefused, read_batch
from .decider import FoldFailed
from .log import AppendUnknown, Conflict, NewEvent, Recorded, StreamId, Unreadable

_EXPECTED = "Nats-Expected-Last-Subject-Sequence"
_EXPECTED_SUBJECT = "Nats-Expected-Last-Subject-Sequence-Subject"
_CONFLICTS = frozenset({10071, 10164})
_NO_ROOM = frozenset({10023, 10028, 10047, 10077})
_UNAVAILABLE = 503
_NO_MESSAGE = 10037
FIRST_PAUSE_S = 0.002


class LogRefused(Exception):
    """The server refused an append or a read for another reason than a conflict."""


class LogFull(LogRefused):
    """The server has no room for an append now; nothing of it was stored."""

    is_outage = True


class LogBehind(LogRefused):
    """What was asked for is on no server that answers now."""

    is_outage = True


class JetStreamEventLog:
    """An `EventLog` over the stream EVENTS; ``timeout`` in seconds counts for each answer of the server.

    ``contracts`` reads what is in the log, old versions through their upcasters.
    """

    def __init__(
        self, nats: Client, timeout: float = 10, batch: int = 1000, contracts: Registry = default_registry
    ) -> None:
        self._nats = nats
        self._timeout = timeout
        self._batch = batch
        self._contracts = contracts

    async def append(self, stream: StreamId, expected: int, events: Sequence[NewEvent]) -> int:
        """See `EventLog.append`."""
        batch_id = uuid4().hex if len(events) > 1 else ""
        fence = {_EXPECTED: str(expected), _EXPECTED_SUBJECT: _filter(stream)}
        for position, new in enumerate(events[:-1], start=1):
            headers = _batch_headers(batch_id, position) | (fence if position == 1 else {})
            _raise_error(await self._request(stream, new, headers))
        last = {} if len(events) == 1 else _batch_headers(batch_id, len(events)) | {"Nats-Batch-Commit": "1"}
        reply = await self._request(stream, events[-1], last | (fence if len(events) == 1 else {}))
        _raise_error(reply)
        return int(reply["seq"])

    async def _request(self, stream: StreamId, new: NewEvent, headers: Mapping[str, str]) -> dict[str, Any]:
        entry = self._contracts.entry_of(new.event)
        data = self._contracts.encode(new.event)
        if len(data) > MAX_MESSAGE_BYTES:
            raise LogRefused(f"{entry.ce_type} has {len(data)} bytes, at most {MAX_MESSAGE_BYTES} are taken")
        subject = subjects.event(stream.tenant, stream.document_id, entry.token)
        all_headers = new.envelope.headers() | dict(headers)
        try:
            reply = await self._nats.request(subject, data, timeout=self._timeout, headers=all_headers)
        except (NatsTimeout, NoRespondersError) as error:
            raise AppendUnknown(type(error).__name__) from error
        return dict(json.loads(reply.data)) if reply.data else {}

    async def read(self, stream: StreamId, after: int = 0) -> list[Recorded | Unreadable]:
        """See `EventLog.read`.

        Of several servers any that has the stream answers a direct get, also one that does not have the last of it yet:
        the leader is asked where the document ends, and it is read to there.
        """
        history: list[Recorded | Unreadable] = []
        last = await self._last(_filter(stream))
        for pause in _pauses(self._timeout):
            while after < last and (messages := await self._next(stream, after)):
                history.extend(self._recorded(stream, message) for message in messages)
                after = history[-1].sequence
            if after >= last:
                return history
            await asyncio.sleep(pause)
        raise LogBehind(f"{last} is not where it is read")

    async def _last(self, pattern: str) -> int:
        """The sequence of the last message as the leader has it; 0 if there is none."""
        ask = json.dumps({"last_by_subj": pattern}).encode()
        told = await self._nats.request(f"$JS.API.STREAM.MSG.GET.{subjects.EVENTS}", ask, timeout=self._timeout)
        reply = json.loads(told.data)
        if reply.get("error", {}).get("err_code") == _NO_MESSAGE:
            return 0
        _raise_error(reply)
        return int(reply["message"]["seq"])

    async def _next(self, stream: StreamId, after: int) -> list[Msg]:
        """The next messages; none if the server that answers has none."""
        try:
            batch = await read_batch(self._nats, subjects.EVENTS, _filter(stream), after, self._batch, self._timeout)
        except ReadRefused as refused:
            kind = LogBehind if refused.status == str(_UNAVAILABLE) else LogRefused
            raise kind(f"reading the log: {refused}") from None
        return batch.messages

    def _recorded(self, stream: StreamId, message: Msg) -> Recorded | Unreadable:
        headers = message.headers or {}
        sequence, number = int(headers["Nats-Sequence"]), 0
        try:
            address = subjects.parse_event(headers["Nats-Subject"])
            envelope = Envelope.from_headers(headers)
            number = envelope.sequence if envelope.subject == f"{address.tenant}/{address.document_id}" else 0
            event = self._contracts.decode(envelope.type, message.data)
        except ValueError as error:
            return Unreadable(sequence, type(error).__name__, number)
        except UpcastFailed as error:
            raise FoldFailed(stream, sequence, error) from error
        entry = self._contracts.entry_for(envelope.type)
        if entry.family is not Family.EVENT or entry.token != address.name:
            return Unreadable(sequence, f"{entry.ce_type} does not belong there", number)
        return Recorded(envelope, event, sequence)


def _pauses(within_s: float) -> Iterator[float]:
    """Growing ones, which take so long in all."""
    pause = FIRST_PAUSE_S
    while within_s > 0:
        yield pause
        within_s, pause = within_s - pause, pause * 2


def _filter(stream: StreamId) -> str:
    return subjects.event(stream.tenant, stream.document_id, subjects.REST)


def _batch_headers(batch_id: str, position: int) -> dict[str, str]:
    return {"Nats-Batch-Id": batch_id, "Nats-Batch-Sequence": str(position)}


def _raise_error(reply: Mapping[str, Any]) -> None:
    error = reply.get("error")
    if error is None:
        return
    if error.get("err_code") in _CONFLICTS:
        raise Conflict(error.get("description", ""))
    words = f"{error.get('err_code')}: {error.get('description', '')}"
    if error.get("code") == _UNAVAILABLE or error.get("err_code") in _NO_ROOM:
        raise LogFull(words)
    raise LogRefused(words)
