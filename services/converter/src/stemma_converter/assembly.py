"""From a job's drafts to one manuscript. An export is always possible: what is missing is shown."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from stemma_contracts.v1.exports import ExportSection, ExportWarning
from stemma_contracts.v1.jobs import ConvertDocument
from stemma_contracts.v1.values import ArtifactRef, SectionStatus

from .anchors import joined
from .chapters import NOT_APPROVED, NOT_WRITTEN, STALE, chapter
from .cleaning import image_names, with_safe_references, without_markup
from .images import Picture
from .manuscript import Manuscript
from .source import one_line
from .tree import Node

SETTLED = (SectionStatus.APPROVED, SectionStatus.EDITED)


@dataclass(frozen=True)
class Draft:
    """A section with its parsed draft; no blocks while nothing is written."""

    section: ExportSection
    blocks: list[Node]
    warnings: Counter[str]


def draft(section: ExportSection, blocks: list[Node]) -> Draft:
    """A section and the blocks of its draft without raw markup."""
    warnings: Counter[str] = Counter()
    return Draft(section, without_markup(blocks, warnings), warnings)


def versions(job: ConvertDocument) -> tuple[list[ExportSection], list[ExportSection]]:
    """The sections as they go out and, in a comparison, as they were before."""
    if not job.redline:
        return list(job.sections), []
    return [_settled(one, one.draft) for one in job.sections], [_settled(one, one.previous) for one in job.sections]


def with_previous(manuscript: Manuscript, previous: Manuscript) -> Manuscript:
    """A comparison with an earlier manuscript."""
    pictures = {**previous.pictures, **manuscript.pictures}
    return replace(manuscript, previous=previous.blocks, pictures=pictures)


def _settled(section: ExportSection, draft: ArtifactRef | None) -> ExportSection:
    """A section in a comparison: the state that it is in now says nothing of its versions."""
    return section.model_copy(update={"draft": draft, "status": SectionStatus.APPROVED, "stale": False})


def wanted_images(drafts: Sequence[Draft]) -> set[str]:
    """The names of all assets that the drafts refer to."""
    return {name for one in drafts for name in image_names(one.blocks)}


def assemble(
    job: ConvertDocument, title: str, author: str, drafts: Sequence[Draft], pictures: Mapping[str, Picture | None]
) -> Manuscript:
    """The manuscript of a job; ``pictures`` has none for an image that was refused."""
    kind = re.sub("[-_]+", " ", job.document.kind).strip().capitalize()
    headline = one_line(title) or kind
    chapters = [_chapter(one, pictures) for one in drafts]
    blocks = joined(headline, chapters, [one.warnings for one in drafts])
    shown = image_names(blocks)
    return Manuscript(
        title=headline,
        kind=kind,
        author=author,
        generator=one_line(job.generator),
        created_at=job.document.created_at,
        blocks=blocks,
        pictures={name: picture for name, picture in pictures.items() if picture and name in shown},
        warnings=tuple(warning for one in drafts for warning in _warnings(one)),
    )


def _chapter(one: Draft, pictures: Mapping[str, Picture | None]) -> list[Node]:
    blocks = with_safe_references(one.blocks, pictures, one.warnings)
    return chapter(one_line(one.section.title), blocks, [remark for _, remark in _state(one.section)])


def _state(section: ExportSection) -> list[tuple[str, str]]:
    if section.draft is None:
        return [("not_written", NOT_WRITTEN)]
    unsettled = [("not_approved", NOT_APPROVED)] if section.status not in SETTLED else []
    return unsettled + ([("stale", STALE)] if section.stale else [])


def _warnings(one: Draft) -> list[ExportWarning]:
    counts = {code: 1 for code, _ in _state(one.section)} | {code: n for code, n in one.warnings.items() if n}
    return [
        ExportWarning.model_validate({"code": code, "section_id": one.section.section_id, "count": n})
        for code, n in counts.items()
    ]
