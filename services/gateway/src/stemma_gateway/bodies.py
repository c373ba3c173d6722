"""The bodies of commands, made of the contracts: every field of a request, but for what its address says.

A document may be asked for by a form as well (multipart/form-data), with its files.
"""

import json
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from pydantic import BaseModel, ConfigDict, create_model, model_validator
from starlette.datastructures import FormData, UploadFile
from starlette.requests import Request as HttpRequest
from stemma_contracts import Family, registry
from stemma_contracts.misfits import MOST_VALUES, JsonValues
from stemma_contracts.shown import check_upload_name
from stemma_contracts.v1.answers import Problem
from stemma_contracts.v1.references import UploadRef
from stemma_contracts.v1.requests import CreateDocument, DocumentRequest, Request

from .problems import Invalid, TooLarge, UnsupportedMedia
from .sessions import Session

IN_ADDRESS = "document_id"
MOST_DEEP = 50
"""Values in values of a body; no contract has a tenth of that."""


class Body(BaseModel):
    """A field that nobody knows is refused: it may be a misspelt name."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    @model_validator(mode="before")
    @classmethod
    def _of_json(cls, given: object) -> object:
        return _whole(given)


def _whole(given: object, depth: int = 0) -> object:
    """JSON has one kind of number: 2.0 is the integer 2."""
    if depth > MOST_DEEP:
        raise ValueError(f"values are nested deeper than {MOST_DEEP} times")
    match given:
        case float() if given.is_integer():
            return int(given)
        case dict():
            return {name: _whole(value, depth + 1) for name, value in given.items()}
        case list():
            return [_whole(value, depth + 1) for value in given]
        case _:
            return given


def commands() -> Iterator[tuple[str, type[DocumentRequest]]]:
    for entry in registry.entries(Family.REQUEST):
        if issubclass(entry.cls, DocumentRequest):
            yield entry.token, entry.cls


@cache
def body_of(cls: type[Request]) -> type[Body]:
    fields = {name: (field.annotation, field) for name, field in cls.model_fields.items() if name != IN_ADDRESS}
    model: type[Body] = create_model(cls.__name__, __base__=Body, __doc__=cls.__doc__, **fields)  # type: ignore[call-overload]
    return model


def request_of(cls: type[Request], body: Body, **more: object) -> Request:
    return cls.model_validate({**body.model_dump(exclude_unset=True), **more})


CreateBody = body_of(CreateDocument)

JSON, FORM = "application/json", "multipart/form-data"
BRIEF, INPUTS = "brief", "inputs"
MAX_FILES = 200
MAX_FIELD_BYTES = 1024 * 1024
MAX_TEXT_BYTES = 16 * MAX_FIELD_BYTES
"""Of a text that comes as a file: it is held in memory."""
_TEXTS = {"request_id", "actor", "kind", "title", BRIEF, "language", "review_edits"}
"""The fields that stand in a form as they are; the others are JSON there."""


async def asked_for(http: HttpRequest, session: Session) -> Request:
    """The document that a body asks for; files of a form are uploaded first. Raises `Invalid` and the like."""
    media_type = media_type_of(http)
    if media_type == JSON:
        return request_of(CreateDocument, CreateBody.model_validate_json(await http.body()))
    if media_type == FORM:
        async with http.form(max_files=MAX_FILES + 1, max_part_size=MAX_FIELD_BYTES) as form:
            return await _of_form(form, session)
    raise UnsupportedMedia(Problem.of("media_type_unsupported", media_types=f"{JSON}, {FORM}"))


async def _of_form(form: FormData, session: Session) -> Request:
    _check_values(form)
    fields = {name: await _field(name, value) for name, value in form.multi_items() if name != INPUTS}
    body = CreateBody.model_validate(fields)
    files = [value for value in form.getlist(INPUTS) if isinstance(value, UploadFile) and value.filename]
    return request_of(CreateDocument, body, inputs=[await _uploaded(file, session) for file in files])


def _check_values(form: FormData) -> None:
    number = 0
    for name, value in form.multi_items():
        if isinstance(value, str) and name not in _TEXTS:
            number += JsonValues().add(value.encode("utf-8", "surrogatepass"))
            if number > MOST_VALUES:
                raise TooLarge(Problem.of("body_values_too_many", name, max_values=MOST_VALUES))


async def _field(name: str, value: UploadFile | str) -> Any:
    if isinstance(value, UploadFile):
        if (value.size or 0) > MAX_TEXT_BYTES:
            upload = f"{name}_upload"
            raise TooLarge(Problem.of("field_text_too_large", name, max_size=MAX_TEXT_BYTES, upload_field=upload))
        return _text(name, await value.read())
    if name in _TEXTS:
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        raise Invalid(Problem.of("field_not_json", name)) from None


def _text(name: str, data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise Invalid(Problem.of("file_not_utf8", name)) from None


async def _uploaded(file: UploadFile, session: Session) -> UploadRef:
    try:
        name = check_upload_name(file.filename or "")
    except ValueError as error:
        raise Invalid(
            Problem.of("file_name_invalid", INPUTS, name=(file.filename or "")[:64], reason=str(error))
        ) from None
    return await session.client.upload(file.file, name=name)


def create_body_described() -> Mapping[str, Any]:
    schema = CreateBody.model_json_schema(ref_template="#/components/schemas/{model}")
    schema.pop("$defs", None)
    properties = {name: about if name in _TEXTS else _as_json(about) for name, about in schema["properties"].items()}
    properties |= {
        BRIEF: {"type": "string", "minLength": 1, "description": "the brief, as text or as a file"},
        INPUTS: {"type": "array", "items": {"type": "string", "contentMediaType": "application/octet-stream"}},
    }
    properties.pop("brief_upload")
    form = {"type": "object", "required": ["kind", BRIEF], "properties": properties, "additionalProperties": False}
    content = {JSON: {"schema": {"$ref": "#/components/schemas/CreateDocument"}}, FORM: {"schema": form}}
    return {"requestBody": {"required": True, "content": content}}


def _as_json(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"type": "string", "contentMediaType": JSON, "contentSchema": schema}


def media_type_of(request: HttpRequest) -> str:
    """What a body says it is, without parameters and in small letters."""
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


async def whole_body(request: HttpRequest, most: int) -> bytes:
    body = bytearray()
    async for piece in request.stream():
        body += piece
        if len(body) > most:
            raise TooLarge(Problem.of("body_part_too_large", max_size=most))
    return bytes(body)
