"""``stemma demo``: the shipped sample from its brief to its files, changed by people, with every service running."""

from __future__ import annotations

import asyncio
import io
import tempfile
import time
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path

import docx
from docx.table import Table
from stemma_client import Client, StemmaError
from stemma_client.differences import differences
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.document import DocumentStatus
from stemma_contracts.v1.exports import ExportFormat
from stemma_contracts.v1.inputs import InputChanges
from stemma_contracts.v1.needs import SKIP
from stemma_contracts.v1.requests import AcceptEdit, ApplyInput, KeepSection, RegenerateSection
from stemma_contracts.v1.section import SETTLED, SectionStatus
from stemma_contracts.v1.views import InputView, SectionView

from stemma_cli.exit_codes import ExitCode
from stemma_cli.local.supervisor import LocalStemma
from stemma_cli.rendering.changes import excerpt
from stemma_cli.wording import changed_words, cycle_words, reasons_words

from .desk import fill_samples, run_until_cancelled
from .runner import SCRIPTS, DemoFailedError, DemoRunner, DemoScript, hold, say

SECTION = "document"


class AgenticDemonstration(DemoRunner):
    """An image is missing and asked for; then the agent writes, and each chapter is checked before the next."""

    async def run(self) -> None:
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


CHAPTER_STYLE = "Heading 1"


def chapters(document: bytes) -> list[str]:
    """The text of each chapter in order: a line for its heading and for every paragraph and table row.

    What stands before the first chapter, such as the contents, is left out.
    """
    found: list[list[str]] = []
    for style, text in _lines(document):
        if style == CHAPTER_STYLE:
            found.append([])
        if found:
            found[-1].append(text)
    return ["".join(f"{line}\n" for line in lines) for lines in found]


def _lines(document: bytes) -> Iterator[tuple[str, str]]:
    for block in docx.Document(io.BytesIO(document)).iter_inner_content():
        if isinstance(block, Table):
            yield from (("", " | ".join(cell.text for cell in row.cells)) for row in block.rows)
        else:
            yield (block.style.name or "" if block.style else ""), block.text


PERSON = "demo"
BRIEF = "brief"
AMENDMENT = "amendment.pdf"
WITHIN_S = 300.0


async def demonstrate(output: Path, kind: str) -> ExitCode:
    """Write the sample of a kind, change it, export it to ``output``; returns the exit code."""
    if kind not in RUNNERS:
        say(f"There is no demonstration of {kind!r}, only of {', '.join(RUNNERS)}.")
        return ExitCode.USAGE
    await asyncio.to_thread(output.mkdir, parents=True, exist_ok=True)
    began = time.monotonic()
    try:
        with tempfile.TemporaryDirectory(prefix="stemma-demo-") as data:
            say("Starting NATS and the services ...")
            async with LocalStemma(Path(data), report=_report) as stemma, stemma.client() as client:
                client.actor = PERSON
                async with asyncio.timeout(WITHIN_S):
                    await RUNNERS[kind](client, kind, output).run()
    except (DemoFailedError, StemmaError) as failure:
        say(f"\nThe story did not hold: {failure}")
        return ExitCode.FAILED
    except TimeoutError:
        say(f"\nThe story did not come to its end within {WITHIN_S:.0f} seconds.")
        return ExitCode.FAILED
    say(f"Done in {time.monotonic() - began:.0f} seconds.")
    return ExitCode.OK


async def demonstrate_desk() -> ExitCode:
    """Start everything, fill it with samples in review, and keep it running until it is cancelled."""
    with tempfile.TemporaryDirectory(prefix="stemma-demo-") as data:
        say("Starting NATS and the services ...")
        async with LocalStemma(Path(data), report=_report) as stemma:
            try:
                async with stemma.client() as client, asyncio.timeout(WITHIN_S):
                    client.actor = PERSON
                    await fill_samples(client)
            except (DemoFailedError, StemmaError, TimeoutError) as failure:
                say(f"\nThe samples did not come to their reviews: {failure or type(failure).__name__}")
                return ExitCode.FAILED
            await run_until_cancelled(stemma)
    return ExitCode.OK


class Demonstration(DemoRunner):
    def __init__(self, client: Client, kind: str, output: Path) -> None:
        super().__init__(client, kind, output)
        self._script: DemoScript = SCRIPTS[kind]

    async def run(self) -> None:
        await self._request()
        await self._review()
        first = await self._export(ExportFormat.DOCX, f"{self._kind}-first.docx")
        before = self._drafts()
        await self._amend()
        await self._change()
        regenerated = self._script.regenerated
        await self._settle_stale(regenerated.section_id, regenerated.words)
        say("\nThe document is complete again. Exported:")
        last = (await self._export_all())[ExportFormat.DOCX]
        self._compare(before, await asyncio.to_thread(chapters, first), await asyncio.to_thread(chapters, last))
        self._account()

    async def _review(self) -> None:
        await self._until(
            lambda: self._version(self._script.revised.section_id) == 1 and self._in_review(), approve=True
        )
        await self._revise()
        await self._until(lambda: self._view.status is DocumentStatus.COMPLETED, approve=True)

    def _in_review(self) -> bool:
        return self._view.sections[self._script.revised.section_id].status is SectionStatus.AWAITING_REVIEW

    async def _revise(self) -> None:
        change = self._script.revised
        self._step(f"{self._title(change.section_id)} is sent back to the editor: {change.words!r}")
        await self._client.revise(self._id, change.section_id, 1, change.words)

    async def _amend(self) -> None:
        """A file takes the place of the brief: what it changes is read before it counts."""
        self._step(f"{AMENDMENT} takes the place of the brief. It is read and compared, and nothing counts yet:")
        await self._client.replace_input(self._id, BRIEF, 1, self._sample / AMENDMENT, staged=True)
        await self._until(lambda: self._input(BRIEF).changes is not None)
        hold(not self._view.stale, "an amendment that does not count made something stale")
        await self._print_amendment()
        self._step("It is to count from now on.")
        await self._client.request(ApplyInput(document_id=self._id, input_id=BRIEF, version=2))
        await self._until(lambda: self._input(BRIEF).version == 2)
        self._print_stale()
        await self._settle_stale(self._script.amended)

    def _input(self, input_id: str) -> InputView:
        return next(one for one in self._view.input_views if one.input_id == input_id)

    async def _print_amendment(self) -> None:
        one = self._input(BRIEF)
        assert one.changes is not None
        told = InputChanges.model_validate_json(await self._text(one.changes))
        for block in told.changed:
            for change in differences(block.before, block.after):
                say(f"    {block.heading}: {excerpt(change).plain}")
        hold(self._script.amended in one.concerns, "the amendment does not concern the section that quotes it")
        say(f"  It concerns {', '.join(self._title(name) for name in one.concerns)}.")

    async def _change(self) -> None:
        instructed, written = self._script.instructed, self._script.written
        name = instructed.section_id
        self._step(f"{self._title(name)}, long approved, is changed by an instruction: {instructed.words!r}")
        number = self._version(name)
        await self._client.edit(self._id, name, number, instruction=instructed.words)
        await self._until(lambda: self._view.sections[name].proposes)
        hold(not self._view.stale and self._version(name) == number, "a proposal changed something")
        await self._accept(name)
        await self._until(lambda: self._version(name) == number + 1)
        await self._until(lambda: not self._view.checking)
        self._print_stale()
        self._step(f"A person adds a paragraph to {self._title(written.section_id)}: {written.words!r}")
        text = await self._text(self._draft(written.section_id))
        number = self._version(written.section_id)
        await self._client.edit(self._id, written.section_id, number, text=f"{text.rstrip()}\n\n{written.words}\n")
        await self._until(lambda: self._version(written.section_id) == number + 1)

    async def _accept(self, name: str) -> None:
        """Read what the editor proposes, and take it."""
        section = self._view.sections[name]
        proposal = section.proposal
        assert proposal is not None
        assert proposal.draft is not None
        self._step(
            f"Nothing is changed yet: the editor proposes an edit of {section.title}, which is read and accepted:"
        )
        old, new = await self._text(self._draft(name)), await self._text(proposal.draft)
        for change in differences(old, new):
            say(f"    {excerpt(change).plain}")
        await self._client.request(
            AcceptEdit(
                document_id=self._id, section_id=name, version=proposal.version, proposal_id=proposal.proposal_id
            )
        )

    def _print_stale(self) -> None:
        hold(bool(self._view.stale), "the change made nothing stale")
        say("  That makes stale:")
        for section in self._view.stale:
            because = ", ".join(
                filter(None, (reasons_words(section.stale_reasons), changed_words(section.stale_inputs)))
            )
            say(f"    {section.title:18} because {because}")

    async def _settle_stale(self, regenerated: str, guidance: str | None = None) -> None:
        """Decide about stale sections, upstream first: one is written anew, the others are kept."""
        await self._until(lambda: not self._view.checking)
        hold(regenerated in {section.section_id for section in self._view.stale}, "the section to regenerate is fresh")
        while stale := next((s for s in self._view.stale if not self._waits_for_another(s.section_id)), None):
            if stale.section_id == regenerated:
                await self._regenerate(stale, guidance)
            else:
                self._step(f"{stale.title} is read again and kept as it is.")
                await self._client.request(
                    KeepSection(document_id=self._id, section_id=stale.section_id, version=stale.version)
                )
            await self._until(partial(self._is_settled, stale.section_id), approve=True)
        await self._until(lambda: self._view.status is DocumentStatus.COMPLETED and not self._view.checking)

    async def _regenerate(self, section: SectionView, guidance: str | None) -> None:
        self._step(f"{section.title} is written anew{f' with guidance: {guidance!r}' if guidance else '.'}")
        await self._client.request(
            RegenerateSection(
                document_id=self._id, section_id=section.section_id, version=section.version, guidance=guidance
            )
        )

    def _is_settled(self, name: str) -> bool:
        section = self._view.sections[name]
        return section.status in SETTLED and section.stale is None

    def _waits_for_another(self, name: str) -> bool:
        return any(reason.upstream_stale for reason in self._view.sections[name].stale_reasons)

    def _compare(self, before: Mapping[str, str], old: list[str], new: list[str]) -> None:
        """Whether the two DOCX files differ in just those chapters whose text was changed."""
        say(f"\nCompared the chapters of {self._kind}-first.docx and {self._kind}.docx:")
        names = list(self._view.sections)
        hold(len(old) == len(new) == len(names), "the files have other chapters than the document has sections")
        found = {name: differences(a, b) for name, a, b in zip(names, old, new, strict=True)}
        for name, changes in found.items():
            say(f"  {self._title(name):18} {'' if changes else 'the same'}".rstrip())
            for change in changes:
                say(f"      {excerpt(change).plain}")
        differing = frozenset(name for name, changes in found.items() if changes)
        drafted = frozenset(name for name, digest in self._drafts().items() if digest != before[name])
        hold(differing == drafted == self._script.changed, f"the files differ in {', '.join(sorted(differing))}")
        say("They differ exactly in the sections that were changed.")

    def _account(self) -> None:
        settled = sum(s.status in (SectionStatus.APPROVED, SectionStatus.EDITED) for s in self._view.sections.values())
        versions = sum(len(section.versions) for section in self._view.sections.values())
        say(f"{settled} of {len(self._view.sections)} sections are settled in {versions} versions; none is stale.")
        say(f"{self._view.usage.calls} model calls. All files are in {self._output}/.")


def _report(name: str, message: str) -> None:
    say(f"  {name:18} {message}")


FINAL, FIRST = "final_document", "hld_draft"
WISH = "Say that the workshop has a fire alarm."


class RolesDemonstration(DemoRunner):
    """Roles are found for the request, write at the same time, and their texts are made one."""

    async def run(self) -> None:
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


RUNNERS: Mapping[str, type[DemoRunner]] = {
    "proposal": Demonstration,
    "roles": RolesDemonstration,
    "design_document": DesignDemonstration,
    "agentic": AgenticDemonstration,
}
