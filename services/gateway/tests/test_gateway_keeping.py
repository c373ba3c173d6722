"""What is kept up to date for several followers runs as long as one of them is there."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack

import pytest
from stemma_gateway.followed import Keeper


class Kept(Keeper):
    """Runs until it is ended, and says when it was."""

    lingers_s = 0

    def __init__(self) -> None:
        super().__init__()
        self.begun = 0
        self.ended = asyncio.Event()

    async def _keep(self) -> None:
        self.begun += 1
        try:
            await asyncio.Event().wait()
        finally:
            self.ended.set()


@pytest.mark.req("H3", "E4")
async def test_what_one_follower_leaves_goes_on_for_the_other_and_ends_after_the_last() -> None:
    kept = Kept()
    async with AsyncExitStack() as other:
        await other.enter_async_context(kept.followed())
        async with kept.followed():
            await asyncio.sleep(0)
        for _ in range(5):  # the end that the first one left behind comes round
            await asyncio.sleep(0)
        assert (kept.begun, kept.ended.is_set()) == (1, False)
    await asyncio.wait_for(kept.ended.wait(), 20)
    assert kept.begun == 1
