"""Records of model calls: a job that runs again finds its answers here and pays nothing."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol
from uuid import uuid4

from langchain_core.messages import AIMessage, BaseMessage, InvalidToolCall, ToolCall, ToolMessage
from nats.js import JetStreamContext
from nats.js.errors import NotFoundError
from pydantic import BaseModel, ConfigDict, ValidationError
from stemma_contracts import subjects
from stemma_contracts.v1.references import ArtifactRef
from stemma_contracts.v1.usage import Usage

PUBLISH_TIMEOUT = 10.0
ANSWERED_AT = "answered_at"
"""In the metadata of a message: when the model gave it, in every run of its job the same."""


class Record(BaseModel):
    """One answer of a model. ``content`` holds a short text, ``artifact`` points to a long one.

    One that is ``thinking`` holds nothing but thoughts, or ends in one; they are not kept.
    """

    model_config = ConfigDict(frozen=True)

    model: str
    usage: Usage
    finish_reason: str = ""
    refusal: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    invalid_tool_calls: tuple[InvalidToolCall, ...] = ()
    thinking: bool = False
    content: str = ""
    artifact: ArtifactRef | None = None
    answered_at: datetime | None = None
    """Records of earlier releases do not tell it."""


class RecordStore(Protocol):
    """Where records are kept, by tenant, document and key."""

    async def get(self, tenant: str, document_id: str, key: str) -> Record | None:
        """The record of a call, or nothing if it was never answered."""

    async def put(self, tenant: str, document_id: str, key: str, record: Record) -> None:
        """Keep a record; returns once it is stored."""


class MemoryRecordStore:
    """Records in memory."""

    def __init__(self) -> None:
        self._records: dict[str, bytes] = {}

    async def get(self, tenant: str, document_id: str, key: str) -> Record | None:
        """The record of a call, or nothing if it was never answered."""
        data = self._records.get(subjects.record(tenant, document_id, key))
        return Record.model_validate_json(data) if data else None

    async def put(self, tenant: str, document_id: str, key: str, record: Record) -> None:
        """Keep a record."""
        self._records[subjects.record(tenant, document_id, key)] = record.model_dump_json().encode()


class JetStreamRecordStore:
    """Records as messages of the stream RECORDS, the latest of a subject counts."""

    def __init__(self, js: JetStreamContext) -> None:
        self._js = js

    async def get(self, tenant: str, document_id: str, key: str) -> Record | None:
        """The record of a call, or nothing if it was never answered, or nobody can read it."""
        subject = subjects.record(tenant, document_id, key)
        try:
            message = await self._js.get_last_msg(subjects.RECORDS, subject, direct=True)
        except NotFoundError:
            return None
        try:
            return Record.model_validate_json(message.data or b"")
        except ValidationError:
            return None

    async def put(self, tenant: str, document_id: str, key: str, record: Record) -> None:
        """Keep a record; returns once the server has stored it."""
        subject = subjects.record(tenant, document_id, key)
        data = record.model_dump_json(exclude_defaults=True).encode()
        await self._js.publish(subject, data, stream=subjects.RECORDS, timeout=PUBLISH_TIMEOUT)


class Recordings:
    """Answers by what was asked, as files of a folder: any document that asks the same is answered from here."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def get(self, request: Request, name: str) -> Record | None:
        """The answer that an equal request was given, with its text in ``content``."""
        return await asyncio.to_thread(self._read, self._file(request, name))

    async def put(self, request: Request, name: str, record: Record) -> None:
        """Keep an answer; a reader sees all of it or nothing."""
        await asyncio.to_thread(self._write, self._file(request, name), record)

    def _file(self, request: Request, name: str) -> Path:
        """Where a model is served changes no answer."""
        told = {name: value for name, value in request.parameters.items() if name != "api_base"}
        return self._folder / f"{replace(request, parameters=told).key('', name, 0)}.json"

    def _read(self, file: Path) -> Record | None:
        try:
            return Record.model_validate_json(file.read_bytes())
        except (FileNotFoundError, ValidationError):
            return None

    def _write(self, file: Path, record: Record) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        unfinished = file.with_suffix(f".{uuid4().hex}")
        unfinished.write_text(record.model_dump_json(exclude_defaults=True), encoding="utf-8")
        os.replace(unfinished, file)


class Replay:
    """Which calls of a job can have a record; made anew for each run of the job.

    A job makes its first call before all others, and a call is recorded before its answer is used: if the first
    has no record, nothing has. From then on nobody has to ask.
    """

    def __init__(self) -> None:
        self._begun = False
        self._possible = True

    async def look_up(self, get: Callable[[], Awaitable[Record | None]]) -> Record | None:
        """What ``get`` finds, unless it is known that there is nothing."""
        if not self._possible:
            return None
        first, self._begun = not self._begun, True
        found = await get()
        if first:
            self._possible = found is not None
        return found


@dataclass(frozen=True)
class Request:
    """Everything that decides what a model answers."""

    parameters: Mapping[str, object]
    messages: Sequence[BaseMessage]
    tools: Sequence[dict[str, Any]] = ()
    response_format: Mapping[str, Any] | None = None

    @property
    def max_tokens(self) -> int:
        """How long the answer of this task may be; 0: as long as the model's answers are at most."""
        most = self.parameters.get("max_tokens")
        return most if isinstance(most, int) else 0

    def key(self, recorded_as: str, name: str, retry: int) -> str:
        """The SHA-256 of the request and of the place in the work where it is made."""
        body = {
            "parameters": dict(self.parameters),
            "messages": [_plain(message) for message in self.messages],
            "tools": list(self.tools),
            "response_format": self.response_format,
            "call": [recorded_as, 0, name, retry],  # the 0 keeps the keys of earlier releases
        }
        return hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()


@dataclass(frozen=True)
class Reply:
    """A recorded answer with its text: the same whether the model was called or the record was found."""

    record: Record
    text: str

    @property
    def message(self) -> AIMessage:
        """The answer as a message of the thread."""
        at = self.record.answered_at
        return AIMessage(
            self.text,
            tool_calls=list(self.record.tool_calls),
            invalid_tool_calls=list(self.record.invalid_tool_calls),
            response_metadata={ANSWERED_AT: at.isoformat()} if at else {},
        )


def _plain(message: BaseMessage) -> dict[str, Any]:
    told: dict[str, Any] = {"type": message.type, "content": message.content, "name": message.name}
    if isinstance(message, AIMessage):
        told["tool_calls"] = message.tool_calls
    if isinstance(message, ToolMessage):
        told["tool_call_id"] = message.tool_call_id
    return told
