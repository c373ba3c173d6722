"""What the larger forms of the desk send: fields, and files, which are uploaded so that a request can name them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import chain
from pathlib import PurePosixPath
from types import MappingProxyType

from fastapi import Request
from pydantic import ValidationError
from starlette.datastructures import FormData, UploadFile
from stemma_client.inputs import MAX_FILE_BYTES, MAX_FILES
from stemma_client.pictures import picture_name
from stemma_contracts.shown import check_upload_name, shown
from stemma_contracts.v1.answers import Problem
from stemma_contracts.v1.references import UploadRef, UploadRole

from stemma_gateway.forms import FORM, media_type_of
from stemma_gateway.problems import Invalid, TooLarge, UnsupportedMedia
from stemma_gateway.sessions import Session

MAX_FIELDS = 1000
MAX_TEXT_BYTES = 16 * 1024 * 1024
PICTURES: Mapping[str, str] = MappingProxyType(
    {".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif", ".webp": "image/webp"}
)


@dataclass(frozen=True)
class Sent:
    """A form that was sent."""

    form: FormData

    def text(self, name: str) -> str:
        """What a field holds, with line ends as texts have them; a file is no text."""
        value = self.form.get(name, "")
        return value.replace("\r\n", "\n") if isinstance(value, str) else ""

    def files(self, name: str) -> list[UploadFile]:
        return [each for each in self.form.getlist(name) if isinstance(each, UploadFile) and each.filename]

    def kept(self, name: str) -> tuple[UploadRef, ...]:
        """What was uploaded with an earlier form, and is named in this one; raises `Invalid`."""
        try:
            return tuple(UploadRef.model_validate_json(str(each)) for each in self.form.getlist(name))
        except ValidationError:
            raise Invalid(Problem.of("upload_reference_invalid", name)) from None


@asynccontextmanager
async def sent(request: Request) -> AsyncIterator[Sent]:
    """The form of a request, while the block runs; raises `UnsupportedMedia`."""
    if media_type_of(request) != FORM:
        raise UnsupportedMedia(Problem.of("media_type_unsupported", media_types=FORM))
    async with request.form(max_files=MAX_FILES, max_fields=MAX_FIELDS, max_part_size=MAX_TEXT_BYTES) as form:
        yield Sent(form)


async def picture_of(session: Session, file: UploadFile) -> UploadRef:
    """Upload an image under a name that only it has; raises `Invalid` for what no document can show."""
    ending = PurePosixPath(file.filename or "").suffix.lower()
    if ending not in PICTURES:
        raise Invalid(Problem.of("image_type_unsupported", name=_short(file)))
    upload = await _uploaded(session, file, f"image{ending}")
    return upload.model_copy(update={"name": picture_name(f"{_stem(file)}{ending}", upload.digest)})


def caption_of(file: UploadFile) -> str:
    """What stands for an image until somebody says it better: the words of its file name."""
    return " ".join(_stem(file).replace("-", " ").replace("_", " ").split())[:100]


async def inputs_of(session: Session, files: Mapping[UploadRole, list[UploadFile]]) -> tuple[UploadRef, ...]:
    """Upload files as inputs with their roles; raises `Invalid`, and names the file that is wrong."""
    named = {role: [(_input_name(file), file) for file in given] for role, given in files.items()}
    names = [name for name, _ in chain.from_iterable(named.values())]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise Invalid(Problem.of("file_name_duplicate", name=twice))
    return tuple([await input_of(session, file, role, name) for role, given in named.items() for name, file in given])


async def input_of(session: Session, file: UploadFile, role: UploadRole, name: str | None = None) -> UploadRef:
    """Upload a file as an input; raises `Invalid`."""
    upload = await _uploaded(session, file, name or _input_name(file))
    return upload.model_copy(update={"role": role})


async def _uploaded(session: Session, file: UploadFile, name: str) -> UploadRef:
    if (file.size or 0) > MAX_FILE_BYTES:
        raise TooLarge(Problem.of("file_to_split", name=_short(file), max_mib=MAX_FILE_BYTES // 1024**2))
    return await session.client.upload(file.file, name=name)


def _input_name(file: UploadFile) -> str:
    try:
        return check_upload_name(file.filename or "")
    except ValueError as error:
        raise Invalid(Problem.of("file_name_invalid", name=_short(file), reason=str(error))) from None


def _stem(file: UploadFile) -> str:
    return shown(PurePosixPath(file.filename or "").stem)


def _short(file: UploadFile) -> str:
    return (file.filename or "")[:100].encode("ascii", "backslashreplace").decode()
