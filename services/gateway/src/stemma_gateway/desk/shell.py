"""What all pages of the desk have: their frame, their files, the page of the keys, and the words for what is found."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from http import HTTPStatus
from mimetypes import guess_extension, guess_type
from types import MappingProxyType

from babel.dates import format_date
from fastapi import APIRouter, Request, Response
from stemma_client import Client, DocumentView
from stemma_client.findings import Finding
from stemma_client.progress import step_of
from stemma_contracts.v1.answers import Problem
from stemma_contracts.v1.inputs import ChangedInput
from stemma_contracts.v1.ledger import RequirementChange
from stemma_contracts.v1.staleness import StaleMark, StaleReason
from stemma_contracts.v1.summary import DocumentSummary
from stemma_contracts.v1.views import SectionView

from stemma_gateway.catalogues import WRITTEN_IN, sentence, words
from stemma_gateway.middlewares import PUBLIC
from stemma_gateway.pages import (
    STATIC,
    TEMPLATES,
    PageRoute,
    asset,
    language_of,
    page,
    problem_shown,
    reasons_shown,
)
from stemma_gateway.problems import NotFound, problem_of
from stemma_gateway.sessions import Session

UNITS = (("days", 86_400), ("hours", 3_600), ("minutes", 60))


def shown(
    request: Request, session: Session, template: str, *, error: Exception | None = None, **about: object
) -> Response:
    """A page of the desk, with why what it sent was refused, if it was.

    Everything shown is escaped, but for what the renderer of Markdown made.
    """
    language = language_of(request)
    problem = problem_of(error) if error else None
    common = {
        "waiting": session.followed.waiting.known,
        "may": session.client.rights.names,
        "renewed": request.method == "GET",
        "refused": reasons_shown(problem, language) if problem else "",
    }
    status = HTTPStatus(problem.status) if problem else HTTPStatus.OK
    return page(request, template, status, **(common | about))


async def title_of(client: Client, document: DocumentView | DocumentSummary) -> str:
    return (await client.stored_text(document.document_id, document.title) or "").strip() or document.kind


async def kind_title(session: Session, kind: str) -> str:
    return next((known.title for known in await session.client.kinds() if known.kind == kind), kind)


def age(since: datetime | None, language: str) -> str:
    seconds = (datetime.now(UTC) - since).total_seconds() if since else 0
    for unit, length in UNITS:
        if seconds >= length:
            return words(language).plural(unit, int(seconds // length))
    return words(language)["just_now"]


def calendar_day(day: date, language: str) -> str:
    return format_date(day, "full", locale=language)


def number(value: int, language: str) -> str:
    return f"{value:,}".replace(",", "." if language == "de" else ",")


def money(dollars: float, language: str) -> str:
    """A sum of US dollars in cents; what is less than a cent, but something, as less."""
    if 0 < dollars < 0.01:
        return "< 0,01 $" if language == "de" else "< $0.01"
    sum_of_it = f"{dollars:,.2f}"
    return f"{sum_of_it.translate(str.maketrans(',.', '.,'))} $" if language == "de" else f"${sum_of_it}"


def few(lines: Sequence[str], words: Mapping[str, str], most: int = 3) -> list[str]:
    more = len(lines) - most
    return [*lines[:most], words["and_more"] % more] if more > 1 else list(lines)


def is_past(time: datetime) -> bool:
    return time <= datetime.now(UTC)


def format_name(media_type: str) -> str:
    """What people call files of a media type: by the ending that they have."""
    return (guess_extension(media_type) or media_type).removeprefix(".").upper()


router = APIRouter(route_class=PageRoute)


@router.get("/desk/static/{version}/{name}")
async def show_asset(version: str, name: str) -> Response:
    """A file; under another address it is another one, so browsers keep it."""
    names = {file.name for file in STATIC.iterdir()}
    if name not in names or asset(name) != f"/desk/static/{version}/{name}":
        raise NotFound(Problem.of("asset_unknown"))
    headers = {"Cache-Control": f"{PUBLIC}max-age=31536000, immutable"}
    return Response((STATIC / name).read_bytes(), headers=headers, media_type=guess_type(name)[0])


Sections = Mapping[str, SectionView]
NOBODY: Sections = MappingProxyType({})


def stale_words(section: SectionView, words: Mapping[str, str], sections: Sections = NOBODY) -> list[str]:
    return _because(section.stale_reasons, section.stale_inputs, section.stale_requirements, words, sections)


def mark_words(mark: StaleMark, words: Mapping[str, str], sections: Sections = NOBODY) -> list[str]:
    return _because(mark.reasons, mark.inputs, mark.requirements, words, sections)


def _because(
    reasons: Iterable[StaleReason],
    inputs: Iterable[ChangedInput],
    rows: Iterable[RequirementChange],
    words: Mapping[str, str],
    sections: Sections,
) -> list[str]:
    upstream = [reason_words(reason, words, sections) for reason in reasons]
    changed = [_of_input(one, words) for one in inputs]
    return [*upstream, *changed, *(words[f"stale_row_{row.change}"] % row.requirement_id for row in rows)]


def reason_words(reason: StaleReason, words: Mapping[str, str], sections: Sections = NOBODY) -> str:
    upstream = sections.get(reason.upstream_section_id)
    title = upstream.title if upstream else reason.upstream_section_id
    if reason.accepted_version == reason.current_version:
        return words["stale_upstream"] % title
    return words["stale_by"] % (title, reason.accepted_version, reason.current_version)


def _of_input(changed: ChangedInput, words: Mapping[str, str]) -> str:
    if changed.withdrawn or changed.role:
        return words["stale_withdrawn" if changed.withdrawn else "stale_role"] % changed.name
    if changed.lapse:
        return words["stale_lapse"] % (changed.name, words.get(f"lapse_{changed.lapse}", changed.lapse))
    return words["stale_input"] % (changed.name, changed.accepted_version, changed.current_version)


# What was found in a text: our words by their codes, those of others as they are.

OF_THE_LINTER = "MD"


@dataclass(frozen=True)
class Told:
    """A finding as people read it: what it is called, what it says, and what it says it of.

    ``is_foreign``: the detail is in the words of a tool, which are of `WRITTEN_IN`.
    """

    name: str
    words: str
    detail: str
    is_foreign: bool
    line: int


def told(findings: Iterable[Finding], language: str) -> tuple[Told, ...]:
    return tuple(_of_rule(one, language) if one.kind == "lint" else _of_other(one, language) for one in findings)


def name_of(name: str, language: str) -> str:
    """What a criterion, a check or a warning is called; one that is not ours by its own name."""
    return words(language, "name").get(name.replace(" ", "_"), name.replace("_", " "))


def _of_rule(finding: Finding, language: str) -> Told:
    rule, message = finding.name, finding.message
    is_said = message == words(WRITTEN_IN, "rule").get(rule)
    said = translated(finding, language)
    is_foreign = not said and rule.startswith(OF_THE_LINTER)
    detail = "" if is_said else said or message
    return Told(rule, words(language, "rule").get(rule, ""), detail, is_foreign, finding.line)


def _of_other(finding: Finding, language: str) -> Told:
    name = words(language, "rule").get(finding.name) or name_of(finding.name, language)
    said = translated(finding, language)
    return Told(name, said, "" if said else finding.message, False, finding.line)


def translated(finding: Finding, language: str) -> str:
    if language == WRITTEN_IN:
        return finding.message
    return sentence(finding.code, finding.params, language).format_map(finding.params)


TEMPLATES.tests["past"] = is_past
TEMPLATES.filters |= {
    one.__name__: one for one in (age, calendar_day, format_name, few, stale_words, mark_words, number, money, step_of)
}
TEMPLATES.filters |= {"criterion": name_of, "problem": problem_shown}
