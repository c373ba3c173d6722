"""``stemma demo``: each shipped sample from its brief to its files, changed by people; every step is checked."""

from __future__ import annotations

import asyncio
import io
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import aclosing, suppress
from pathlib import Path
from typing import Any

import docx
from docx.table import Table
from stemma_client import Client, StemmaError
from stemma_client.bearer import bearer_of
from stemma_client.differences import differences
from stemma_client.logins import new_password
from stemma_client.reading import Reading
from stemma_client.settings import DEFAULT_TENANT, ServerAddress
from stemma_contracts import subjects
from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import requests as r
from stemma_contracts.v1.document import DocumentStatus
from stemma_contracts.v1.exports import ExportFormat
from stemma_contracts.v1.inputs import InputChanges
from stemma_contracts.v1.ledger import RequirementDecision
from stemma_contracts.v1.needs import SKIP
from stemma_contracts.v1.references import ArtifactRef
from stemma_contracts.v1.section import SETTLED, SectionStatus
from stemma_contracts.v1.views import InputView, SectionView
from stemma_provisioning.roles import Role

from .exit_codes import ExitCode
from .local.desk import link_to
from .local.supervisor import WRITING, LocalStemma, service_names
from .local.tenants import Place, keys_of, login_at
from .rendering.changes import excerpt
from .samples import SAMPLES
from .wording import changed_words, cycle_words, event_words, reasons_words

WITHIN_S = 300.0
CALLER, PERSON = "demo", "ada"
"""Who decides in a demonstration, and who is admitted to the desk afterwards."""
FORMATS = (ExportFormat.DOCX, ExportFormat.PDF, ExportFormat.HTML, ExportFormat.JSON)
FILE_NAMES = {ExportFormat.JSON: "structure.json"}
CHAPTER_STYLE = "Heading 1"
LONGEST = 110

REVISED = ("solution", "Say that both bicycles are serviced every month.")
AMENDED, SOURCE, AMENDMENT = "budget", "cost-quotes.md", "cost-quotes-amended.md"
INSTRUCTED = ("connections", "Say that the schools of Oak Hill may join in the second year.")
WRITTEN = ("timeline", "The couriers are hired in April 2027, after the council has decided.")
REGENERATED = ("budget", "Say that the council pays in two instalments.")
CHANGED = {AMENDED, INSTRUCTED[0], WRITTEN[0], REGENERATED[0]}
"""The sections of the proposal that its second export has otherwise than its first."""
ANSWERED_IN = ("budget", "solution", "solution")


class DemoFailedError(Exception): ...


def check(condition: bool, otherwise: str) -> None:
    if not condition:
        raise DemoFailedError(otherwise)


def say(words: str) -> None:
    print(words, flush=True)


class Demo:
    """One sample: its document as far as it was followed."""

    def __init__(self, client: Client, kind: str, output: Path) -> None:
        self.client, self.kind, self.output = client, kind, output
        self.began = time.monotonic()
        self.reading = Reading("")
        self.view = self.reading.view

    @property
    def id(self) -> str:
        return self.view.document_id

    @property
    def is_completed(self) -> bool:
        return self.view.status is DocumentStatus.COMPLETED

    def title(self, name: str) -> str:
        return self.view.sections[name].title

    def version(self, name: str) -> int:
        return self.view.sections[name].version if name in self.view.sections else 0

    def drafts(self) -> dict[str, ArtifactRef | None]:
        return {name: section.draft for name, section in self.view.sections.items()}

    def is_in_review(self, name: str) -> bool:
        return name in self.view.sections and self.view.sections[name].status is SectionStatus.AWAITING_REVIEW

    async def text(self, name: str) -> str:
        return await self.client.text(self.id, self.view.sections[name].draft)

    async def create(self) -> None:
        folder = SAMPLES / self.kind
        words, pages = (folder / "brief.md").read_text("utf-8"), folder / "brief.pdf"
        title, brief = words.splitlines()[0].removeprefix("# ").strip(), pages if pages.exists() else words
        inputs = folder / "inputs"
        accepted = await self.client.create_document(self.kind, brief=brief, title=title, inputs=[inputs])
        self.reading = Reading(accepted.document_id)
        self.view = self.reading.view
        count, of_pages = sum(map(Path.is_file, inputs.rglob("*"))), " in PDF" if brief is pages else ""
        asked = f"Asked for a document of the kind {self.kind} from one brief{of_pages} and {count} input files"
        say(f"\n{asked}: {accepted.document_id}")

    async def request(
        self, request: type[r.DocumentRequest], section: SectionView | None = None, **fields: Any
    ) -> None:
        """Make a request about the document, or about a section in the version that it has now."""
        about = {"section_id": section.section_id, "version": section.version} if section else {}
        await self.client.request(request.model_validate({"document_id": self.id, **about, **fields}))

    async def until(self, done: Callable[[], bool], *, approve: bool = False) -> None:
        """Follow the document until something is so; with ``approve`` every section is that waits meanwhile."""
        if done():
            return
        async with aclosing(self.client.follow(self.id, from_sequence=self.view.last_sequence + 1)) as events:
            async for event in events:
                self.reading = self.reading.after(event)
                self.view, words = self.reading.view, event_words(event)
                words = words if len(words) <= LONGEST else f"{words[: LONGEST - 3]}..."
                say(f"  {time.monotonic() - self.began:5.1f} s  {words}")
                check(
                    self.view.status not in (DocumentStatus.FAILED, DocumentStatus.CANCELLED),
                    f"the document is {self.view.status}",
                )
                if done():
                    return
                if approve and isinstance(event.contract, e.SectionReviewRequested):
                    await self.client.approve(self.id, event.contract.section_id, event.contract.version)

    async def append(self, name: str, words: str) -> None:
        number, text = self.version(name), (await self.text(name)).rstrip()
        await self.client.edit(self.id, name, number, text=f"{text}\n\n{words}\n")
        await self.until(lambda: self.version(name) == number + 1)

    async def propose(self, name: str, words: str) -> None:
        await self.client.edit(self.id, name, self.version(name), instruction=words)
        await self.until(lambda: self.view.sections[name].proposes)

    async def accept(self, name: str) -> None:
        section = self.view.sections[name]
        assert section.proposal is not None
        about = {"version": section.proposal.version, "proposal_id": section.proposal.proposal_id}
        await self.request(r.AcceptEdit, section, **about)

    async def export(self, form: ExportFormat, name: str) -> bytes:
        exported = await self.client.export(self.id, form)
        await self.until(lambda: exported.export_id in self.view.exports)
        data, path = await self.client.artifact(self.id, exported.artifact), self.output / name
        await asyncio.to_thread(path.write_bytes, data)
        warnings = f", {sum(w.count for w in exported.warnings)} warnings" if exported.warnings else ""
        say(f"  {path}  {len(data):,} bytes{warnings}")
        check(not exported.warnings, f"{name} came with warnings")
        return data

    async def export_all(self) -> dict[ExportFormat, bytes]:
        return {form: await self.export(form, FILE_NAMES.get(form, f"{self.kind}.{form}")) for form in FORMATS}

    def say_calls(self) -> None:
        say(f"{self.view.usage.calls} model calls. All files are in {self.output}/.")


async def proposal(demo: Demo) -> None:
    """Reviewed, amended, edited and regenerated; just the sections that were changed differ in the files."""
    await demo.create()
    name, feedback = REVISED
    await demo.until(lambda: demo.version(name) == 1 and demo.is_in_review(name), approve=True)
    say(f"\n{demo.title(name)} is sent back to the editor: {feedback!r}")
    await demo.client.revise(demo.id, name, 1, feedback)
    await demo.until(lambda: demo.is_completed, approve=True)
    first, before = await demo.export(ExportFormat.DOCX, f"{demo.kind}-first.docx"), demo.drafts()
    await _amend(demo)
    await _edit(demo)
    await _settle_stale(demo, *REGENERATED)
    say("\nThe document is complete again. Exported:")
    last = (await demo.export_all())[ExportFormat.DOCX]
    _compare(demo, before, *[await asyncio.to_thread(chapters, file) for file in (first, last)])
    sections = demo.view.sections.values()
    settled, versions = sum(s.status in SETTLED for s in sections), sum(len(section.versions) for section in sections)
    say(f"{settled} of {len(sections)} sections are settled in {versions} versions; none is stale.")
    demo.say_calls()


async def _amend(demo: Demo) -> None:
    """A file takes the place of an input: what it changes is read before it counts."""
    say(f"\n{AMENDMENT} takes the place of {SOURCE}. It is compared, and nothing counts yet:")
    quotes = _amended(demo)
    await demo.client.replace_input(demo.id, quotes.input_id, 1, SAMPLES / demo.kind / AMENDMENT, staged=True)
    await demo.until(lambda: _amended(demo).changes is not None)
    check(not demo.view.stale, "an amendment that does not count made something stale")
    changes = await demo.client.stored(demo.id, _amended(demo).changes, InputChanges)
    for block in changes.changed if changes else ():
        _say_differences(block.before, block.after, f"{block.heading}: ")
    check(AMENDED in _amended(demo).concerns, "the amendment does not concern the section that quotes it")
    say(f"  It concerns {', '.join(demo.title(name) for name in _amended(demo).concerns)}.")
    say("\nIt is to count from now on.")
    await demo.request(r.ApplyInput, input_id=quotes.input_id, version=2)
    await demo.until(lambda: _amended(demo).version == 2)
    _say_stale(demo)
    await _settle_stale(demo, AMENDED)


def _amended(demo: Demo) -> InputView:
    return next(one for one in demo.view.input_views if one.name == SOURCE)


async def _edit(demo: Demo) -> None:
    """One section is changed by the editor agent, whose proposal is accepted, and one by a person."""
    name, words = INSTRUCTED
    say(f"\n{demo.title(name)}, long approved, is changed by an instruction: {words!r}")
    number = demo.version(name)
    await demo.propose(name, words)
    check(not demo.view.stale and demo.version(name) == number, "a proposal changed something")
    say(f"\nNothing is changed yet: the editor proposes an edit of {demo.title(name)}, which is read and accepted:")
    proposal = demo.view.sections[name].proposal
    assert proposal is not None
    _say_differences(await demo.text(name), await demo.client.text(demo.id, proposal.draft))
    await demo.accept(name)
    await demo.until(lambda: demo.version(name) == number + 1)
    await demo.until(lambda: not demo.view.checking)
    _say_stale(demo)
    name, words = WRITTEN
    say(f"\nA person adds a paragraph to {demo.title(name)}: {words!r}")
    await demo.append(name, words)


def _say_differences(old: str, new: str, about: str = "") -> None:
    for change in differences(old, new):
        say(f"    {about}{excerpt(change).plain}")


def _say_stale(demo: Demo) -> None:
    check(bool(demo.view.stale), "the change made nothing stale")
    say("  That makes stale:")
    for section in demo.view.stale:
        because = filter(None, (reasons_words(section.stale_reasons), changed_words(section.stale_inputs)))
        say(f"    {section.title:18} because {', '.join(because)}")


async def _settle_stale(demo: Demo, regenerated: str, guidance: str | None = None) -> None:
    """Decide about stale sections, upstream first: one is written anew, the others are kept."""

    def is_settled(name: str) -> bool:
        return demo.view.sections[name].status in SETTLED and demo.view.sections[name].stale is None

    await demo.until(lambda: not demo.view.checking)
    check(regenerated in {section.section_id for section in demo.view.stale}, "the section to regenerate is fresh")
    while stale := next((s for s in demo.view.stale if not any(one.upstream_stale for one in s.stale_reasons)), None):
        name = stale.section_id
        if name == regenerated:
            say(f"\n{stale.title} is written anew{f' with guidance: {guidance!r}' if guidance else '.'}")
            await demo.request(r.RegenerateSection, stale, guidance=guidance)
        else:
            say(f"\n{stale.title} is read again and kept as it is.")
            await demo.request(r.KeepSection, stale)
        await demo.until(lambda name=name: is_settled(name), approve=True)  # type: ignore[misc]
    await demo.until(lambda: demo.is_completed and not demo.view.checking)


def _compare(demo: Demo, before: Mapping[str, ArtifactRef | None], old: list[str], new: list[str]) -> None:
    """Whether the two DOCX files differ in just those chapters whose text was changed."""
    say(f"\nCompared the chapters of {demo.kind}-first.docx and {demo.kind}.docx:")
    names = list(demo.view.sections)
    check(len(old) == len(new) == len(names), "the files have other chapters than the document has sections")
    differing = set()
    for name, was, now in zip(names, old, new, strict=True):
        say(f"  {demo.title(name):18} {'the same' if was == now else ''}".rstrip())
        _say_differences(was, now, "  ")
        differing |= set() if was == now else {name}
    drafted = {name for name, draft in demo.drafts().items() if draft != before[name]}
    check(differing == drafted == CHANGED, f"the files differ in {', '.join(sorted(differing))}")
    say("They differ exactly in the sections that were changed.")


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


async def roles(demo: Demo) -> None:
    """Roles are found for the request, write at the same time, and their texts are made one."""
    await demo.create()
    await demo.until(lambda: demo.is_completed, approve=True)
    [section] = demo.view.sections.values()
    metadata = section.current.processing_metadata if section.current else None
    if metadata is None:
        raise DemoFailedError("nothing is told of the roles")
    say(f"\nWritten in {metadata.seconds:.1f} s, node by node:")
    for run in metadata.nodes:
        say(f"    {run.node:24} {run.role_id:24} {run.seconds:7.3f} s")
    say("\nThe text is complete. Exported:")
    await demo.export_all()
    demo.say_calls()


async def design_document(demo: Demo) -> None:
    """A design is drafted, reviewed and revised; a person asks for more, approves it, and changes its beginning."""
    final, first, wish = "final_document", "hld_draft", "Say that the workshop has a fire alarm."
    await demo.create()
    await demo.until(lambda: demo.is_in_review(final))
    _say_cycle(demo)
    say(f"\nA person reads it and has everything written again: {wish!r}")
    before = demo.version(final)
    await demo.client.revise(demo.id, final, before, wish, cycle=True)
    await demo.until(lambda: demo.version(final) > before and demo.is_in_review(final))
    check("fire alarm" in await demo.text(final), "the wish is not in the document")
    say("\nIt is approved.")
    await demo.client.approve(demo.id, final, demo.version(final))
    await demo.until(lambda: demo.is_completed)
    _say_cycle(demo)
    await demo.export_all()
    say(f"\n{demo.title(first)}, on which the rest was built, is changed. That makes stale:")
    await demo.append(first, "The server has a spare.")
    check(bool(demo.view.stale), "the change made nothing stale")
    for section in demo.view.stale:
        say(f"    {section.title}")
    exported = await demo.client.export(demo.id, ExportFormat.DOCX)
    say("An export tells so:")
    say(f"    {', '.join(sorted(warning.code for warning in exported.warnings))}")
    demo.say_calls()


def _say_cycle(demo: Demo) -> None:
    assert demo.view.cycle is not None
    say(f"  {cycle_words(demo.view.cycle)}")


async def agentic(demo: Demo) -> None:
    """An image is missing and asked for; then the agent writes, and each chapter is checked before the next."""
    name = "document"
    await demo.create()
    await demo.until(lambda: name in demo.view.sections and demo.view.sections[name].asks)
    need = demo.view.sections[name].need
    assert need is not None
    missing = [entry.reference for entry in need.references]
    check(len(missing) == 1, "no image is asked for")
    say(f"\nAn image that the files name is not there: {missing[0]}. A person has it left out.")
    await demo.client.answer_need(demo.id, name, need.need_id, decisions={missing[0]: SKIP})
    await demo.until(lambda: demo.is_completed, approve=True)
    check(f"Image not supplied: {missing[0]}" in await demo.text(name), "nothing stands in the place of the image")
    say("\nThe document is complete. Exported:")
    await demo.export_all()
    demo.say_calls()


DEMOS: Mapping[str, Callable[[Demo], Awaitable[None]]] = {
    "proposal": proposal,
    "roles": roles,
    "design_document": design_document,
    "agentic": agentic,
}


async def demonstrate(output: Path, kind: str) -> ExitCode:
    """Write the sample of a kind, change it, export it to ``output``; returns the exit code."""
    if kind not in DEMOS:
        say(f"There is no demonstration of {kind!r}, only of {', '.join(DEMOS)}.")
        return ExitCode.USAGE
    await asyncio.to_thread(output.mkdir, parents=True, exist_ok=True)
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="stemma-demo-") as data:
        say("Starting NATS and the services ...")
        async with LocalStemma(Path(data), report=_report) as stemma:
            if not await _holds(stemma, lambda client: DEMOS[kind](Demo(client, kind, output))):
                return ExitCode.FAILED
    say(f"Done in {time.monotonic() - began:.0f} seconds.")
    return ExitCode.OK


async def demonstrate_desk() -> ExitCode:
    """Start everything, fill it with samples in review, and keep it running until it is cancelled."""
    services = service_names(_report, (*WRITING, subjects.GATEWAY))
    with tempfile.TemporaryDirectory(prefix="stemma-demo-") as data:
        say("Starting NATS and the services ...")
        async with LocalStemma(Path(data), services=services, report=_report) as stemma:
            if not await _holds(stemma, fill_samples):
                return ExitCode.FAILED
            await _run_until_cancelled(stemma)
    return ExitCode.OK


async def _holds(stemma: LocalStemma, story: Callable[[Client], Awaitable[None]]) -> bool:
    try:
        async with stemma.client() as client, asyncio.timeout(WITHIN_S):
            client.actor = CALLER
            await story(client)
    except (DemoFailedError, StemmaError) as failure:
        say(f"\nThe story did not hold: {failure}")
        return False
    except TimeoutError:
        say(f"\nThe story did not come to its end within {WITHIN_S:.0f} seconds.")
        return False
    return True


def _report(name: str, message: str) -> None:
    say(f"  {name:18} {message}")


async def fill_samples(client: Client) -> None:
    """A finished proposal with a proposed edit, stale sections and requirements, and one in its first review."""
    demo = Demo(client, "proposal", Path())
    await demo.create()
    await demo.until(lambda: demo.is_completed, approve=True)
    await _propose(demo, *INSTRUCTED)
    await demo.accept(INSTRUCTED[0])
    await demo.until(lambda: bool(demo.view.stale))
    await _propose(demo, "solution", "Say that a librarian rides along on the first trip of every month.")
    say("\nWhat the brief demands is read, and given to sections")
    found = await client.read_requirements(demo.id)
    given = [
        RequirementDecision(requirement_id=entry.row.requirement_id, confirmed=True, section_id=section_id)
        for entry, section_id in zip(found.entries, ANSWERED_IN, strict=False)
    ]
    await demo.request(r.DecideRequirements, decisions=given)
    begun = Demo(client, "proposal", Path())
    await begun.create()
    await begun.until(lambda: any(section.waits_for_review for section in begun.view.sections.values()))


async def _propose(demo: Demo, name: str, words: str) -> None:
    say(f"\n{demo.title(name)} is changed by an instruction: {words!r}")
    await demo.propose(name, words)


async def _run_until_cancelled(stemma: LocalStemma) -> None:
    password, token = await asyncio.to_thread(reviewer, stemma)
    link = await asyncio.to_thread(link_to, stemma.gateway_url, token, "/desk")
    say(f"\nThe review desk is at {stemma.gateway_url}/desk: sign in as {PERSON} with the password {password}")
    say(f"This opens it signed in, once, within a minute: {link}")
    say("Ctrl-C stops all.")
    with suppress(asyncio.CancelledError):
        await asyncio.Event().wait()


def reviewer(stemma: LocalStemma) -> tuple[str, str]:
    """Admit a person who may ask for documents and decide: the password, and the token."""
    place = Place(stemma.folder.root, None, DEFAULT_TENANT)
    login = login_at(place, PERSON, password := new_password(), Role.AUTHOR)
    place.admitted.add(PERSON, Role.AUTHOR, keys_of(login))
    return password, bearer_of(ServerAddress(stemma.url, DEFAULT_TENANT, PERSON, login=login))
