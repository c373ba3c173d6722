"""Edits that the editor agent proposes: shown as a difference, then accepted or rejected."""

from __future__ import annotations

from typing import Any

from stemma_client.client import Client
from stemma_document.views import DocumentView, ProposalView, SectionView

from stemma_cli.exit_codes import CliError, ExitCode
from stemma_cli.lookup import find_section, text_of
from stemma_cli.output import note
from stemma_cli.report import tell_answer

from .changes import change_json, changes_note, changes_of
from .findings import lines_about_edit
from .seeing import agreed, at_a_terminal
from .several import Choice, chosen


async def accept(client: Client, *, document: str, section: str, proposal: str | None, as_json: bool) -> None:
    """Make a proposed edit the version of its section."""
    view, found = await find_section(client, document, section)
    version, proposal_id = await _decided(client, view, found, proposal, "accept")
    await _accept(client, view.document_id, section, version, proposal_id, as_json)


async def accept_all(client: Client, *, document: str, as_json: bool) -> None:
    """Accept all edits that wait, which are printed first."""
    view, sections = await chosen(client, document, Choice((), every=True), lambda section: section.proposes)
    if not sections:
        note("no edit is proposed")
        return
    proposals = {section.section_id: section.proposal for section in sections if section.proposal is not None}
    for name, proposal in proposals.items():
        await show_proposal(client, view, view.sections[name], proposal)
    if at_a_terminal():
        await agreed("Accept these?", "", "")
    for name, proposal in proposals.items():
        await _accept(client, view.document_id, name, proposal.version, proposal.proposal_id, as_json)


async def _accept(
    client: Client, document_id: str, section: str, version: int, proposal_id: str, as_json: bool
) -> None:
    accepted = await client.accept_edit(document_id, section, version, proposal_id)
    now = await client.document(document_id)
    stale = [s.section_id for s in now.stale]
    number = now.sections[section].version
    words = f"accepted {proposal_id}: {section} version {number}"
    tell_answer(accepted, words, as_json=as_json, version=number, stale=stale)
    if stale:
        note(f"stale now: {', '.join(stale)}; see `stemma stale {document_id[:8]}`")


async def reject(client: Client, *, document: str, section: str, proposal: str | None, as_json: bool) -> None:
    """Drop a proposed edit, or the instruction while the editor is at work on it."""
    view, found = await find_section(client, document, section)
    version, proposal_id = await _decided(client, view, found, proposal, "reject")
    rejected = await client.reject_edit(view.document_id, section, version, proposal_id)
    tell_answer(rejected, f"rejected {proposal_id}: {section} stays version {found.version}", as_json=as_json)


async def _decided(
    client: Client, view: DocumentView, section: SectionView, given: str | None, verb: str
) -> tuple[int, str]:
    """Which proposal a decision is about: the one that is named, else the one that is shown first."""
    proposal = section.proposal
    if given is not None:
        known = proposal is not None and proposal.proposal_id == given
        return (proposal.version if known and proposal else max(1, section.version)), given
    if proposal is None:
        raise CliError(
            ExitCode.FAILED, f"no edit of {section.section_id} is proposed", await _last(client, view, section)
        )
    name = f"{view.document_id[:8]} {section.section_id}"
    await show_proposal(client, view, section, proposal)
    await agreed(
        f"{verb.capitalize()} {proposal.proposal_id}?",
        f"say which proposed edit of {section.section_id} you read",
        f"read it with `stemma show {name}`, then `stemma {verb}-edit {name} --proposal {proposal.proposal_id}`",
    )
    return proposal.version, proposal.proposal_id


async def _last(client: Client, view: DocumentView, section: SectionView) -> str:
    """What came of the last instruction, if it was no proposal."""
    if section.refusal is not None:
        return f"the editor refused the last instruction: {await text_of(client, view.document_id, section.refusal)}"
    return f"what failed last: {section.failure}" if section.failure else ""


async def show_proposal(client: Client, view: DocumentView, section: SectionView, proposal: ProposalView) -> None:
    """What an edit would change and why, on stderr."""
    if proposal.draft is None:
        note(f"the editor is still at work on {proposal.proposal_id} of {section.section_id}")
        return
    summary = await text_of(client, view.document_id, proposal.summary)
    note(f"edit {proposal.proposal_id} of {section.section_id} version {proposal.version}: {summary}")
    changes_note(await changes_of(client, view, section.draft, proposal.draft))
    for words in await lines_about_edit(client, view, section, None):
        note(f"edit {proposal.proposal_id}: {words}")


async def proposal_json(client: Client, view: DocumentView, section: SectionView) -> dict[str, Any]:
    """A proposed edit with its words."""
    proposal = section.proposal
    if proposal is None or proposal.draft is None:
        return {}
    changes = await changes_of(client, view, section.draft, proposal.draft)
    summary = await text_of(client, view.document_id, proposal.summary)
    findings = await lines_about_edit(client, view, section, None)
    told = {"proposal_summary": summary, "proposal_findings": findings}
    return told | {"proposal_changes": [change_json(change) for change in changes]}
