"""From a job's drafts to one manuscript. An export is always possible: what is missing is shown."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from stemma_contracts.v1.coverage import CoverageReport
from stemma_contracts.v1.exports import ExportRemark, ExportSection, ExportWarning
from stemma_contracts.v1.jobs import ConvertDocument
from stemma_contracts.v1.ledger import LedgerRow
from stemma_contracts.v1.references import ArtifactRef
from stemma_contracts.v1.section import SETTLED, SectionStatus
from stemma_languages import DEFAULT, Language, UnknownLanguage, Words, language

from .appendices import AnswerPlace, Answers, page, with_matrix
from .attribution import Replay
from .chapters import bears_title, chapter, joined, whole
from .cleaning import asset_name, image_sources, with_safe_references, without_markup
from .images import Picture
from .source import one_line
from .tracking import Maker
from .tree import Node


@dataclass(frozen=True)
class House:
    """Who sends the documents: names for the cover and the properties; empty ones are left out."""

    author: str = ""
    company: str = ""


@dataclass(frozen=True)
class Source:
    """A draft as it is stored, which the paragraphs of a Word document lead back to."""

    section_id: str
    version: int
    digest: str
    text: str


@dataclass(frozen=True)
class Manuscript:
    """Chapters as blocks, with the pictures that they show by name and what a person should know.

    ``created_at`` has a zone; ``tag`` is the BCP 47 tag of the text, ``language`` the one that our own words are in.
    ``generator`` names the models that wrote it, for the properties, and may be empty. ``previous`` are the blocks of
    the version that a comparison leads from, none if nothing is compared; ``replays`` tell by the numbers of ``makers``
    who changed what in each chapter.
    """

    title: str
    house: House
    generator: str
    created_at: datetime
    tag: str
    language: Language
    blocks: list[Node]
    pictures: Mapping[str, Picture]
    warnings: tuple[ExportWarning, ...]
    remarks: tuple[ExportRemark, ...] = ()
    previous: list[Node] | None = None
    replays: tuple[Replay, ...] = ()
    makers: tuple[Maker, ...] = ()
    document_id: str = ""
    sources: tuple[Source, ...] = ()
    client: str = ""
    number: str = ""

    @property
    def date(self) -> str:
        return self.language.date(self.created_at.astimezone(UTC).date())

    @property
    def origin(self) -> str:
        return f"Written with {self.generator}" if self.generator else ""

    @property
    def headings(self) -> int:
        return sum(block["t"] == "Header" for block in self.blocks)

    def running(self) -> dict[str, str]:
        """What a template may show on each page or on the cover, by name."""
        return {
            "title": self.title,
            "company": self.house.company,
            "author": self.house.author,
            "date": self.date,
            "origin": self.origin,
            "client": self.client,
            "number": self.number,
        }


@dataclass(frozen=True)
class Draft:
    section: ExportSection
    blocks: list[Node]
    warnings: Counter[str]


def draft(section: ExportSection, blocks: list[Node]) -> Draft:
    warnings: Counter[str] = Counter()
    return Draft(section, without_markup(blocks, warnings), warnings)


def versions(job: ConvertDocument) -> tuple[list[ExportSection], list[ExportSection]]:
    if not job.redline:
        return list(job.sections), []
    return [_settled(one, one.draft) for one in job.sections], [_settled(one, one.previous) for one in job.sections]


def with_previous(
    manuscript: Manuscript, previous: Manuscript, job: ConvertDocument, texts: Mapping[str, str]
) -> Manuscript:
    pictures = {**previous.pictures, **manuscript.pictures}
    makers = [Maker(one.author, one.made_at) for section in job.sections for one in section.history]
    return replace(
        manuscript,
        previous=previous.blocks,
        pictures=pictures,
        makers=tuple(makers),
        replays=tuple(_replays(job.sections, texts)),
    )


def _replays(sections: Sequence[ExportSection], texts: Mapping[str, str]) -> Iterator[Replay]:
    first = 0
    for section in sections:
        old = texts[section.previous.digest] if section.previous else ""
        steps = [texts[one.draft.digest] if one.draft else None for one in section.history]
        yield Replay(old, steps, range(first, first + len(steps)))
        first += len(steps)


def replayed_drafts(job: ConvertDocument) -> dict[str, ArtifactRef]:
    drafts = [ref for section in job.sections for ref in (section.previous, *(one.draft for one in section.history))]
    return {draft.digest: draft for draft in drafts if draft}


def _settled(section: ExportSection, draft: ArtifactRef | None) -> ExportSection:
    """A section in a comparison: the state that it is in now says nothing of its versions."""
    return section.model_copy(update={"draft": draft, "status": SectionStatus.APPROVED, "stale": False})


def wanted_images(drafts: Sequence[Draft]) -> set[str]:
    return {asset_name(source) for one in drafts for source in image_sources(one.blocks)}


def assemble(
    job: ConvertDocument,
    title: str,
    house: House,
    drafts: Sequence[Draft],
    pictures: Mapping[str, Picture | None],
    uncovered: Sequence[CoverageReport] = (),
    demands: Sequence[LedgerRow] = (),
    places: Mapping[str, AnswerPlace] | None = None,
) -> Manuscript:
    """The manuscript of a job; ``pictures`` has none for an image that was refused."""
    spoken = language_of(job.document.language)
    headline = one_line(title) or spoken.words.untitled
    is_whole = len(drafts) == 1 and bears_title(headline, drafts[0].blocks)
    chapters = [_chapter(one, pictures, spoken.words, is_whole=is_whole) for one in drafts]
    text = joined(headline, chapters, [one.warnings for one in drafts])
    answers = Answers(demands, job.matrix, places or {})
    blocks = with_matrix(text, [one.section for one in drafts], answers, spoken) + page(uncovered, spoken)
    shown = image_sources(blocks)
    return Manuscript(
        title=headline,
        house=house,
        generator=one_line(job.generator),
        created_at=job.document.created_at,
        tag=job.document.language or DEFAULT,
        language=spoken,
        blocks=blocks,
        pictures={name: picture for name, picture in pictures.items() if picture and name in shown},
        warnings=tuple(warning for one in drafts for warning in _warnings(one)),
        remarks=() if one_line(title) else (ExportRemark(code="no_title"),),
    )


def language_of(tag: str) -> Language:
    """The language of our own words in a document: English where there are none in the document's."""
    try:
        return language(tag)
    except UnknownLanguage:
        return language(DEFAULT)


def _chapter(one: Draft, pictures: Mapping[str, Picture | None], words: Words, *, is_whole: bool) -> list[Node]:
    blocks = with_safe_references(one.blocks, pictures, one.warnings, words)
    remarks = [getattr(words, code) for code in _state(one.section)]
    return whole(blocks, remarks) if is_whole else chapter(one_line(one.section.title), blocks, remarks)


def _state(section: ExportSection) -> list[str]:
    """What a reader must know of a section; the names of warnings and of words alike."""
    if section.draft is None:
        return ["not_written"]
    return [*(["not_approved"] if section.status not in SETTLED else []), *(["stale"] if section.stale else [])]


def _warnings(one: Draft) -> list[ExportWarning]:
    counts = dict.fromkeys(_state(one.section), 1) | {code: n for code, n in one.warnings.items() if n}
    return [
        ExportWarning.model_validate({"code": code, "section_id": one.section.section_id, "count": n})
        for code, n in counts.items()
    ]
