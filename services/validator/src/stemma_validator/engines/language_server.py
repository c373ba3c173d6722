"""rumdl as a process that stays: it speaks the language server protocol and lints one draft at a time."""

from __future__ import annotations

import asyncio
import contextlib
import resource
from asyncio.subprocess import DEVNULL, PIPE, Process
from pathlib import Path
from typing import Any

from pydantic import AliasPath, BaseModel, Field, TypeAdapter
from stemma_confinement import Limits

from stemma_validator.normalise import RawIssue
from stemma_validator.processes import bytes_of, end, start

MAX_ANSWER_BYTES = 64 * 1024 * 1024
_OPENED, _CLOSED = "textDocument/didOpen", "textDocument/didClose"
_DIAGNOSTICS = "textDocument/publishDiagnostics"
_NO_CAPABILITIES: dict[str, Any] = {"processId": None, "rootUri": None, "capabilities": {}}


class ServerLost(Exception):
    """The process ended, or says what nobody can read."""


class _Diagnostic(BaseModel):
    """An issue as the protocol has it; its lines begin with 0."""

    code: str
    message: str
    line: int = Field(ge=0, validation_alias=AliasPath("range", "start", "line"))
    character: int = Field(ge=0, validation_alias=AliasPath("range", "start", "character"))


_json: TypeAdapter[dict[str, Any]] = TypeAdapter(dict[str, Any])
_diagnostics: TypeAdapter[list[_Diagnostic]] = TypeAdapter(list[_Diagnostic])


class LanguageServer:
    """One process; whoever got an exception from it must `kill` it."""

    def __init__(self, process: Process, folder: Path) -> None:
        self._process = process
        self._folder = folder.as_uri()
        self._closed: tuple[dict[str, Any], ...] = ()  # goes with the next draft: one write wakes the process once
        self.drafts = 0

    @classmethod
    async def start(cls, executable: Path, rules: Path, limits: Limits) -> LanguageServer:
        """A process that is yet to be greeted; raises `OSError` if there is no such program."""
        process = await start([executable, "server", "--config", rules], rules.parent, stdin=PIPE, stderr=DEVNULL)
        with contextlib.suppress(ProcessLookupError):
            resource.prlimit(process.pid, resource.RLIMIT_AS, bytes_of(limits))
        return cls(process, rules.parent)

    async def issues(self, text: str) -> list[RawIssue]:
        """The issues of a text, in its order. Raises `ServerLost` and `pydantic.ValidationError`."""
        if not self.drafts:
            await self._greet()
        self.drafts += 1
        # A name of its own: what is said of an earlier draft, or comes late, is never taken for this one's.
        uri = f"{self._folder}/{self.drafts}.md"
        document = {"uri": uri, "languageId": "markdown", "version": 1, "text": text}
        await self._send(*self._closed, {"method": _OPENED, "params": {"textDocument": document}})
        while (message := await self._receive()).get("method") != _DIAGNOSTICS or message["params"]["uri"] != uri:
            await self._refuse(message)
        self._closed = ({"method": _CLOSED, "params": {"textDocument": {"uri": uri}}},)
        found = _diagnostics.validate_python(message["params"]["diagnostics"])
        found.sort(key=lambda issue: (issue.line, issue.character))
        return [RawIssue(line=issue.line + 1, rule=issue.code, message=issue.message) for issue in found]

    async def _greet(self) -> None:
        await self._send({"id": 1, "method": "initialize", "params": _NO_CAPABILITIES})
        while (await self._receive()).get("id") != 1:
            pass
        await self._send({"method": "initialized", "params": {}})

    async def _refuse(self, message: dict[str, Any]) -> None:
        """Answer a question of the server with nothing: it gets no files and no settings from us."""
        if "id" in message and "method" in message:
            await self._send({"id": message["id"], "result": None})

    async def _send(self, *messages: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(b"".join(map(_framed, messages)))
            await self._process.stdin.drain()
        except OSError as error:
            raise ServerLost(type(error).__name__) from None

    async def _receive(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        try:
            head = await self._process.stdout.readuntil(b"\r\n\r\n")
            length = next(int(v) for k, _, v in (h.partition(b":") for h in head.lower().split(b"\r\n")) if b"len" in k)
            if not 0 < length <= MAX_ANSWER_BYTES:
                raise ServerLost("an answer of that size")
            return _json.validate_json(await self._process.stdout.readexactly(length))
        except (asyncio.IncompleteReadError, asyncio.LimitOverrunError, ValueError, StopIteration) as error:
            raise ServerLost(type(error).__name__) from None

    async def kill(self) -> None:
        """End it with all that it started."""
        await end(self._process)


def _framed(message: dict[str, Any]) -> bytes:
    data = _json.dump_json({"jsonrpc": "2.0", **message})
    return b"Content-Length: %d\r\n\r\n%b" % (len(data), data)
