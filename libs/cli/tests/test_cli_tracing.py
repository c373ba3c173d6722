"""The trees of a document's events, as they are drawn."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from stemma_cli.rendering.events import LEGEND, tree_lines, trees
from stemma_client import RecordedEvent
from stemma_contracts import Contract, envelope_for, registry
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.exports import ExportFormat

NARROW = 40
ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
TRACE = {"traceparent": f"00-{'ab' * 16}-{'cd' * 8}-01"}


@pytest.fixture
def chain(requested: Any, drafted: Any) -> list[RecordedEvent]:
    """A request, and thirty events of which each was led to by the one before it, half a second later."""

    def recorded(number: int, contract: Contract) -> RecordedEvent:
        entry, time = registry.entry_of(contract), requested.created_at + timedelta(seconds=number / 2)
        about = {"id": f"e{number}", "source": "t", "subject": "d1", "causation_id": f"c{number}"}
        envelope = envelope_for(entry, **about, time=time, sequence=number, trace=TRACE)
        return RecordedEvent(envelope, contract, number, f"stemma.event.v1.default.d1.{entry.token}", b"{}", 0)

    later = (drafted("research").model_copy(update={"job_id": f"d1.{n}.generate.research"}) for n in range(1, 31))
    return [recorded(n, contract) for n, contract in enumerate((requested, *later), 1)]


def test_a_tree_in_a_pipe_has_every_step_whole_below_what_led_to_it(chain: list[RecordedEvent]) -> None:
    [root] = trees(chain)

    heading, *steps = tree_lines(root, 2_000)

    assert heading.endswith(f"  15.000 s  trace {'ab' * 16}")
    assert steps[0] == "*  0.000  +0.000  document: requested (starts research)"
    assert steps[30] == f"* 15.000  +0.500  {'  ' * 30}research: drafted (version 1, score 0.90)"


@pytest.mark.parametrize(("width", "words"), [(60, "research: drafted"), (NARROW, "research")])
def test_a_deep_tree_leaves_room_for_words_in_a_narrow_terminal(
    chain: list[RecordedEvent], width: int, words: str
) -> None:
    [root] = trees(chain)

    begun, trace_id, *steps = tree_lines(root, width)

    assert max(len(begun), len(trace_id)) <= width
    assert all(words in line[:width] for line in steps[1:])
    indents = [line.index(words) for line in steps[1:]]
    assert indents == sorted(indents)
    assert len(set(indents)) > 10


def test_nothing_that_an_event_tells_controls_the_terminal(chain: list[RecordedEvent]) -> None:
    failed = e.ExportFailed(export_id="x", format=ExportFormat.PDF, job_id="d1.1.convert", detail="a\x1b[2Jb\nc")
    [root] = trees([chain[0], replace(chain[1], contract=failed)])

    assert "ab c" in list(tree_lines(root, 2_000))[-1]


async def test_trace_says_what_its_mark_means_and_who_is_waited_for(
    cli: Any, backstage: Any, document_id: str, requested: Any, drafted: Any, reviewable: Any
) -> None:
    await backstage.append(document_id, requested, drafted("research"), reviewable("research"))

    shown, machine = await cli("trace", document_id), await cli("trace", document_id, "--json")

    *legend, waiting = shown.stderr.splitlines()
    assert legend == list(LEGEND)
    assert waiting.startswith("waits for a person: research (Research, ")
    assert "`*` marks" in (await cli("trace", "--help")).stdout
    assert machine.stderr == ""


@pytest.mark.parametrize(
    ("ended", "words"),
    [(e.DocumentPaused(), "paused: go on with `stemma resume"), (e.DocumentCancelled(), ""), (None, "")],
)
async def test_trace_says_that_a_document_is_paused_and_nothing_of_one_that_goes_on_or_was_cancelled(
    cli: Any, backstage: Any, document_id: str, requested: Any, drafted: Any, ended: Any, words: str
) -> None:
    await backstage.append(document_id, requested, drafted("research"), *filter(None, [ended]))

    told = (await cli("trace", document_id)).stderr.splitlines()[len(LEGEND) :]

    assert len(told) == bool(words)
    assert "".join(told).startswith(words)


async def test_trace_cuts_lines_at_the_width_of_a_terminal(
    backstage: Any, on_a_terminal: Any, document_id: str, requested: Any, drafted: Any
) -> None:
    await backstage.append(document_id, requested, drafted("research"))

    seen, code = await on_a_terminal("trace", document_id, columns=NARROW)

    shown = ESCAPES.sub("", seen).splitlines()
    assert code == 0
    assert [line for line in shown if len(line) > NARROW] == []
    assert any(line.startswith("* 0.000  document: requested") and line.endswith("…") for line in shown), seen
    assert set(LEGEND) <= set(shown)
