"""The AsyncAPI 3.0 document of the whole system, made from the registry and the subjects."""

import inspect
from collections.abc import Iterator
from typing import Any

import yaml
from stemma_contracts import MAX_REQUEST_BYTES, Entry, Family, registry, subjects
from stemma_contracts.envelope import AT, CONTENT_TYPE, SPEC_VERSION
from stemma_contracts.tokens import TOKEN_PATTERN

from contract_tools import samples
from contract_tools.schemas import golden_of, release


def _string(description: str, **rules: str) -> dict[str, str]:
    return {"type": "string", "description": description, **rules}


ENVELOPE: dict[str, Any] = {
    "type": "object",
    "description": "CloudEvents 1.0 attributes in binary mode, correlation and causation, W3C trace context.",
    "required": ["ce-id", "ce-type", "ce-source", "ce-subject", "ce-time"],
    "properties": {
        "ce-specversion": _string("version of CloudEvents", const=SPEC_VERSION),
        "ce-id": _string("unique with its source; the id by which a message is known again"),
        "ce-type": _string("wire name of the contract, with its major version", pattern=r"^stemma\.[a-z.]+\.v[0-9]+$"),
        "ce-source": _string(f"the service that sent it, or `{subjects.CALLERS}`"),
        "ce-subject": _string(
            "what it is about: tenant, document and section, as far as it has them, with slashes between"
        ),
        "ce-time": _string("when it was sent, with a zone", format="date-time"),
        "ce-dataschema": _string("path of the JSON Schema of the body"),
        "ce-correlationid": _string("the request that all this belongs to"),
        "ce-causationid": _string("the message that led to this one"),
        "ce-sequence": _string("dense number of an event in its document, from 1", pattern="^[1-9][0-9]*$"),
        "content-type": _string("media type of the body", const=CONTENT_TYPE),
        "traceparent": _string("W3C trace context"),
        "tracestate": _string("W3C trace context"),
    },
}


Document = dict[str, Any]
WIDTH = 110
ANSWERS = "answers"
DESCRIPTION = f"""\
Stemma writes long documents with several authors: models write sections, an editor agent revises them,
people review them. Everything that passes between its services is a message on NATS JetStream.

**Ask.** Publish a request on its subject (a program on that of `v1`, a person on that of `v2`), with the
envelope in headers or as a plain JSON body without any. Choose `request_id`: the answer lies on its subject
for seven days, also for a caller that comes late. The same id with the same body gets the old answer; another
body is rejected.

**Answers.** `request-accepted` says which document (section, export) it is about, and names fields that
were ignored because this version does not know them. `request-rejected` lists the problems, each with its
field, a code and a message; it changed nothing. A body of more than {MAX_REQUEST_BYTES // 1024} KiB is rejected.
What the server itself refuses (no permission, a message that is larger than it stores) it answers itself.

**Follow.** Every event of a document is in the stream `{subjects.EVENTS}`, in order, from its first one;
subscribe to a document, a type or a tenant by wildcard, from any point.

**Delivery** is at least once: read the id of a message before you act on it. A message that a service
cannot handle lies on its dead letter subject, with the reason in headers.

**Versions.** Inside a version a message only gains optional fields, and a request may also take more than
before; ignore what you do not know.
"""
PARAMETERS = {
    "tenant": "The tenant; a caller's permission pins it.",
    "person": "The person; its permission pins it, and it counts in place of `actor`.",
    "document_id": "The document.",
    "section_id": "The section.",
    "number": "The number of the event that opened the job.",
    "job": "The name of the job.",
    "request_id": "The id that the caller chose.",
    "service": "The service that could not handle the message.",
    "name": "The last token of the subject that the message came on.",
}


class _Dumper(yaml.CSafeDumper):
    """Writes every occurrence in full, and texts of several lines as blocks."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _text(dumper: _Dumper, text: str) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None)


_Dumper.add_representer(str, _text)


def asyncapi_yaml() -> str:
    """The committed form of the document."""
    return yaml.dump(
        asyncapi(), Dumper=_Dumper, sort_keys=False, default_flow_style=None, width=WIDTH, allow_unicode=True
    )


def asyncapi() -> Document:
    """The document as plain data."""
    entries = list(registry.entries())
    return {
        "asyncapi": "3.0.0",
        "info": {
            "title": "Stemma",
            "version": release(),
            "description": DESCRIPTION,
            "license": {"name": "Apache-2.0"},
        },
        "defaultContentType": "application/json",
        "servers": {"nats": _server()},
        "channels": _channels(entries),
        "operations": dict(_operations(entries)),
        "components": _components(entries),
    }


def _server() -> Document:
    return {
        "host": "{host}",
        "protocol": "nats",
        "description": "NATS 2.14 or newer with JetStream. Every service and every caller has a user of its own.",
        "variables": {"host": {"default": "localhost:4222"}},
        "security": [_ref("components/securitySchemes/user")],
    }


def _components(entries: list[Entry]) -> Document:
    scheme = {
        "type": "userPassword",
        "description": "A NATS user. Its permissions name the subjects that it may use; a caller's name one tenant.",
    }
    trait = {"contentType": "application/json", "headers": _ref("components/schemas/envelope")}
    return {
        "securitySchemes": {"user": scheme},
        "schemas": {"envelope": ENVELOPE},
        "messageTraits": {"envelope": trait},
        "messages": {e.ce_type: _message(e) for e in entries} | UNREGISTERED,
    }


DEAD_LETTER: Document = {
    "summary": "A message that a service could not handle, unchanged, with the reason in headers.",
    "headers": {"type": "object"},
    "payload": {"description": "the body of the message as it came"},
}
LIVE_TEXT: Document = {
    "summary": "Text as a model writes it; not stored, may be lost, for display only.",
    "contentType": "text/plain; charset=utf-8",
    "headers": {
        "type": "object",
        "properties": {AT: {"type": "string", "description": "How many characters of the text came before."}},
    },
    "payload": {"type": "string"},
}
PRESENCE: Document = {
    "summary": "A person has the editor of a section open, or has closed it; not stored, told again every few seconds.",
    "contentType": "text/plain; charset=utf-8",
    "payload": {"type": "string", "enum": ["here", "gone"]},
}
CANCEL: Document = {
    "summary": "Nobody waits for the job any more; not stored, may be missed, and its outcome is refused anyway.",
    "payload": {"type": "null"},
}
SECOND = {samples.PEOPLE: samples.address_of_people, samples.BULK: samples.address_of_bulk}
UNREGISTERED = {"dead-letter": DEAD_LETTER, "live-text": LIVE_TEXT, "presence": PRESENCE, "cancel": CANCEL}


def _message(entry: Entry) -> Document:
    sample = golden_of(entry)["full"]
    return {
        "name": entry.ce_type,
        "title": entry.cls.__name__,
        "summary": (inspect.getdoc(entry.cls) or "").partition("\n")[0],
        "traits": [_ref("components/messageTraits/envelope")],
        "payload": {"$ref": f"./schemas/{entry.ce_type}.json"},
        "examples": [{"name": "full", "payload": sample["data"]}],
    }


def _channels(entries: list[Entry]) -> Document:
    channels: Document = {}
    for entry in entries:
        channel = channels.setdefault(_channel_id(entry), _channel(samples.address(entry), entry.family))
        channel["messages"][entry.ce_type] = _ref(f"components/messages/{entry.ce_type}")
        if second := _second(entry):
            channels[_second_id(entry, second)] = _channel(SECOND[second](entry), entry.family) | {
                "messages": {entry.ce_type: _ref(f"components/messages/{entry.ce_type}")}
            }
    dead = samples.parameterised(subjects.dead("P-service", "P-name"))
    live = samples.parameterised(subjects.live("P-tenant", "P-document_id", "P-section_id"))
    presence = samples.parameterised(subjects.presence("P-tenant", "P-person", "P-document_id", "P-section_id"))
    cancel = samples.parameterised(subjects.cancelled_job("P-tenant", "P-document_id.P-number.P-job.P-section_id"))
    return channels | {
        "dead": _channel(dead, "dead letter") | {"messages": {"dead-letter": _ref("components/messages/dead-letter")}},
        "live": _channel(live, "live text") | {"messages": {"live-text": _ref("components/messages/live-text")}},
        "presence": _channel(presence, "presence") | {"messages": {"presence": _ref("components/messages/presence")}},
        "cancel": _channel(cancel, "cancel") | {"messages": {"cancel": _ref("components/messages/cancel")}},
    }


def _channel(subject: str, kind: str) -> Document:
    names = [token[1:-1] for token in subject.split(".") if token.startswith("{")]
    parameters = {n: {"description": f"{PARAMETERS[n]} Matches `{TOKEN_PATTERN}`."} for n in names}
    return {"address": subject, "messages": {}, "parameters": parameters, "tags": [{"name": str(kind)}]}


def _channel_id(entry: Entry) -> str:
    return ANSWERS if entry.family is Family.ANSWER else f"{entry.family}.{entry.token}"


def _second(entry: Entry) -> str | None:
    """What comes on another subject, too: requests of people, and jobs that go behind those of others."""
    return {Family.REQUEST: samples.PEOPLE, Family.JOB: samples.BULK}.get(entry.family)


def _second_id(entry: Entry, second: str) -> str:
    return f"{_channel_id(entry)}.{second}"


def _operations(entries: list[Entry]) -> Iterator[tuple[str, Document]]:
    for entry in entries:
        for sender in samples.senders(entry):
            yield _operation(sender, "send", _channel_id(entry), entry.ce_type)
        for reader in samples.readers(entry):
            name, operation = _operation(reader, "receive", _channel_id(entry), entry.ce_type)
            yield name, operation | (_reply() if entry.family is Family.REQUEST else {})
        if second := _second(entry):
            yield from _second_operations(entry, second)
    for service in subjects.SERVICES:
        yield _operation(service, "send", "dead", "dead-letter")
    yield _operation(subjects.GENERATION, "send", "live", "live-text")
    yield _operation(subjects.CALLERS, "receive", "live", "live-text")
    yield _operation(samples.PEOPLE, "send", "presence", "presence")
    yield _operation(samples.PEOPLE, "receive", "presence", "presence")
    yield _operation(subjects.ORCHESTRATOR, "send", "cancel", "cancel")
    for service in subjects.LONG_WORKERS:
        yield _operation(service, "receive", "cancel", "cancel")


def _second_operations(entry: Entry, second: str) -> Iterator[tuple[str, Document]]:
    channel = _second_id(entry, second)
    reply = _reply() if entry.family is Family.REQUEST else {}
    for sender in (samples.PEOPLE,) if second == samples.PEOPLE else samples.senders(entry):
        name, operation = _operation(sender, "send", channel, entry.ce_type)
        yield name if sender == second else f"{name}.{second}", operation
    for reader in samples.readers(entry):
        name, operation = _operation(reader, "receive", channel, entry.ce_type)
        yield f"{name}.{second}", operation | reply


def _operation(party: str, action: str, channel: str, message: str) -> tuple[str, Document]:
    return f"{party}.{action}.{message}", {
        "action": action,
        "channel": _ref(f"channels/{channel}"),
        "messages": [_ref(f"channels/{channel}/messages/{message}")],
        "tags": [{"name": party}],
    }


def _reply() -> Document:
    messages = [_ref(f"channels/{ANSWERS}/messages/{e.ce_type}") for e in registry.entries(Family.ANSWER)]
    return {"reply": {"channel": _ref(f"channels/{ANSWERS}"), "messages": messages}}


def _ref(path: str) -> dict[str, str]:
    return {"$ref": f"#/{path}"}
