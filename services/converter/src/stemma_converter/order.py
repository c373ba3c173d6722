"""What a conversion is told and what it tells: files in one folder, because it is a process of its own."""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel, ConfigDict
from stemma_artifacts.store import ArtifactMissing
from stemma_confinement import Limits
from stemma_contracts.v1.exports import ExportRemark, ExportWarning, OverlongSection
from stemma_contracts.v1.jobs import ConvertDocument
from stemma_contracts.v1.references import ArtifactRef

from .converter import Converter
from .errors import ConversionError
from .images import ImageLimits
from .manuscript import House
from .pages import Pages, Places
from .pandoc import Pandoc

EXPORT, PDF, PLACES = "export", "pages.pdf", "pages.json"


class Order(BaseModel):
    """A job, and the converter that is to do it."""

    model_config = ConfigDict(frozen=True)

    job: ConvertDocument
    pandoc: Path
    limits: Limits
    config: Path
    house: House
    images: ImageLimits
    template: Path | None
    fonts: tuple[Path, ...]

    @classmethod
    def of(cls, job: ConvertDocument, converter: Converter) -> Order:
        pandoc = converter.pandoc
        return cls(
            job=job,
            pandoc=pandoc.program,
            limits=pandoc.limits,
            config=converter.config,
            house=converter.house,
            images=converter.images,
            template=converter.template,
            fonts=converter.fonts,
        )

    def converter(self) -> Converter:
        pandoc = Pandoc(self.pandoc, self.limits)
        return Converter(pandoc, self.config, self.house, self.images, self.template, self.fonts)


class Failure(BaseModel):
    """Why there is no document; as `ConversionError`."""

    code: str
    program: str | None
    exit_code: int | None
    why: str

    @classmethod
    def of(cls, error: ConversionError) -> Failure:
        return cls(code=error.code, program=error.program, exit_code=error.exit_code, why=error.why)

    def error(self) -> ConversionError:
        return ConversionError(self.code, self.program, self.exit_code, self.why)


class Done(BaseModel):
    """What came of an order; the document lies in the folder."""

    failure: Failure | None = None
    name: str = ""
    warnings: tuple[ExportWarning, ...] = ()
    remarks: tuple[ExportRemark, ...] = ()
    too_long: tuple[OverlongSection, ...] = ()


class Staged:
    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def put(self, ref: ArtifactRef, data: bytes) -> None:
        (self._folder / ref.digest).write_bytes(data)

    def has(self, ref: ArtifactRef) -> bool:
        return (self._folder / ref.digest).is_file()

    def get(self, ref: ArtifactRef) -> bytes:
        try:
            return (self._folder / ref.digest).read_bytes()
        except FileNotFoundError:
            raise ArtifactMissing(ref.digest) from None


def keep_pages(folder: Path, pages: Pages) -> None:
    (folder / PDF).write_bytes(pages.pdf)
    (folder / PLACES).write_text(f"{pages.places.model_dump_json()}\n{pages.missing}", encoding="utf-8")


def kept_pages(folder: Path) -> Pages | None:
    if not (folder / PLACES).is_file():
        return None
    places, _, missing = (folder / PLACES).read_text(encoding="utf-8").partition("\n")
    return Pages((folder / PDF).read_bytes(), Places.model_validate_json(places), missing)
