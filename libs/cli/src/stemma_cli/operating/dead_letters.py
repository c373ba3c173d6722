"""Dead letters as an operator sees them: what was put aside, by whom and why, and what was done about it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from hashlib import sha256
from typing import Any

from nats.aio.client import Client
from nats.js import JetStreamContext
from nats.js.api import Header, RawStreamMsg
from nats.js.errors import NotFoundError
from pydantic import ValidationError
from stemma_contracts import MAX_MESSAGE_BYTES, Contract, Envelope, Family, UpcastFailed, registry, subjects
from stemma_contracts.misfits import misfits
from stemma_contracts.v1 import events as e
from stemma_domain.evolve import evolve, passed_over
from stemma_domain.state import Document, Failed, NoDocument, State
from stemma_domain.work import open_job_ids
from stemma_messaging.addresses import last_token, stream_of, subject_service
from stemma_messaging.dead import DELIVERIES, ERROR, REASON, SEQUENCE, SUBJECT
from stemma_messaging.stored import messages_in
from stemma_messaging.verdict import FOREIGN
from stemma_provisioning.permissions import OPERATOR

from stemma_cli.exit_codes import CliError, ExitCode

OF = "stemma-dead-of"
BY = "stemma-dead-by"
MESSAGE = "stemma-dead-message"
BODY = "stemma-dead-body"
API_TIMEOUT_S = 10.0
_FAMILIES = ("request", "job", "outcome")


@dataclass(frozen=True)
class DeadLetter:
    """A message that was put aside: ``number`` is its place among the dead letters, ``subject`` where it had come."""

    number: int
    put_aside_by: str
    time: datetime
    headers: Mapping[str, str]
    body: bytes

    @property
    def subject(self) -> str:
        return self.headers.get(SUBJECT, "")

    @property
    def family(self) -> str | None:
        """Whether it is a ``request``, a ``job`` or an ``outcome``; None of what lay in no queue."""
        _, family, *_ = (*self.subject.split("."), "", "")
        return family if family in _FAMILIES else None

    @property
    def name(self) -> str:
        return last_token(self.subject)

    @property
    def service(self) -> str:
        """Whose job or outcome it is; else who put it aside."""
        return subject_service(self.subject) or self.put_aside_by

    @property
    def reason(self) -> str:
        return self.headers.get(REASON, "unknown")

    @property
    def error(self) -> str:
        return self.headers.get(ERROR, "unknown")

    @property
    def deliveries(self) -> int:
        return int(self.headers.get(DELIVERIES, "0"))

    @property
    def sequence(self) -> int:
        return int(self.headers.get(SEQUENCE, "0"))

    @cached_property
    def fields(self) -> dict[str, Any]:
        try:
            body = json.loads(self.body)
        except (ValueError, RecursionError):
            return {}
        return body if isinstance(body, dict) else {}

    @property
    def message_id(self) -> str:
        """What it has in common with the same message when that is put aside again."""
        return self.headers.get("ce-id") or self.digest

    @property
    def digest(self) -> str:
        return sha256(self.body).hexdigest()

    @property
    def tenant(self) -> str:
        """Whose it is; empty if nothing says it."""
        return subjects.tenant_of(self.subject) or self._about(0) or str(self._document.get("tenant", ""))

    @property
    def document_id(self) -> str:
        """The document that it is about; empty if nothing says it."""
        known = self._document.get("document_id")
        return known if isinstance(known, str) else self._about(1)

    @property
    def job_id(self) -> str:
        """The job that it is or that it is about; empty of a request."""
        known = self.fields.get("job_id")
        return known if isinstance(known, str) else ""

    @property
    def _document(self) -> Mapping[str, Any]:
        inner = self.fields.get("document")
        return inner if isinstance(inner, dict) else self.fields

    def _about(self, place: int) -> str:
        parts = self.headers.get("ce-subject", "").split("/")
        return parts[place] if len(parts) > place else ""

    def told(self) -> dict[str, Any]:
        names = ("number", "tenant", "service", "name", "reason", "error", "deliveries", "subject", "sequence")
        about = {"document_id": self.document_id, "job_id": self.job_id}
        return {name: getattr(self, name) for name in names} | about | {"time": self.time.isoformat()}


@dataclass(frozen=True)
class Trace:
    of: int
    deed: str
    by: str
    time: datetime
    message_id: str

    def told(self) -> dict[str, Any]:
        return {"number": self.of, "deed": self.deed, "by": self.by, "time": self.time.isoformat()}


class DeadLetters:
    """The dead letters of an installation, read one by one: there should be few."""

    def __init__(self, client: Client) -> None:
        self.jetstream: JetStreamContext = client.jetstream(timeout=API_TIMEOUT_S)

    async def all(self) -> tuple[list[DeadLetter], list[Trace]]:
        letters, traces = list[DeadLetter](), list[Trace]()
        async for message in messages_in(self.jetstream, subjects.DEAD, subjects.dead(subjects.ANY, subjects.ANY)):
            if message.subject == subjects.dead(OPERATOR, last_token(message.subject or "")):
                traces.append(_trace(message))
            else:
                letters.append(_letter(message))
        return letters, traces

    async def get(self, number: int) -> DeadLetter:
        """One of them; raises `CliError` where there is none of that number, and says what became of it."""
        letters, traces = await self.all()
        for letter in letters:
            if letter.number == number:
                return letter
        done = [trace for trace in traces if trace.of == number]
        became = f": {done[-1].by} had it {done[-1].deed} at {done[-1].time:%Y-%m-%d %H:%M}" if done else ""
        hint = "see `stemma dead list`; what is 14 days old is gone"
        raise CliError(ExitCode.FAILED, f"there is no dead letter {number}{became}", hint)

    async def settle(self, letter: DeadLetter, deed: str, by: str) -> None:
        kept = {name: letter.headers[name] for name in (REASON, ERROR, SUBJECT, SEQUENCE) if name in letter.headers}
        mark = {OF: str(letter.number), BY: by, MESSAGE: letter.message_id, BODY: letter.digest}
        headers = {**kept, **mark, Header.MSG_ID: f"{deed}.{letter.number}"}
        await self.jetstream.publish(subjects.dead(OPERATOR, deed), b"", stream=subjects.DEAD, headers=headers)
        try:
            await self.jetstream.delete_msg(subjects.DEAD, letter.number)
        except NotFoundError:
            return  # somebody else did the same


def _letter(message: RawStreamMsg) -> DeadLetter:
    service = (message.subject or "").split(".")[3]
    return DeadLetter(message.seq or 0, service, _time(message), message.headers or {}, message.data or b"")


def _trace(message: RawStreamMsg) -> Trace:
    headers = message.headers or {}
    of, by = int(headers.get(OF, "0")), headers.get(BY, "unknown")
    return Trace(of, last_token(message.subject or ""), by, _time(message), headers.get(MESSAGE, ""))


def _time(message: RawStreamMsg) -> datetime:
    return message.time or datetime.fromtimestamp(0, UTC)


_IDENTITY = ("job_id", "tenant", "document_id")
_OURS = ("stemma-dead-", "nats-")


def contract_of(letter: DeadLetter) -> Contract:
    """The contract in its body; raises `CliError` that names each field that is wrong, or that nobody knows it."""
    ce_type = letter.headers.get("ce-type")
    try:
        if ce_type is None and letter.family == Family.REQUEST:
            ce_type = registry.by_token(Family.REQUEST, letter.name).ce_type
        return registry.decode(ce_type or "", letter.body)
    except ValidationError as error:
        raise _invalid(letter, "; ".join(map(str, misfits(error)))) from None
    except ValueError as error:
        raise _invalid(letter, str(error)) from None
    except UpcastFailed as error:
        raise CliError(ExitCode.FAILED, f"this release cannot read it: {error}", "take one that can") from error


def _invalid(letter: DeadLetter, why: str) -> CliError:
    hint = f"mend it with `stemma dead edit {letter.number}`, or drop it"
    return CliError(ExitCode.REJECTED, f"the body does not fit its contract: {why}", hint)


def edited(letter: DeadLetter, body: bytes) -> DeadLetter:
    """The letter with another body, checked against its contract; raises `CliError`.

    It must stay the same job. A request gets an id of its own: under the old one its first body was answered.
    """
    if len(body) > MAX_MESSAGE_BYTES:
        raise _invalid(letter, f"it has {len(body)} bytes, at most {MAX_MESSAGE_BYTES} go")
    changed = replace(letter, body=body)
    contract_of(changed)
    for name in _IDENTITY if letter.family != Family.REQUEST else ():
        before, after = letter.fields.get(name), changed.fields.get(name)
        if before is not None and before != after:
            raise _invalid(letter, f"{name} says whose it is, and stays {before}")
    return _renamed(letter, changed)


def _renamed(letter: DeadLetter, changed: DeadLetter) -> DeadLetter:
    known = letter.fields.get("request_id")
    if letter.family != Family.REQUEST or known is None or changed.fields.get("request_id") != known:
        return changed
    own = f"{str(known)[:48]}-edited-{letter.number}"
    return replace(changed, body=json.dumps(changed.fields | {"request_id": own}).encode())


async def put_back(jetstream: JetStreamContext, letter: DeadLetter) -> bool:
    """Store it in its queue; whether it was there from an earlier attempt. Raises `CliError` where it must not go.

    Its id in the queue is made of its number, so that whoever does it again within a day changes nothing.
    """
    contract_of(letter)
    await require_open_job(jetstream, letter)
    headers = {name: value for name, value in letter.headers.items() if not name.lower().startswith(_OURS)}
    stored = await jetstream.publish(
        letter.subject,
        letter.body,
        stream=stream_of(letter.subject),
        headers={**headers, Header.MSG_ID: f"requeued.{letter.number}"},
    )
    return bool(stored.duplicate)


async def require_open_job(jetstream: JetStreamContext, letter: DeadLetter) -> None:
    """Raises `CliError` for a letter that is foreign, of no queue, or about a job that is not open any more."""
    why = ""
    if letter.reason == FOREIGN:
        why = f"it is foreign: {letter.service} spoke of what is another service's"
    elif letter.family is None:
        why = f"it lay in no queue ({letter.subject or 'nothing says where'})"
    elif letter.family != Family.REQUEST:
        why = superseded(letter, await document_of(jetstream, letter.tenant, letter.document_id))
    if why:
        raise CliError(
            ExitCode.REJECTED, f"{letter.number} is not put back: {why}", f"stemma dead drop {letter.number}"
        )


def superseded(letter: DeadLetter, state: State) -> str:
    """Why nobody waits for the job of a letter any more; empty if somebody does."""
    if not isinstance(state, Document):
        return f"superseded: there is no document {letter.document_id or 'in it'}"
    if letter.job_id in open_job_ids(state):
        return ""
    section_id = letter.job_id.rpartition(".")[2]
    section = state.sections.get(section_id)
    if section is not None and isinstance(section.phase, Failed):
        return (
            f"superseded: {section_id} failed with it; `stemma retry {state.document_id[:8]} {section_id}` begins anew"
        )
    return f"superseded: {letter.job_id or 'its job'} is not open any more"


async def document_of(jetstream: JetStreamContext, tenant: str, document_id: str) -> State:
    """A document as its log has it; what is no event of it is passed over."""
    state: State = NoDocument()
    try:
        pattern = subjects.event(tenant, document_id, subjects.ANY)
    except ValueError:
        return state
    async for found in messages_in(jetstream, subjects.EVENTS, pattern):
        state = _after(state, found.headers or {}, found.data or b"", found.seq or 0)
    return state


def _after(state: State, headers: Mapping[str, str], data: bytes, sequence: int) -> State:
    try:
        envelope = Envelope.from_headers(headers)
        event: Any = registry.decode(envelope.type, data)
    except ValueError:
        return passed_over(state)
    except UpcastFailed as error:
        words = f"this release cannot read event {sequence} of the log: {error}"
        raise CliError(ExitCode.FAILED, words, "take one that can") from error
    return evolve(state, event, envelope.time, sequence) if isinstance(event, e.AnyEvent) else state


def is_about(letter: DeadLetter, document: State) -> str:
    if letter.family in (None, Family.REQUEST) or not letter.job_id:
        return ""
    return superseded(letter, document) or "open"
