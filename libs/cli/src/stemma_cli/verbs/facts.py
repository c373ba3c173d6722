"""The verb that changes a fact wherever it stands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from stemma_cli.arguments import AsJson, Document
from stemma_cli.exit_codes import CliError, ExitCode
from stemma_cli.lookup import find_document
from stemma_cli.output import clean_line, note, say, say_json
from stemma_cli.report import tell_answer
from stemma_cli.runtime import connected

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stemma_client.facts import Stated

_SHORT, _AROUND = 12, 60


async def fact(
    document: Document,
    written: Annotated[str, typer.Argument(help="What stands in the sections, as it is written.")],
    instead: Annotated[str, typer.Argument(help="What is to stand there instead.")],
    at: Annotated[
        list[str] | None, typer.Option("--at", metavar="PLACE", help="Only this place, as it is listed: offer:120.")
    ] = None,
    apply: Annotated[bool, typer.Option("--apply", help="Change what is shown.")] = False,
    shown: Annotated[str, typer.Option(metavar="DIGEST", help="With --apply: only if this is what is found.")] = "",
    as_json: AsJson = False,
) -> None:
    """Show each place of a fact in all sections with what would stand there; --apply changes all of them, or none.

    The edits are yours; sections that rest on what is changed become stale. What stands in code, HTML, the targets of
    links and block quotes is left as it is.

    Example: stemma fact 3f2a "24 months" "36 months"
    Example: stemma fact 3f2a "24 months" "36 months" --at offer:120 --apply
    """
    from stemma_client.facts import MOST_SHOWN, change_of, digest_of, places_of

    async with connected(as_json) as client:
        view = await client.document(await find_document(client, document))
        found = await places_of(client, view, written)
        if strange := set(at or ()) - {name for each in found for name in each.names}:
            raise CliError(ExitCode.FAILED, f"{clean_line(written)} does not stand at {clean_line(min(strange))}")
        found = tuple(each.only(at) for each in found) if at else found
        if not any(each.places for each in found):
            raise CliError(ExitCode.FAILED, f"no section says {clean_line(written)} there")
        change = change_of(view.document_id, found, written, instead)
        if not (digest := digest_of(change)).startswith(shown):
            raise CliError(ExitCode.FAILED, f"{digest[:_SHORT]} is found now", "look at it before you apply it")
        if apply:
            accepted = await client.request(change)
            names = ", ".join(each.section_id for each in change.sections)
            tell_answer(accepted, f"changed {names}", as_json=as_json, digest=digest)
        elif as_json:
            say_json({"digest": digest, **change.model_dump(mode="json", include={"sections", "written", "instead"})})
        else:
            _show(found, written, instead)
            if sum(len(each.places) for each in found) >= MOST_SHOWN:
                note(f"these are the first {MOST_SHOWN}: look again when they are changed")
            note(f"nothing was changed; --apply changes all of it, with --shown {digest[:_SHORT]} only this")


def _show(found: Sequence[Stated], written: str, instead: str) -> None:
    for each in found:
        for place in each.places:
            before, behind = place.before[-_AROUND:], place.behind[:_AROUND]
            words = clean_line(f"{before}[-{written}-]{{+{instead}+}}{behind}")
            say(f"{each.section_id}:{place.start} (line {place.line}): {words}")


VERBS = {"fact": fact}
