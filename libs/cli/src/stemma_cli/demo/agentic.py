"""What is shown of the document that an agent makes out of a folder of files."""

from __future__ import annotations

from stemma_contracts.v1.document import DocumentStatus
from stemma_contracts.v1.needs import SKIP

from .runner import DemoRunner, hold, say

SECTION = "document"


class AgenticDemonstration(DemoRunner):
    """An image is missing and asked for; then the agent writes, and each chapter is checked before the next."""

    async def run(self) -> None:
        """The whole script."""
        await self._request()
        await self._until(self._asks)
        need = self._view.sections[SECTION].need
        assert need is not None
        missing = [entry.reference for entry in need.references]
        hold(len(missing) == 1, "no image is asked for")
        self._step(f"An image that the files name is not there: {missing[0]}. A person has it left out.")
        await self._client.answer_need(self._id, SECTION, need.need_id, decisions={missing[0]: SKIP})
        await self._until(lambda: self._view.status is DocumentStatus.COMPLETED, approve=True)
        text = await self._text(self._draft(SECTION))
        hold(f"Image not supplied: {missing[0]}" in text, "nothing stands in the place of the image")
        say("\nThe document is complete. Exported:")
        await self._export_all()
        say(f"{self._view.usage.calls} model calls. All files are in {self._output}/.")

    def _asks(self) -> bool:
        section = self._view.sections.get(SECTION)
        return section is not None and section.asks
