"""Check what a request names, and store its free text, before anything is decided."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import PurePosixPath

from pydantic import ValidationError
from stemma_artifacts.store import ArtifactMissing, ArtifactStore
from stemma_artifacts.uploads import UploadCorrupt, UploadMissing, UploadStore
from stemma_contracts.base import free_texts
from stemma_contracts.media import READ, SHOWN
from stemma_contracts.v1 import requests as r
from stemma_contracts.v1.answers import Problem
from stemma_contracts.v1.comments import NewComment, Remark
from stemma_contracts.v1.events import DocumentRequested
from stemma_contracts.v1.inputs import BRIEF, UnreadableInput
from stemma_contracts.v1.ledger import LedgerRows, RowCuts, RowParts
from stemma_contracts.v1.needs import NeedAnswer
from stemma_contracts.v1.outline import PlanWording, SectionTitles
from stemma_contracts.v1.references import ArtifactRef, InputFile, UploadRef
from stemma_contracts.v1.section import SectionPlan
from stemma_domain.blueprints.outlines import InvalidOutline, plan_outline
from stemma_domain.blueprints.planning import (
    SECTION_GRAPH,
    missing_inputs,
    plan_sections,
    planned_cycle,
    unknown_sections,
)
from stemma_domain.commands import Asked
from stemma_domain.decide import is_decidable
from stemma_domain.features.choosing import TEXT
from stemma_domain.features.documents import Create
from stemma_domain.features.inputs.feature import Added, Replaced, listed, numbered
from stemma_domain.features.inputs.material import artifact_of, as_input
from stemma_domain.features.ledger.feature import Cut, WrongCutError, split_rows
from stemma_domain.features.returns import FILE, VERSIONS, TakeOver, written_versions
from stemma_domain.state import Document
from stemma_languages import UnknownLanguage, detect, foreign, language, shipped

from stemma_orchestrator.catalog import Catalog, Kind
from stemma_orchestrator.choosing import Choosing
from stemma_orchestrator.inputs import (
    MAX_LIST_BYTES,
    Judged,
    Limits,
    NotWhatItSays,
    checked,
    not_blank,
    problem_of_image,
    problem_of_ref,
    problem_of_text,
    problems_of_inputs,
)
from stemma_orchestrator.requests import MAX_NAMED, Received, Refused, shown
from stemma_orchestrator.returning import Returning

Capabilities = Callable[[], Awaitable[frozenset[str] | None]]
Uploads = Callable[[str], UploadStore]

MAX_IMAGES_BYTES = 48 * 1024
"""What the list of images may take up in the job of a conversion: those among the inputs and those of an answer."""


@dataclass(frozen=True)
class Intake:
    """Makes requests ready to be decided. ``graphs`` are those that generation knows, None while it has not said."""

    catalog: Catalog
    artifacts: ArtifactStore
    uploads: Uploads
    graphs: Capabilities
    limits: Limits

    async def command(
        self,
        received: Received,
        request: r.Request,
        time: datetime,
        inputs: Sequence[InputFile] = (),
        rows: ArtifactRef | None = None,
        document: Document | None = None,
    ) -> Asked[r.Request]:
        """A request about a document with these inputs and rows of its ledger, as it is decided. Raises `Refused`."""
        if not is_decidable(request):
            raise Refused(Problem.of("request_unsupported"))
        tenant, asked = received.tenant, received.asked
        match request:
            case r.CreateDocument():
                return await self._create(received, request, time)
            case r.SplitRequirements():
                return await cut_rows(received, request, time, self.artifacts, rows)
            case r.AddInput():
                if listed(inputs) > MAX_LIST_BYTES:
                    raise Refused(Problem.of("inputs_too_many", "upload"))
                judged = await self._given(tenant, request)
                found = judged.proposed
                return Added(request, asked, time, to_read=judged.to_read, unreadable=judged.unreadable, proposed=found)
            case r.ReplaceInput():
                judged = await self._given(tenant, request)
                return Replaced(request, asked, time, to_read=judged.to_read, unreadable=judged.unreadable)
            case r.ReadRequirements():
                check_sources(request, inputs)
            case r.AcceptSuggestion() | r.TakeBackChanges() if document is not None:
                return Asked(request, asked, time, await self._chosen(tenant, request, document))
            case r.ChangeFact() if document is not None:
                return Asked(request, asked, time, await self._with_fact(tenant, request, document))
            case r.ReadReturn() if document is not None:
                return Asked(request, asked, time, await self._returned(tenant, request, document))
            case r.ApplyReturn() if document is not None:
                taken = await Returning(self.artifacts, document).taken(request)
                return TakeOver(request, asked, time, taken=taken)
            case _:
                pass
        return Asked(request, asked, time, await self._texts(tenant, request, inputs))

    async def _chosen(
        self, tenant: str, request: r.AcceptSuggestion | r.TakeBackChanges, document: Document
    ) -> dict[str, ArtifactRef]:
        text = await Choosing(self.artifacts, document).text(request)
        if text is None:
            return {}
        if not text.strip():
            raise Refused(Problem.of("text_blank", "changes", name="draft.md"))
        return {TEXT: await self._stored(tenant, request.document_id, text, "draft.md", "text/markdown")}

    async def _with_fact(self, tenant: str, request: r.ChangeFact, document: Document) -> dict[str, ArtifactRef]:
        """The texts of the sections with the other words, by their ids."""
        choosing, texts = Choosing(self.artifacts, document), dict[str, ArtifactRef]()
        for seen in request.sections:
            if (text := await choosing.with_fact(request, seen)) is not None:
                stored = await self._stored(tenant, request.document_id, text, "draft.md", "text/markdown")
                texts[seen.section_id] = stored
        return texts

    async def _returned(self, tenant: str, request: r.ReadReturn, document: Document) -> dict[str, ArtifactRef]:
        name = request.document_id
        versions = written_versions(document).model_dump_json()
        return {
            FILE: await self._file_taken(tenant, name, request.upload, FILE),
            VERSIONS: await self._stored(tenant, name, versions, "versions.json", "application/json"),
        }

    async def _texts(self, tenant: str, request: r.Request, inputs: Sequence[InputFile]) -> dict[str, ArtifactRef]:
        match request:
            case r.AnswerNeed():
                if _too_many_images(request, inputs):
                    raise Refused(Problem.of("images_too_many", "decisions"))
                return {"answer": await self._answer(tenant, request)}
            case r.EditSection(instruction=None):
                return {"text": await self._written(tenant, request, inputs)}
            case r.CommentSection():
                made = enumerate(request.comments)
                return {f"comments.{n}": await self._remark(tenant, request, comment) for n, comment in made}
            case r.DocumentRequest():
                return await self._free_texts(tenant, request)
            case _:
                return {}

    async def _free_texts(self, tenant: str, request: r.DocumentRequest) -> dict[str, ArtifactRef]:
        return {
            name: await self._stored(tenant, request.document_id, text, how.name, how.media_type)
            for name, how, text in free_texts(request)
        }

    async def _answer(self, tenant: str, request: r.AnswerNeed) -> ArtifactRef:
        """An answer in words is a text; decisions make it JSON, with the uploads as artifacts."""
        document_id = request.document_id
        if heading := " ".join(request.heading.split()):
            evidence = f"# {heading}\n\n{request.answer}\n"
            return await self._stored(tenant, document_id, evidence, "answer.md", "text/markdown")
        if not request.decisions:
            return await self._stored(tenant, document_id, request.answer, "answer.txt")
        decisions = {
            reference: await self._decision(tenant, document_id, f"decisions.{shown(reference)}", decision)
            for reference, decision in request.decisions.items()
        }
        answer = NeedAnswer(text=request.answer, decisions=decisions).model_dump_json()
        return await self._stored(tenant, document_id, answer, "answer.json", "application/json")

    async def _decision(self, tenant: str, document_id: str, field: str, decision: str | UploadRef) -> str | InputFile:
        return decision if isinstance(decision, str) else await self._image(tenant, document_id, field, decision)

    async def _image(self, tenant: str, document_id: str, field: str, image: UploadRef) -> InputFile:
        if problem := problem_of_image(image, field, self.limits.max_input_bytes):
            raise Refused(problem)
        await self._taken(tenant, document_id, image, field, self._content(tenant, image))
        return as_input(image)

    async def _written(self, tenant: str, request: r.EditSection, inputs: Sequence[InputFile]) -> ArtifactRef:
        """The text that a person wrote; the images that come with it are copied first."""
        if problem := _problem_of_images(request.images, inputs):
            raise Refused(problem)
        for number, image in enumerate(request.images):
            await self._image(tenant, request.document_id, f"images.{number}", image)
        if request.text_upload is not None:
            return await self._text_taken(tenant, request.document_id, request.text_upload, "text_upload")
        return (await self._free_texts(tenant, request))["text"]

    async def _remark(self, tenant: str, request: r.CommentSection, comment: NewComment) -> ArtifactRef:
        remark = Remark(text=comment.text, quote=comment.quote, before=comment.before).model_dump_json()
        return await self._stored(tenant, request.document_id, remark, "remark.json", "application/json")

    async def _create(self, received: Received, request: r.CreateDocument, time: datetime) -> Create:
        tenant = received.tenant
        kind = await self._kind(tenant, request)
        document_id = received.document_id
        sections = _sections(kind, request)
        missing = missing_inputs(kind.blueprint, sections, {_read_as(upload) for upload in request.inputs})
        if problems := [*problems_of_inputs(request.inputs, self.limits), *missing]:
            raise Refused(*problems[:MAX_NAMED])
        brief = await self._brief(tenant, document_id, request)
        inputs = await self._inputs(tenant, document_id, request.inputs)
        for copy in (one for one in inputs if one.upload.digest == brief.digest and one.proposed == "evidence"):
            copy.proposed = "internal"  # The brief lies in the folder of inputs, too: instructions are no evidence.
        to_read = tuple(name for name, judged in _by_id(inputs) if judged.to_read)
        words = request.title.strip() or _file_title(request)
        title = await self._stored(tenant, document_id, words, "title.txt") if words else None
        requested = DocumentRequested(
            **received.asked,
            tenant=tenant,
            document_id=document_id,
            kind=request.kind,
            title=title,
            brief=brief,
            inputs=tuple(as_input(judged.upload, judged.proposed) for judged in inputs),
            to_read=to_read if _is_text(request) else (BRIEF, *to_read),
            unreadable=tuple(_unreadable(inputs)),
            sections=sections,
            cycle=planned_cycle(kind.blueprint, sections),
            blueprint_digest=kind.digest,
            created_at=time,
            language=kind.blueprint.language,
            wordings=tuple(_wordings(kind, request)) if request.language is None and not _is_text(request) else (),
            titled_by_file=title is not None and not request.title.strip(),
            budget=request.budget or kind.blueprint.budget,
            chapters_from_request=_takes_chapters(request, kind, sections),
        )
        return Create(request, received.asked, time, requested=requested)

    async def _kind(self, tenant: str, request: r.CreateDocument) -> Kind:
        kind = await self._known_kind(request)
        brief = await self._brief_text(tenant, request) if request.language is None else ""
        try:
            return await in_language_of(kind, request.language, brief)
        except NoLanguage as error:
            raise Refused(error.problem) from None

    async def _known_kind(self, request: r.CreateDocument) -> Kind:
        kind = self.catalog.get(request.kind)
        if kind is None:
            known = ", ".join(sorted(self.catalog))
            raise Refused(Problem.of("kind_unknown", "kind", kind=request.kind, known=known))
        if problems := unknown_sections(kind.blueprint, request.sections):
            raise Refused(*problems[:MAX_NAMED])
        graphs = await self.graphs()
        unknown = [s.graph for s in kind.blueprint.sections if graphs is not None and s.graph not in graphs]
        if unknown:
            raise Refused(Problem.of("kind_graph_unknown", "kind", graph=unknown[0]))
        return kind

    async def _brief_text(self, tenant: str, request: r.CreateDocument) -> str:
        """The brief before anything of it is stored; nothing if it has to be read first."""
        if request.brief is not None or not _is_text(request):
            return request.brief or ""
        assert request.brief_upload is not None
        self._refuse_no_text(request.brief_upload, "brief_upload")
        with _refusing(request.brief_upload, "brief_upload"):
            return b"".join([piece async for piece in self._content(tenant, request.brief_upload)]).decode()

    async def _brief(self, tenant: str, document_id: str, request: r.CreateDocument) -> ArtifactRef:
        if request.brief is not None:
            return await self._stored(tenant, document_id, request.brief, "brief.md", "text/markdown")
        assert request.brief_upload is not None
        if not _is_text(request):
            return await self._file_taken(tenant, document_id, request.brief_upload, "brief_upload")
        return await self._text_taken(tenant, document_id, request.brief_upload, "brief_upload")

    async def _file_taken(self, tenant: str, document_id: str, upload: UploadRef, field: str) -> ArtifactRef:
        if problem := problem_of_ref(upload, field, self.limits.max_input_bytes):
            raise Refused(problem)
        return await self._taken(tenant, document_id, upload, field, self.uploads(tenant).pieces(upload))

    async def _text_taken(self, tenant: str, document_id: str, upload: UploadRef, field: str) -> ArtifactRef:
        self._refuse_no_text(upload, field)
        return await self._taken(
            tenant, document_id, upload, field, not_blank(self._content(tenant, upload), upload.name)
        )

    def _refuse_no_text(self, upload: UploadRef, field: str) -> None:
        if problem := problem_of_text(upload, field, self.limits.max_brief_bytes):
            raise Refused(problem)

    async def _inputs(self, tenant: str, document_id: str, uploads: Sequence[UploadRef]) -> list[Judged]:
        return [await self._input(tenant, document_id, upload, f"inputs.{i}") for i, upload in enumerate(uploads)]

    async def _input(self, tenant: str, document_id: str, upload: UploadRef, field: str) -> Judged:
        """Copy an input whatever it holds: what nobody can read is an attachment, and no reason to refuse the rest."""
        judged = Judged(upload, self.limits.max_text_input_bytes)
        content = judged.noticed(self.uploads(tenant).pieces(upload))
        await self._taken(tenant, document_id, upload, field, content)
        return judged

    async def _given(self, tenant: str, request: r.AddInput | r.ReplaceInput) -> Judged:
        if problem := problem_of_ref(request.upload, "upload", self.limits.max_input_bytes):
            raise Refused(problem)
        return await self._input(tenant, request.document_id, request.upload, "upload")

    def _content(self, tenant: str, upload: UploadRef) -> AsyncIterator[bytes]:
        return checked(self.uploads(tenant).pieces(upload), upload)

    async def _taken(
        self, tenant: str, document_id: str, upload: UploadRef, field: str, content: AsyncIterator[bytes]
    ) -> ArtifactRef:
        ref = artifact_of(upload)
        with _refusing(upload, field):
            await self.artifacts.put_pieces(tenant, document_id, ref, content)
        return ref

    async def _stored(
        self, tenant: str, document_id: str, text: str, name: str, media_type: str = "text/plain"
    ) -> ArtifactRef:
        return await self.artifacts.put(tenant, document_id, text.encode(), media_type=media_type, name=name)


@contextmanager
def _refusing(upload: UploadRef, field: str) -> Iterator[None]:
    try:
        yield
    except NotWhatItSays as error:
        raise Refused(error.problem.model_copy(update={"field": field})) from None
    except UploadMissing:
        raise Refused(Problem.of("upload_missing", field)) from None
    except UploadCorrupt:
        raise Refused(Problem.of("upload_corrupt", field)) from None


def _is_text(request: r.CreateDocument) -> bool:
    """Whether the brief is a text as it is given; another file is read first."""
    return request.brief_upload is None or request.brief_upload.media_type == "text/markdown"


def _file_title(request: r.CreateDocument) -> str:
    """What a document is called as long as its brief is a file that nobody has read."""
    brief = request.brief_upload
    return "" if brief is None or _is_text(request) else PurePosixPath(brief.name).stem


def _read_as(upload: UploadRef) -> str:
    """What an input is to those who write: nearly all that is no image is read into Markdown."""
    return upload.media_type if upload.media_type in READ | SHOWN else "text/markdown"


def _by_id(inputs: Sequence[Judged]) -> Iterator[tuple[str, Judged]]:
    files = numbered([as_input(judged.upload) for judged in inputs])
    return ((str(file.input_id), judged) for file, judged in zip(files, inputs, strict=True))


def _unreadable(inputs: Sequence[Judged]) -> Iterator[UnreadableInput]:
    for name, judged in _by_id(inputs):
        if judged.unreadable is not None:
            yield UnreadableInput(input_id=name, **judged.unreadable.model_dump())


def _sections(kind: Kind, request: r.CreateDocument) -> tuple[SectionPlan, ...]:
    plans = _plans(kind, request)
    if request.review_edits is None:
        return plans
    return tuple(plan.model_copy(update={"review_edits": request.review_edits}) for plan in plans)


def _plans(kind: Kind, request: r.CreateDocument) -> tuple[SectionPlan, ...]:
    if request.outline is None:
        return plan_sections(kind.blueprint, kind.dependencies, request.sections, request.review)
    try:
        return plan_outline(kind.blueprint, kind.dependencies, request.outline, request.review, kind.ids_by_title)
    except InvalidOutline as error:
        raise Refused(*error.problems[:MAX_NAMED]) from None


def _takes_chapters(request: r.CreateDocument, kind: Kind, sections: Sequence[SectionPlan]) -> bool:
    unsaid = request.outline is None and request.sections is None and kind.blueprint.cycle is None
    return unsaid and len(sections) > 1 and {section.graph for section in sections} == {SECTION_GRAPH}


def _problem_of_images(images: Sequence[UploadRef], inputs: Sequence[InputFile]) -> Problem | None:
    """What is wrong with images that come with a text, seen beside the inputs."""
    names = {item.name: item.artifact.digest for item in inputs}
    for number, image in enumerate(images):
        if names.setdefault(image.name, image.digest) != image.digest:
            return Problem.of("file_name_taken", f"images.{number}")
    held = [item for item in inputs if item.artifact.media_type in SHOWN]
    if sum(len(item.model_dump_json()) for item in (*held, *map(as_input, images))) > MAX_IMAGES_BYTES:
        return Problem.of("images_too_many", "images")
    return None


def _too_many_images(request: r.AnswerNeed, inputs: Sequence[InputFile]) -> bool:
    supplied = [as_input(decision) for decision in request.decisions.values() if isinstance(decision, UploadRef)]
    images = [item for item in inputs if item.artifact.media_type in SHOWN]
    return sum(len(item.model_dump_json()) for item in (*images, *supplied)) > MAX_IMAGES_BYTES


def _wordings(kind: Kind, request: r.CreateDocument) -> Iterator[PlanWording]:
    """The plan in every other language of its kind: which one it is to be is known when the brief is read."""
    now = {_titles(plan) for plan in _sections(kind, request)}
    for tag in kind.languages:
        found = kind.in_language(tag)
        if found is not None and tag != kind.blueprint.language:
            titles = (_titles(plan) for plan in _sections(found, request))
            yield PlanWording(language=tag, sections=tuple(told for told in titles if told not in now))


def _titles(plan: SectionPlan) -> SectionTitles:
    return SectionTitles(section_id=plan.section_id, title=plan.title, required_headings=plan.required_headings)


FIELD = "language"


class NoLanguage(ValueError):
    """A language in which no document can be written; the problem names it and those that there are."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message)
        self.problem = problem


async def in_language_of(kind: Kind, wanted: str | None, brief: str) -> Kind:
    """The kind in the language that is wanted, else that of the brief. Raises `NoLanguage`."""
    tag = _named(wanted) if wanted is not None else await asyncio.to_thread(_heard, brief)
    found = kind.in_language(tag)
    if found is None:
        about = {"kind": kind.blueprint.kind, "language": tag, "known": ", ".join(kind.languages)}
        raise NoLanguage(Problem.of("language_without_titles", FIELD, **about))
    return found


def _named(wanted: str) -> str:
    try:
        return language(wanted).tag
    except UnknownLanguage:
        raise NoLanguage(_unknown("language_unknown", wanted)) from None


def _heard(brief: str) -> str:
    other = foreign(brief)
    if other is not None:
        raise NoLanguage(_unknown("brief_language_unknown", other))
    return detect(brief)


def _unknown(code: str, tag: str) -> Problem:
    return Problem.of(code, FIELD, language=tag[:64], known=", ".join(shipped()))


async def cut_rows(
    received: Received,
    request: r.SplitRequirements,
    time: datetime,
    artifacts: ArtifactStore,
    rows: ArtifactRef | None,
) -> Cut:
    """The request to cut rows of the ledger that has these rows, with what comes of it. Raises `Refused`."""
    if rows is None or rows.digest != request.rows_digest:
        return Cut(request, received.asked, time)
    about = (received.tenant, request.document_id)
    try:
        body, parts = await asyncio.to_thread(_cut, await artifacts.get(*about, rows), request.splits)
    except WrongCutError as error:
        raise Refused(error.problem) from None
    except (ArtifactMissing, ValidationError):
        raise Refused(Problem.of("rows_gone", "rows_digest")) from None
    stored = await artifacts.put(*about, body, media_type="application/json", name=rows.name)
    return Cut(request, received.asked, time, rows=stored, parts=parts)


def _cut(rows: bytes, splits: Sequence[RowCuts]) -> tuple[bytes, tuple[RowParts, ...]]:
    cut, parts = split_rows(LedgerRows.model_validate_json(rows), splits)
    return cut.model_dump_json().encode(), parts


def check_sources(request: r.ReadRequirements, inputs: Sequence[InputFile]) -> None:
    """Raise `Refused` if the document does not have what is to be read, or if that is no request of the buyer."""
    if request.without_brief and not request.sources and not any(item.used_as == "request" for item in inputs):
        raise Refused(Problem.of("sources_needed", "sources"))
    roles = {item.name: item.used_as for item in inputs}
    unknown = [(position, name) for position, name in enumerate(request.sources) if name not in roles][:MAX_NAMED]
    if unknown:
        known = ", ".join(item.name for item in inputs)
        raise Refused(
            *(Problem.of("input_unknown_among", f"sources.{at}", name=name, known=known) for at, name in unknown)
        )
    others = [(at, name) for at, name in enumerate(request.sources) if roles[name] != "request"][:MAX_NAMED]
    if others:
        raise Refused(
            *(Problem.of("source_no_request", f"sources.{at}", name=name, role=roles[name]) for at, name in others)
        )
