"""A person decides about what was seen: it is shown before it is asked for, and a script names its version."""

from __future__ import annotations

import sys

from stemma_client.client import Client
from stemma_contracts.v1.provenance import Origin
from stemma_document.views import DocumentView, SectionView

from stemma_cli.exit_codes import CliError, ExitCode
from stemma_cli.lookup import text_of
from stemma_cli.output import console, note, rendered
from stemma_cli.prompt import ask

from .changes import changes_note, changes_of
from .findings import lines_about

_CHANGED = frozenset({Origin.REVISED, Origin.EDITED})


async def seen_version(client: Client, view: DocumentView, section: SectionView, given: int | None, verb: str) -> int:
    """The version that a decision is about: the one that is named, else the current one once it was shown."""
    if section.version == 0:
        raise CliError(ExitCode.FAILED, f"nothing is written in {section.section_id} yet")
    if given is not None:
        return given
    number, name = section.version, f"{view.document_id[:8]} {section.section_id}"
    if at_a_terminal():
        await show_text(client, view, section)
        await note_findings(client, view, section, number)
    await agreed(
        f"{verb.capitalize()} {section.section_id} version {number}?",
        f"say which version of {section.section_id} you read",
        f"version {number} is current: read it with `stemma show {name}`, then say --version {number}",
    )
    return number


def at_a_terminal() -> bool:
    """Whether a person can be asked."""
    return sys.stdin.isatty()


async def agreed(question: str, otherwise: str, hint: str) -> None:
    """Ask a person at the terminal; without one it has to be said on the command line, as the hint tells."""
    if not at_a_terminal():
        raise CliError(ExitCode.USAGE, otherwise, hint)
    if not await ask(question, otherwise="nothing was decided"):
        raise CliError(ExitCode.FAILED, "nothing was decided")


async def note_findings(client: Client, view: DocumentView, section: SectionView, version: int) -> None:
    """What is wrong with a version, or may be, on stderr; of one that is not current any more nothing is known."""
    for words in await lines_about(client, view, section) if version == section.version else ():
        note(f"{section.section_id}: {words}")


async def show_text(client: Client, view: DocumentView, section: SectionView) -> None:
    """The text; of a version that the editor made of another one, what it changed."""
    current = section.current
    assert current is not None
    before = section.versions[-2] if len(section.versions) > 1 else None
    if before is None or current.origin not in _CHANGED:
        console(stderr=True).print(rendered(await text_of(client, view.document_id, current.draft)))
        return
    note(f"version {before.number} -> {current.number}: {await text_of(client, view.document_id, current.summary)}")
    changes_note(await changes_of(client, view, before.draft, current.draft))
