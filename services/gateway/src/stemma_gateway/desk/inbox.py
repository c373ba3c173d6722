"""All that waits for a person, across documents: what holds up most comes first, of these what is due first,
then what waits longest."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from math import inf
from typing import Annotated, Literal, get_args
from urllib.parse import quote, urlencode

from fastapi import APIRouter, Query, Request, Response
from stemma_client import DocumentNotFoundError
from stemma_client.overviews import Overview, asked_of_budget, listed_sections, waiting_sections
from stemma_client.samples import SAMPLES
from stemma_contracts.v1.answers import Problem
from stemma_contracts.v1.summary import DocumentSummary, SectionSummary
from stemma_contracts.v1.views import SectionView

from stemma_gateway.authentication import Caller, RepeatableCaller
from stemma_gateway.followed import some_at_once
from stemma_gateway.pages import PageRoute, led_to
from stemma_gateway.problems import Invalid, NotFound
from stemma_gateway.resources.addresses import section_of
from stemma_gateway.sessions import Session

from .documents import Words, has_words
from .forms import REFUSED, WAIT_S, SectionAddress, fields_of
from .shell import shown
from .verbs import Decided, Result, result_elsewhere

Why = Literal["question", "edit", "review", "stale", "comments"]
WHYS: tuple[Why, ...] = get_args(Why)
Whose = Literal["mine", "nobodys"]
How = Literal["keep", "regenerate"]
Count = Annotated[int, Query(ge=0)]
MAX_NAME = 60
SAMPLE = "proposal"
router = APIRouter(route_class=PageRoute)


@dataclass(frozen=True)
class Item:
    """A section that waits: why, what is known of it, and how many sections it holds up."""

    document: DocumentSummary
    title: str
    section: SectionSummary
    details: SectionView
    why: Why
    unblocks: int

    @property
    def can_be_approved(self) -> bool:
        """Whether it passed everything, so that it may be approved together with others."""
        evaluation, validation = self.details.evaluation, self.details.validation
        passed = evaluation is not None and evaluation.judged and evaluation.passed
        return self.why == "review" and passed and (validation is None or validation.complete) and not self.findings

    @property
    def at(self) -> SectionAddress:
        return SectionAddress(self.document.document_id, self.section.section_id)

    @property
    def place(self) -> str:
        return f"{self.document.document_id}/{self.section.section_id}"

    @property
    def findings(self) -> int:
        return self.details.validation.found if self.details.validation else self.section.issue_count


@router.get("/desk")
async def show_inbox(
    request: Request,
    session: Caller,
    why: Why | None = None,
    whose: Whose | None = None,
    approved: Count = 0,
    refused: Count = 0,
    left: Count = 0,
    assigned: Count = 0,
    nobody: bool = False,
    done: str = "",
    of: Decided = "",
    stale: Count = 0,
    how: How = "keep",
    q: Words = "",
) -> Response:
    result = await result_elsewhere(session, done, of)
    counts = approved, refused, left, assigned
    decided = stale, how
    return await inbox_page(request, session, why, whose, *counts, nobody=nobody, result=result, decided=decided, q=q)


@router.post("/desk/filters")
async def name_filter(request: Request, session: Caller) -> Response:
    """Keep what the inbox is limited to under a name, or with ``drop`` forget it."""
    form = dict(await fields_of(request))
    wanted = {name: form[name] for name in ("why", "whose", "q") if form.get(name)}
    name = " ".join(form.get("name", "").split())[:MAX_NAME]
    query = "" if "drop" in form else urlencode(wanted)
    try:
        if not name or not (query or "drop" in form):
            raise Invalid(Problem.of("decision_unknown", "name"))
        await session.client.filters.keep(name, query)
    except REFUSED as error:
        return await inbox_page(request, session, error=error)
    return led_to(request, f"/desk?{query}")


@router.post("/desk/sample")
async def write_sample(request: Request, session: RepeatableCaller) -> Response:
    """Ask for a sample, whose sections soon wait for review."""
    sample = SAMPLES / SAMPLE
    try:
        words = (sample / "brief.md").read_text(encoding="utf-8")
        answer = await session.client.create_document(SAMPLE, brief=words, inputs=[sample / "inputs"], wait_s=WAIT_S)
    except REFUSED as error:
        return await inbox_page(request, session, error=error)
    return led_to(request, f"/desk/documents/{answer.document_id}?at_least={answer.sequence or 0}")


@router.get("/desk/next")
async def go_on(request: Request, session: Caller, done: str = "", of: Decided = "") -> Response:
    """Lead to what waits next and is there still, other than what was ``done``: its page tells the result."""
    items = await waiting(session, [one for one in await session.client.documents() if waiting_sections(one)])
    decided = of.rpartition("/")[0]
    for item in items:
        if item.why != "comments" and item.place != decided and await _is_there(session, item.at):
            return led_to(request, f"{item.at.path}?done={quote(done)}&of={quote(of)}")
    return led_to(request, f"/desk?done={quote(done)}&of={quote(of)}")


async def _is_there(session: Session, at: SectionAddress) -> bool:
    """Whether the log has it still: the read model may be behind."""
    try:
        await section_of(session, at.document_id, at.section_id)
    except (DocumentNotFoundError, NotFound):
        return False
    return True


async def inbox_page(
    request: Request,
    session: Session,
    why: Why | None = None,
    whose: Whose | None = None,
    approved: int = 0,
    refused: int = 0,
    left: int = 0,
    assigned: int = 0,
    *,
    nobody: bool = False,
    result: Result | None = None,
    decided: tuple[int, How] = (0, "keep"),
    q: str = "",
    error: Exception | None = None,
) -> Response:
    """The page of the inbox; the numbers say how much of what was ticked was decided, and how much was not.

    ``nobody``: what was assigned was to nobody. ``decided``: how many stale sections were decided about, and how.
    """
    listing = await session.client.listing()
    items = await waiting(session, listing.documents)
    counts = {name: sum(item.why == name for item in items) for name in WHYS}
    owners = {"mine": session.user, "nobodys": ""}
    of_whom = {name: sum(item.section.assignee == owner for item in items) for name, owner in owners.items()}
    theirs = [item for item in items if whose is None or item.section.assignee == owners[whose]]
    theirs = [item for item in theirs if has_words(f"{item.section.title} {item.title}", q)]
    given = {"why": why, "whose": whose, "q": q.strip()}
    budgets = [] if why or whose == "mine" else await _asked_budgets(session, listing.documents, q)

    def query(**other: str) -> str:
        return urlencode({name: value for name, value in {**given, **other}.items() if value})

    return shown(
        request,
        session,
        "inbox.html",
        error=error,
        items=[item for item in theirs if why is None or item.why == why],
        budgets=budgets,
        counts=counts,
        of_whom=of_whom,
        whose=whose,
        people=sorted({session.user, *(item.section.assignee for item in items)} - {""}),
        total=len(items) + len(budgets),
        sequence=listing.sequence,
        why=why,
        approved=approved,
        refused_count=refused,
        left=left,
        assigned=assigned,
        nobody=nobody,
        result=result,
        q=q.strip(),
        query=query,
        filters=await session.client.filters.all(),
        is_first=not listing.documents,
        stale=decided[0],
        how=decided[1],
    )


async def _asked_budgets(
    session: Session, documents: Sequence[DocumentSummary], words: str
) -> list[tuple[DocumentSummary, str, list[str]]]:
    """The documents whose budget would be passed, each with its title and those of the sections that wait for more."""
    asked = {one.document_id: question for one in documents if (question := asked_of_budget(one))}
    there = [one for one in documents if one.document_id in asked]
    titles = await session.followed.titles(there)
    named = [
        [each.title for each in one.sections if each.section_id in asked[one.document_id].sections] for one in there
    ]
    return [each for each in zip(there, titles, named, strict=True) if has_words(each[1], words)]


async def waiting(session: Session, documents: list[DocumentSummary]) -> list[Item]:
    """All that waits in some documents; those that are gone meanwhile are left out."""
    found = await some_at_once(_overview(session, one) for one in documents if listed_sections(one))
    there = [one for one in found if one]
    titles = await session.followed.titles([one.document for one in there])
    items = (_items(one.document, title, one.sections) for one, title in zip(there, titles, strict=True))
    return sorted(chain.from_iterable(items), key=_most_pressing_first)


def _most_pressing_first(item: Item) -> tuple[int, float, float]:
    due, since = item.section.due, item.details.waits_since
    return -item.unblocks, due.timestamp() if due else inf, since.timestamp() if since else 0


async def _overview(session: Session, document: DocumentSummary) -> Overview | None:
    try:
        return await session.client.overview(document.document_id)
    except DocumentNotFoundError:
        return None


def _items(document: DocumentSummary, title: str, details: Mapping[str, SectionView]) -> Iterator[Item]:
    waiting = {section.section_id for section in waiting_sections(document)}
    holds_up = Counter(upstream for each in details.values() for upstream in set(each.depends_on))
    for section in listed_sections(document):
        name, waits = section.section_id, section.section_id in waiting
        known = details.get(name) or SectionView(section_id=name, title=section.title, kind="")
        why: Why = section.waits_for[0] if waits else "comments"
        yield Item(document, title, section, known, why, holds_up[name] if waits else 0)
