"""Services of several versions on one log: what lacks the fields added since, and what has more than is known here.

It would find: a reader that needs a field which the first release did not send, or refuses one that it does not know.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import AsyncIterator, Sequence, Set
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from faults_here import asked, completes, edited, here
from stemma_cli.local.supervisor import LocalStemma
from stemma_client import Client, StemmaError
from stemma_contracts import subjects
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.review import ReviewMode
from stemma_testkit.defects import reads_only_what_it_knows
from stemma_testkit.driving import wait_for
from stemma_testkit.swallowing import swallowing

GOLDEN = Path(__file__).parents[2] / "contracts" / "golden" / "0.1.0"
LATER = "added_by_a_later_version"
FAMILIES = ("event", "job", "outcome", "answer")
ALL: Set[str] = frozenset(subjects.SERVICES)
WRITING = sorted(ALL - {subjects.CONVERTER})


def first_samples() -> dict[str, dict[str, Any]]:
    """Each contract of the first release with all fields that it had, by the last token of its subject."""
    found = {}
    for path in GOLDEN.glob("*.json"):
        golden = json.loads(path.read_text())
        token = "-".join(path.name.split(".")[1:-2])
        found[token] = golden["full"]["data"]
    return found


def as_first(value: Any, sample: Any) -> Any:
    """A value without the fields that its first sample lacks; what has free keys, or is not in the sample, stays."""
    match value, sample:
        case dict(), dict() if value.keys() & sample.keys():
            return {key: as_first(item, sample[key]) for key, item in value.items() if key in sample}
        case list(), [first, *_]:
            return [as_first(item, first) for item in value]
        case _:
            return value


def as_later(value: Any) -> Any:
    """A value with fields that nobody knows, in each of its objects that has a fixed shape."""
    match value:
        case dict():
            told = {key: as_later(item) for key, item in value.items()}
            fixed = value.keys() & {"tenant", "request_id", "section_id", "digest", "document_id"}
            return {**told, LATER: {"digest": 7, "section_id": ["x"]}} if fixed else told
        case list():
            return [as_later(item) for item in value]
        case _:
            return value


@dataclass
class Speech:
    """Changes what services tell each other: as the first release did, or, if they are ``later``, as one to come."""

    later: Set[str] = frozenset()
    changed: Counter[str] = field(default_factory=Counter)
    _first: dict[str, dict[str, Any]] = field(default_factory=first_samples)

    async def publishes(self, subject: bytes, reply: bytes, body: bytes) -> bytes:
        """The message as another version would have sent it."""
        root, family, *tokens = subject.decode().split(".")
        if root != "stemma" or family not in FAMILIES:
            return body
        speaker = tokens[1] if family == "outcome" else subjects.ORCHESTRATOR
        told = json.loads(body)
        later = speaker in self.later
        spoken = as_later(told) if later else as_first(told, self._first.get(tokens[-1], told))
        if spoken != told:
            self.changed[f"{'later' if later else 'first'} {family}"] += 1
        return json.dumps(spoken).encode()


@asynccontextmanager
async def speaking(folder: Path, services: Sequence[str]) -> AsyncIterator[tuple[Client, Speech]]:
    speech = Speech()
    async with (
        LocalStemma(folder, services=[]) as stemma,
        swallowing(stemma.url, publishes=speech.publishes) as url,
        here(stemma, services, url),
        stemma.client() as client,
    ):
        yield client, speech


async def lives(client: Client, speech: Speech, name: str, before: Set[str], after: Set[str]) -> str:
    """A document in the middle of whose life others are of the later version; edited by those that know how."""
    speech.later = before
    document_id = await asked(client, ReviewMode.HUMAN, name)
    await wait_for(client, document_id, lambda event: isinstance(event, e.SectionReviewRequested))
    speech.later = after
    await client.approve(document_id, "research", 1)
    await completes(client, document_id)
    if subjects.ORCHESTRATOR in after:
        await edited(client, document_id)
    assert all(event.contract is not None for event in await client.history(document_id))
    return document_id


async def gone_on_with(folder: Path) -> None:
    """A document of the first release that a later one goes on with."""
    async with speaking(folder, WRITING) as (client, speech):
        await lives(client, speech, "one", frozenset(), ALL)
        await completes(client, await asked(client, ReviewMode.NONE, "another"))
        assert {f"later {family}" for family in FAMILIES} <= speech.changed.keys()


@pytest.mark.req("F5")
async def test_a_document_of_the_first_release_is_gone_on_with_by_a_later_one(tmp_path: Path) -> None:
    await gone_on_with(tmp_path)


@pytest.mark.full
@pytest.mark.req("F5")
async def test_the_proof_finds_a_reader_that_takes_only_what_it_knows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reads_only_what_it_knows(monkeypatch)
    with pytest.raises((AssertionError, TimeoutError, StemmaError)):
        await gone_on_with(tmp_path)
