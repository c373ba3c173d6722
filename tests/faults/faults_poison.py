"""What nobody should ever send: bytes that are no JSON, another shape, and values that are hostile in the right one."""

import base64
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from stemma_contracts import subjects

GOLDEN = Path(__file__).parents[2] / "contracts" / "golden"
DOCUMENT = "d-5f0c9a1be2374d68"
"""Which document the samples are about."""
FAMILIES = ("request", "job", "outcome", "event", "answer")
ACROSS_ACCOUNTS = ("job", "event")
"""What services pull into their accounts. There an empty message without headers ends what the server sends for a
request, and costs the seconds until the next request and delivery: `of_stores` has one of each."""
BYTES = (
    b"",
    b"\x00\xff\xfe",
    b"{",
    b"null",
    b"7",
    b"[]",
    b"{}",
    b'{"job_id": 1e999, "request_id": "\\ud800"}',
    b"[" * 20_000,
    b'{"request_id": "' + b"x" * 60_000 + b'"}',
)
TEXTS = (
    "",
    "a.b",
    "*",
    ">",
    "../../etc/passwd",
    "$JS.API.STREAM.DELETE.EVENTS",
    "\x00",
    "x" * 8_000,
    "\u202e",
    "é" * 99,
)
NUMBERS = (-1, 0, 10**30, 1.5, "7", None, True)
HEADERS = (
    {"ce-type": "stemma.section.drafted.v99"},
    {"ce-time": "0001-01-01T00:00:00+14:00"},
    {"ce-time": "yesterday"},
    {"ce-sequence": "9" * 4_300},
    {"ce-sequence": "-1"},
    {"ce-id": "a b\t*.>"},
    {"ce-subject": "*/>"},
    {"traceparent": "zz"},
)
OBJECTS = (b"no JSON", b"{}", b"[]", b'{"nuid": "*", "chunks": 1}', b'{"nuid": "a", "chunks": -1}', b'{"options": 7}')
ADVISORIES = (
    b"no JSON",
    b"[]",
    b"{}",
    b'{"stream": "JOBS", "stream_seq": "x", "consumer": "validator"}',
    b'{"stream": "REQUESTS", "stream_seq": 18446744073709551616, "consumer": "orchestrator-default"}',
    b'{"stream": "OUTCOMES", "stream_seq": 999999, "consumer": "*", "deliveries": -1}',
)


MOST_BYTES = 128 * 1024
"""Of a list that is made longer: what is larger than the server takes, nobody can send."""


@dataclass(frozen=True)
class Poison:
    """A message; without headers it is what any client of NATS may send."""

    subject: str
    data: bytes
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Sample:
    """A committed sample of a contract, as it goes to one subject."""

    subject: str
    data: dict[str, Any]
    headers: dict[str, str]


def samples(tenant: str, document_id: str, families: Sequence[str]) -> Iterator[Sample]:
    """Each contract of these families with all of its fields, on the subjects where it is told of a document."""
    for path in sorted(GOLDEN.glob("*/*.json")):
        golden = json.loads(path.read_text())
        if golden["subject"].split(".")[1] not in families:
            continue
        full = json.loads(json.dumps(golden["full"]).replace(DOCUMENT, document_id))
        for service in subjects.WORKERS if "{service}" in golden["subject"] else ("",):
            tokens = golden["subject"].replace("{service}", service).split(".")
            yield Sample(".".join(_placed(tokens, tenant, document_id)), full["data"], full["headers"])


def _placed(tokens: list[str], tenant: str, document_id: str) -> Sequence[str]:
    if tokens[1] == "event":
        tokens[3:5] = [tenant, document_id]
    elif tokens[1] in ("request", "answer"):
        tokens[3] = tenant
    return tokens


def of_contracts(
    tenant: str, document_id: str, random: Random, each: int, families: Sequence[str] = FAMILIES
) -> Iterator[Poison]:
    """Poison on the subject of every contract, ``each`` of every kind."""
    for sample in samples(tenant, document_id, families):
        body = json.dumps(sample.data).encode()
        for data in random.sample(BYTES, each):
            yield Poison(sample.subject, data, sample.headers)
            if data or sample.subject.split(".")[1] not in ACROSS_ACCOUNTS:
                yield Poison(sample.subject, data)
        for headers in random.sample(HEADERS, each):
            yield Poison(sample.subject, body, sample.headers | headers)
        for _ in range(each):
            yield Poison(sample.subject, json.dumps(spoilt(sample.data, random)).encode(), sample.headers)


def spoilt(value: Any, random: Random) -> Any:
    """A value of the same shape in which one thing is hostile."""
    match value:
        case dict() if value:
            key = random.choice(list(value))
            return {**value, key: spoilt(value[key], random)}
        case list() if value:
            too_many = min(500, MOST_BYTES // len(json.dumps(value)))
            return [spoilt(value[0], random), *value[1:]] if random.random() < 0.8 else value * too_many
        case str():
            return random.choice(TEXTS)
        case int() | float():
            return random.choice(NUMBERS)
        case _:
            return random.choice([*TEXTS, *NUMBERS])


def of_stores(tenant: str, document_id: str) -> Iterator[Poison]:
    """Poison where artifacts, summaries, capabilities, dead letters and advisories lie, and on what is not stored."""
    digest = "0" * 64
    for bucket in (subjects.uploads_bucket(tenant), subjects.artifacts_bucket(tenant)):
        for number, description in enumerate(OBJECTS):
            name = base64.urlsafe_b64encode(f"{number:064x}".encode()).decode()
            yield Poison(f"$O.{bucket}.M.{name}", description)
        yield Poison(f"$O.{bucket}.C.nobody", b"\xff")
    for number, data in enumerate(BYTES):
        yield Poison(f"$KV.{subjects.VIEWS_BUCKET}.{tenant}.nobody-{number}", data)
        yield Poison(f"stemma.artifact.v1.{tenant}.{document_id}.{number:064x}", data)
        yield Poison(f"stemma.record.v1.{tenant}.{document_id}.{number:064x}", data)
        yield Poison(subjects.dead(subjects.GENERATION, "generate-section"), data)
        yield Poison(subjects.live(tenant, document_id, "research"), data)
        yield Poison(f"stemma.cancel.v1.{tenant}.a.b.c.d", data)
        yield Poison(f"stemma.answer.v1.{tenant}.after-{tenant}", data)
    yield Poison(f"$KV.{subjects.VIEWS_BUCKET}.{tenant}.{document_id}", b"no JSON")
    yield Poison(subjects.event(tenant, "nobody", "section-drafted"), b"")
    yield Poison(subjects.job(subjects.GENERATION, "generate-section"), b"")
    yield Poison(f"$KV.{subjects.VIEWS_BUCKET}.{tenant}.a.b.c", b"{}")
    yield Poison(f"stemma.record.v1.{tenant}.{document_id}.{digest}", b'{"model": 7}')
    for service in subjects.SERVICES:
        yield Poison(f"$KV.{subjects.CAPABILITIES_BUCKET}.{service}", b'{"graphs": 7, "kinds": "none"}')
    for data in ADVISORIES:
        yield Poison("$JS.EVENT.ADVISORY.CONSUMER.MAX_DELIVERIES.JOBS.generation-graph", data)
        yield Poison("$JS.EVENT.ADVISORY.CONSUMER.MSG_TERMINATED.REQUESTS.orchestrator-default", data)
