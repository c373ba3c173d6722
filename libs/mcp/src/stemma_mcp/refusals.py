"""Why a call came to nothing, as an agent can act on it: what kind of error, which field, why, what to do."""

from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ValidationError
from stemma_artifacts.store import ArtifactCorrupt, ArtifactMissing
from stemma_client import errors
from stemma_contracts.misfits import misfits
from stemma_contracts.v1.answers import Problem

Code = Literal[
    "invalid", "rejected", "not_found", "not_allowed", "too_many", "unavailable", "no_answer_yet", "not_listed"
]

M = TypeVar("M", bound=BaseModel)

ADVICE: dict[Code, str] = {
    "invalid": "change what the problems name, then call again",
    "rejected": "nothing was changed; look again with document_status or read_section before you decide anew",
    "not_found": "list_documents names the documents, document_status their sections, list_inputs their inputs",
    "not_allowed": "whoever runs you may not do this; ask them",
    "too_many": "nothing was changed; call again later",
    "unavailable": "nothing is known to be changed; call again in a moment, with the same request_id if you gave one",
    "no_answer_yet": "call again with this request_id: it is done once",
    "not_listed": "use the tools that are listed, or have whoever runs you connect with the full profile: "
    "/mcp?profile=full, or stemma mcp --profile full",
}


_OWN_ADVICE: tuple[tuple[type[Exception], str], ...] = (
    (
        errors.CopyIncompleteError,
        "tell whoever runs Stemma; nothing is lost, and it can be read again once they have mended it",
    ),
    (errors.UnreadableEventError, "tell whoever runs Stemma; without what cannot be read, the document is not known"),
)


class Refusal(BaseModel):
    """The body of an error: nothing of it was done, unless the code is ``no_answer_yet``."""

    code: Code
    problems: list[Problem]
    advice: str
    request_id: str = ""


class NotThereError(Exception):
    """What a call names is not there."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        super().__init__(problem.message)


class InvalidArgumentsError(Exception):
    """Arguments that are wrong together, or that a contract does not allow."""

    def __init__(self, *problems: Problem) -> None:
        self.problems = list(problems)
        super().__init__("; ".join(map(str, problems)))


def validated(kind: type[M], **fields: Any) -> M:
    """A contract with these fields; raises `InvalidArgumentsError`."""
    try:
        return kind.model_validate(fields)
    except ValidationError as error:
        raise InvalidArgumentsError(*problems_of(error)) from None


def problems_of(error: ValidationError) -> list[Problem]:
    """What is wrong, field by field, without repeating what was given."""
    return [Problem.of(one.code, one.field, **one.params) for one in misfits(error)]


_CODES: tuple[tuple[type[Exception], Code, str], ...] = (
    (errors.DocumentNotFoundError, "not_found", "document_id"),
    (ArtifactMissing, "not_found", ""),
    (ArtifactCorrupt, "not_found", ""),
    (errors.NobodyAdmitsError, "unavailable", ""),
    (errors.AccessDeniedError, "not_allowed", ""),
    (errors.InvalidInputError, "invalid", ""),
    (errors.InvalidCutError, "invalid", "begins_with"),
    (errors.RequestTooLargeError, "invalid", ""),
    (errors.TenantFullError, "too_many", ""),
    (errors.BusyError, "too_many", ""),
    (errors.ServerUnreachableError, "unavailable", ""),
    (errors.NotReadYetError, "unavailable", ""),
    (errors.CopyIncompleteError, "unavailable", ""),
    (errors.UnreadableEventError, "unavailable", ""),
)


def refusal_of(error: BaseException | None) -> Refusal | None:
    """What to tell an agent of an error; None for one that only a bug explains."""
    match error:
        case errors.RequestRejectedError():
            return _refusal("rejected", *error.problems, request_id=error.request_id)
        case errors.AnswerTimeoutError():
            return _refusal("no_answer_yet", _problem_in(error, ""), request_id=error.request_id)
        case InvalidArgumentsError():
            return _refusal("invalid", *error.problems)
        case NotThereError():
            return _refusal("not_found", error.problem)
    known = next((known for known in _CODES if isinstance(error, known[0])), None)
    if known is None:
        return None
    refusal = _refusal(known[1], _problem_in(error, known[2]))
    advice = next((words for kind, words in _OWN_ADVICE if isinstance(error, kind)), refusal.advice)
    return refusal.model_copy(update={"advice": advice})


def _problem_in(error: BaseException | None, field: str) -> Problem:
    if isinstance(error, ArtifactMissing | ArtifactCorrupt):
        return Problem.of("content_missing", field)
    if isinstance(error, errors.StemmaError) and error.problem:
        return error.problem if error.problem.field else error.problem.model_copy(update={"field": field})
    return Problem(field=field, message=str(error))


def _refusal(code: Code, *problems: Problem, request_id: str = "") -> Refusal:
    return Refusal(code=code, problems=list(problems), advice=ADVICE[code], request_id=request_id)


NOT_LISTED = _refusal("not_listed", Problem.of("tool_not_listed"))
