"""What went wrong, as problem details (RFC 9457) with the fields of a rejected answer."""

import math
from collections.abc import Mapping
from http import HTTPStatus

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, Field, ValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response
from stemma_artifacts.store import ArtifactCorrupt, ArtifactMissing
from stemma_client import errors
from stemma_contracts.misfits import Misfit, misfits, misfits_among
from stemma_contracts.v1 import answers
from stemma_telemetry import get_logger, names
from stemma_telemetry.metrics import counter

MEDIA_TYPE = "application/problem+json"
RETRY_AFTER_S = 2
MENDED_AFTER_S = 60
"""When a caller may try again where a copy lacks something: it is made anew, which happens every few minutes."""
MAX_DETAIL = 300
MOST_NAMED = 100
"""Values of a body that are named because they do not fit."""
_LIMITED = counter(names.Metric.HTTP_LIMITED)


class ProblemDetails(BaseModel):
    """What went wrong (RFC 9457). ``problems`` names the fields that are wrong, by their dotted path.

    ``code`` and ``params`` are those of the one problem; of several each has its own.
    """

    type: str = Field(description="what kind of problem it is: `urn:stemma:problem:` and a word")
    title: str
    status: int
    detail: str
    code: str = Field(default="", description="as in `problems`")
    params: dict[str, str | int | float] = {}
    problems: tuple[answers.Problem, ...] = ()
    request_id: str | None = None
    document_id: str | None = None
    ignored_fields: tuple[str, ...] = ()


class HttpError(Exception):
    status = HTTPStatus.INTERNAL_SERVER_ERROR
    kind = "internal"

    def __init__(self, problem: answers.Problem, retry_after_s: float | None = None) -> None:
        super().__init__(str(problem))
        self.problem = problem
        self.retry_after_s = retry_after_s


class Unauthenticated(HttpError):
    status, kind = HTTPStatus.UNAUTHORIZED, "unauthenticated"


class SessionEnded(Unauthenticated):
    """What was shown was good once; nobody tries anything with it."""


class SignInFailed(HttpError):
    """Somebody came back from the provider, and is nobody here; the words say why."""

    status, kind = HTTPStatus.UNAUTHORIZED, "sign-in-failed"


class ProviderAway(HttpError):
    status, kind = HTTPStatus.SERVICE_UNAVAILABLE, "provider-away"


class FromElsewhere(HttpError):
    """A browser was made to send this by a page of another site, or shows nothing to the contrary."""

    status, kind = HTTPStatus.FORBIDDEN, "from-elsewhere"


class NotFound(HttpError):
    status, kind = HTTPStatus.NOT_FOUND, "not-found"


class BadHeader(HttpError):
    """A header that cannot be read, or that contradicts the body."""

    status, kind = HTTPStatus.BAD_REQUEST, "bad-header"


class Ambiguous(BadHeader):
    """A request of which nobody can say where it ends."""


class Conflict(HttpError):
    """What is there is not what the caller goes on from; ``headers`` say what is."""

    status, kind = HTTPStatus.CONFLICT, "conflict"

    def __init__(self, problem: answers.Problem, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(problem)
        self.headers = headers or {}


class NotOpen(HttpError):
    """What a link decides was decided, or is not what is there any more."""

    status, kind = HTTPStatus.CONFLICT, "not-open"


class NotYours(HttpError):
    status, kind = HTTPStatus.FORBIDDEN, "not-yours"


class Expired(HttpError):
    status, kind = HTTPStatus.GONE, "expired"


class Invalid(HttpError):
    status, kind = HTTPStatus.UNPROCESSABLE_ENTITY, "invalid"


class UnsupportedMedia(HttpError):
    status, kind = HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "unsupported-media-type"


class TooLarge(HttpError):
    status, kind = HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "too-large"


class TooSlow(HttpError):
    status, kind = HTTPStatus.REQUEST_TIMEOUT, "too-slow"


class Limited(HttpError):
    """More than this process takes; ``limit`` is the name of its bound."""

    def __init__(self, problem: answers.Problem, limit: str, retry_after_s: float = RETRY_AFTER_S) -> None:
        super().__init__(problem, retry_after_s)
        self.limit = limit


class TooMany(Limited):
    status, kind = HTTPStatus.TOO_MANY_REQUESTS, "too-many-requests"


class Busy(Limited):
    status, kind = HTTPStatus.SERVICE_UNAVAILABLE, "busy"


_TABLE: tuple[tuple[type[Exception], HTTPStatus, str], ...] = (
    (errors.DocumentNotFoundError, HTTPStatus.NOT_FOUND, "not-found"),
    (ArtifactMissing, HTTPStatus.NOT_FOUND, "not-found"),
    (errors.NobodyAdmitsError, HTTPStatus.SERVICE_UNAVAILABLE, "unavailable"),
    (errors.AccessDeniedError, HTTPStatus.FORBIDDEN, "forbidden"),
    (errors.RequestTooLargeError, HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "too-large"),
    (errors.InvalidInputError, HTTPStatus.UNPROCESSABLE_ENTITY, "invalid"),
    (errors.TooManyRequestsError, HTTPStatus.TOO_MANY_REQUESTS, "tenant-full"),
    (errors.TenantFullError, HTTPStatus.TOO_MANY_REQUESTS, "tenant-full"),
    (errors.BusyError, HTTPStatus.SERVICE_UNAVAILABLE, "busy"),
    (errors.NotReadYetError, HTTPStatus.SERVICE_UNAVAILABLE, "not-read-yet"),
    (errors.CopyIncompleteError, HTTPStatus.SERVICE_UNAVAILABLE, "copy-incomplete"),
    (errors.ServerUnreachableError, HTTPStatus.SERVICE_UNAVAILABLE, "unavailable"),
    (errors.AnswerTimeoutError, HTTPStatus.SERVICE_UNAVAILABLE, "no-answer"),
    (errors.ExportFailedError, HTTPStatus.CONFLICT, "export-failed"),
    (ArtifactCorrupt, HTTPStatus.INTERNAL_SERVER_ERROR, "damaged"),
    (errors.UnreadableEventError, HTTPStatus.INTERNAL_SERVER_ERROR, "unreadable"),
)
_OF_FRAMEWORK = {HTTPStatus.NOT_FOUND: "address_unknown", HTTPStatus.METHOD_NOT_ALLOWED: "method_not_allowed"}
_COME_AGAIN = (HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE)


def handle_errors(app: FastAPI) -> None:
    known = (HttpError, errors.StemmaError, ArtifactMissing, ArtifactCorrupt, ValidationError, RequestValidationError)
    for kind in (*known, HTTPException, Exception):
        app.add_exception_handler(kind, answered)


async def answered(request: Request, error: Exception) -> Response:
    response = response_of(error)
    if response.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
        response.headers["Allow"] = _allowed(request) or response.headers["Allow"]
    if isinstance(error, Limited):
        _LIMITED.add(1, {names.Attr.HTTP_LIMIT: error.limit})
    note_failure(error)
    return response


def note_failure(error: Exception) -> None:
    if problem_of(error).status == HTTPStatus.INTERNAL_SERVER_ERROR:
        get_logger().error("request_failed", error=error)


def _allowed(request: Request) -> str:
    """The methods of a path: each is a route of its own, and the one that was met knows itself alone."""
    path = getattr(request.scope.get("route"), "path_format", "")
    return ", ".join(sorted(request.app.openapi()["paths"].get(path, ()))).upper()


def response_of(error: Exception) -> Response:
    problem, headers = problem_of(error), dict(_headers(error))
    if problem.status in _COME_AGAIN:
        headers.setdefault("Retry-After", str(RETRY_AFTER_S))
    if problem.status == HTTPStatus.UNAUTHORIZED:
        headers.setdefault("WWW-Authenticate", "Bearer")
    content = problem.model_dump_json(exclude_defaults=True)
    return Response(content, problem.status, headers, media_type=MEDIA_TYPE)


def _headers(error: Exception) -> Mapping[str, str]:
    if isinstance(error, HTTPException):
        return error.headers or {}
    if isinstance(error, Conflict):
        return error.headers
    if isinstance(error, (TooSlow, Ambiguous)):
        return {"Connection": "close"}
    if isinstance(error, errors.CopyIncompleteError):
        return {"Retry-After": str(MENDED_AFTER_S)}
    if isinstance(error, HttpError) and error.retry_after_s is not None:
        return {"Retry-After": str(math.ceil(error.retry_after_s))}
    return {}


def problem_of(error: Exception) -> ProblemDetails:
    """An error in words; nothing of one that only a bug explains."""
    match error:
        case HttpError():
            return _problem(error.status, error.kind, error.problem)
        case errors.RequestRejectedError():
            return _rejected(error.answer)
        case RequestValidationError():
            return _invalid(misfits_among([item | {"loc": item["loc"][1:]} for item in error.errors()[:MOST_NAMED]]))
        case ValidationError():
            return _invalid(misfits(error, MOST_NAMED))
        case HTTPException():
            status = HTTPStatus(error.status_code)
            return _problem(status, status.phrase.lower().replace(" ", "-"), _of_framework(status, str(error.detail)))
    for kind, status, word in _TABLE:
        if isinstance(error, kind):
            return _problem(status, word, problem_in(error))
    return _problem(HTTPStatus.INTERNAL_SERVER_ERROR, "internal", answers.Problem.of("internal_error"))


def problem_in(error: Exception) -> answers.Problem:
    """The problem of an error of the client or of the store; one without a code has its words."""
    if isinstance(error, errors.StemmaError):
        return error.problem or answers.Problem(field="", message=str(error))
    return answers.Problem.of("content_missing")


def _of_framework(status: HTTPStatus, detail: str) -> answers.Problem:
    code = _OF_FRAMEWORK.get(status)
    return answers.Problem.of(code) if code else answers.Problem(field="", message=detail)


def _problem(status: HTTPStatus, kind: str, *found: answers.Problem, **more: object) -> ProblemDetails:
    one = found[0] if len(found) == 1 else answers.Problem(field="", message="")
    return ProblemDetails(
        type=f"urn:stemma:problem:{kind}",
        title=status.phrase,
        status=status,
        detail="; ".join(map(str, found)),
        code=one.code,
        params=one.params,
        problems=tuple(each for each in found if each.field or len(found) > 1),
    ).model_copy(update=more)


def _rejected(answer: answers.RequestRejected) -> ProblemDetails:
    """Why the orchestrator took no request: the document is not there, or does not allow it, or the words are wrong."""
    fields = {problem.field for problem in answer.problems}
    is_taken = fields == {"request_id"}
    status = HTTPStatus.CONFLICT if answer.document_id or is_taken else HTTPStatus.UNPROCESSABLE_ENTITY
    if fields == {"document_id"} and not answer.document_id:
        status = HTTPStatus.NOT_FOUND
    more = {name: getattr(answer, name) for name in ("problems", "request_id", "document_id", "ignored_fields")}
    return _problem(status, "rejected", *answer.problems, **more)


def _invalid(wrong: tuple[Misfit, ...]) -> ProblemDetails:
    found = tuple(answers.Problem.of(one.code, one.field, **one.params) for one in wrong)
    problem = _problem(HTTPStatus.UNPROCESSABLE_ENTITY, "invalid", *found)
    return problem.model_copy(update={"detail": problem.detail[:MAX_DETAIL]})
