"""Stale sections decided together: what follows and what it costs is shown before any of it is done."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from stemma_client.progress import Seconds
from stemma_client.reading import ReadLog
from stemma_contracts.tokens import Token
from stemma_contracts.v1.answers import Problem
from stemma_contracts.v1.plans import PlannedWork
from stemma_contracts.v1.requests import KeepSections, RegenerateSections
from stemma_contracts.v1.views import DocumentView, SectionView
from stemma_domain.commands import Asked
from stemma_domain.costs import usual
from stemma_domain.foresight import Foreseen, foreseen, plan_of
from stemma_domain.state import Document

from stemma_gateway.authentication import Caller, RepeatableCaller
from stemma_gateway.pages import PageRoute, led_to
from stemma_gateway.problems import Invalid
from stemma_gateway.resources.addresses import read_log
from stemma_gateway.sessions import Session

from .deciding import MOST_AT_ONCE, chosen_section, wait_for_read_model
from .forms import DOCUMENT, REFUSED, ask, fields_of, led_on, whole_number
from .shell import shown

Chosen = Mapping[str, Mapping[str, int]]
"""By document, the sections that are decided about, with the versions that were seen; 0 where none was."""
Ticked = Annotated[list[str], Query(max_length=MOST_AT_ONCE)]
MOST_OF_ONE = 100
NOBODY_YET: Any = {"request_id": "preview", "request_digest": "0" * 64, "actor": "nobody", "actor_verified": False}
router = APIRouter(route_class=PageRoute)


@dataclass(frozen=True)
class Choice:
    """A stale section: what writing a version of it took so far in tokens, dollars and seconds; None if unknown."""

    section: SectionView
    tokens: float | None
    cost: float | None
    seconds: float | None


@dataclass(frozen=True)
class Together:
    """The stale sections of one document that were chosen, and what follows for others.

    ``fresh`` are not stale any more and ``starts`` are written once these are kept; ``below`` may become stale when
    these are written anew.
    """

    document: DocumentView
    title: str
    choices: tuple[Choice, ...]
    fresh: tuple[SectionView, ...]
    starts: tuple[SectionView, ...]
    below: tuple[SectionView, ...]


@router.get("/desk/stale")
async def show_stale(
    request: Request,
    session: Caller,
    item: Ticked = [],  # noqa: B006 - read only
    seen: Ticked = [],  # noqa: B006
    document: Token | None = None,
) -> Response:
    """What was ticked, as far as it is stale; with ``document`` one comes from its page and goes back there."""
    return await _page(request, session, _chosen((*item, *seen)), document)


@router.post("/desk/stale")
async def decide_stale(request: Request, session: RepeatableCaller) -> Response:
    """Keep what was chosen, or have it written anew: of each document all of it, or none."""
    fields = await fields_of(request)
    form, chosen = dict(fields), _chosen([value for name, value in fields if name == "item"])
    back, made = form.get("document") or None, dict[str, int]()
    try:
        for asked in [_asked(document_id, sections, form) for document_id, sections in chosen.items()]:
            made[asked.document_id] = (await ask(session, asked)).sequence or 0
    except REFUSED as error:
        await wait_for_read_model(session.client, made)
        left = {name: sections for name, sections in chosen.items() if name not in made}
        done = sum(len(chosen[name]) for name in made)
        return await _page(request, session, left, back, error, done=done, how=form.get("how"))
    if back in made:
        return led_on(request, DOCUMENT.format(document_id=back), form["how"], made[back])
    await wait_for_read_model(session.client, made)
    return led_to(request, f"/desk?stale={sum(map(len, chosen.values()))}&how={form['how']}")


def _chosen(values: Iterable[str]) -> Chosen:
    found: dict[str, dict[str, int]] = {}
    for value in values:
        document_id, section_id = chosen_section(value)
        found.setdefault(document_id, {})[section_id] = whole_number(value.rpartition("/")[2]) or 0
    if not found or sum(map(len, found.values())) > MOST_AT_ONCE:
        raise Invalid(Problem.of("sections_needed", "item", most=MOST_AT_ONCE))
    return found


def _asked(document_id: str, sections: Mapping[str, int], form: Mapping[str, str]) -> KeepSections | RegenerateSections:
    if len(sections) > MOST_OF_ONE:
        raise Invalid(Problem.of("sections_needed", "item", most=MOST_OF_ONE))
    seen = [{"section_id": name, "version": version} for name, version in sections.items()]
    about = {"document_id": document_id, "sections": seen}
    match form.get("how"):
        case "keep":
            return KeepSections.model_validate(about)
        case "regenerate":
            return RegenerateSections.model_validate(about | {"replace_edited": "replace_edited" in form})
        case _:
            raise Invalid(Problem.of("decision_unknown"))


async def _page(
    request: Request,
    session: Session,
    chosen: Chosen,
    back: str | None,
    error: Exception | None = None,
    *,
    done: int = 0,
    how: str | None = None,
) -> Response:
    """``done``: how many sections of other documents were decided about before the error, and ``how``."""
    found = [await _together(session, document_id, names) for document_id, names in chosen.items()]
    documents = [one for one in found if one.choices]
    choices = [choice for one in documents for choice in one.choices]
    return shown(
        request,
        session,
        "stale.html",
        error=error,
        documents=documents,
        choices=choices,
        left_out=sum(map(len, chosen.values())) - len(choices),
        back=back,
        done=done,
        how=how,
        tokens=_total([choice.tokens for choice in choices]),
        cost=_total([choice.cost for choice in choices]),
    )


def _total(amounts: Sequence[float | None]) -> float | None:
    known = [amount for amount in amounts if amount is not None]
    return sum(known) if len(known) == len(amounts) else None


async def _together(session: Session, document_id: str, names: Iterable[str]) -> Together:
    read = await read_log(session, document_id)
    document, seconds = read.document, await session.followed.usual(read.document)
    wanted = set(names)
    sections = [one for one in document.stale if one.section_id in wanted and one.is_to_be_kept_or_regenerated]
    kept, anew = await asyncio.to_thread(_foreseen, read, sections)
    takes = await asyncio.to_thread(_takes, read, anew) if anew else {}

    def told(found: Iterable[str]) -> tuple[SectionView, ...]:
        return tuple(document.sections[name] for name in dict.fromkeys(found) if name not in wanted)

    return Together(
        document,
        (await session.followed.titles([document]))[0],
        tuple(_choice(section, takes.get(section.section_id), seconds) for section in sections),
        told(kept.fresh if kept else ()),
        told(name for name, kind in (kept.work if kept else ()) if kind == "write"),
        told(anew.stale if anew else ()),
    )


def _foreseen(read: ReadLog, sections: Sequence[SectionView]) -> tuple[Foreseen | None, Foreseen | None]:
    """What comes of keeping the sections, and of writing them anew; decided by the rules, and not asked for."""
    seen = [{"section_id": one.section_id, "version": one.version} for one in sections[:MOST_OF_ONE]]
    state, about = read.reading.state, {"document_id": read.document.document_id, "sections": seen}
    if not seen or not isinstance(state, Document):
        return None, None
    asked = [one.model_validate(about) for one in (KeepSections, RegenerateSections)]
    kept, anew = [foreseen(Asked(one, NOBODY_YET, datetime.now(UTC)), state) for one in asked]
    return kept, anew


def _takes(read: ReadLog, anew: Foreseen) -> dict[str, PlannedWork]:
    usually = usual([({name: one.kind for name, one in read.document.sections.items()}, read.costs)])
    return {one.section_id: one for one in plan_of(anew, usually).work}


def _choice(section: SectionView, work: PlannedWork | None, usually: Seconds) -> Choice:
    usage, seconds = (work.usage, work.seconds) if work else (None, None)
    tokens, cost = (usage.tokens, usage.cost) if usage and usage.tokens else (None, None)
    return Choice(section, tokens, cost, seconds or usually.get(section.kind))
