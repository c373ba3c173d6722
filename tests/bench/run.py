"""The bench: ``make bench``, or ``python tests/bench/run.py --only runs,lint --quick``.

The workload: the shipped proposal of 8 sections in 5 levels, one call to write and one to evaluate each, real lint,
real artifacts, on the five services as processes of their own; beside it plain LangGraph in one process. Every
figure depends on the machine and on what else it does: compare figures of one call.
"""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Awaitable, Callable

import bench_operations
import bench_runs
import bench_scale
import bench_tracing
from stemma_provisioning.topology import ACK_WAIT_S

SHORT_LEASE_S = 2.0

Part = Callable[[bool], Awaitable[None]]


async def runs(quick: bool) -> None:
    """Documents with calls of 0 and of 200 ms."""
    await bench_runs.rates(0, quick)
    await bench_runs.rates(200, quick)


async def recovery(quick: bool) -> None:
    """Kills with the default lease and with a short one."""
    for lease in (SHORT_LEASE_S,) if quick else (ACK_WAIT_S, SHORT_LEASE_S):
        await bench_operations.recovery(lease)


PARTS: dict[str, Part] = {
    "floor": lambda _: bench_runs.floor(),
    "ready": lambda _: bench_operations.ready(),
    "runs": runs,
    "offline": bench_runs.offline,
    "messages": lambda _: bench_runs.messages(),
    "lint": lambda _: bench_operations.lint(),
    "export": lambda _: bench_operations.exports(),
    "recovery": recovery,
    "tracing": bench_tracing.tracing,
    "scale": bench_scale.scale,
}


async def main() -> None:
    """Run the parts that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default=",".join(PARTS), help=f"parts, of {', '.join(PARTS)}")
    parser.add_argument("--quick", action="store_true", help="fewer runs, fewer documents, one lease")
    arguments = parser.parse_args()
    for name in arguments.only.split(","):
        await PARTS[name](arguments.quick)


if __name__ == "__main__":
    asyncio.run(main())
