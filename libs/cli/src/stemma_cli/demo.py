"""``stemma demo``: a real request answered, and a sample of each other kind; every step is checked."""

import asyncio
import sys
import tempfile
import time
import webbrowser
from collections.abc import Awaitable, Callable, Mapping
from contextlib import aclosing, suppress
from pathlib import Path
from typing import Any
from zipfile import ZipFile

from stemma_client import Client, StemmaError
from stemma_client.bearer import bearer_of
from stemma_client.logins import new_password
from stemma_client.reading import Reading
from stemma_client.samples import SAMPLES
from stemma_client.settings import DEFAULT_TENANT, ServerAddress
from stemma_contracts import subjects
from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import requests as r
from stemma_contracts.v1.document import DocumentStatus
from stemma_contracts.v1.exports import ExportFormat
from stemma_contracts.v1.forms import FormFields
from stemma_contracts.v1.ledger import RequirementDecision
from stemma_contracts.v1.needs import SKIP
from stemma_contracts.v1.outline import OutlineSection
from stemma_contracts.v1.references import ArtifactRef
from stemma_contracts.v1.section import SectionStatus
from stemma_contracts.v1.views import SectionView
from stemma_evidence.requirements import find_outline
from stemma_provisioning.roles import Role

from .exit_codes import ExitCode
from .exports import list_path, warning_lines
from .local.desk import link_to
from .local.supervisor import WRITING, LocalStemma, service_names
from .local.tenants import Place, keys_of, login_at
from .rendering.inputs import role_lines
from .verbs.ledgers import about_the_bid
from .wording import event_words

WITHIN_S = 300.0
CALLER, PERSON = "demo", "ada"
"""Who decides in a demonstration, and who is admitted to the desk afterwards."""
FORMATS = (ExportFormat.DOCX, ExportFormat.PDF, ExportFormat.HTML, ExportFormat.JSON)
FILE_NAMES = {ExportFormat.JSON: "structure.json"}
LONGEST = 110

BID = SAMPLES / "bid"
REQUEST, LETTER = BID / "request.zip", "RFQ.md"
MATERIAL, RATES = ("company.md", "approach.md", "note-from-sales.eml"), BID / "rates.csv"
BRIEF = "# Quotation for the Forest Service e-Permitting API\n\nAnswer the request with our technical quotation.\n"
COMPANY = OutlineSection(title="The company", purpose="(c) Name, address, numbers and point of contact of the offeror.")
WRITTEN = ("staffing_plan", "Nobody on the team works on another task order during these 16 weeks.")
FILLED = "pricing-filled.xlsx"
INSTRUCTED = ("connections", "Say that the schools of Oak Hill may join in the second year.")
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
        self.began, self.told = time.monotonic(), set[str]()
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

    def is_in_review(self, name: str) -> bool:
        return name in self.view.sections and self.view.sections[name].status is SectionStatus.AWAITING_REVIEW

    async def text(self, name: str) -> str:
        return await self.client.text(self.id, self.view.sections[name].draft)

    def follow(self, document_id: str) -> None:
        self.reading = Reading(document_id)
        self.view = self.reading.view

    async def create(self) -> None:
        folder = SAMPLES / self.kind
        words, inputs = (folder / "brief.md").read_text("utf-8"), folder / "inputs"
        accepted = await self.client.create_document(self.kind, brief=words, inputs=[inputs])
        self.follow(accepted.document_id)
        count = sum(map(Path.is_file, inputs.rglob("*")))
        say(f"\nAsked for a document of the kind {self.kind} from one brief and {count} input files: {self.id}")

    async def request(
        self, request: type[r.DocumentRequest], section: SectionView | None = None, **fields: Any
    ) -> None:
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
        number, text = self.version(name), await self.text(name)
        await self.client.edit(self.id, name, number, text=f"{text.rstrip()}\n\n{words}\n")
        await self.until(lambda: self.version(name) == number + 1)

    async def propose(self, name: str, words: str) -> None:
        await self.client.edit(self.id, name, self.version(name), instruction=words)
        await self.until(lambda: self.view.sections[name].proposes)

    async def accept(self, name: str) -> None:
        section = self.view.sections[name]
        assert section.proposal is not None
        about = {"version": section.proposal.version, "proposal_id": section.proposal.proposal_id}
        await self.request(r.AcceptEdit, section, **about)

    async def export(self, form: ExportFormat, name: str) -> None:
        exported = await self.client.export(self.id, form)
        await self.until(lambda: exported.export_id in self.view.exports)
        await self.keep(name, exported.artifact)
        document = self.output / f"{self.kind}.{ExportFormat.DOCX}"
        for line in warning_lines(exported, document):
            if line not in self.told:
                say(f"    {line}")
                self.told.add(line)
        if form is ExportFormat.DOCX and (beside := list_path(exported, document)) and exported.open_list:
            await self.keep(beside.name, exported.open_list)

    async def keep(self, name: str, artifact: ArtifactRef) -> Path:
        data, path = await self.client.artifact(self.id, artifact), self.output / name
        await asyncio.to_thread(path.write_bytes, data)
        say(f"  {path}  {len(data):,} bytes")
        return path

    async def export_all(self) -> None:
        for form in FORMATS:
            await self.export(form, FILE_NAMES.get(form, f"{self.kind}.{form}"))

    def say_calls(self) -> None:
        say(f"{self.view.usage.calls} model calls. All files are in {self.output}/.")


async def proposal(demo: Demo) -> None:
    """A request in a ZIP is answered: read, drafted from evidence, decided by a person, exported with its form."""
    await _ask(demo)
    await _tell_requirements(demo)
    await _review(demo)
    await _answer_form(demo)
    await _hand_in(demo)
    demo.say_calls()


async def _ask(demo: Demo) -> None:
    with ZipFile(REQUEST) as files:
        asked = find_outline([files.read(LETTER).decode()])
    check(bool(asked), "the request names no chapters")
    mine = [REQUEST.parent / name for name in MATERIAL]
    accepted = await demo.client.create_document(
        demo.kind, brief=BRIEF, inputs=mine, roles={"request": [REQUEST], "price": [RATES]}, outline=[COMPANY, *asked]
    )
    demo.follow(accepted.document_id)
    say(f"\nA request of 2016, {REQUEST.name}, is to be answered by {', '.join(one.name for one in (*mine, RATES))}.")
    say("Its instructions name the chapters; for its cover page a person adds one:")
    for section in (COMPANY, *asked):
        say(f"    {section.purpose.partition(' ')[0]} {section.title}")
    await demo.until(lambda: bool(demo.view.ledger and demo.view.ledger.rows and not demo.view.ledger.reading))
    say("\nAll files are read. Who wrote them decides what may be quoted:")
    for line in role_lines(demo.view):
        say(f"    {line}")


async def _tell_requirements(demo: Demo) -> None:
    found = await demo.client.ledger(demo.id)
    count = sum(entry.row.obligation == "mandatory" for entry in found.entries)
    say(f"\nThe request makes {len(found.entries)} demands, {count} of them mandatory. Its deadlines:")
    for one in found.deadlines or ():
        say(f"    {one.deadline_id:4} {one.kind:12} {one.due.written}")
    for line in about_the_bid(found):
        say(f"    {line}")


async def _review(demo: Demo) -> None:
    """A person reads the drafts, has one changed, adds what no input says, and approves them."""
    names = list(demo.view.sections)
    await demo.until(lambda: all(map(demo.is_in_review, names)))
    say("\nThe drafts quote our evidence alone. Each waits for a person:")
    for name in names:
        say(f"\n  {demo.title(name)}")
        say("\n".join(f"    {line}" for line in (await demo.text(name)).splitlines() if line))
    name, words = WRITTEN
    say(f"\nA person adds to {demo.title(name)}: {words!r}")
    await demo.append(name, words)
    for waiting in filter(demo.is_in_review, names):
        await demo.client.approve(demo.id, waiting, demo.version(waiting))
    await demo.until(lambda: demo.is_completed)


async def _answer_form(demo: Demo) -> None:
    """The price sheet of the buyer is a section of its own, with a heading for each field."""
    [form] = [one for one in demo.view.input_views if one.form]
    say(f"\nThe fields of {form.name} are confirmed, and answered from rates and evidence:")
    await demo.request(r.ConfirmFormFields, input_id=form.input_id, version=form.version)
    name = f"form-{form.input_id}"
    await demo.until(lambda: demo.is_in_review(name))
    await demo.client.approve(demo.id, name, demo.version(name))
    await demo.until(lambda: demo.is_completed)
    done = await demo.client.export_form(demo.id, form.input_id)
    await demo.keep(FILLED, done.artifact)
    fields = await demo.client.stored(demo.id, form.form.fields if form.form else None, FormFields)
    left = {one.field_id: one for one in fields.fields} if fields else {}
    say(f"  {len(done.answered)} fields are answered, {len(done.unanswered)} are open:")
    for one in done.unanswered:
        say(f"    {left[one].place}: {left[one].question}")


async def _hand_in(demo: Demo) -> None:
    say("\nExported. Each file is held to the rules for the bid:")
    await demo.export_all()


async def sample(demo: Demo) -> None:
    """The sample of a kind is written and approved; an image that is missing is asked for, and left out."""

    def asking() -> list[SectionView]:
        return [section for section in demo.view.sections.values() if section.asks]

    await demo.create()
    await demo.until(lambda: demo.is_completed or bool(asking()), approve=True)
    for section in asking():
        assert section.need is not None
        missing = {one.reference: SKIP for one in section.need.references}
        say(f"\nAn image that the files name is not there: {', '.join(missing)}. A person has it left out.")
        await demo.client.answer_need(demo.id, section.section_id, section.need.need_id, decisions=missing)
    await demo.until(lambda: demo.is_completed, approve=True)
    say("\nThe text is complete. Exported:")
    await demo.export_all()
    demo.say_calls()


STORIES: Mapping[str, Callable[[Demo], Awaitable[None]]] = {
    "proposal": proposal,
    **dict.fromkeys(("roles", "design_document", "agentic"), sample),
}


async def demonstrate(output: Path, kind: str) -> ExitCode:
    """Tell the story of a kind, with its files in ``output``; returns the exit code."""
    if kind not in STORIES:
        say(f"There is no demonstration of {kind!r}, only of {', '.join(STORIES)}.")
        return ExitCode.USAGE
    await asyncio.to_thread(output.mkdir, parents=True, exist_ok=True)
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="stemma-demo-") as data:
        say("Starting NATS and the services ...")
        async with LocalStemma(Path(data), report=_report) as stemma:
            if not await _holds(stemma, lambda client: STORIES[kind](Demo(client, kind, output))):
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
    if sys.stdout.isatty():
        webbrowser.open(await asyncio.to_thread(link_to, stemma.gateway_url, token, "/desk"))
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
