"""From a request to a command: check what it names, and store its free text before anything is decided."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from stemma_artifacts.store import ArtifactStore
from stemma_artifacts.uploads import UploadCorrupt, UploadMissing, UploadStore
from stemma_contracts.v1 import requests as r
from stemma_contracts.v1.values import ArtifactRef, InputFile, Problem, UploadRef

from .catalog import Catalog, Kind
from .core import commands as c
from .core.identity import document_id_for
from .core.planning import plan_sections, unknown_sections
from .inputs import problem_of_content, problem_of_ref

MAX_LIST_BYTES = 40 * 1024
"""What the list of inputs may take up in an event and in every job of a section."""

Capabilities = Callable[[], Awaitable[frozenset[str] | None]]
Uploads = Callable[[str], UploadStore]


class Refused(Exception):
    """A request that cannot become a command; the problems name its fields."""

    def __init__(self, *problems: Problem) -> None:
        super().__init__(problems)
        self.problems = problems


@dataclass(frozen=True)
class Limits:
    """Sizes in bytes that inputs are held to: one of them, all of a request, and a text."""

    max_input_bytes: int
    max_inputs_bytes: int
    max_brief_bytes: int


@dataclass(frozen=True)
class Intake:
    """Makes commands. ``graphs`` gives the graphs that generation knows, None while it has not said."""

    catalog: Catalog
    artifacts: ArtifactStore
    uploads: Uploads
    graphs: Capabilities
    limits: Limits

    async def command(self, tenant: str, asked: c.Asked, request: r.Request, time: datetime) -> c.Request:
        """The command of a request. Raises `Refused`."""
        match request:
            case r.CreateDocument():
                return await self._create(tenant, asked, request, time)
            case r.DocumentRequest():
                return await self._about_document(tenant, asked, request)
            case _:
                raise Refused(Problem(field="", message="this request cannot be handled"))

    async def _about_document(self, tenant: str, asked: c.Asked, request: r.DocumentRequest) -> c.Request:
        async def stored(text: str, name: str) -> ArtifactRef:
            return await self._stored(tenant, request.document_id, text, name)

        match request:
            case r.ReviseSection():
                feedback = await stored(request.feedback, "feedback.txt")
                return c.Revise(asked, request.section_id, request.version, feedback)
            case r.AnswerNeed():
                return c.Answer(asked, request.section_id, request.need_id, await stored(request.answer, "answer.txt"))
            case r.EditSection():
                return await self._edit(tenant, asked, request)
            case r.RegenerateSection():
                guidance = await stored(request.guidance, "guidance.txt") if request.guidance else None
                return c.Regenerate(asked, request.section_id, request.version, guidance, request.replace_edited)
            case _:
                return _without_text(asked, request)

    async def _edit(self, tenant: str, asked: c.Asked, request: r.EditSection) -> c.Edit | c.Write:
        section_id, version, document_id = request.section_id, request.version, request.document_id
        if request.instruction is not None:
            instruction = await self._stored(tenant, document_id, request.instruction, "instruction.txt")
            return c.Edit(asked, section_id, version, instruction)
        if request.text is not None:
            draft = await self._stored(tenant, document_id, request.text, "draft.md", "text/markdown")
            return c.Write(asked, section_id, version, draft)
        assert request.text_upload is not None
        upload = request.text_upload
        if upload.media_type != "text/markdown":
            raise Refused(Problem(field="text_upload", message="the text of a section must be text/markdown"))
        limit = self.limits.max_brief_bytes
        return c.Write(asked, section_id, version, await self._taken(tenant, document_id, upload, "text_upload", limit))

    async def _create(self, tenant: str, asked: c.Asked, request: r.CreateDocument, time: datetime) -> c.Create:
        kind = await self._kind(request)
        document_id = document_id_for(tenant, asked.request_id)
        brief = await self._brief(tenant, document_id, request)
        inputs = await self._inputs(tenant, document_id, request.inputs)
        title = await self._stored(tenant, document_id, request.title, "title.txt") if request.title.strip() else None
        return c.Create(
            asked=asked,
            tenant=tenant,
            document_id=document_id,
            kind=request.kind,
            title=title,
            brief=brief,
            inputs=inputs,
            sections=plan_sections(kind.blueprint, kind.dependencies, request.sections, request.review),
            blueprint_digest=kind.digest,
            time=time,
        )

    async def _kind(self, request: r.CreateDocument) -> Kind:
        kind = self.catalog.get(request.kind)
        if kind is None:
            known = ", ".join(sorted(self.catalog))
            raise Refused(Problem(field="kind", message=f"{request.kind!r} is not known; known are: {known}"))
        if problems := unknown_sections(kind.blueprint, request.sections):
            raise Refused(*problems)
        graphs = await self.graphs()
        unknown = [s.graph for s in kind.blueprint.sections if graphs is not None and s.graph not in graphs]
        if unknown:
            raise Refused(Problem(field="kind", message=f"its blueprint needs the graph {unknown[0]!r}, unknown here"))
        return kind

    async def _brief(self, tenant: str, document_id: str, request: r.CreateDocument) -> ArtifactRef:
        if request.brief is not None:
            return await self._stored(tenant, document_id, request.brief, "brief.md", "text/markdown")
        assert request.brief_upload is not None
        return await self._taken(tenant, document_id, request.brief_upload, "brief_upload", self.limits.max_brief_bytes)

    async def _inputs(self, tenant: str, document_id: str, uploads: Sequence[UploadRef]) -> tuple[InputFile, ...]:
        names = [upload.name for upload in uploads]
        for i, name in enumerate(names):
            if name in names[:i]:
                raise Refused(Problem(field=f"inputs.{i}.name", message=f"{name!r} is there twice"))
        if sum(upload.size for upload in uploads) > self.limits.max_inputs_bytes:
            words = f"the inputs have more than {self.limits.max_inputs_bytes} bytes together"
            raise Refused(Problem(field="inputs", message=words))
        taken = [
            InputFile(
                name=upload.name,
                artifact=await self._taken(tenant, document_id, upload, f"inputs.{i}", self.limits.max_input_bytes),
            )
            for i, upload in enumerate(uploads)
        ]
        if sum(len(item.model_dump_json()) for item in taken) > MAX_LIST_BYTES:
            raise Refused(Problem(field="inputs", message="too many files, or too long names, for one document"))
        return tuple(taken)

    async def _taken(self, tenant: str, document_id: str, upload: UploadRef, field: str, limit: int) -> ArtifactRef:
        """Copy an upload to the artifacts, if it is what it says."""
        if words := problem_of_ref(upload, limit):
            raise Refused(Problem(field=field, message=words))
        try:
            data = await self.uploads(tenant).get(upload)
        except UploadMissing:
            raise Refused(Problem(field=field, message="there is no such upload; upload it first")) from None
        except UploadCorrupt:
            raise Refused(Problem(field=field, message="the upload has another size or digest than it says")) from None
        if words := problem_of_content(upload, data):
            raise Refused(Problem(field=field, message=words))
        return await self.artifacts.put(tenant, document_id, data, media_type=upload.media_type, name=upload.name)

    async def _stored(
        self, tenant: str, document_id: str, text: str, name: str, media_type: str = "text/plain"
    ) -> ArtifactRef:
        return await self.artifacts.put(tenant, document_id, text.encode(), media_type=media_type, name=name)


def _without_text(asked: c.Asked, request: r.DocumentRequest) -> c.Request:
    """The command of a request that holds no free text."""
    match request:
        case r.ApproveSection():
            return c.Approve(asked, request.section_id, request.version)
        case r.RetrySection():
            return c.Retry(asked, request.section_id)
        case r.KeepSection():
            return c.Keep(asked, request.section_id, request.version)
        case r.RestoreSection():
            return c.Restore(asked, request.section_id, request.version, request.restore_version)
        case r.PauseDocument():
            return c.Pause(asked)
        case r.ResumeDocument():
            return c.Resume(asked)
        case r.CancelDocument():
            return c.Cancel(asked)
        case r.ExportDocument():
            return c.Export(asked, request.format)
        case _:
            raise Refused(Problem(field="", message="this request cannot be handled"))
