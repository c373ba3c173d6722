"""What the forms of the desk send: fields, and files, which are uploaded so that a request can name them."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import chain
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import Annotated
from urllib.parse import parse_qsl

from fastapi import Depends, Request, Response
from pydantic import ValidationError
from starlette.datastructures import FormData, UploadFile
from stemma_client import AccessDeniedError, AnswerTimeoutError, InvalidInputError, RequestRejectedError
from stemma_client.inputs import MAX_FILE_BYTES, MAX_FILES
from stemma_client.pictures import picture_name
from stemma_contracts.shown import check_upload_name, shown
from stemma_contracts.v1 import requests as r
from stemma_contracts.v1.answers import Problem, RequestAccepted
from stemma_contracts.v1.references import UploadRef, UploadRole

from stemma_gateway.bodies import FORM, media_type_of, whole_body
from stemma_gateway.pages import led_to
from stemma_gateway.problems import HttpError, Invalid, TooLarge, UnsupportedMedia
from stemma_gateway.resources.addresses import DocumentId, SectionId
from stemma_gateway.sessions import Session

DOCUMENT = "/desk/documents/{document_id}"
SECTION = f"{DOCUMENT}/sections/{{section_id}}"
REFUSED = (HttpError, AccessDeniedError, InvalidInputError, RequestRejectedError, AnswerTimeoutError, ValidationError)
"""What a page tells beside the form that was sent; nothing of the form is lost."""
NOTHING: Mapping[str, str] = MappingProxyType({})
BOUNDS = ("calls", "tokens", "cost")
"""What the fields of a budget are called in a form."""
WAIT_S = 20.0
MAX_FIELDS, MAX_FIELDS_BYTES = 500, 4 * 1024 * 1024
MAX_PARTS, MAX_TEXT_BYTES = 1000, 16 * 1024 * 1024
MOST_DIGITS = 9
MOST_DIGITS_OF_A_BOUND = 15
"""Nobody pays for more, and Python reads no number of thousands of them."""
PICTURES: Mapping[str, str] = MappingProxyType(
    {".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif", ".webp": "image/webp"}
)


@dataclass(frozen=True)
class SectionAddress:
    document_id: str
    section_id: str
    in_document: bool = False

    @property
    def path(self) -> str:
        return SECTION.format(document_id=self.document_id, section_id=self.section_id)

    def led_on(self, request: Request, done: str, sequence: int | None, more: str = "", part: str = "") -> Response:
        """Lead to the section by itself, there to a ``part``, or in its document if the form was sent from there."""
        if not self.in_document:
            return led_on(request, self.path, done, sequence, more + part)
        page = DOCUMENT.format(document_id=self.document_id)
        return led_on(request, page, done, sequence, f"&at={self.section_id}{more}#section-{self.section_id}")


def _section_address(document_id: DocumentId, section_id: SectionId, in_document: bool = False) -> SectionAddress:
    return SectionAddress(document_id, section_id, in_document)


InSection = Annotated[SectionAddress, Depends(_section_address)]


def budget_typed(form: Mapping[str, str]) -> Mapping[str, int | str]:
    """The bounds that were filled in; what is no number is as it was typed, to be refused by its field."""
    bounds = {name: form[name].strip() for name in BOUNDS if form.get(name, "").strip()}
    return {name: bound if name == "cost" else _bound(bound) for name, bound in bounds.items()}


def _bound(typed: str) -> int | str:
    number = whole_number(typed, MOST_DIGITS_OF_A_BOUND)
    return typed if number is None else number


async def ask(session: Session, request: r.Request) -> RequestAccepted:
    return await session.client.request(request, wait_s=WAIT_S)


def led_on(request: Request, path: str, done: str, sequence: int | None, more: str = "") -> Response:
    return led_to(request, f"{path}?done={done}&at_least={sequence or 0}{more}")


async def fields_of(request: Request) -> list[tuple[str, str]]:
    body = await whole_body(request, MAX_FIELDS_BYTES)
    try:
        return await asyncio.to_thread(
            parse_qsl, body.decode("utf-8", "replace"), keep_blank_values=True, max_num_fields=MAX_FIELDS
        )
    except ValueError:
        raise Invalid(Problem.of("form_fields_too_many")) from None


def whole_number(text: str, most_digits: int = MOST_DIGITS) -> int | None:
    """The number that a field holds; none of what has more digits, of which a version has few."""
    return int(text) if len(text) <= most_digits and text.isascii() and text.isdecimal() else None


@dataclass(frozen=True)
class Sent:
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
    if media_type_of(request) != FORM:
        raise UnsupportedMedia(Problem.of("media_type_unsupported", media_types=FORM))
    async with request.form(max_files=MAX_FILES, max_fields=MAX_PARTS, max_part_size=MAX_TEXT_BYTES) as form:
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
    upload = await _uploaded(session, file, name or _input_name(file))
    return upload.model_copy(update={"role": role, "role_confirmed": role != "evidence"})


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
