"""``stemma demo``: the shipped sample from its brief to its files, changed by people, with every service running."""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import aclosing
from pathlib import Path

import stemma_client
from stemma_client import Client, DocumentView, StemmaError
from stemma_client.cli.tasks.changes import excerpt
from stemma_client.cli.wording import event_words, reasons_words
from stemma_client.dependencies import stale_reasons
from stemma_client.differences import differences
from stemma_client.folding import evolve
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.values import ArtifactRef, DocumentStatus, ExportFormat, SectionStatus

from .chapters import chapters
from .story import STORIES, Story
from .supervisor import LocalStemma

FORMATS = (ExportFormat.DOCX, ExportFormat.PDF, ExportFormat.HTML, ExportFormat.JSON)
FILE_NAMES = {ExportFormat.JSON: "structure.json"}
PERSON = "demo"
WITHIN_S = 120.0
FAILED = (DocumentStatus.FAILED, DocumentStatus.CANCELLED)
USAGE = 2


class StoryFailedError(Exception):
    """Something did not come as the story has it; the message says what."""


async def demonstrate(output: Path, kind: str) -> int:
    """Write the sample of a kind, change it, export it to ``output``; returns the exit code."""
    if kind not in STORIES:
        _say(f"There is no demonstration of {kind!r}, only of {', '.join(STORIES)}.")
        return USAGE
    await asyncio.to_thread(output.mkdir, parents=True, exist_ok=True)
    began = time.monotonic()
    try:
        with tempfile.TemporaryDirectory(prefix="stemma-demo-") as data:
            _say("Starting NATS and the services ...")
            async with LocalStemma(Path(data), report=_report) as stemma, stemma.client() as client:
                client.actor = PERSON
                async with asyncio.timeout(WITHIN_S):
                    await Demonstration(client, kind, output).tell()
    except (StoryFailedError, StemmaError) as failure:
        _say(f"\nThe story did not hold: {failure}")
        return 1
    except TimeoutError:
        _say(f"\nThe story did not come to its end within {WITHIN_S:.0f} seconds.")
        return 1
    _say(f"Done in {time.monotonic() - began:.0f} seconds.")
    return 0


class Demonstration:
    """One document and what a person decides about it."""

    def __init__(self, client: Client, kind: str, output: Path) -> None:
        self._client = client
        self._kind = kind
        self._output = output
        self._story: Story = STORIES[kind]
        self._view = DocumentView("")
        self._began = time.monotonic()

    async def tell(self) -> None:
        """The whole story; raises `StoryFailedError` where it does not hold."""
        await self._request()
        await self._review()
        first = await self._export(ExportFormat.DOCX, f"{self._kind}-first.docx")
        before = self._drafts()
        await self._change()
        await self._settle_what_is_stale()
        _say("\nThe document is complete again. Exported:")
        for form in FORMATS:
            file = await self._export(form, FILE_NAMES.get(form, f"{self._kind}.{form}"))
            if form is ExportFormat.DOCX:
                last = file
        self._compare(before, await asyncio.to_thread(chapters, first), await asyncio.to_thread(chapters, last))
        self._account()

    async def _request(self) -> None:
        folder = Path(stemma_client.__file__).parent / "samples" / self._kind
        brief = (folder / "brief.md").read_text("utf-8")
        inputs = [path for path in (folder / "inputs").rglob("*") if path.is_file()]
        title = brief.splitlines()[0].removeprefix("# ").strip()
        accepted = await self._client.create_document(self._kind, brief=brief, title=title, inputs=[folder / "inputs"])
        self._view = DocumentView(accepted.document_id)
        _say(f"\nAsked for a {self._kind} from one brief and {len(inputs)} input files: {accepted.document_id}")

    async def _review(self) -> None:
        """Approve each section as it comes, but send one back first."""
        await self._until(
            lambda: self._version(self._story.revised.section_id) == 1 and self._in_review(), approve=True
        )
        await self._revise()
        await self._until(lambda: self._view.status is DocumentStatus.COMPLETED, approve=True)

    def _in_review(self) -> bool:
        return self._view.sections[self._story.revised.section_id].status is SectionStatus.AWAITING_REVIEW

    async def _revise(self) -> None:
        change = self._story.revised
        self._step(f"{self._title(change.section_id)} is sent back to the editor: {change.words!r}")
        await self._client.revise(self._id, change.section_id, 1, change.words)

    async def _change(self) -> None:
        """Change two sections out of order."""
        instructed, written = self._story.instructed, self._story.written
        name = instructed.section_id
        self._step(f"{self._title(name)}, long approved, is changed by an instruction: {instructed.words!r}")
        number = self._version(name)
        await self._client.edit(self._id, name, number, instruction=instructed.words)
        await self._until(lambda: self._version(name) == number + 1)
        self._tell_what_is_stale()
        self._step(f"A person adds a paragraph to {self._title(written.section_id)}: {written.words!r}")
        text = await self._text(self._draft(written.section_id))
        number = self._version(written.section_id)
        await self._client.edit(self._id, written.section_id, number, text=f"{text.rstrip()}\n\n{written.words}\n")
        await self._until(lambda: self._version(written.section_id) == number + 1)

    def _tell_what_is_stale(self) -> None:
        _hold(bool(self._view.stale), "the change made nothing stale")
        _say("  That makes stale:")
        for section in self._view.stale:
            _say(f"    {section.title:18} because {reasons_words(stale_reasons(self._view, section))}")

    async def _settle_what_is_stale(self) -> None:
        """Decide about stale sections, upstream first: one is written anew, the others are kept."""
        regenerated = self._story.regenerated
        _hold(regenerated.section_id in {s.section_id for s in self._view.stale}, "the section to regenerate is fresh")
        self._step(f"{self._title(regenerated.section_id)} is written anew with guidance: {regenerated.words!r}")
        number = self._version(regenerated.section_id)
        await self._client.regenerate(self._id, regenerated.section_id, number, guidance=regenerated.words)
        await self._until(lambda: self._is_settled(regenerated.section_id), approve=True)
        while stale := next((s for s in self._view.stale if not self._waits_for_another(s.section_id)), None):
            self._step(f"{stale.title} is read again and kept as it is.")
            await self._client.keep(self._id, stale.section_id, stale.version)
            await self._until(lambda name=stale.section_id: self._view.sections[name].stale is None)  # type: ignore[misc]
        await self._until(lambda: self._view.status is DocumentStatus.COMPLETED and not self._view.checking)

    def _is_settled(self, name: str) -> bool:
        section = self._view.sections[name]
        return section.status is SectionStatus.APPROVED and section.stale is None

    def _waits_for_another(self, name: str) -> bool:
        return any(reason.upstream_stale for reason in stale_reasons(self._view, self._view.sections[name]))

    async def _until(self, done: Callable[[], bool], *, approve: bool = False) -> None:
        """Follow the document until something is so; with ``approve`` every section is, but for the one to revise."""
        if done():
            return
        async with aclosing(self._client.follow(self._id, from_sequence=self._view.last_sequence + 1)) as events:
            async for event in events:
                self._view = evolve(self._view, event)
                _say(f"  {time.monotonic() - self._began:5.1f} s  {_short(event_words(event))}")
                _hold(self._view.status not in FAILED, f"the document is {self._view.status}")
                if done():
                    return
                if approve and isinstance(event.contract, e.SectionReviewRequested):
                    await self._client.approve(self._id, event.contract.section_id, event.contract.version)

    async def _export(self, form: ExportFormat, name: str) -> bytes:
        exported = await self._client.export(self._id, form)
        await self._until(lambda: exported.export_id in self._view.exports)
        data = await self._client.artifact(self._id, exported.artifact)
        await asyncio.to_thread((self._output / name).write_bytes, data)
        warnings = f", {sum(w.count for w in exported.warnings)} warnings" if exported.warnings else ""
        _say(f"  {self._output / name}  {len(data):,} bytes{warnings}")
        _hold(not exported.warnings, f"{name} came with warnings")
        return data

    def _compare(self, before: Mapping[str, str], old: list[str], new: list[str]) -> None:
        """Whether the two DOCX files differ in just those chapters whose text was changed."""
        _say(f"\nCompared the chapters of {self._kind}-first.docx and {self._kind}.docx:")
        names = list(self._view.sections)
        _hold(len(old) == len(new) == len(names), "the files have other chapters than the document has sections")
        found = {name: differences(a, b) for name, a, b in zip(names, old, new, strict=True)}
        for name, changes in found.items():
            _say(f"  {self._title(name):18} {'' if changes else 'the same'}".rstrip())
            for change in changes:
                _say(f"      {excerpt(change).plain}")
        differing = frozenset(name for name, changes in found.items() if changes)
        drafted = frozenset(name for name, digest in self._drafts().items() if digest != before[name])
        _hold(differing == drafted == self._story.changed, f"the files differ in {', '.join(sorted(differing))}")
        _say("They differ exactly in the sections that were changed.")

    def _account(self) -> None:
        settled = sum(s.status in (SectionStatus.APPROVED, SectionStatus.EDITED) for s in self._view.sections.values())
        versions = sum(len(section.versions) for section in self._view.sections.values())
        _say(f"{settled} of {len(self._view.sections)} sections are settled in {versions} versions; none is stale.")
        _say(f"{self._view.usage.calls} model calls. All files are in {self._output}/.")

    @property
    def _id(self) -> str:
        return self._view.document_id

    def _title(self, name: str) -> str:
        return self._view.sections[name].title

    def _version(self, name: str) -> int:
        return self._view.sections[name].version if name in self._view.sections else 0

    def _draft(self, name: str) -> ArtifactRef:
        draft = self._view.sections[name].draft
        assert draft is not None
        return draft

    def _drafts(self) -> dict[str, str]:
        return {name: self._draft(name).digest for name in self._view.sections}

    async def _text(self, ref: ArtifactRef) -> str:
        return (await self._client.artifact(self._id, ref)).decode()

    def _step(self, words: str) -> None:
        _say(f"\n{words}")


def _hold(condition: bool, otherwise: str) -> None:
    if not condition:
        raise StoryFailedError(otherwise)


def _short(words: str) -> str:
    return words if len(words) <= 110 else f"{words[:107]}..."


def _report(name: str, message: str) -> None:
    _say(f"  {name:18} {message}")


def _say(words: str) -> None:
    print(words, flush=True)
