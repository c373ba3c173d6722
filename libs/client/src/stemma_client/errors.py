"""What can go wrong between a caller and Stemma; every message says what to do next."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from stemma_contracts.problems import Param
    from stemma_contracts.v1.answers import Problem, RequestRejected


class StemmaError(Exception):
    """The base of all errors of this client; ``problem`` says the same by a code, where there is one."""

    problem: Problem | None = None

    @classmethod
    def of(cls, code: str, field: str = "", /, **params: Param) -> Self:
        """The error with the words of a problem code."""
        problem = _problem(code, field, **params)
        error = cls(str(problem))
        error.problem = problem
        return error


def _problem(code: str, field: str = "", /, **params: Param) -> Problem:
    from stemma_contracts.v1.answers import Problem  # with Pydantic

    return Problem.of(code, field, **params)


class ServerUnreachableError(StemmaError):
    """No NATS server answers at the address."""


class CopyIncompleteError(StemmaError):
    """The tenant's copy of a stream lacks messages, as it can after a server of several was lost; nothing is lost.

    What lacks lies under ``subject``, from ``first_sequence`` to ``last_sequence`` of the stream.
    """

    def __init__(self, subject: str, first_sequence: int, last_sequence: int) -> None:
        self.subject, self.first_sequence, self.last_sequence = subject, first_sequence, last_sequence
        self.problem = _problem("copy_incomplete", subject=subject, first=first_sequence, last=last_sequence)
        super().__init__(str(self.problem))


class UnreadableEventError(StemmaError):
    """Events of a document are there and cannot be read: without them it would not be what it is.

    They lie from ``first_sequence`` to ``last_sequence`` of the log.
    """

    def __init__(self, document_id: str, first_sequence: int, last_sequence: int) -> None:
        self.document_id, self.first_sequence, self.last_sequence = document_id, first_sequence, last_sequence
        about = {"first": first_sequence, "last": last_sequence}
        self.problem = _problem("events_unreadable", document_id=document_id, **about)
        super().__init__(str(self.problem))


class InvalidAddressError(StemmaError):
    """What was given as the address of the server is none; the message names what gave it, and nothing was tried."""


class InvalidLoginError(StemmaError):
    """A file that should hold a login cannot be read or written, or holds something else; the message names it."""


class AccessDeniedError(StemmaError):
    """The server refuses the user, the password, or what the user asked for."""


class NobodyAdmitsError(AccessDeniedError):
    """The server refuses after waiting: no admission answers it; or one does so late, and user or password is wrong."""


class RequestRejectedError(StemmaError):
    """Stemma read the request and changed nothing; ``problems`` says which fields are wrong and why."""

    def __init__(self, answer: RequestRejected) -> None:
        self.answer = answer
        self.request_id = answer.request_id
        self.problems = answer.problems
        reasons = map(str, answer.problems)
        unknown = [f"unknown fields: {', '.join(answer.ignored_fields)}"] if answer.ignored_fields else []
        super().__init__("; ".join([*reasons, *unknown]))


class RequestTooLargeError(StemmaError):
    """The request is longer than a message may be; nothing was sent."""


class LedgerFailedError(StemmaError):
    """There is no requirement ledger: nothing was read into it, or the demands could not be read."""

    def __init__(self, detail: str) -> None:
        self.problem = _problem("ledger_missing", reason=detail) if detail else _problem("demands_unread")
        super().__init__(str(self.problem))


class OpinionSupersededError(LedgerFailedError):
    """The second opinion that was waited for is not asked for any more: the ledger is read anew without one."""

    def __init__(self) -> None:
        self.problem = _problem("opinion_superseded")
        StemmaError.__init__(self, str(self.problem))


class InvalidCutError(StemmaError):
    """A row of the requirement ledger cannot be cut so; nothing was sent."""


class TenantFullError(StemmaError):
    """The tenant has as much of something as the server lets it have; the message names the bound."""


class TooManyRequestsError(TenantFullError):
    """As many requests of this name wait as a tenant may have; nothing was stored: ask again later."""


class BusyError(StemmaError):
    """More is asked for than can be done now; nothing was done: ask again in a moment."""


class AnswerTimeoutError(StemmaError):
    """No answer came in time. If the request was ``stored``, it may come yet: ask for it, or again, by its id.

    What became of a stored request cannot be seen from here, so nothing is promised of it.
    """

    def __init__(self, request_id: str, seconds: float, *, stored: bool = False) -> None:
        self.request_id = request_id
        self.stored = stored
        self.problem = _problem(
            "answer_timeout" if stored else "request_unconfirmed", request_id=request_id, seconds=f"{seconds:g}"
        )
        super().__init__(str(self.problem))


class InvalidInputError(StemmaError):
    """A brief or an input file cannot be sent as it is."""


class DocumentNotFoundError(StemmaError):
    """No document of this tenant has the id."""


class NotReadYetError(StemmaError):
    """What was written at a sequence of the log cannot be read yet: ask again, what was answered is not lost."""

    def __init__(self, document_id: str, sequence: int) -> None:
        self.sequence = sequence
        self.problem = _problem("not_read_yet", document_id=document_id, sequence=sequence)
        super().__init__(str(self.problem))


class ExportFailedError(StemmaError):
    """The converter could not make the format; ``detail`` is its reason in short."""

    def __init__(self, export_id: str, detail: str) -> None:
        self.export_id = export_id
        self.detail = detail
        self.problem = _problem("export_failed", reason=detail or "no reason given")
        super().__init__(str(self.problem))
