"""What a file proves of itself: what each paragraph rests on and answers, in whose version, signed by its tenant.

A confined process reads drafts and file; this one alone knows the key, and says from the job who settled what.
"""

from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple, TypeVar

from pydantic import BaseModel
from stemma_contracts.base import filled_from
from stemma_contracts.v1.blocks import BlockIndex
from stemma_contracts.v1.exports import ExportSection
from stemma_contracts.v1.grounding import GroundingReport
from stemma_contracts.v1.inputs import BRIEF
from stemma_contracts.v1.jobs import ConvertDocument
from stemma_contracts.v1.ledger import LedgerRow, LedgerRows
from stemma_contracts.v1.proofs import (
    PROVEN,
    Proof,
    ProvenBlock,
    ProvenDemand,
    ProvenName,
    ProvenSection,
    ProvenSettlement,
    ProvenSource,
    Statement,
)
from stemma_contracts.v1.references import InputFile
from stemma_evidence.proof.pdf import Piece, ProvenPdf, Text
from stemma_evidence.proof.shown import Carried, Shown
from stemma_evidence.proof.signing import TenantKey, encoded, for_readers, seal_of
from stemma_evidence.proof.verifying import opened
from stemma_markdown import document_of

from .source import Staged, decode

EXPORT = "export"
K = TypeVar("K")
_SEEN = ("request", "form")
"""Files that the reader of an offer wrote; the brief counts as a request, and is ours."""


class Source(NamedTuple):
    """A place of an input that a block rests on, as a report says it."""

    name: str
    place: str


class Found(BaseModel):
    """What a file shows and rests on, with nobody's names."""

    rest: str
    blocks: tuple[ProvenBlock, ...]
    sources: tuple[Source, ...] = ()
    demands: tuple[ProvenDemand, ...] = ()


def is_proven(job: ConvertDocument) -> bool:
    return job.format.value in PROVEN and not job.redline


def found_in(folder: Path, job: ConvertDocument) -> Found:
    """What the file in the folder shows, and what of the drafts stands behind it."""
    artifacts = Staged(folder)
    file = opened((folder / EXPORT).read_bytes())
    ledger = artifacts.model(job.ledger, LedgerRows)
    grounds = _Grounds(job, artifacts, ledger.rows if ledger else ())
    blocks = grounds.in_text(file.text) if isinstance(file, ProvenPdf) else map(grounds.of, file.shown())
    return Found(rest=file.rest, blocks=tuple(blocks), sources=tuple(grounds.sources), demands=tuple(grounds.demands()))


def seal(folder: Path, carried: Carried) -> None:
    """Put the proof into the file in the folder."""
    file = folder / EXPORT
    if not (proven := opened(file.read_bytes()).with_proof(carried)):
        raise ValueError("a file that cannot be added to carries no proof")
    file.write_bytes(proven)


def signed(job: ConvertDocument, found: Found, key: TenantKey) -> tuple[Proof, Carried]:
    """The proof with all names, and as it leaves in the file."""
    files = {file.name: file for file in job.inputs}
    shows = job.citations
    sealing = _Sealing(key, job.document.document_id)
    statement = Statement(
        document_id=job.document.document_id,
        export_id=job.export_id,
        rest=found.rest,
        sections=tuple(map(sealing.section, _written(job))),
        sources=tuple(sealing.source(one, files.get(one.name), shows=shows) for one in found.sources),
        demands=tuple(sealing.demand(one, files.get(one.source.name)) for one in found.demands),
        blocks=found.blocks,
    )
    content = encoded(for_readers(statement))
    carried = Carried(key.public, key.sign(content), content)
    return Proof(key=carried.key, signature=carried.signature, statement=statement), carried


def _written(job: ConvertDocument) -> list[ExportSection]:
    """The sections as the marks of paragraphs count them."""
    return [one for one in job.sections if one.draft is not None]


class _Sealing:
    """Which names a reader may see, and what stands there of others."""

    def __init__(self, key: TenantKey, document_id: str) -> None:
        self._key, self._document_id = key, document_id

    def section(self, section: ExportSection) -> ProvenSection:
        return filled_from(
            ProvenSection,
            section,
            draft=section.draft.digest if section.draft else None,
            settled=tuple(
                ProvenSettlement(how=one.how, verified=one.verified, at=one.at, **self._sealed("person", one.by))
                for one in section.settled
            ),
        )

    def source(self, source: Source, file: InputFile | None, *, shows: bool) -> ProvenSource:
        """An input; a report may name one that is not there any more."""
        digest = file.artifact.digest if file else None
        is_seen = shows or _is_theirs(file)
        name = {"name": source.name} if is_seen else self._sealed("source", source.name, digest or "")
        return ProvenSource(digest=digest, place=source.place, **name)

    def demand(self, demand: ProvenDemand, file: InputFile | None) -> ProvenDemand:
        name = demand.source.name
        told = ProvenName(name=name) if _is_theirs(file) else ProvenName(**self._sealed("source", name, ""))
        return demand.model_copy(update={"source": told})

    def _sealed(self, kind: str, name: str, *more: str) -> dict[str, str]:
        if not name:
            return {}
        salt = self._key.salt(self._document_id, kind, name)
        return {"name": name, "salt": salt, "seal": seal_of(salt, name, *more)}


def _is_theirs(file: InputFile | None) -> bool:
    return file is not None and file.used_as in _SEEN and file.input_id != BRIEF


class _Grounds:
    """What stands behind the paragraphs of a file, by their marks."""

    def __init__(self, job: ConvertDocument, artifacts: Staged, rows: Sequence[LedgerRow]) -> None:
        answered = {row.requirement_id for row in rows}
        self._answers = [one for one in job.answers if one.requirement_id in answered]
        self._rows = {row.requirement_id: row for row in rows}
        self._drafts = [_Draft(section, artifacts) for section in _written(job)]
        self.sources, self._demands = dict[Source, int](), dict[str, int]()

    def of(self, shown: Shown) -> ProvenBlock:
        mark = shown.mark
        if mark is None or mark.is_own or mark.section >= len(self._drafts):
            return shown.block
        return self._told(shown.block, mark.section, mark.number)

    def in_text(self, text: Text) -> list[ProvenBlock]:
        return text.blocks(self._pieces(notes=False), self._pieces(notes=True))

    def _pieces(self, *, notes: bool) -> list[Piece]:
        """The pieces of prose of all drafts, without their footnotes or these alone."""
        return [
            (one.text, self._told(ProvenBlock(digest="0" * 64), section, number))
            for section, draft in enumerate(self._drafts)
            for number, one in enumerate(draft.prose)
            if one.in_footnote == notes
        ]

    def _told(self, block: ProvenBlock, section: int, number: int) -> ProvenBlock:
        draft = self._drafts[section]
        start, end = draft.prose[number].start, draft.prose[number].end
        name = draft.block_at(start)
        asked = [one.requirement_id for one in self._answers if name and one.block_id == name]
        about = {
            "section": section,
            "block_id": name,
            "sources": _numbers(self.sources, draft.sources(start, end)),
            "demands": _numbers(self._demands, asked),
        }
        return block.model_copy(update=about)

    def demands(self) -> Iterator[ProvenDemand]:
        for row in map(self._rows.__getitem__, self._demands):
            quote = sha256(row.quote.encode()).hexdigest()
            name = ProvenName(name=row.source)
            yield ProvenDemand(requirement_id=row.requirement_id, source=name, place=row.place, quote=quote)


def _numbers(known: dict[K, int], found: Sequence[K]) -> tuple[int, ...]:
    """The places of things in a list that they are added to where they are new."""
    return tuple(dict.fromkeys(known.setdefault(one, len(known)) for one in found))


class _Draft:
    """A draft: the pieces of prose of it, its blocks, and the sentences of it that rest on inputs."""

    def __init__(self, section: ExportSection, artifacts: Staged) -> None:
        text = decode(artifacts.get(section.draft)) if section.draft else ""
        self.prose = document_of(text).prose
        index = artifacts.model(section.blocks, BlockIndex)
        self._blocks = index.blocks if index else ()
        report = artifacts.model(section.grounding, GroundingReport)
        is_of_it = report and section.draft and report.draft == section.draft.digest
        self._cited = report.cited if report and is_of_it else ()

    def block_at(self, start: int) -> str:
        return next((one.block_id for one in self._blocks if one.start <= start < one.end), "")

    def sources(self, start: int, end: int) -> list[Source]:
        cited = (one for one in self._cited if one.start < end and start < one.end)
        return [Source(place.name, place.label) for one in cited for place in one.places]
