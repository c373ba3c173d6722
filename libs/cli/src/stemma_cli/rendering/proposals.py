"""Edits that the editor agent proposes, as differences."""

from __future__ import annotations

from typing import Any

from stemma_client.client import Client
from stemma_contracts.v1.views import DocumentView, ProposalView, SectionView

from stemma_cli.output import note

from .changes import changes_note, changes_of
from .findings import lines_about_edit


async def show_proposal(client: Client, view: DocumentView, section: SectionView, proposal: ProposalView) -> None:
    """What an edit would change and why, on stderr."""
    if proposal.draft is None:
        note(f"the editor is still at work on {proposal.proposal_id} of {section.section_id}")
        return
    summary = await client.text(view.document_id, proposal.summary)
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
    summary = await client.text(view.document_id, proposal.summary)
    findings = await lines_about_edit(client, view, section, None)
    return {"proposal_summary": summary, "proposal_findings": findings, "proposal_changes": changes}
