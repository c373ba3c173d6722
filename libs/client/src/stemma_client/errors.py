"""What can go wrong between a caller and Stemma; every message says what to do next."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from stemma_contracts.v1.answers import RequestRejected


class StemmaError(Exception):
    """The base of all errors of this client."""


class ServerUnreachableError(StemmaError):
    """No NATS server answers at the address."""


class CopyIncompleteError(StemmaError):
    """The tenant's copy of a stream lacks messages, as it can after a server of several was lost; nothing is lost.

    What lacks lies under ``subject``, from ``first_sequence`` to ``last_sequence`` of the stream.
    """

    def __init__(self, subject: str, first_sequence: int, last_sequence: int) -> None:
        self.subject, self.first_sequence, self.last_sequence = subject, first_sequence, last_sequence
        where = f"from sequence {first_sequence} to {last_sequence}"
        super().__init__(
            f"the tenant's copy lacks messages under {subject} {where}; "
            "the operator makes it anew with `stemma-provision --copies`, and nothing is lost"
        )


class UnreadableEventError(StemmaError):
    """Events of a document are there and cannot be read: without them it would not be what it is.

    They lie from ``first_sequence`` to ``last_sequence`` of the log.
    """

    def __init__(self, document_id: str, first_sequence: int, last_sequence: int) -> None:
        self.document_id, self.first_sequence, self.last_sequence = document_id, first_sequence, last_sequence
        where = f"from sequence {first_sequence} to {last_sequence} of the log"
        super().__init__(
            f"events of {document_id} {where} cannot be read: take the release that wrote them, "
            "or a backup if they are damaged"
        )


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
        reasons = [f"{p.field}: {p.message}" if p.field else p.message for p in answer.problems]
        unknown = [f"unknown fields: {', '.join(answer.ignored_fields)}"] if answer.ignored_fields else []
        super().__init__("; ".join([*reasons, *unknown]))


class RequestTooLargeError(StemmaError):
    """The request is longer than a message may be; nothing was sent."""


class LedgerFailedError(StemmaError):
    """There is no requirement ledger: nothing was read into it, or the demands could not be read."""

    def __init__(self, detail: str) -> None:
        super().__init__(f"there is no requirement ledger: {detail}" if detail else "the demands could not be read")


class OpinionSupersededError(LedgerFailedError):
    """The second opinion that was waited for is not asked for any more: the ledger is read anew without one."""

    def __init__(self) -> None:
        StemmaError.__init__(self, "no second opinion comes: meanwhile the requirements were read again without one")


class InvalidCutError(StemmaError):
    """A row of the requirement ledger cannot be cut so; nothing was sent."""

    def __init__(self, requirement_id: str, detail: str) -> None:
        super().__init__(f"{requirement_id}: {detail}")


class TenantFullError(StemmaError):
    """The tenant has as much of something as the server lets it have; the message names the bound."""


class TooManyRequestsError(TenantFullError):
    """As many requests of this name wait as a tenant may have; nothing was stored: ask again later."""


class AnswerTimeoutError(StemmaError):
    """No answer came in time. If the request was ``stored``, it may come yet: ask for it, or again, by its id.

    What became of a stored request cannot be seen from here, so nothing is promised of it.
    """

    def __init__(self, request_id: str, seconds: float, *, stored: bool = False) -> None:
        self.request_id = request_id
        self.stored = stored
        known = "it was stored" if stored else "whether it was stored is not known here"
        words = f"no answer to request {request_id} after {seconds:g} s; {known}"
        super().__init__(f"{words}; sent again with this id, it is done once")


class InvalidInputError(StemmaError):
    """A brief or an input file cannot be sent as it is."""


class DocumentNotFoundError(StemmaError):
    """No document of this tenant has the id."""


class NotReadYetError(StemmaError):
    """What was written at a sequence of the log cannot be read yet: ask again, what was answered is not lost."""

    def __init__(self, document_id: str, sequence: int) -> None:
        self.sequence = sequence
        super().__init__(f"the read model of {document_id} has not come to sequence {sequence} of the log yet")


class ExportFailedError(StemmaError):
    """The converter could not make the format; ``detail`` is its reason in short."""

    def __init__(self, export_id: str, detail: str) -> None:
        self.export_id = export_id
        self.detail = detail
        super().__init__(f"the export failed: {detail or 'no reason given'}")
