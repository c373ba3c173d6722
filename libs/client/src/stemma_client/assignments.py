"""Who is asked to see to sections, and by when. It locks nothing."""

from __future__ import annotations

from abc import ABC, abstractmethod
from datetime import datetime

from stemma_contracts import v1
from stemma_contracts.v1.answers import RequestAccepted


class AssignmentRequests(ABC):
    """Assigning sections to people. Each method waits for the answer, and raises `RequestRejectedError`."""

    actor: str

    @abstractmethod
    async def request(self, request: v1.requests.Request) -> RequestAccepted:
        """Publish a request and wait for its answer."""

    async def assign(
        self, document_id: str, section_id: str, assignee: str, due: datetime | None = None
    ) -> RequestAccepted:
        """Ask a person, in place of whoever was asked before, to see to a section.

        ``due`` has a time zone and lies ahead; it counts until the section is settled.
        """
        return await self.request(
            v1.requests.AssignSection(
                actor=self.actor, document_id=document_id, section_id=section_id, assignee=assignee, due=due
            )
        )

    async def unassign(self, document_id: str, section_id: str) -> RequestAccepted:
        """Ask nobody in particular to see to a section any more."""
        return await self.request(
            v1.requests.UnassignSection(actor=self.actor, document_id=document_id, section_id=section_id)
        )
