"""Long texts of a caller are worked on in a process of its own: it has limits, and ends with its caller."""

from __future__ import annotations

import asyncio

import pytest
from starlette.requests import Request
from stemma_client.differences import differences
from stemma_client.errors import InvalidInputError
from stemma_confinement import Limits
from stemma_gateway.computing import Computing
from stemma_gateway.texts import MOST_LINES, compared, pairs_compared, rendered, shown_lines
from stemma_markdown import merge
from stemma_testkit.pathological import UNITS, text_of

pytestmark = pytest.mark.req("S6")
OLD = "Aa bbb. Ccc *ddd*.\n\n" * 1000
NEW = OLD.replace("ddd", "eee", 2)


async def stays(_: object = None) -> dict[str, str]:
    await asyncio.Event().wait()
    return {}


async def leaves() -> dict[str, str]:
    return {"type": "http.disconnect"}


async def test_a_long_text_gives_what_a_call_here_gives() -> None:
    compute = Computing().compute
    assert await compute(differences, OLD, NEW, "en") == differences(OLD, NEW, "en")
    short = "![a](x.png) b"
    assert await compute(rendered, OLD + short, {"x.png": "/x"}) == rendered(OLD + short, {"x.png": "/x"})
    assert await compute(compared, OLD, NEW, "en", True) == compared(OLD, NEW, "en", True)
    assert await compute(merge, OLD, NEW, f"{OLD}\nmore\n") == merge(OLD, NEW, f"{OLD}\nmore\n")
    assert await compute(pairs_compared, ((OLD, NEW),), "en") == pairs_compared(((OLD, NEW),), "en")


async def test_what_takes_too_long_is_refused_with_what_to_do_instead() -> None:
    computing, long = Computing(Limits(seconds=0.2)), text_of(UNITS["half links"], 1024 * 1024)
    with pytest.raises(InvalidInputError, match="read it as Markdown"):
        await computing.compute(differences, long, f"{long}\n\nnew", "en")


async def test_work_ends_with_its_caller() -> None:
    computing = Computing(at_once=1)
    gone = computing.called_by(Request({"type": "http"}, leaves))
    async with asyncio.timeout(60):
        with pytest.raises(InvalidInputError, match="left"):
            await gone(differences, OLD, NEW, "en")
        there = computing.called_by(Request({"type": "http"}, stays))
        assert await there(differences, OLD, OLD + "\nnew", "en")  # its turn came: nothing of the other is left


def test_a_page_shows_so_many_lines_by_themselves_and_loses_none() -> None:
    text = "a\n" * (2 * MOST_LINES)
    assert len(shown_lines(text)) == MOST_LINES + 1
    assert "\n".join(shown_lines(text)) == text
