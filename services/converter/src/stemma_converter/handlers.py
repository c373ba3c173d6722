"""The jobs of this service: convert a document, read an input, fill a form, compare a file that comes back."""

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Hashable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypedDict, TypeVar

from faststream.nats import NatsRouter
from stemma_artifacts.store import ArtifactCorrupt, ArtifactMissing, ArtifactStore, fetch, look_for
from stemma_confinement import ConfinementError, Crashed, Limits, OutOfTime
from stemma_confinement.computing import confined_in
from stemma_contracts.v1.jobs import CompareReturn, ConvertDocument, FillForm, ReadInput
from stemma_contracts.v1.outcomes import (
    ConversionFailed,
    DocumentConverted,
    FormFilled,
    FormNotFilled,
    InputRead,
    InputUnreadable,
    ReturnCompared,
    ReturnNotCompared,
)
from stemma_contracts.v1.proofs import Proof
from stemma_contracts.v1.references import ArtifactRef
from stemma_evidence.proof.signing import TenantKey
from stemma_messaging import Turns, job_routes
from stemma_telemetry import get_logger

from .appendices import block_refs, not_covered, report_refs
from .assembly import replayed_drafts
from .conversion import EXPORT, OPEN, Compared, Done, compared, convert, locate, may_show, not_compared
from .converter import Converter, media_type
from .pandoc import ConversionError
from .proving import found_in, is_proven, seal, signed
from .reading_call import ANSWERS, FILE, FILLED, fill_form
from .readings import Readings
from .source import STEP, Staged, grounding_refs

log = get_logger()
PROOF = "proof.json"
COMPARING = Limits(seconds=60)
"""Of the comparison of what sections state, which takes some seconds at most."""
MOST_KEPT = 16
"""Comparisons that are kept: a document goes out in several formats, one after the other."""

T = TypeVar("T")


@dataclass(frozen=True)
class Tools:
    artifacts: ArtifactStore
    converter: Converter
    limits: Limits
    turns: Turns
    readings: Readings
    comparing: Limits = COMPARING
    signing_secret: str = field(default="", repr=False)
    agreements: OrderedDict[Hashable, Compared] = field(default_factory=OrderedDict, repr=False)


def routes(tools: Callable[[], Tools]) -> NatsRouter:
    async def convert_document(job: ConvertDocument) -> DocumentConverted | ConversionFailed:
        return await on_convert_document(job, tools=tools())

    async def read_input(job: ReadInput) -> InputRead | InputUnreadable:
        return await tools().readings.read(job)

    async def fill_form(job: FillForm) -> FormFilled | FormNotFilled:
        return await on_fill_form(job, readings=tools().readings)

    async def compare_return(job: CompareReturn) -> ReturnCompared | ReturnNotCompared:
        return await tools().readings.compare(job)

    return job_routes(convert_document, read_input, fill_form, compare_return)


async def on_convert_document(job: ConvertDocument, *, tools: Tools) -> DocumentConverted | ConversionFailed:
    """Assemble the sections and write them in the format asked for, in a process with limits for all of it."""
    try:
        done, agreement, written = await _converted(job, tools)
    except ConversionError as error:
        # Of what a program says about its input nothing is kept: it quotes the text.
        why = {"reason": error.code, "program": error.program, "exit_code": error.exit_code}
        log.warning("conversion_failed", format=job.format, **why)
        problem = error.problem
        return ConversionFailed(**job.echo(), detail=problem.message[:300], code=problem.code, params=problem.params)
    about = done.model_dump(include={"warnings", "too_long", "rules"})
    about |= {"contradictions": agreement.contradictions, "remarks": (*done.remarks, *agreement.remarks)}
    covered = {"not_covered": not_covered(job.sections), "open_requirements": job.open_requirements}
    return DocumentConverted.model_validate({**job.echo(), **about, **covered, **written})


class _Written(TypedDict):
    artifact: ArtifactRef
    open_list: ArtifactRef | None
    proof: ArtifactRef | None


async def _converted(job: ConvertDocument, tools: Tools) -> tuple[Done, Compared, _Written]:
    """What it needs is looked for before the turn: a wait for what is lost holds up nobody."""
    owner, texts = (job.document.tenant, job.document.document_id), list(_texts_of(job))
    with TemporaryDirectory(prefix="stemma-") as name:
        folder = Path(name)
        await look_for(tools.artifacts, *owner, *texts)
        beside = [ref async for ref in _beside(job, tools.artifacts)]
        async with tools.turns.turn(job.document.tenant):
            for ref in texts:
                await fetch(tools.artifacts, *owner, ref, folder / ref.digest)
            await _stage(job, tools, folder, texts, beside)
            done = await _confined(folder, tools, convert, job, tools.converter)
            if done.failure:
                raise await _located(folder, tools, job, done.failure)
            agreement = await _compared(folder, tools, job)
            proof = await _proven(folder, job, tools)
        data = await asyncio.to_thread((folder / EXPORT).read_bytes)
        listed = (folder / OPEN).read_bytes() if (folder / OPEN).exists() else b""
    put = partial(tools.artifacts.put, *owner)
    ref = await put(data, media_type=media_type(job.format), name=done.name)
    still_open = await put(listed, media_type="text/csv", name=OPEN) if listed else None
    body = proof.model_dump_json(exclude_defaults=True).encode() if proof else b""
    told = await put(body, media_type="application/json", name=PROOF) if proof else None
    return done, agreement, _Written(artifact=ref, open_list=still_open, proof=told)


async def _proven(folder: Path, job: ConvertDocument, tools: Tools) -> Proof | None:
    """Sign the file in a folder. No process that reads what strangers wrote knows the key."""
    if not tools.signing_secret or not is_proven(job):
        return None
    found = await _confined(folder, tools, found_in, job)
    proof, carried = signed(job, found, TenantKey.of(tools.signing_secret, job.document.tenant))
    await _confined(folder, tools, seal, carried)
    return proof


async def _compared(folder: Path, tools: Tools, job: ConvertDocument) -> Compared:
    """What the sections state differently; a file is not lost by texts that take too long to compare."""
    if job.redline:
        return Compared()
    stated = tuple(_stated(folder, job))
    if (known := tools.agreements.get(stated)) is not None:
        return known
    try:
        found = await confined_in(folder, tools.readings.prepared, tools.comparing, compared, job)
    except ConfinementError as ended:
        log.warning("sections_not_compared", reason=str(ended))
        return not_compared(len(job.sections))
    tools.agreements[stated] = found
    if len(tools.agreements) > MOST_KEPT:
        tools.agreements.popitem(last=False)
    return found


def _stated(folder: Path, job: ConvertDocument) -> Iterator[Hashable]:
    """What a comparison rests on: the language, and of each section and form what is there of its text and report."""
    staged = Staged(folder)
    yield job.document.language
    for one in (*job.sections, *job.forms):
        yield one.section_id, *(ref.digest for ref in (one.draft, one.grounding) if ref and staged.has(ref))


async def _located(folder: Path, tools: Tools, job: ConvertDocument, failure: ConversionError) -> ConversionError:
    """The failure with the place that it comes from, unless the limits are over before that is found."""
    with suppress(ConversionError):
        section_id, line = await _confined(folder, tools, locate, job, tools.converter)
        return replace(failure, section_id=section_id, line=line)
    return failure


async def _confined(folder: Path, tools: Tools, function: Callable[..., T], *given: Any) -> T:
    try:
        return await confined_in(folder, tools.readings.prepared, tools.limits, function, *given)
    except Crashed as crash:
        raise ConversionError("conversion_failed", "conversion", crash.status, crash.raised) from None
    except ConfinementError as ended:
        code = "timeout" if isinstance(ended, OutOfTime) else "out_of_memory"
        why = f"the conversion took {ended}"
        if (at := folder / STEP).exists():
            why += f" while {at.read_text()}"
        raise ConversionError(code, "conversion", why=why) from None


async def _beside(job: ConvertDocument, artifacts: ArtifactStore) -> AsyncIterator[ArtifactRef]:
    """What a file can do without, as far as it is there."""
    answers = [ref for form in job.forms for ref in (form.draft, form.grounding) if ref]
    ledger = [job.ledger] if job.ledger else []
    for ref in (*report_refs(job), *grounding_refs(job), *block_refs(job), *ledger, *answers):
        with suppress(ArtifactMissing, ArtifactCorrupt):
            await look_for(artifacts, job.document.tenant, job.document.document_id, ref)
            yield ref


async def _stage(
    job: ConvertDocument, tools: Tools, folder: Path, texts: Sequence[ArtifactRef], beside: Sequence[ArtifactRef]
) -> None:
    """Lay all else that the conversion may read into its folder; an image only if a draft may show it."""

    async def stage(ref: ArtifactRef) -> None:
        content = await tools.artifacts.get(job.document.tenant, job.document.document_id, ref)
        await asyncio.to_thread((folder / ref.digest).write_bytes, content)

    for ref in beside:
        with suppress(ArtifactMissing, ArtifactCorrupt):
            await stage(ref)
    fitting = [asset for asset in job.assets if asset.artifact.size <= tools.converter.images.max_bytes]
    for asset in await _confined(folder, tools, may_show, texts, fitting) if fitting else ():
        await stage(asset.artifact)


def _texts_of(job: ConvertDocument) -> Iterator[ArtifactRef]:
    refs = [job.document.title, *(section.draft for section in job.sections), *replayed_drafts(job).values()]
    yield from {ref.digest: ref for ref in refs if ref is not None}.values()


async def on_fill_form(job: FillForm, *, readings: Readings) -> FormFilled | FormNotFilled:
    owner = (job.document.tenant, job.document.document_id)
    with TemporaryDirectory(prefix="stemma-") as name:
        folder = Path(name)
        await look_for(readings.artifacts, *owner, job.form, job.answers)
        try:
            async with readings.turns.turn(job.document.tenant):
                for ref, file in ((job.form, FILE), (job.answers, ANSWERS)):
                    await fetch(readings.artifacts, *owner, ref, folder / file)
                done = await confined_in(folder, readings.prepared, readings.limits, fill_form)
        except ConfinementError as ended:
            log.warning("form_not_filled", reason=str(ended))
            return FormNotFilled(**job.echo(), reasons=(f"{job.name} could not be read: {ended}",))
        if done.reasons:
            return FormNotFilled(**job.echo(), reasons=done.reasons)
        content = await asyncio.to_thread((folder / FILLED).read_bytes)
    artifact = await readings.artifacts.put(*owner, content, media_type=job.form.media_type, name=Path(job.name).name)
    return FormFilled(**job.echo(), artifact=artifact, answered=done.answered, unanswered=done.unanswered)
