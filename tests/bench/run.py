"""The bench: ``make bench``, or ``python tests/bench/run.py --only runs,verbs --quick``.

The workload: the shipped proposal of 8 sections in 5 levels, one call to write and one to evaluate each, real lint,
real artifacts, on the five services as processes of their own; beside it plain LangGraph in one process. Every
figure depends on the machine and on what else it does: compare figures of one call.

It ends with 1 if a target is missed by more than its noise.
"""

import argparse
import asyncio
import signal
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import bench_operations
import bench_prompts
import bench_reading
import bench_report
import bench_runs
import bench_staleness

Part = Callable[[bool], Awaitable[None]]


async def runs(quick: bool) -> None:
    """Documents with calls of 0 and of 200 ms."""
    await bench_runs.rates(0, quick)
    await bench_runs.rates(200, quick)


PARTS: dict[str, tuple[str, Part]] = {
    "ready": ("`stemma up` in an empty folder until it is ready", lambda _: bench_operations.ready()),
    "verbs": ("verbs of the command, beside a Python that does nothing", lambda _: bench_operations.verbs()),
    "runs": ("documents at 1, 16 and 64 at a time, beside plain LangGraph: the longest part, 8 minutes", runs),
    "reading": ("how much is read of files of ten formats, in which time and memory", bench_reading.files),
    "export": ("documents of 5, 50 and 300 pages in every format", lambda _: bench_operations.exports()),
    "recovery": ("how soon a section goes on after kill -9 of a worker", lambda _: bench_operations.recovery()),
    "prompts": ("tokens of prompts, and how much a provider's cache holds", lambda _: bench_prompts.prompts()),
    "staleness": (
        "what real edits make stale, and what they concern",
        lambda _: bench_staleness.staleness(),
    ),
}


def main() -> int:
    """Run the parts that are asked for."""
    arguments = _arguments()
    try:
        return asyncio.run(_run(arguments))
    except (KeyboardInterrupt, asyncio.CancelledError):
        print("stopped; what was started has ended", file=sys.stderr)
        return 130


def _arguments() -> argparse.Namespace:
    described = "\n".join(f"  {name:10} {words}" for name, (words, _) in PARTS.items())
    parser = argparse.ArgumentParser(
        description=f"{__doc__}\nParts:\n{described}", formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", type=_parts, default=list(PARTS), metavar="PARTS", help="as in runs,verbs")
    parser.add_argument("--quick", action="store_true", help="fewer runs, fewer documents")
    parser.add_argument("--page", type=Path, help="write the figures between the marks of this page too")
    return parser.parse_args()


def _parts(text: str) -> list[str]:
    names = [name.strip() for name in text.split(",")]
    if unknown := [name for name in names if name not in PARTS]:
        raise argparse.ArgumentTypeError(f"no part is called {unknown[0]!r}; there are {', '.join(PARTS)}")
    return names


async def _run(arguments: argparse.Namespace) -> int:
    task = asyncio.current_task()
    assert task is not None
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    for name in arguments.only:
        await PARTS[name][1](arguments.quick)
    if arguments.page:
        bench_report.write_page(arguments.page)
    if bench_report.missed:
        print(f"missed: {'; '.join(bench_report.missed)}", file=sys.stderr)
    return 1 if bench_report.missed else 0


if __name__ == "__main__":
    sys.exit(main())
