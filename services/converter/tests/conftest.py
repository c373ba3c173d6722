"""A converter with the real programs, and jobs over drafts in a store in memory."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from io import BytesIO
from pathlib import Path
from typing import Any

import pypandoc  # type: ignore[import-untyped]
import pytest
from PIL import Image
from pydantic import BaseModel
from stemma_artifacts.store import MemoryArtifactStore
from stemma_confinement import Limits, Prepared
from stemma_contracts.v1.document import DocumentHead
from stemma_contracts.v1.exports import ExportFormat, ExportSection, ExportVersion
from stemma_contracts.v1.jobs import ConvertDocument
from stemma_contracts.v1.outcomes import ConversionFailed, DocumentConverted
from stemma_contracts.v1.references import ArtifactRef, InputFile
from stemma_contracts.v1.section import SectionStatus
from stemma_converter.assembly import House
from stemma_converter.converter import Converter
from stemma_converter.handlers import Tools, on_convert_document
from stemma_converter.pandoc import Pandoc
from stemma_converter.reading_call import prepare
from stemma_converter.readings import PREPARED, Readings
from stemma_messaging import Turns

CONFIG = Path(__file__).parents[1] / "config"
CREATED = datetime(2025, 3, 4, 5, 6, 7, tzinfo=UTC)
MODEL = "wonder-model-9"
WHOLE = {"title": "The plan", "generator": MODEL}


class Unconfined(Prepared):
    """Calls in a thread of this process, which cost no process of their own: for all that is not about their limits."""

    async def run(self, function: Callable[[Path], None], folder: Path, limits: Limits) -> None:
        await asyncio.to_thread(function, folder)


@dataclass
class Exporter:
    """Puts drafts and assets into a store, runs the handler, and reads back what came of it."""

    converter: Converter
    store: MemoryArtifactStore = field(default_factory=MemoryArtifactStore)
    limits: Limits = field(default_factory=lambda: Limits(seconds=90, memory_mb=1536))
    secret: str = ""
    prepared: Prepared = field(default_factory=lambda: Unconfined(prepare))

    async def job(
        self,
        format: str,
        *drafts: str | None,
        title: str | None = "A plan",
        assets: Mapping[str, bytes] | None = None,
        generator: str = "",
        states: Mapping[int, dict[str, Any]] | None = None,
        previous: Sequence[str | None] | None = None,
        language: str = "",
        history: Sequence[tuple[str, str | None]] = (),
    ) -> ConvertDocument:
        sections = [await self._section(i, draft, (states or {}).get(i, {})) for i, draft in enumerate(drafts)]
        for i, old in enumerate(previous or ()):
            ref = await self._put(old.encode(), "draft.md") if old is not None else None
            sections[i] = sections[i].model_copy(update={"previous": ref})
        if history:
            versions = [await self._version(i, *version) for i, version in enumerate(history, 2)]
            sections[0] = sections[0].model_copy(update={"history": tuple(versions)})
        files = [InputFile(name=n, artifact=await self._put(d, n)) for n, d in (assets or {}).items()]
        title_ref = await self._put(title.encode(), "title.txt") if title is not None else None
        head = DocumentHead(
            document_id="doc-1",
            tenant="default",
            kind="technical-proposal",
            title=title_ref,
            created_at=CREATED,
            language=language,
        )
        return ConvertDocument(
            job_id="doc-1.7.convert",
            document=head,
            export_id="e1",
            format=ExportFormat(format),
            sections=tuple(sections),
            assets=tuple(files),
            generator=generator,
            redline=previous is not None,
        )

    @property
    def tools(self) -> Tools:
        limits = Limits(seconds=60, memory_mb=2048)
        readings = Readings(self.store, limits, Turns(1, 1), prepared=self.prepared)
        return Tools(self.store, self.converter, self.limits, Turns(1, 1), readings, signing_secret=self.secret)

    async def outcome(self, format: str, *drafts: str | None, **more: Any) -> DocumentConverted | ConversionFailed:
        job = await self.job(format, *drafts, **more)
        return await on_convert_document(job, tools=self.tools)

    async def export(self, format: str, *drafts: str | None, **more: Any) -> tuple[bytes, DocumentConverted]:
        return await self.converted(await self.job(format, *drafts, **more))

    async def converted(self, job: ConvertDocument, **changed: Any) -> tuple[bytes, DocumentConverted]:
        """The document of a job with other values in some of its fields."""
        outcome = await on_convert_document(job.model_copy(update=changed), tools=self.tools)
        assert isinstance(outcome, DocumentConverted), outcome
        return await self.store.get("default", "doc-1", outcome.artifact), outcome

    async def stored(self, content: BaseModel | str) -> ArtifactRef:
        data = content if isinstance(content, str) else content.model_dump_json()
        ref: ArtifactRef = await self._put(data.encode(), "data.json")
        return ref

    async def text(self, format: str, *drafts: str | None, **more: Any) -> str:
        return (await self.export(format, *drafts, **more))[0].decode()

    async def _section(self, index: int, draft: str | None, state: dict[str, Any]) -> ExportSection:
        ref = await self._put(draft.encode("utf-8", "surrogatepass"), "draft.md") if draft is not None else None
        status = SectionStatus.APPROVED if ref else SectionStatus.QUEUED
        values = {"title": f"Section {index}", "status": status, "version": 1 if ref else 0}
        return ExportSection(section_id=f"s{index}", draft=ref, **{**values, **state})

    async def _version(self, number: int, author: str, draft: str | None) -> ExportVersion:
        ref = await self._put(draft.encode(), "draft.md") if draft is not None else None
        return ExportVersion(version=number, author=author, draft=ref, made_at=CREATED + timedelta(days=number))

    async def _put(self, data: bytes, name: str) -> Any:
        return await self.store.put("default", "doc-1", data, media_type="application/octet-stream", name=name)


@pytest.fixture(scope="session")
def converter() -> Converter:
    return Converter(
        Pandoc(Path(pypandoc.get_pandoc_path()), Limits(seconds=30)),
        CONFIG,
        House("Ada Lovelace", "Analytical Engines"),
    )


@pytest.fixture
def exporter(converter: Converter) -> Exporter:
    return Exporter(converter)


@pytest.fixture
def confined(converter: Converter) -> Exporter:
    """One whose calls have processes and limits of their own, as in the service."""
    return Exporter(converter, prepared=PREPARED)


@pytest.fixture(scope="session")
def rich() -> str:
    return (Path(__file__).parent / "rich.md").read_text()


@pytest.fixture(scope="session")
def plan() -> dict[str, bytes]:
    return {"media/plan.png": picture()}


@pytest.fixture(scope="session")
def whole(converter: Converter, rich: str, plan: dict[str, bytes]) -> dict[str, tuple[bytes, DocumentConverted]]:
    """A rich document with a section twice and one that is not written, in every format."""

    async def made() -> dict[str, tuple[bytes, DocumentConverted]]:
        exporter = Exporter(converter)
        return {one.value: await exporter.export(one, rich, rich, None, **WHOLE, assets=plan) for one in ExportFormat}

    return asyncio.run(made())


def picture(width: int = 320, height: int = 180, format: str = "PNG") -> bytes:
    buffer = BytesIO()
    Image.linear_gradient("L").resize((width, height)).convert("RGB").save(buffer, format)
    return buffer.getvalue()


@pytest.fixture(scope="session")
def make_picture() -> Callable[..., bytes]:
    return picture
