"""Composition root of the converter: the only file that reads settings and builds adapters."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pypandoc  # type: ignore[import-untyped]
from faststream import FastStream
from pydantic import Field, SecretStr, field_validator
from stemma_artifacts.jetstream import JetStreamArtifactStore
from stemma_artifacts.store import ArtifactStore
from stemma_confinement import Limits
from stemma_contracts import subjects
from stemma_messaging import BadSettings, Opened, Service, Turns, WorkerBroker, WorkerSettings, config_dir

from .assembly import House
from .converter import Converter, font_folders, problems
from .handlers import Tools, routes
from .images import ImageLimits
from .pandoc import Pandoc
from .reading import Limits as FileLimits
from .readings import Drawings, Readings

_MEGABYTE = 1024 * 1024
SHORTEST_SECRET = 32
_SHARE_FOR_RECOGNITION = 0.6


class ConverterSettings(WorkerSettings):
    """Settings of the converter; memory and time are those of a conversion and, within it, of one program.

    A DOCX with contents runs two programs at once.
    """

    author: str = Field(default="", max_length=100, description="who stands on the cover and in the properties")
    company: str = Field(default="", max_length=100, description="the company below the title")
    conversions: int = Field(default=3, ge=1, description="at a time; the other slots wait for their turn")
    conversions_per_tenant: int = Field(default=2, ge=1, description="at a time, of one tenant")
    conversion_limit_s: float = Field(default=120, gt=0, description="of a whole conversion")
    conversion_memory_mb: int = Field(default=1536, ge=256, description="of a whole conversion, without its programs")
    readings: int = Field(default=2, ge=1, description="files that are read at a time")
    readings_per_tenant: int = Field(default=1, ge=1, description="at a time, of one tenant")
    reading_limit_s: float = Field(default=300, gt=0, description="of one file")
    reading_memory_mb: int = Field(default=2048, ge=256, description="of one file")
    max_reading_mb: int = Field(default=50, ge=1, description="of a file that is read")
    max_unpacked_mb: int = Field(default=300, ge=1, description="of all parts of a file together, unpacked")
    max_reading_pages: int = Field(default=2000, ge=1, description="of a file; the rest is left out and told")
    max_recognised_pages: int = Field(default=200, ge=0, description="of a file, by tesseract; 0 to recognise none")
    max_drawn_pages: int = Field(default=100, ge=0, description="of a PDF, as pictures; 0 to draw none")
    drawing_limit_s: float = Field(default=60, gt=0, description="of all pages of a file; what is drawn then is kept")
    recognised_languages: str = Field(default="eng", description="in tesseract's names, as in deu+eng")
    time_limit_s: float = Field(default=60, gt=0)
    memory_limit_mb: int = Field(default=512, ge=64)
    max_image_mb: int = Field(default=20, ge=1)
    max_image_megapixels: int = Field(default=40, ge=1)
    template: Path | None = Field(default=None, description="Word template of the house; else config/template.docx")
    fonts: Path | None = Field(default=None, description="folder with more fonts for the PDF")
    signing_secret: SecretStr = Field(default=SecretStr(""), description="tenants' keys are derived from it")

    @field_validator("signing_secret")
    @classmethod
    def _is_no_word(cls, value: SecretStr) -> SecretStr:
        if 0 < len(value.get_secret_value()) < SHORTEST_SECRET:
            raise ValueError(f"is at least {SHORTEST_SECRET} characters, drawn at random")
        return value


def converter(settings: ConverterSettings) -> Converter:
    """The converter with the pandoc and the templates of this installation; raises `BadSettings`."""
    # Programs run in folders of their own, from where a relative path leads nowhere.
    config, template = config_dir(__package__).absolute(), settings.template and settings.template.absolute()
    if found := list(problems(config, template, settings.fonts)):
        raise BadSettings(found)
    limits = Limits(seconds=settings.time_limit_s, memory_mb=settings.memory_limit_mb)
    images = ImageLimits(settings.max_image_mb * 1024 * 1024, settings.max_image_megapixels * 1_000_000)
    fonts = font_folders(settings.fonts and settings.fonts.absolute())
    pandoc = Pandoc(Path(pypandoc.get_pandoc_path()), limits)
    return Converter(pandoc, config, House(settings.author, settings.company), images, template, fonts)


def build_app(settings: ConverterSettings) -> FastStream:
    broker, tools = WorkerBroker(subjects.CONVERTER, settings), Opened[Tools]()
    broker.include_router(routes(tools))

    @asynccontextmanager
    async def lifespan() -> AsyncIterator[None]:
        async with broker.connected():
            tools.give(make_tools(settings, JetStreamArtifactStore(broker.jetstream)))
            await broker.publish_capabilities({})
            yield

    return FastStream(broker, lifespan=lifespan, logger=None)


def make_tools(settings: ConverterSettings, artifacts: ArtifactStore) -> Tools:
    conversion = Limits(seconds=settings.conversion_limit_s, memory_mb=settings.conversion_memory_mb)
    reading = Limits(seconds=settings.reading_limit_s, memory_mb=settings.reading_memory_mb)
    drawings = Drawings(replace(reading, seconds=settings.drawing_limit_s), settings.max_drawn_pages)
    turns = Turns(settings.readings, settings.readings_per_tenant)
    readings = Readings(artifacts, reading, turns, file_limits(settings), drawings)
    turns = Turns(settings.conversions, settings.conversions_per_tenant)
    secret = settings.signing_secret.get_secret_value()
    return Tools(artifacts, converter(settings), conversion, turns, readings, signing_secret=secret)


def file_limits(settings: ConverterSettings) -> FileLimits:
    return FileLimits(
        file_bytes=settings.max_reading_mb * _MEGABYTE,
        unpacked_bytes=settings.max_unpacked_mb * _MEGABYTE,
        pages=settings.max_reading_pages,
        image_bytes=settings.max_image_mb * _MEGABYTE,
        image_pixels=settings.max_image_megapixels * 1_000_000,
        recognised_pages=settings.max_recognised_pages,
        recognition_seconds=settings.reading_limit_s * _SHARE_FOR_RECOGNITION,
        languages=tuple(filter(None, settings.recognised_languages.split("+"))),
    )


def check(settings: ConverterSettings) -> None:
    converter(settings)


service = Service(subjects.CONVERTER, ConverterSettings, build_app, check)


def main() -> None:
    service.main()
