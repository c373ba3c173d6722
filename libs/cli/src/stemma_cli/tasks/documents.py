"""Making documents and looking at them."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter
from stemma_client.client import Client
from stemma_client.inputs import collect, media_type_of
from stemma_client.recipes import Recipes, outdated_recipe
from stemma_contracts.media import is_attachment
from stemma_contracts.v1.outline import OutlineSection
from stemma_contracts.v1.review import ReviewMode, ReviewPolicy
from stemma_contracts.v1.section import SectionStatus
from stemma_contracts.v1.summary import DocumentSummary
from stemma_document.views import DocumentView, SectionView

from stemma_cli.exit_codes import CliError, ExitCode
from stemma_cli.lookup import find_document, find_section, text_of, title_of
from stemma_cli.output import clean, console, note, rendered, say, say_json, say_table
from stemma_cli.prompt import text_in
from stemma_cli.samples import SAMPLES
from stemma_cli.wording import (
    age_words,
    cost_words,
    count_words,
    cycle_words,
    origin_words,
    overlong_words,
    reasons_words,
    recipe_words,
    score_words,
    status_words,
    version_words,
    waits_since,
)

from .findings import as_json as as_json_findings
from .findings import findings_of, lines_about, lines_about_edit
from .inbox import waiting_sections
from .proposals import proposal_json, show_proposal

SETTLED = (SectionStatus.APPROVED, SectionStatus.EDITED)
FEW = 4
"""Findings of a section that stand below the table of its document."""
MEGABYTE = 1_000_000
_AS_JSON = TypeAdapter(Any)


@dataclass(frozen=True)
class Wish:
    """What a person wants written; ``brief`` is a path, ``-`` for stdin."""

    kind: str
    brief: str | None
    inputs: Sequence[Path]
    title: str
    policy: str | None
    min_score: float
    sample: bool
    language: str | None
    outline: str | None
    outline_from: Sequence[Path]
    request_id: str | None


async def create(client: Client, *, wish: Wish, as_json: bool) -> None:
    """Ask for a document and say how to go on."""
    if wish.sample:
        wish = _with_sample(wish)
    if wish.brief is None:
        raise CliError(ExitCode.USAGE, "a document needs a brief", "give --brief FILE, or --sample for a first look")
    review = ReviewPolicy(mode=ReviewMode(wish.policy), min_score=wish.min_score) if wish.policy else None
    brief = await text_in(wish.brief)
    outline = await _outline_of(wish)
    accepted = await client.create_document(
        wish.kind,
        brief=brief,
        inputs=wish.inputs,
        title=wish.title,
        review=review,
        language=wish.language,
        outline=outline,
        request_id=wish.request_id,
    )
    if as_json:
        say_json(accepted.model_dump(mode="json"))
        return
    say(accepted.document_id)
    if attachments := [file.name for file in collect(wish.inputs) if is_attachment(media_type_of(file.name))]:
        note(f"no writer reads {', '.join(attachments)}: kept as attachments")
    note(f"watch it with `stemma watch {accepted.document_id[:8]}`")


async def _outline_of(wish: Wish) -> Sequence[OutlineSection] | None:
    """The sections that a person gives or has looked for; what was found is told, for nobody has seen it yet."""
    if wish.outline is None and not wish.outline_from:
        return None
    # What reads outlines takes a tenth of what a verb without them does.
    from stemma_client.outlines import read_outline

    from .outlines import asked_for

    if wish.outline is not None:
        return read_outline(wish.outline, await text_in(wish.outline))
    sections = asked_for(wish.outline_from)
    note(f"{len(sections)} sections are asked for: {', '.join(section.title for section in sections)}")
    return sections


def _with_sample(wish: Wish) -> Wish:
    folder = SAMPLES / wish.kind
    samples = [path.name for path in SAMPLES.iterdir() if (path / "brief.md").is_file()]
    if wish.kind not in samples:
        raise CliError(ExitCode.USAGE, f"no sample comes with {wish.kind!r}", f"there is one of {', '.join(samples)}")
    if wish.brief or wish.inputs:
        raise CliError(ExitCode.USAGE, "--sample brings its own brief and inputs")
    return replace(wish, brief=str(folder / "brief.md"), inputs=[folder / "inputs"])


async def list_all(client: Client, *, as_json: bool) -> None:
    """All documents, newest first."""
    summaries = await client.documents()
    titles = [await title_of(client, s.document_id, s.title) for s in summaries]
    if as_json:
        say_json([s.model_dump(mode="json") | {"title": t} for s, t in zip(summaries, titles, strict=True)])
        return
    columns = ("DOCUMENT", "KIND", "STATUS", "SETTLED", "WAITING", "ISSUES", "CREATED", "TITLE")
    say_table(columns, [_list_row(s, t) for s, t in zip(summaries, titles, strict=True)])
    if not summaries:
        note("no documents yet: ask for one with `stemma new proposal --sample`")


def _list_row(summary: DocumentSummary, title: str) -> tuple[str, ...]:
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


async def show(client: Client, *, document: str, as_json: bool) -> None:
    """A document section by section."""
    view = await client.document(await find_document(client, document))
    title, recipes = await title_of(client, view.document_id, view.title), await client.recipes()
    if as_json:
        sections = [
            _section_json(view, section, recipes)
            | {"findings": as_json_findings(await findings_of(client, view, section))}
            for section in view.sections.values()
        ]
        say_json(_as_json(view) | {"title": title, "sections": sections})
        return
    say(f"{view.document_id}  {view.kind}  {view.status}  {title}")
    columns = ("SECTION", "TITLE", "STATUS", "VERSION", "MADE", "SCORE", "LINT", "STALE BECAUSE", "FAILURE", "WAITS")
    say_table(columns, [_section_row(view, s, recipes) for s in view.sections.values()])
    for section in view.sections.values():
        for words in await lines_about(client, view, section, FEW):
            say(f"{section.section_id}: {words}")
        for words in await lines_about_edit(client, view, section, FEW):
            say(f"{section.section_id}: proposed edit: {words}")
    if view.cycle is not None:
        say(cycle_words(view.cycle))
    for section in (s for s in view.sections.values() if s.refusal):
        note(f"the editor refused {section.section_id}: {await text_of(client, view.document_id, section.refusal)}")
    for file in (f for f in view.inputs if is_attachment(f.artifact.media_type)):
        say(f"attachment {file.name}: {file.artifact.size / MEGABYTE:.1f} MB")
    for export in view.exports.values():
        state = "done" if export.artifact else export.failure or "under way"
        say(f"export {export.format}: {state}")
        for one in export.too_long:
            note(f"warning: {overlong_words(one)}")
    say(_usage_words(view))


def _as_json(value: DocumentView | SectionView) -> dict[str, Any]:
    dumped: dict[str, Any] = _AS_JSON.dump_python(asdict(value), mode="json")
    return dumped


def _section_json(view: DocumentView, section: SectionView, recipes: Recipes) -> dict[str, Any]:
    draft = section.draft.model_dump() if section.draft else None
    current = {"version": section.version, "draft": draft, "issue_count": section.issue_count}
    reasons = [reason.model_dump() for reason in section.stale_reasons]
    because = {"stale_reasons": reasons, "outdated_recipe": outdated_recipe(section, recipes)}
    return _as_json(section) | current | because


def _section_row(view: DocumentView, section: SectionView, recipes: Recipes) -> tuple[str, ...]:
    return (
        section.section_id,
        section.title,
        status_words(section),
        version_words(section.version),
        ", ".join(filter(None, (origin_words(section.current), recipe_words(outdated_recipe(section, recipes))))),
        score_words(section.evaluation),
        count_words(section.validation) if section.validation else "",
        reasons_words(section.stale_reasons),
        section.failure or "",
        age_words(waits_since(section)),
    )


def _usage_words(view: DocumentView) -> str:
    usage = view.usage
    tokens = f"{usage.input_tokens} tokens read, {usage.output_tokens} written"
    return f"model calls: {usage.calls}, {tokens}, {cost_words(usage.cost)}"


async def show_section(client: Client, *, document: str, section: str, as_json: bool) -> None:
    """The text of a section: rendered on a terminal, Markdown in a pipe."""
    view, found = await find_section(client, document, section)
    if found.draft is None:
        raise CliError(ExitCode.FAILED, f"nothing is written in {section} yet", f"it is {status_words(found)}")
    text = await text_of(client, view.document_id, found.draft)
    if as_json:
        told = _section_json(view, found, await client.recipes()) | await proposal_json(client, view, found)
        findings = as_json_findings(await findings_of(client, view, found))
        say_json(told | {"findings": findings, "text": text})
    elif sys.stdout.isatty():
        console().print(rendered(text))
    else:
        sys.stdout.write(clean(text))
    if as_json:
        return
    for words in await lines_about(client, view, found, None):
        note(words)
    if found.proposal is not None:
        await show_proposal(client, view, found, found.proposal)
