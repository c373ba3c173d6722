"""The verb that measures models and prompts."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from stemma_cli.exit_codes import CliError, ExitCode
from stemma_cli.lookup import AsJson
from stemma_cli.output import note, say_json, say_table

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from stemma_cli.evaluation.asked import Asked
    from stemma_cli.evaluation.measuring import Run, Thresholds
    from stemma_cli.evaluation.running import Writing

OUTPUT = Path("eval-output")
Models = Annotated[list[str] | None, typer.Option("--model", help="Name of a model; several are compared.")]
Prompts = Annotated[
    list[Path] | None,
    typer.Option(
        exists=True,
        file_okay=False,
        help="Folder GRAPH/NODE/KIND.md of prompts in place of those that ship; several are compared.",
    ),
]


async def eval_(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="TOML with requests and thresholds.")],
    model: Models = None,
    prompts: Prompts = None,
    judge: Annotated[str, typer.Option(help="Model that scores the drafts; else the one that wrote them.")] = "",
    api_base: Annotated[str | None, typer.Option(help="Base URL of an OpenAI-compatible server.")] = None,
    context: Annotated[int | None, typer.Option(min=1024, help="Tokens that the model holds.")] = None,
    only: Annotated[list[str] | None, typer.Option(help="Name of a request; else all.")] = None,
    within: Annotated[float, typer.Option(min=1, help="Seconds for one document.")] = 1800.0,
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder for results and recorded calls.")] = OUTPUT,
    as_json: AsJson = False,
) -> ExitCode:
    """Write requests with models and versions of the prompts, and measure what comes out.

    What code can see is measured first, then the scores of a judge, tokens, money and time. Calls are recorded: what
    was asked before is not paid for again. It fails if a threshold is missed.

    Example: stemma eval tests/eval/requests.toml --model offline
    """
    import asyncio

    from stemma_cli.evaluation.asked import EvaluationError, read_set
    from stemma_cli.evaluation.measuring import COLUMNS, MEASURES, row, write_reports
    from stemma_cli.evaluation.running import combinations
    from stemma_cli.local.foreground import cancel_on_signals

    try:
        asked = read_set(file, MEASURES)
    except EvaluationError as error:
        raise CliError(ExitCode.USAGE, str(error)) from None
    if unknown := sorted(set(only or ()) - set(asked.requests)):
        hint = f"there are {', '.join(asked.requests)}"
        raise CliError(ExitCode.USAGE, f"no such request: {', '.join(unknown)}", hint)
    chosen = {name: one for name, one in asked.requests.items() if not only or name in only}
    same = {
        "recordings": output / "recordings",
        "judge": judge,
        "api_base": api_base,
        "context": context,
        "within_s": within,
    }
    cancel_on_signals(lambda _, words: note(words))
    done: list[Run] = []
    try:
        await _write(combinations(model or ["offline"], prompts or [], **same), chosen, done)
    except EvaluationError as error:
        raise CliError(ExitCode.FAILED, str(error)) from None
    except asyncio.CancelledError:
        note(f"stopped; the same command goes on from the calls that are recorded in {output}")
        return ExitCode.INTERRUPTED
    thresholds = {run.model: asked.thresholds_of(run.model) for run in done}
    files = write_reports(output, done, thresholds)
    if as_json:
        say_json([{"request": run.request, "model": run.model, "prompts": run.prompts, **run.values} for run in done])
    else:
        say_table(COLUMNS, [row(run) for run in done])
    return _verdict(done, thresholds, files)


async def _write(writings: Iterable[Writing], chosen: Mapping[str, Asked], done: list[Run]) -> None:
    from stemma_cli.evaluation.running import runs

    for writing in writings:
        note(f"{writing.model} with {writing.version} prompts")
        async for run in runs(writing, chosen):
            note(f"  {run.request}: {run.ended}, {run.asked_now} of {run.usage.calls} calls made now")
            done.append(run)


def _verdict(done: list[Run], thresholds: Thresholds, files: list[Path]) -> ExitCode:
    missed = [(run, words) for run in done for words in run.missed(thresholds[run.model]).values()]
    for run, words in missed:
        note(f"missed: {run.request}, {run.model}, {run.prompts}: {words}")
    note(f"results: {', '.join(map(str, files))}")
    return ExitCode.FAILED if missed else ExitCode.OK
