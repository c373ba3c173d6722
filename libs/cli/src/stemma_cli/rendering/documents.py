"""Documents and their sections, in tables and as JSON."""

from __future__ import annotations

import sys
from typing import Any

from stemma_client.client import Client
from stemma_client.findings import findings_of
from stemma_client.overviews import waiting_sections
from stemma_client.recipes import Recipes, outdated_recipe
from stemma_contracts.media import is_attachment
from stemma_contracts.v1.section import SETTLED
from stemma_contracts.v1.summary import DocumentSummary
from stemma_contracts.v1.views import DocumentView, SectionView

from stemma_cli.exit_codes import CliError, ExitCode
from stemma_cli.lookup import title_of
from stemma_cli.output import clean, clean_line, console, note, rendered, say, say_json, say_table
from stemma_cli.wording import (
    age_words,
    because_words,
    cost_words,
    count_words,
    cycle_words,
    form_export_words,
    origin_words,
    overlong_words,
    recipe_words,
    score_words,
    status_words,
    version_words,
    waits_since,
)

from .assignments import assignment_words
from .comments import comments_words, lines_of_thread
from .findings import lines_about, lines_about_edit
from .inputs import brief_words
from .proposals import proposal_json, show_proposal

LIST_COLUMNS = ("DOCUMENT", "KIND", "STATUS", "SETTLED", "WAITING", "ISSUES", "CREATED", "TITLE")
SECTION_COLUMNS = (
    "SECTION",
    "TITLE",
    "STATUS",
    "VERSION",
    "MADE",
    "SCORE",
    "LINT",
    "STALE BECAUSE",
    "FAILURE",
    "WAITS",
    "ASSIGNED",
)
FEW = 4
"""Findings of a section that stand below the table of its document."""
MEGABYTE = 1_000_000


def list_row(summary: DocumentSummary, title: str) -> tuple[str, ...]:
    """A document for the list."""
    settled = sum(s.status in SETTLED for s in summary.sections)
    waiting = len(waiting_sections(summary))
    issues = sum(section.issue_count for section in summary.sections)
    return (
        summary.document_id,
        summary.kind,
        summary.status,
        f"{settled}/{len(summary.sections)}",
        str(waiting or ""),
        str(issues or ""),
        f"{summary.created_at.astimezone():%Y-%m-%d %H:%M}",
        title,
    )


async def document_json(client: Client, view: DocumentView) -> dict[str, Any]:
    """A document section by section, for programs."""
    recipes = await client.recipes()
    sections = []
    for section in view.sections.values():
        findings = await findings_of(client, view.document_id, section.current)
        sections.append(_section_json(section, recipes) | {"findings": findings})
    title = await title_of(client, view.document_id, view.title)
    return {**dict(view), "title": title, "sections": sections}


async def show_document(client: Client, view: DocumentView) -> None:
    """A document section by section, for people."""
    title, recipes = await title_of(client, view.document_id, view.title), await client.recipes()
    say(f"{view.document_id}  {view.kind}  {view.status}  {title}")
    say_table(SECTION_COLUMNS, [_section_row(view, s, recipes) for s in view.sections.values()])
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
    _show_exports(view)
    say(_usage_words(view))


def _show_exports(view: DocumentView) -> None:
    for export in view.exports.values():
        state = "done" if export.artifact else export.failure or "under way"
        say(f"export {export.format}: {state}")
        for one in export.too_long:
            note(f"warning: {overlong_words(one)}")
    for form in view.form_exports.values():
        say(f"export of the form {form.input_id}: {clean_line(form_export_words(form))}")


def _section_json(section: SectionView, recipes: Recipes) -> dict[str, Any]:
    return section.model_dump() | {"outdated_recipe": outdated_recipe(section, recipes)}


def _section_row(view: DocumentView, section: SectionView, recipes: Recipes) -> tuple[str, ...]:
    return (
        section.section_id,
        section.title,
        status_words(section),
        version_words(section.version),
        ", ".join(filter(None, (origin_words(section.current), recipe_words(outdated_recipe(section, recipes))))),
        score_words(section.evaluation),
        count_words(section.validation) if section.validation else "",
        because_words(section),
        section.failure or "",
        age_words(waits_since(section)),
        _assignment_words(section),
    )


def _assignment_words(section: SectionView) -> str:
    asked = section.assignment
    return assignment_words(asked.assignee, asked.due) if asked else ""


def _usage_words(view: DocumentView) -> str:
    usage = view.usage
    tokens = f"{usage.input_tokens} tokens read, {usage.output_tokens} written"
    return f"model calls: {usage.calls}, {tokens}, {cost_words(usage.cost)}"


async def show_section(
    client: Client, view: DocumentView, section: SectionView, *, as_json: bool, citations: bool = False
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
        told = _section_json(section, await client.recipes()) | await proposal_json(client, view, section)
        findings = await findings_of(client, view.document_id, section.current)
        say_json(told | {"findings": findings, "text": text, "threads": threads})
        return
    if sys.stdout.isatty():
        console().print(rendered(text))
    else:
        sys.stdout.write(clean(text))
    for words in await lines_about(client, view, section, None):
        note(words)
    for line in (line for thread in threads if not thread.view.resolved for line in lines_of_thread(thread)):
        note(line)
    if section.proposal is not None:
        await show_proposal(client, view, section, section.proposal)


async def _with_citations(client: Client, view: DocumentView, section: SectionView, text: str) -> str:
    from stemma_client.findings import cited_text

    report = await client.grounding(view.document_id, section.section_id)
    if report is None or section.draft is None or report.draft != section.draft.digest:
        words = f"it is not known yet on which places of the inputs {section.section_id} rests"
        raise CliError(ExitCode.FAILED, words, "wait for its validation")
    return cited_text(text, report, view.language)
