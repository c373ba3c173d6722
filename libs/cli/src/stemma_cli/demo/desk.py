"""``stemma demo --desk``: everything running, with samples in the middle of their review."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from pathlib import Path

from stemma_client import Client
from stemma_client.bearer import bearer_of
from stemma_client.logins import new_password
from stemma_client.settings import ServerAddress
from stemma_contracts.v1.document import DocumentStatus
from stemma_contracts.v1.ledger import RequirementDecision
from stemma_contracts.v1.requests import AcceptEdit, DecideRequirements
from stemma_provisioning.roles import Role

from stemma_cli.local.desk import link_to
from stemma_cli.local.supervisor import LocalStemma
from stemma_cli.local.tenants import Place, keys_of, login_at

from .runner import SCRIPTS, DemoRunner, say

KIND = "proposal"
PERSON = "ada"
DEMANDS = "service-requirements.md"
ANSWERED_IN = ("budget", "solution", "solution")
INSTRUCTED = "Say that a librarian rides along on the first trip of every month."


class InReview(DemoRunner):
    """A finished proposal, of which a person changed something: one edit is proposed, and one made others stale."""

    async def run(self) -> None:
        await self._request()
        await self._until(lambda: self._view.status is DocumentStatus.COMPLETED, approve=True)
        change = SCRIPTS[KIND].instructed
        await self._propose(change.section_id, change.words)
        proposal = self._view.sections[change.section_id].proposal
        if proposal is not None:
            await self._client.request(
                AcceptEdit(
                    document_id=self._id,
                    section_id=change.section_id,
                    version=proposal.version,
                    proposal_id=proposal.proposal_id,
                )
            )
        await self._until(lambda: bool(self._view.stale))
        await self._propose("solution", INSTRUCTED)
        await self._require()

    async def _propose(self, name: str, words: str) -> None:
        self._step(f"{self._title(name)} is changed by an instruction: {words!r}")
        await self._client.edit(self._id, name, self._version(name), instruction=words)
        await self._until(lambda: self._view.sections[name].proposes)

    async def _require(self) -> None:
        self._step(f"What the brief and {DEMANDS} demand is read, and given to sections")
        found = await self._client.read_requirements(self._id, sources=(DEMANDS,))
        given = [
            RequirementDecision(requirement_id=entry.row.requirement_id, confirmed=True, section_id=section_id)
            for entry, section_id in zip(found.entries, ANSWERED_IN, strict=False)
        ]
        await self._client.request(DecideRequirements(document_id=self._id, decisions=tuple(given)))


class Begun(DemoRunner):
    async def run(self) -> None:
        await self._request()
        await self._until(lambda: any(section.waits_for_review for section in self._view.sections.values()))


async def fill_samples(client: Client) -> None:
    for runner in (InReview, Begun):
        await runner(client, KIND, Path()).run()


async def run_until_cancelled(stemma: LocalStemma) -> None:
    """Say where the desk is, and wait until cancelled."""
    password, token = await asyncio.to_thread(reviewer, stemma)
    link = await asyncio.to_thread(link_to, stemma.gateway_url, token, "/desk")
    say(f"\nThe review desk is at {stemma.gateway_url}/desk: sign in as {PERSON} with the password {password}")
    say(f"This opens it signed in, once, within a minute: {link}")
    say("Ctrl-C stops all.")
    with suppress(asyncio.CancelledError):
        await asyncio.Event().wait()


def reviewer(stemma: LocalStemma) -> tuple[str, str]:
    """Admit a person who may ask for documents and decide: the password, and the token."""
    place = Place(stemma.folder.root, None, "default")
    login = login_at(place, PERSON, password := new_password(), Role.AUTHOR)
    place.admitted.add(PERSON, Role.AUTHOR, keys_of(login))
    return password, bearer_of(ServerAddress(stemma.url, "default", PERSON, login=login))
