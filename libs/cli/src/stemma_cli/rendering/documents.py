"""Documents, their sections, kinds and dependency maps, in tables, trees and as JSON."""

import sys
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from rich.text import Text
from rich.tree import Tree
from stemma_client.client import Client
from stemma_client.findings import findings_of, places_of
from stemma_client.overviews import waiting_sections
from stemma_client.progress import Seconds, usual, usual_of
from stemma_client.recipes import Recipes, outdated_recipe
from stemma_contracts.media import is_attachment
from stemma_contracts.v1.capabilities import DocumentKind, KindSection
from stemma_contracts.v1.grounding import CitedText, ClaimSource, ClaimStanding, DoubtedStatement, GroundedClaim
from stemma_contracts.v1.review import ReviewMode
from stemma_contracts.v1.section import SETTLED, SectionStatus
from stemma_contracts.v1.summary import DocumentSummary
from stemma_contracts.v1.views import DocumentView, SectionView
from stemma_domain.dependencies import in_order

from stemma_cli.exit_codes import CliError, ExitCode
from stemma_cli.lookup import title_of
from stemma_cli.output import clean, clean_line, console, note, rendered, say, say_json, say_rows
from stemma_cli.rendering.changes import proposal_json, show_proposal
from stemma_cli.wording import (
    age_words,
    assignment_words,
    because_words,
    chapters_words,
    check_lines,
    comments_words,
    contradiction_words,
    cost_words,
    count_words,
    cycle_words,
    form_export_words,
    ledger_warnings,
    ledger_words,
    lines_of_thread,
    origin_words,
    overlong_words,
    reasons_words,
    recipe_words,
    score_words,
    status_words,
    under_way_words,
    version_words,
    waits_since,
    work_words,
)

from .findings import lines_about, lines_about_edit
from .inputs import brief_words, unused_lines
from .plans import budget_words

FEW = 4
"""Findings of a section that stand below the table of its document."""
MEGABYTE = 1_000_000


LISTED: Mapping[str, Callable[[tuple[DocumentSummary, str]], str]] = {
    "DOCUMENT": lambda listed: listed[0].document_id,
    "KIND": lambda listed: listed[0].kind,
    "STATUS": lambda listed: listed[0].status,
    "SETTLED": lambda listed: f"{sum(s.status in SETTLED for s in listed[0].sections)}/{len(listed[0].sections)}",
    "WAITING": lambda listed: str(len(waiting_sections(listed[0])) or ""),
    "ISSUES": lambda listed: str(sum(section.issue_count for section in listed[0].sections) or ""),
    "CREATED": lambda listed: f"{listed[0].created_at.astimezone():%Y-%m-%d %H:%M}",
    "TITLE": lambda listed: listed[1],
}
"""A document with its title in a list."""


async def _recipes(client: Client, then: datetime | None) -> Recipes:
    """What drafts would be made with now: what was made with it at an earlier moment is not known."""
    return {} if then else await client.recipes()


async def document_json(client: Client, view: DocumentView, then: datetime | None = None) -> dict[str, Any]:
    recipes = await _recipes(client, then)
    sections = []
    for section in view.sections.values():
        findings = await findings_of(client, view.document_id, section.current)
        sections.append(_section_json(section, recipes) | {"findings": findings})
    title = await title_of(client, view.document_id, view.title)
    return {**dict(view), "title": title, "sections": sections}


async def show_document(client: Client, view: DocumentView, then: datetime | None = None) -> None:
    """A document as it is now, or as it was ``then``."""
    title, recipes = await title_of(client, view.document_id, view.title), await _recipes(client, then)
    say(f"{view.document_id}  {view.kind}  {view.status}  {title}")
    seconds = usual([view]) if then or not view.at_work else await usual_of(client, view)
    say_rows(_section_columns(recipes, seconds, then), [*view.sections.values()])
    for section in view.sections.values():
        for words in await lines_about(client, view, section, FEW):
            say(f"{section.section_id}: {words}")
        for words in await lines_about_edit(client, view, section, FEW):
            say(f"{section.section_id}: proposed edit: {words}")
    for section in (section for section in view.sections.values() if section.open_threads):
        say(f"{section.section_id}: {comments_words(section)}")
    if view.cycle is not None:
        say(cycle_words(view.cycle))
    for section in (s for s in view.sections.values() if s.refusal):
        note(f"the editor refused {section.section_id}: {await client.text(view.document_id, section.refusal)}")
    for given in (given for given in view.input_views if given.state in ("kept", "unreadable") and given.text is None):
        if is_attachment(given.file.media_type) or given.unreadable:
            why = f", not read: {clean_line(given.unreadable.detail)}" if given.unreadable else ""
            say(f"attachment {given.name}: {given.file.size / MEGABYTE:.1f} MB{why}")
    if view.lacks_brief:
        note(brief_words(view))
    _show_requests(view)
    for words in await unused_lines(client, view):
        note(words)
    _show_exports(view)
    _show_usage(view)
    for words in [] if then else await _under_way(client, view, seconds):
        note(words)


async def _under_way(client: Client, view: DocumentView, seconds: Seconds) -> list[str]:
    from .progress import heard_now

    return under_way_words(view, seconds, characters=await heard_now(client, view))


def _show_requests(view: DocumentView) -> None:
    if view.outlined_by or view.awaits_chapters:
        note(chapters_words(view))
    if view.ledger is not None:
        note(ledger_words(view.ledger))
        for words in ledger_warnings(view.document_id, view.ledger):
            note(words)


def _show_exports(view: DocumentView) -> None:
    for export in view.exports.values():
        state = "done" if export.artifact else export.failure or "under way"
        say(f"export {export.format}: {state}")
        for one in export.too_long:
            note(f"warning: {overlong_words(one)}")
        for contradiction in export.contradictions:
            note(f"warning: {contradiction_words(contradiction)}")
        for words in check_lines([check for check in export.rules if check.state == "broken"]):
            note(words)
    for form in view.form_exports.values():
        say(f"export of the form {form.input_id}: {clean_line(form_export_words(form))}")


def _section_json(section: SectionView, recipes: Recipes) -> dict[str, Any]:
    return section.model_dump() | {"outdated_recipe": outdated_recipe(section, recipes)}


def _section_columns(
    recipes: Recipes, seconds: Seconds, then: datetime | None
) -> Mapping[str, Callable[[SectionView], str]]:
    return {
        "SECTION": lambda section: section.section_id,
        "TITLE": lambda section: section.title,
        "STATUS": status_words,
        "FOR": lambda section: work_words(section, seconds, then),
        "VERSION": lambda section: version_words(section.version),
        "MADE": lambda section: ", ".join(
            filter(None, (origin_words(section.current), recipe_words(outdated_recipe(section, recipes))))
        ),
        "SCORE": lambda section: score_words(section.evaluation),
        "LINT": lambda section: count_words(section.validation) if section.validation else "",
        "STALE BECAUSE": because_words,
        "FAILURE": lambda section: section.failure or "",
        "WAITS": lambda section: age_words(waits_since(section), then),
        "ASSIGNED": _assignment_words,
    }


def _assignment_words(section: SectionView) -> str:
    asked = section.assignment
    return assignment_words(asked.assignee, asked.due) if asked else ""


def _show_usage(view: DocumentView) -> None:
    usage = view.usage
    cached = f" ({usage.cached_tokens} cached)" if usage.cached_tokens else ""
    tokens = f"{usage.input_tokens} tokens read{cached}, {usage.output_tokens} written"
    say(f"model calls: {usage.calls}, {tokens}, {cost_words(usage.cost)}")
    if view.budget is not None:
        note(budget_words(view))


async def show_section(
    client: Client,
    view: DocumentView,
    section: SectionView,
    *,
    as_json: bool,
    citations: bool = False,
    then: datetime | None = None,
) -> None:
    """The text of a section: rendered on a terminal, Markdown in a pipe; with ``citations`` as footnotes."""
    if section.draft is None:
        words = f"nothing is written in {section.section_id} yet"
        raise CliError(ExitCode.FAILED, words, f"it is {status_words(section)}")
    text = await client.text(view.document_id, section.draft)
    threads = await client.threads(view.document_id, section)
    if citations:
        text = await _with_citations(client, view, section, text)
    if as_json:
        told = _section_json(section, await _recipes(client, then)) | await proposal_json(client, view, section)
        findings = await findings_of(client, view.document_id, section.current)
        say_json(told | {"findings": findings, "text": text, "threads": threads})
        return
    if sys.stdout.isatty():
        console().print(rendered(text))
    else:
        sys.stdout.write(clean(text))
    for words in [*await _demands(client, view, section), *await lines_about(client, view, section, None)]:
        note(words)
    for line in (line for thread in threads if not thread.view.resolved for line in lines_of_thread(thread)):
        note(line)
    if section.proposal is not None:
        await show_proposal(client, view, section, section.proposal)


async def _demands(client: Client, view: DocumentView, section: SectionView) -> list[str]:
    """What the section has to answer: beside its text, and never in it."""
    if view.ledger is None or view.ledger.rows is None:
        return []
    rows = (one.row for one in (await client.ledger_of(view)).entries if one.standing.section_id == section.section_id)
    return [
        clean_line(f"to answer: {r.requirement_id}, {r.obligation} ({r.source}{r.place and ', '}{r.place}): {r.quote}")
        for r in rows
    ]


async def _with_citations(client: Client, view: DocumentView, section: SectionView, text: str) -> str:
    from stemma_client.findings import cited_text

    report = await client.grounding(view.document_id, section.section_id)
    if report is None or section.draft is None or report.draft != section.draft.digest:
        words = f"it is not known yet on which places of the inputs {section.section_id} rests"
        raise CliError(ExitCode.FAILED, words, "wait for its validation")
    return cited_text(text, report, view.language)


def _required(kind: DocumentKind) -> list[KindSection]:
    return [section for section in kind.sections if section.required]


def _settled(kind: DocumentKind) -> str:
    by_a_person = [section.section_id for section in _required(kind) if section.review is ReviewMode.HUMAN]
    everything = len(by_a_person) == len(_required(kind))
    return "every section" if everything else ", ".join(by_a_person) or "nothing, unless a check fails"


def _needs(kind: DocumentKind) -> str:
    types = dict.fromkeys(media_type for section in kind.sections for media_type in section.needs_input)
    return f"a brief and a file of {' or '.join(types)}" if types else "a brief"


KINDS: Mapping[str, Callable[[DocumentKind], str]] = {
    "KIND": lambda kind: kind.kind,
    "TITLE": lambda kind: kind.title,
    "SECTIONS": lambda kind: ", ".join(section.section_id for section in _required(kind)),
    "SETTLED BY A PERSON": _settled,
    "NEEDS": _needs,
    "WHAT IT IS": lambda kind: kind.description,
}
_STYLES = {
    SectionStatus.QUEUED: "dim",
    SectionStatus.GENERATING: "cyan",
    SectionStatus.AWAITING_REVIEW: "yellow",
    SectionStatus.APPROVED: "green",
    SectionStatus.EDITED: "green",
    SectionStatus.FAILED: "red",
}


def map_tree(view: DocumentView) -> Tree:
    root = Tree(Text(f"{view.document_id}: {view.status}", style="bold"))
    branches = [root]
    for section, depth in in_order(view):
        del branches[depth + 1 :]
        branches.append(branches[depth].add(_label(view, section)))
    return root


def _label(view: DocumentView, section: SectionView) -> Text:
    """Every section stands once, below one that it rests on; the others are named."""
    style = "bold magenta" if section.stale else _STYLES[section.status]
    label = Text.assemble((section.section_id, "bold"), "  ", (_state(section), style))
    if section.stale:
        label.append(f" because {reasons_words(section.stale_reasons)}")
    if len(section.depends_on) > 1:
        label.append(f"  (rests on {', '.join(section.depends_on)})", "dim")
    return label


def _state(section: SectionView) -> str:
    return f"{status_words(section)}{f', version {section.version}' if section.version else ''}"


_STANDINGS: dict[ClaimStanding, str] = {
    "input": "input",
    "brief": "brief",
    "upstream": "section",
    "computed": "computed",
    "person": "a person's",
    "unsupported": "UNSUPPORTED",
}
_PLACES = {"brief": "the brief", "person": "words of a person"}


async def show_sources(client: Client, view: DocumentView, section: SectionView, *, as_json: bool) -> None:
    name = section.section_id
    report = await client.grounding(view.document_id, name)
    if report is None:
        raise CliError(ExitCode.FAILED, f"the claims of {name} were not looked up yet", "wait for its validation")
    if as_json:
        say_json({**dict(report), "version": section.version})
        return
    say_rows(_CLAIMS, report.claims)
    if report.statements:
        say_rows(_STATEMENTS, report.statements)
    if not report.claims:
        note(f"{name} states no amount, date, quantity, name, quotation or citation")
    if report.cited:
        say_rows(_CITED, report.cited)
    if report.left_off:
        note(f"{report.left_off} more claims are in no report")
    if report.unread:
        note(f"not read, too large or no text: {', '.join(report.unread)}")


def _where(claim: GroundedClaim) -> str:
    return ": ".join(filter(None, (claim.how, "; ".join(map(_place, claim.sources)))))


def _rests_on(cited: CitedText) -> str:
    from stemma_languages import DEFAULT, language

    return places_of(cited, language(DEFAULT))


def _place(source: ClaimSource) -> str:
    """A source as it is cited: by the page, slide or cells of its file where there are such, else by its line."""
    name = source.name or _PLACES.get(source.standing, "")
    heading = f", {source.heading}" if source.heading and not source.place.endswith(source.heading) else ""
    return f"{name}{heading}, {source.place or f'line {source.line}'}"


_CLAIMS: Mapping[str, Callable[[GroundedClaim], str]] = {
    "LINE": lambda claim: f"{claim.line_number}",
    "CLAIM": lambda claim: claim.text,
    "STANDING": lambda claim: _STANDINGS[claim.standing],
    "WHERE": _where,
}
_STATEMENTS: Mapping[str, Callable[[DoubtedStatement], str]] = {
    "LINE": lambda said: f"{said.line_number}",
    "SENTENCE": lambda said: said.text,
    "STANDING": lambda said: "other words" if said.soft else _STANDINGS["unsupported"],
    "DIFFERS IN": lambda said: said.why,
    "WHERE": lambda said: _place(said.source) if said.source else "",
}
_CITED: Mapping[str, Callable[[CitedText], str]] = {
    "LINE": lambda cited: f"{cited.line_number}",
    "TEXT": lambda cited: cited.text,
    "RESTS ON": _rests_on,
}
