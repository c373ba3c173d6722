"""One conversion from its drafts to its format; it reads what strangers wrote, and is called in a process of its own.

It finds all artifacts in a folder, and leaves the document there. Another call looks whether its sections agree.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import replace
from html import unescape
from itertools import islice
from math import ceil
from pathlib import Path
from urllib.parse import quote, unquote

from pydantic import BaseModel
from stemma_contracts.v1.bids import RuleCheck
from stemma_contracts.v1.coverage import CoverageReport
from stemma_contracts.v1.exports import (
    MOST_CONTRADICTIONS,
    UNEXPLAINED,
    Contradiction,
    Cover,
    ExportRemark,
    ExportSection,
    ExportWarning,
    OverlongSection,
    StatedFact,
)
from stemma_contracts.v1.grounding import GroundedClaim, GroundingReport
from stemma_contracts.v1.jobs import ConvertDocument
from stemma_contracts.v1.ledger import LedgerRows
from stemma_contracts.v1.references import ArtifactRef, InputFile
from stemma_evidence import Disagreement, Fact, disagreements, read, unexplained
from stemma_languages import DEFAULT, primary
from stemma_markdown import split

from .appendices import answer_places, open_list, report_refs
from .assembly import (
    Draft,
    Manuscript,
    Source,
    assemble,
    draft,
    language_of,
    replayed_drafts,
    versions,
    wanted_images,
    with_previous,
)
from .converter import Converter, file_name
from .images import Picture, vet
from .pandoc import ConversionError
from .pdf import Pages
from .source import (
    MAX_SOURCE_BYTES,
    Staged,
    cited_files,
    decode,
    flatten_footnotes,
    grounding_refs,
    one_line,
    with_citations,
    with_own_numbers,
    without_places,
)

PART = "0" * 64
"""The digest that the beginning of a draft is staged under."""
EXPORT, OPEN = "export", "open-requirements.csv"
TOLERANCE = 0.05
"""Of a page: the space above the next heading is no text."""
READ_AT_ONCE = 2
MOST_UNEXPLAINED = 20
MOST_COMPARED = 500_000
"""Characters of all sections together: reading takes some seconds for each million."""
MOST_TOLD = 150


class Done(BaseModel):
    """What came of a conversion; the document lies in the folder."""

    failure: ConversionError | None = None
    name: str = ""
    warnings: tuple[ExportWarning, ...] = ()
    remarks: tuple[ExportRemark, ...] = ()
    too_long: tuple[OverlongSection, ...] = ()
    rules: tuple[RuleCheck, ...] = ()


def convert(folder: Path, job: ConvertDocument, converter: Converter) -> Done:
    try:
        return asyncio.run(_converted(folder, job, converter))
    except ConversionError as error:
        return Done(failure=error)


def may_show(folder: Path, texts: list[ArtifactRef], assets: list[InputFile]) -> list[InputFile]:
    written = "\n".join(Staged(folder).get(text).decode("utf-8", errors="replace") for text in texts)
    spellings = [written, plain := unescape(written).replace("\\", ""), unquote(plain)]
    return [asset for asset in assets if any(name in text for text in spellings for name in _names(asset.name))]


def _names(name: str) -> tuple[str, str]:
    last = name.rpartition("/")[2]
    return last, quote(last)


async def _converted(folder: Path, job: ConvertDocument, converter: Converter) -> Done:
    # It needs PDFium, which the service itself never loads.
    from .gate import Outgoing, checked

    artifacts = Staged(folder)
    drafts = await _drafts(job, versions(job)[0], artifacts, converter)
    manuscript = await _manuscript(job, drafts, artifacts, converter)
    artifacts.say(f"the {job.format.value} was written")
    export = await converter.write(job.format, manuscript)
    (folder / EXPORT).write_bytes(export.data)
    name, ledger = file_name(manuscript, job.format), artifacts.model(job.ledger, LedgerRows)
    if ledger is not None:
        (folder / OPEN).write_bytes(open_list(ledger.rows, job, manuscript.language.words))
    artifacts.say("the rules for the bid were checked")
    rules = ledger.bid.found if ledger and ledger.bid else ()
    return Done(
        name=name,
        warnings=manuscript.warnings,
        remarks=export.remarks,
        too_long=_too_long(job.sections, export.pages),
        rules=checked(rules, Outgoing(job.format, name, export.data, manuscript, drafts, export.pages)),
    )


def locate(folder: Path, job: ConvertDocument, converter: Converter) -> tuple[str, int]:
    """The section that cannot be converted even by itself, and the line of its draft; ("", 0) if there is none."""
    return asyncio.run(_located(folder, job, converter))


async def _located(folder: Path, job: ConvertDocument, converter: Converter) -> tuple[str, int]:
    async def fails(*sections: ExportSection) -> bool:
        try:
            await _converted(folder, job.model_copy(update={"sections": sections}), converter)
        except ConversionError:
            return True
        return False

    if await fails():
        return "", 0
    for section in job.sections:
        if section.draft and await fails(section):
            return section.section_id, await _line(Staged(folder), section, section.draft, fails)
    return "", 0


async def _line(
    staged: Staged, section: ExportSection, draft: ArtifactRef, fails: Callable[[ExportSection], Awaitable[bool]]
) -> int:
    if len(data := staged.get(draft)) > MAX_SOURCE_BYTES:
        return 1
    text = decode(data)
    blocks = split(text)
    least, most = 0, len(blocks)
    while most - least > 1:
        middle = (least + most) // 2
        part = draft.model_copy(update={"digest": PART})
        staged.put(part, text[: blocks[middle - 1].end].encode())
        is_enough = await fails(section.model_copy(update={"draft": part}))
        least, most = (least, middle) if is_enough else (middle, most)
    return blocks[most - 1].line if blocks else 1


def _too_long(sections: Sequence[ExportSection], pages: Pages | None) -> tuple[OverlongSection, ...]:
    """The sections beyond their limit, by the pages of our PDF; none where no pages were set."""
    lengths = pages.lengths() if pages else ()
    return tuple(
        OverlongSection(
            section_id=section.section_id,
            pages=max(ceil(length - TOLERANCE), section.max_pages + 1),
            max_pages=section.max_pages,
        )
        for section, length in zip(sections if len(lengths) == len(sections) else (), lengths, strict=False)
        if section.max_pages is not None and length > section.max_pages + TOLERANCE
    )


async def _manuscript(
    job: ConvertDocument, drafts: Sequence[Draft], artifacts: Staged, converter: Converter
) -> Manuscript:
    title = decode(artifacts.get(job.document.title)) if job.document.title else ""
    earlier = await _drafts(job, versions(job)[1], artifacts, converter)
    pictures = _pictures(job, [*drafts, *earlier], artifacts, converter)
    reports = [found for ref in report_refs(job) if (found := artifacts.model(ref, CoverageReport))]
    ledger = artifacts.model(job.ledger, LedgerRows)
    demands, places = ledger.rows if ledger else (), answer_places(job, artifacts)
    manuscript = assemble(job, title, converter.house, drafts, pictures, reports, demands, places)
    cover = job.cover or Cover()
    manuscript = replace(manuscript, client=one_line(cover.client), number=one_line(cover.number))
    if not job.redline:
        return replace(manuscript, document_id=job.document.document_id, sources=tuple(_sources(job, artifacts)))
    previous = assemble(job, title, converter.house, earlier, pictures)
    files, replayed = _cited_files(job, artifacts), replayed_drafts(job).items()
    texts = {digest: without_places(decode(artifacts.get(ref)), files) for digest, ref in replayed}
    return with_previous(manuscript, previous, job, texts)


def _sources(job: ConvertDocument, artifacts: Staged) -> Iterator[Source]:
    for one in job.sections:
        if one.draft is not None:
            yield Source(one.section_id, one.version, one.draft.digest, decode(artifacts.get(one.draft)))


async def _drafts(
    job: ConvertDocument, sections: Sequence[ExportSection], artifacts: Staged, converter: Converter
) -> list[Draft]:
    """The drafts of sections, few of them read at a time: each takes a process and memory of its own."""
    few, under_way = asyncio.Semaphore(READ_AT_ONCE), dict[str, None]()
    files = _cited_files(job, artifacts)

    async def one(section: ExportSection) -> Draft:
        async with few:
            under_way[section.section_id] = None
            artifacts.say(f"section {', '.join(under_way)} was read")
            found = await _draft(job, section, files, artifacts, converter)
            under_way.pop(section.section_id, None)
            return found

    return await asyncio.gather(*map(one, sections))


def _cited_files(job: ConvertDocument, artifacts: Staged) -> frozenset[str]:
    return cited_files(found for ref in grounding_refs(job) if (found := artifacts.model(ref, GroundingReport)))


async def _draft(
    job: ConvertDocument, section: ExportSection, files: frozenset[str], artifacts: Staged, converter: Converter
) -> Draft:
    if section.draft is None:
        return draft(section, [])
    source = artifacts.get(section.draft)
    if job.citations and (report := artifacts.model(section.grounding, GroundingReport)):
        text = source.decode("utf-8", errors="replace")
        source = with_citations(text, section.draft, report, language_of(job.document.language)).encode()
    text = without_places(decode(source), files)
    return draft(section, await converter.pandoc.read(flatten_footnotes(with_own_numbers(text))))


def _pictures(
    job: ConvertDocument, drafts: Sequence[Draft], artifacts: Staged, converter: Converter
) -> dict[str, Picture | None]:
    wanted = wanted_images(drafts)
    assets = {asset.name: asset.artifact for asset in job.assets if asset.name in wanted}
    return {
        name: vet(artifacts.get(ref), converter.images) if artifacts.has(ref) else None
        for name, ref in sorted(assets.items())
    }


class Compared(BaseModel):
    """What two sections state differently, and a remark if sections were not looked at."""

    contradictions: tuple[Contradiction, ...] = ()
    remarks: tuple[ExportRemark, ...] = ()


def not_compared(count: int) -> Compared:
    """What is known where so many sections were not looked at."""
    return Compared(remarks=(ExportRemark(code="not_compared", count=count),) if count else ())


def compared(folder: Path, job: ConvertDocument) -> Compared:
    """The facts that two sections or forms state differently, of those that the comparison has room for."""
    artifacts = Staged(folder)
    left, texts, grounding, passed = MOST_COMPARED, [], dict[str, GroundingReport](), 0
    spoken = primary(job.document.language or DEFAULT)
    for one in (*job.sections, *job.forms):
        is_small = one.draft is not None and one.draft.size <= left and artifacts.has(one.draft)
        text = decode(artifacts.get(one.draft)) if one.draft and is_small else ""
        if one.draft and one.draft.size > left:
            passed += 1
        elif text:
            left -= len(text)
            texts.append(read(text, "text/markdown", spoken, standing="section", name=one.section_id))
            grounding[one.section_id] = artifacts.model(one.grounding, GroundingReport) or GroundingReport()
    found = tuple(_contradiction(each, grounding) for each in islice(disagreements(texts), MOST_CONTRADICTIONS))
    known = {word for report in grounding.values() for claim in report.claims for word in _given(claim)}
    unclear = (
        ExportRemark(code=UNEXPLAINED, section_id=one.where, detail=one.text, count=one.count)
        for one in islice(unexplained(texts, known), MOST_UNEXPLAINED)
    )
    return Compared(contradictions=found, remarks=(*not_compared(passed).remarks, *unclear))


def _given(claim: GroundedClaim) -> Sequence[str]:
    """The words of a claim that an input has: who reads the document knows its abbreviations."""
    return claim.text.split() if any(source.standing == "input" for source in claim.sources) else ()


def _contradiction(found: Disagreement, grounding: dict[str, GroundingReport]) -> Contradiction:
    about = ", ".join(sorted(found.one.about & found.other.about))[:MOST_TOLD]
    one, other = (_stated(fact, grounding[fact.where]) for fact in (found.one, found.other))
    return Contradiction(kind=found.one.kind, about=about, one=one, other=other)


def _stated(fact: Fact, grounding: GroundingReport) -> StatedFact:
    stated = fact.claim.text if fact.claim else fact.text  # the first of a range
    sources = (
        f"{source.name}, {source.place or source.heading or source.line}"
        for claim in grounding.claims
        if claim.line_number == fact.line and claim.text == stated
        for source in claim.sources
        if source.standing == "input"
    )
    text = " ".join(fact.text.split())[:MOST_TOLD]
    return StatedFact(section_id=fact.where, line=fact.line, text=text, source=next(sources, "")[:MOST_TOLD])
