"""Changes of a text, and edits that are proposed, on a terminal and in a pipe."""

from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.text import Text
from stemma_client.client import Client
from stemma_client.differences import Change, Kind, Piece, conflicts_in, differences
from stemma_contracts.v1.references import ArtifactRef
from stemma_contracts.v1.views import DocumentView, ProposalView, SectionView

from stemma_cli.exit_codes import CliError, ExitCode
from stemma_cli.output import clean, clean_line, console, note

from .findings import lines_about_edit

_STYLES = {Kind.SAME: "", Kind.REMOVED: "red strike", Kind.ADDED: "bold green"}
_MARKS = {Kind.SAME: ("", ""), Kind.REMOVED: ("[-", "-]"), Kind.ADDED: ("{+", "+}")}
_AROUND = 6


async def changes_of(
    client: Client, view: DocumentView, old: ArtifactRef | None, new: ArtifactRef | None
) -> tuple[Change, ...]:
    before, after = [await client.text(view.document_id, ref) for ref in (old, new)]
    return differences(before, after, view.language)


def changes_note(changes: Sequence[Change]) -> None:
    note(stat_words(changes))
    print_changes(changes, console(stderr=True))


def print_changes(changes: Sequence[Change], screen: Console) -> None:
    for change in changes:
        screen.print(Text(f"\n{place_words(change)}", style="dim"))
        screen.print(excerpt(change) if change.moved else marked(change.pieces), soft_wrap=True)


def two_versions(section: SectionView, old: int | None, new: int | None) -> tuple[int, int]:
    known = [version.number for version in section.versions]
    if old is None and len(known) < 2:
        raise CliError(ExitCode.FAILED, f"{section.section_id} has {len(known)} version: there is nothing to compare")
    chosen = (known[-2] if old is None else old, known[-1] if new is None and known else new or 0)
    if unknown := [number for number in chosen if number not in known]:
        has = f"it has {', '.join(map(str, known)) or 'none'}"
        raise CliError(ExitCode.USAGE, f"{section.section_id} has no version {unknown[0]}", has)
    return chosen


def place_words(change: Change) -> str:
    if change.new_line is None:
        return f"line {change.old_line} of the old text"
    return f"line {change.new_line}{f', before in line {change.old_line}' if change.moved else ''}"


def stat_words(changes: Sequence[Change]) -> str:
    if not changes:
        return "no words differ"
    removed, added = (sum(change.words(kind) for change in changes) for kind in (Kind.REMOVED, Kind.ADDED))
    places = f"{len(changes)} place{'' if len(changes) == 1 else 's'}"
    moved = sum(change.moved for change in changes)
    return f"words removed: {removed}, added: {added}, in {places}{f', moved: {moved}' if moved else ''}"


def marked(pieces: Sequence[Piece]) -> Text:
    """Words with what was removed and added, by colour and by marks that survive without it."""
    text = Text()
    for piece in pieces:
        words = clean(piece.text)
        bare = words.rstrip() or words.rstrip("\n")
        before, after = _MARKS[piece.kind] if bare else ("", "")
        text.append(f"{before}{bare}{after}{words[len(bare) :]}", _STYLES[piece.kind])
    text.rstrip()
    return text


def excerpt(change: Change) -> Text:
    last = len(change.pieces) - 1
    pieces = [_shortened(p, begins=n == 0, ends=n == last) for n, p in enumerate(change.pieces)]
    return marked([Piece(piece.kind, " ".join(piece.text.split()) + " ") for piece in pieces if piece.text.strip()])


def _shortened(piece: Piece, *, begins: bool, ends: bool) -> Piece:
    words = piece.text.split()
    if piece.kind is not Kind.SAME or len(words) <= 2 * _AROUND:
        return piece
    before, after = " ".join(words[:_AROUND]), " ".join(words[-_AROUND:])
    text = f"... {after}" if begins and not ends else f"{before} ..." if ends else f"{before} ... {after}"
    return Piece(Kind.SAME, text)


async def show_proposal(client: Client, view: DocumentView, section: SectionView, proposal: ProposalView) -> None:
    if proposal.draft is None:
        note(f"the editor is still at work on {proposal.proposal_id} of {section.section_id}")
        return
    summary = await client.text(view.document_id, proposal.summary)
    note(f"edit {proposal.proposal_id} of {section.section_id} version {proposal.version}: {summary}")
    changes_note(await changes_of(client, view, section.draft, proposal.draft))
    for conflict in await conflicts_in(client, view.document_id, proposal.merge):
        note(f"both changed: {clean_line(conflict.ours)}; the edit has: {clean_line(conflict.theirs)}")
    for words in await lines_about_edit(client, view, section, None):
        note(f"edit {proposal.proposal_id}: {words}")


async def proposal_json(client: Client, view: DocumentView, section: SectionView) -> dict[str, Any]:
    proposal = section.proposal
    if proposal is None or proposal.draft is None:
        return {}
    changes = await changes_of(client, view, section.draft, proposal.draft)
    summary = await client.text(view.document_id, proposal.summary)
    findings = await lines_about_edit(client, view, section, None)
    return {"proposal_summary": summary, "proposal_findings": findings, "proposal_changes": changes}
