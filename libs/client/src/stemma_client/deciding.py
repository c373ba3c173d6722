"""Decisions of people about sections; each is bound to the version that the person saw."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from pathlib import Path

from stemma_contracts import v1
from stemma_contracts.v1.answers import RequestAccepted
from stemma_contracts.v1.references import UploadRef

from . import inputs as input_files
from .errors import InvalidInputError


class SectionDecisions(ABC):
    """Every way to decide about a section.

    Each method waits for the answer. A decision about a version that is not the current one any more, or that
    the status of the section does not allow, changes nothing and raises `RequestRejectedError`.
    """

    actor: str

    @abstractmethod
    async def request(self, request: v1.requests.Request) -> RequestAccepted:
        """Publish a request and wait for its answer."""

    async def approve(self, document_id: str, section_id: str, version: int) -> RequestAccepted:
        """Approve a section that waits for review."""
        return await self.request(
            v1.requests.ApproveSection(
                actor=self.actor, document_id=document_id, section_id=section_id, version=version
            )
        )

    async def revise(
        self,
        document_id: str,
        section_id: str,
        version: int,
        feedback: str,
        *,
        cycle: bool = False,
        replace_edited: bool = False,
    ) -> RequestAccepted:
        """Send a section that waits for review to the editor agent, with feedback in words; it is reviewed again.

        With ``cycle`` every section of the document is written again by the feedback, not only this one changed;
        those that a person made only with ``replace_edited``.
        """
        return await self.request(
            v1.requests.ReviseSection(
                actor=self.actor,
                document_id=document_id,
                section_id=section_id,
                version=version,
                feedback=feedback,
                cycle=cycle,
                replace_edited=replace_edited,
            )
        )

    async def edit(
        self,
        document_id: str,
        section_id: str,
        version: int,
        *,
        instruction: str | None = None,
        text: str | Path | None = None,
        images: tuple[UploadRef, ...] = (),
    ) -> RequestAccepted:
        """Change any section at any time: by an instruction to the editor agent, or by a text or Markdown file.

        ``version`` is 0 while nothing is written. A long text is sent as an upload. ``images`` were uploaded, and the
        text shows them by their names, which no other file of the document may have. Raises `InvalidInputError`
        for a file that cannot be read or is not UTF-8.
        """
        return await self.request(
            v1.requests.EditSection(
                actor=self.actor,
                document_id=document_id,
                section_id=section_id,
                version=version,
                instruction=instruction,
                text=_text_in(text) if isinstance(text, Path) else text,
                images=images,
            )
        )

    async def keep(self, document_id: str, section_id: str, version: int) -> RequestAccepted:
        """Keep a stale section as it is; it rests on the current upstream versions from now on."""
        return await self.request(
            v1.requests.KeepSection(actor=self.actor, document_id=document_id, section_id=section_id, version=version)
        )

    async def regenerate(
        self,
        document_id: str,
        section_id: str,
        version: int,
        *,
        guidance: str | None = None,
        replace_edited: bool = False,
    ) -> RequestAccepted:
        """Have a section written anew, with guidance in words.

        A version that a person made is only replaced with ``replace_edited``; it can be restored.
        """
        return await self.request(
            v1.requests.RegenerateSection(
                actor=self.actor,
                document_id=document_id,
                section_id=section_id,
                version=version,
                guidance=guidance,
                replace_edited=replace_edited,
            )
        )

    async def restore(
        self, document_id: str, section_id: str, version: int, *, restore_version: int
    ) -> RequestAccepted:
        """Bring back the text of an earlier version, as a new version; ``version`` is the current one."""
        return await self.request(
            v1.requests.RestoreSection(
                actor=self.actor,
                document_id=document_id,
                section_id=section_id,
                version=version,
                restore_version=restore_version,
            )
        )

    async def accept_edit(self, document_id: str, section_id: str, version: int, proposal_id: str) -> RequestAccepted:
        """Make a proposed edit the version of its section; ``version`` is the one that it changes."""
        return await self.request(
            v1.requests.AcceptEdit(
                actor=self.actor,
                document_id=document_id,
                section_id=section_id,
                version=version,
                proposal_id=proposal_id,
            )
        )

    async def reject_edit(self, document_id: str, section_id: str, version: int, proposal_id: str) -> RequestAccepted:
        """Drop a proposed edit, or the instruction while the editor agent is still at work on it."""
        return await self.request(
            v1.requests.RejectEdit(
                actor=self.actor,
                document_id=document_id,
                section_id=section_id,
                version=version,
                proposal_id=proposal_id,
            )
        )

    async def keep_sections(self, document_id: str, versions: Mapping[str, int]) -> RequestAccepted:
        """Keep several stale sections, each in the version that the person saw, or none."""
        seen = tuple(v1.requests.SeenVersion(section_id=name, version=version) for name, version in versions.items())
        return await self.request(v1.requests.KeepSections(actor=self.actor, document_id=document_id, sections=seen))

    async def regenerate_sections(
        self,
        document_id: str,
        versions: Mapping[str, int],
        *,
        guidance: str | None = None,
        replace_edited: bool = False,
    ) -> RequestAccepted:
        """Write several sections anew, each after those that it rests on, or none."""
        seen = tuple(v1.requests.SeenVersion(section_id=name, version=version) for name, version in versions.items())
        return await self.request(
            v1.requests.RegenerateSections(
                actor=self.actor,
                document_id=document_id,
                sections=seen,
                guidance=guidance,
                replace_edited=replace_edited,
            )
        )

    async def retry(self, document_id: str, section_id: str) -> RequestAccepted:
        """Try a failed section again."""
        return await self.request(
            v1.requests.RetrySection(actor=self.actor, document_id=document_id, section_id=section_id)
        )

    async def answer_need(
        self,
        document_id: str,
        section_id: str,
        need_id: str,
        answer: str = "",
        *,
        decisions: Mapping[str, str | UploadRef] | None = None,
    ) -> RequestAccepted:
        """Answer what the paused graph of a section asked for, in words, by decisions, or both.

        A decision about a missing image is ``"skip"``, the name of an input, or an image that was uploaded.
        """
        return await self.request(
            v1.requests.AnswerNeed(
                actor=self.actor,
                document_id=document_id,
                section_id=section_id,
                need_id=need_id,
                answer=answer,
                decisions=dict(decisions or {}),
            )
        )


def _text_in(path: Path) -> str:
    try:
        return input_files.read(path).decode()
    except UnicodeDecodeError:
        raise InvalidInputError(f"{path} is not UTF-8 text") from None
