"""What is shown of the text by several roles, and of the design that is reviewed in cycles."""

from __future__ import annotations

from stemma_contracts.v1 import events as e
from stemma_contracts.v1.document import DocumentStatus
from stemma_contracts.v1.exports import ExportFormat
from stemma_contracts.v1.section import SectionStatus

from stemma_cli.wording import cycle_words

from .runner import DemoRunner, hold, say

FINAL, FIRST = "final_document", "hld_draft"
WISH = "Say that the workshop has a fire alarm."


class RolesDemonstration(DemoRunner):
    """Roles are found for the request, write at the same time, and their texts are made one."""

    async def run(self) -> None:
        """The whole script."""
        await self._request()
        await self._until(lambda: self._view.status is DocumentStatus.COMPLETED, approve=True)
        [section] = self._view.sections.values()
        told = section.current.processing_metadata if section.current else None
        hold(told is not None, "nothing is told of the roles")
        assert told is not None
        self._step(f"Written in {told.seconds:.1f} s, node by node:")
        for run in told.nodes:
            say(f"    {run.node:24} {run.role_id:24} {run.seconds:7.3f} s")
        say("\nThe text is complete. Exported:")
        await self._export_all()
        say(f"{self._view.usage.calls} model calls. All files are in {self._output}/.")


class DesignDemonstration(DemoRunner):
    """A design is drafted, reviewed and revised; a person asks for more, approves it, and changes its beginning."""

    async def run(self) -> None:
        """The whole script."""
        await self._request()
        await self._until(self._waits)
        self._tell_status()
        self._step(f"A person reads it and has everything written again: {WISH!r}")
        before = self._version(FINAL)
        await self._client.revise(self._id, FINAL, before, WISH, cycle=True)
        await self._until(lambda: self._version(FINAL) > before and self._waits())
        text = await self._text(self._draft(FINAL))
        hold("fire alarm" in text, "the wish is not in the document")
        self._step("It is approved.")
        await self._client.approve(self._id, FINAL, self._version(FINAL))
        await self._until(lambda: self._view.status is DocumentStatus.COMPLETED)
        self._tell_status()
        await self._export_all()
        await self._change_the_beginning()

    async def _change_the_beginning(self) -> None:
        self._step(f"{self._title(FIRST)}, on which the rest was built, is changed. That makes stale:")
        text = await self._text(self._draft(FIRST))
        version = self._version(FIRST)
        await self._client.edit(self._id, FIRST, version, text=f"{text.rstrip()}\n\nThe server has a spare.\n")
        await self._until(lambda: self._version(FIRST) == version + 1)
        hold(bool(self._view.stale), "the change made nothing stale")
        for section in self._view.stale:
            say(f"    {section.title}")
        say("An export tells so:")
        exported = await self._client.export(self._id, ExportFormat.DOCX)
        hold(isinstance(exported, e.DocumentExported), "there is no export")
        say(f"    {', '.join(sorted(w.code for w in exported.warnings))}")
        say(f"{self._view.usage.calls} model calls. All files are in {self._output}/.")

    def _waits(self) -> bool:
        final = self._view.sections.get(FINAL)
        return final is not None and final.status is SectionStatus.AWAITING_REVIEW

    def _tell_status(self) -> None:
        assert self._view.cycle is not None
        say(f"  {cycle_words(self._view.cycle)}")
