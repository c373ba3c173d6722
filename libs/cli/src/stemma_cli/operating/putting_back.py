"""Puts a dead letter back where it came, once, unless it is foreign or nobody waits for it any more."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from nats.js import JetStreamContext
from nats.js.api import Header
from nats.js.errors import NotFoundError
from pydantic import ValidationError
from stemma_contracts import MAX_MESSAGE_BYTES, Contract, Envelope, Family, UpcastFailed, registry, subjects
from stemma_contracts.misfits import misfits
from stemma_contracts.v1 import events as e
from stemma_domain.evolve import evolve, passed_over
from stemma_domain.state import Document, Failed, NoDocument, State
from stemma_domain.work import open_job_ids
from stemma_messaging.addresses import stream_of
from stemma_messaging.verdict import FOREIGN

from stemma_cli.exit_codes import CliError, ExitCode

from .dead_letters import DeadLetter

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
    await refuse_what_nobody_waits_for(jetstream, letter)
    headers = {name: value for name, value in letter.headers.items() if not name.lower().startswith(_OURS)}
    stored = await jetstream.publish(
        letter.subject,
        letter.body,
        stream=stream_of(letter.subject),
        headers={**headers, Header.MSG_ID: f"requeued.{letter.number}"},
    )
    return bool(stored.duplicate)


async def refuse_what_nobody_waits_for(jetstream: JetStreamContext, letter: DeadLetter) -> None:
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
    if isinstance(state, NoDocument):
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
    sequence = 1
    try:
        pattern = subjects.event(tenant, document_id, subjects.ANY)
    except ValueError:
        return state
    while True:
        try:
            found = await jetstream.get_msg(subjects.EVENTS, seq=sequence, subject=pattern, next=True)
        except NotFoundError:
            return state
        state = _after(state, found.headers or {}, found.data or b"", found.seq or 0)
        sequence = (found.seq or sequence) + 1


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
    """What the log says of the job of a letter."""
    if letter.family in (None, Family.REQUEST) or not letter.job_id:
        return ""
    return superseded(letter, document) or ("open" if isinstance(document, Document) else "")
