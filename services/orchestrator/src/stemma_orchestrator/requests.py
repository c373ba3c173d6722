"""Read a request event: what the caller wants, or what is wrong with it, field by field."""

import json
from base64 import b32encode
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from pydantic import ValidationError
from stemma_contracts import MAX_REQUEST_BYTES, Contract, Family, UnknownContract, registry, subjects
from stemma_contracts.misfits import MOST_VALUES, JsonValues, longest_field, misfits
from stemma_contracts.tokens import is_token
from stemma_contracts.v1.answers import Problem
from stemma_contracts.v1.requests import DocumentRequest, Request
from stemma_domain.commands import RequestMeta
from stemma_messaging import InvalidMessage

MAX_NAMED = 20
MAX_FIELD = 256
_ID_LENGTH = 16
_GIVEN = "seq-"
_UPLOADS = {"brief": "brief_upload", "text": "text_upload"}


@dataclass(frozen=True)
class Received:
    """A request message: who it is from, under which id it is answered, and its body or its problems.

    ``waiting`` are the requests of its tenant that came after it.
    """

    tenant: str
    asked: RequestMeta
    sequence: int
    waiting: int
    request: Request | None
    document_id: str = ""
    problems: tuple[Problem, ...] = ()
    ignored_fields: tuple[str, ...] = ()


class Refused(Exception):
    """A request that cannot become a command; the problems name its fields."""

    def __init__(self, *problems: Problem) -> None:
        super().__init__(problems)
        self.problems = problems


def read_request(subject: str, headers: Mapping[str, str], data: bytes, sequence: int, waiting: int = 0) -> Received:
    """Read a message of the stream of requests.

    What a caller wrote into the body is answered, never raised; `InvalidMessage` is for a subject under which no
    answer could be found.
    """
    address, name = _address(subject)
    digest = sha256(data).hexdigest()
    fallback = request_id_for(sequence)
    try:
        body = _json_object(data)
        _check_size(data, body)
        _check_values(data, body)
        request = _decode(headers.get("ce-type"), name, body)
    except _Unreadable as error:
        asked = _asked(None, _own_id(error.body) or fallback, digest, "unknown")
        return Received(address.tenant, asked, sequence, waiting, None, "", error.problems, error.ignored_fields)
    asked = _asked(address.person, request.request_id or fallback, digest, request.actor)
    ignored = _ignored_fields(type(request), body)
    document_id = _document_id(address.tenant, asked["request_id"], request)
    return Received(address.tenant, asked, sequence, waiting, request, document_id, ignored_fields=ignored)


def _document_id(tenant: str, request_id: str, request: Request) -> str:
    return request.document_id if isinstance(request, DocumentRequest) else document_id_for(tenant, request_id)


def document_id_for(tenant: str, request_id: str) -> str:
    """The id of the document that a request asks for: 16 characters of the hash of tenant and request id."""
    digest = sha256(f"{tenant}/{request_id}".encode()).digest()
    return b32encode(digest).decode().lower()[:_ID_LENGTH]


def request_id_for(sequence: int) -> str:
    """The id of a request whose caller chose none: made of its stream sequence."""
    return f"{_GIVEN}{sequence}"


def _is_given(request_id: str) -> bool:
    """Whether an id looks like one of `request_id_for`, which callers may not take from each other."""
    return request_id.startswith(_GIVEN)


def _asked(person: str | None, request_id: str, digest: str, claimed: str) -> RequestMeta:
    """Who asks: the person whose subject it is, whatever the body says, or whom a program names."""
    return RequestMeta(
        request_id=request_id, request_digest=digest, actor=person or claimed, actor_verified=person is not None
    )


def _address(subject: str) -> tuple[subjects.RequestAddress, str]:
    """Address and name in a subject. Whatever the name is, a tenant can be answered."""
    before, _, name = subject.rpartition(".")
    try:
        return subjects.parse_request(f"{before}.name"), name
    except ValueError as error:
        raise InvalidMessage(str(error)) from None


class _Unreadable(Exception):
    def __init__(
        self, *problems: Problem, body: Mapping[str, Any] | None = None, cls: type[Contract] | None = None
    ) -> None:
        super().__init__(problems)
        self.problems = problems
        self.body = body or {}
        # Where more is wrong than can be named, nobody misses the fields that are ignored.
        self.ignored_fields = _ignored_fields(cls, self.body) if cls and len(problems) < MAX_NAMED else ()


def _ignored_fields(cls: type[Contract], body: Mapping[str, Any]) -> tuple[str, ...]:
    """The fields that a contract and the values in it do not know, dotted, as far as an answer names them."""
    encodable = json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
    try:
        cls.model_validate(json.loads(encodable), extra="forbid")
    except ValidationError as error:
        unknown = (one.field for one in misfits(error) if one.kind == "extra_forbidden")
        return tuple(sorted(shown(field, MAX_FIELD) for field in unknown)[:MAX_NAMED])
    return ()


def _json_object(data: bytes) -> dict[str, Any]:
    try:
        body = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise _Unreadable(Problem.of("body_not_json", reason=shown(error, 200))) from None
    if not isinstance(body, dict):
        raise _Unreadable(Problem.of("body_not_object"))
    return body


def _check_size(data: bytes, body: Mapping[str, Any]) -> None:
    """The server takes somewhat larger messages than contracts allow; such a request is answered."""
    if len(data) <= MAX_REQUEST_BYTES:
        return
    field, size = longest_field(body)
    sizes = {"size": size, "request_size": len(data), "max_size": MAX_REQUEST_BYTES}
    if upload := _UPLOADS.get(field):
        raise _Unreadable(Problem.of("field_upload_needed", field, upload_field=upload, **sizes), body=body)
    raise _Unreadable(Problem.of("field_too_large", shown(field, MAX_FIELD), **sizes), body=body)


def _check_values(data: bytes, body: Mapping[str, Any]) -> None:
    if JsonValues().add(data) > MOST_VALUES:
        raise _Unreadable(Problem.of("body_values_too_many", max_values=MOST_VALUES), body=body)


def _decode(ce_type: str | None, name: str, body: Mapping[str, Any]) -> Request:
    """The request; ``ce-type`` counts where it is given, the last token of the subject where not."""
    try:
        entry = registry.entry_for(ce_type) if ce_type else registry.by_token(Family.REQUEST, name)
    except UnknownContract:
        entries = registry.entries(Family.REQUEST)
        known = ", ".join(sorted(entry.ce_type if ce_type else entry.token for entry in entries))
        field = "ce-type" if ce_type else "subject"
        problem = Problem.of("type_unknown", field, type=shown(ce_type or name), known=known)
        raise _Unreadable(problem, body=body) from None
    if entry.family is not Family.REQUEST or entry.token != name:
        problem = Problem.of("type_subject_mismatch", "ce-type", type=entry.ce_type, subject=shown(name))
        raise _Unreadable(problem, body=body)
    try:
        request = entry.cls.model_validate(body)
    except ValidationError as error:
        raise _Unreadable(*problems_of(error), body=body, cls=entry.cls) from None
    assert isinstance(request, Request)
    if request.request_id is not None and _is_given(request.request_id):
        problem = Problem.of("request_id_reserved", "request_id")
        raise _Unreadable(problem, body=body, cls=entry.cls)
    return request


def problems_of(error: ValidationError) -> tuple[Problem, ...]:
    """The problems of a validation, each with its dotted field; inputs are not repeated."""
    found = misfits(error, MAX_NAMED)
    return tuple(Problem.of(one.code, shown(one.field, MAX_FIELD), **one.params) for one in found)


def shown(text: object, length: int = 64) -> str:
    """A caller's text as it may stand in an answer: short, and encodable whatever it held."""
    return str(text).encode("utf-8", "replace").decode()[:length]


def _own_id(body: Mapping[str, Any]) -> str | None:
    own = body.get("request_id")
    return own if isinstance(own, str) and is_token(own) and not _is_given(own) else None
