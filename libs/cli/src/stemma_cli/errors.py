"""Errors of the client in the words of the command line."""

from pydantic import ValidationError
from stemma_artifacts.store import ArtifactCorrupt, ArtifactMissing
from stemma_client import errors
from stemma_contracts.misfits import misfits
from stemma_contracts.tokens import InvalidToken

from .exit_codes import CliError, ExitCode

SEE_WHO_YOU_ARE = "see `stemma login`, or STEMMA_NATS_USER, STEMMA_NATS_PASSWORD and STEMMA_TENANT"
SEE_THE_LIST = "see `stemma list` for the documents that there are"


def words_for(error: Exception) -> CliError | None:
    """What to tell a person; None for an error that only a bug explains."""
    if isinstance(error, CliError):
        return error
    for kind, code, hint in _TABLE:
        if isinstance(error, kind):
            return CliError(code, _message(error), _hint(error) or hint)
    return None


_TABLE: tuple[tuple[type[Exception], ExitCode, str], ...] = (
    (errors.ServerUnreachableError, ExitCode.NO_SERVER, "start one with `stemma up`, or set STEMMA_NATS_URL"),
    (
        errors.NobodyAdmitsError,
        ExitCode.FAILED,
        f"does `stemma-admission` run? it is part of `stemma up`; where it does, {SEE_WHO_YOU_ARE}",
    ),
    (errors.AccessDeniedError, ExitCode.FAILED, SEE_WHO_YOU_ARE),
    (errors.RequestRejectedError, ExitCode.REJECTED, ""),
    (
        errors.AnswerTimeoutError,
        ExitCode.FAILED,
        "does the orchestrator run? see `stemma list`, and the logs of `stemma up`",
    ),
    (errors.DocumentNotFoundError, ExitCode.FAILED, SEE_THE_LIST),
    (errors.InvalidAddressError, ExitCode.USAGE, ""),
    (errors.InvalidLoginError, ExitCode.USAGE, ""),
    (errors.InvalidInputError, ExitCode.USAGE, ""),
    (errors.InvalidCutError, ExitCode.USAGE, "`stemma ledger DOC --json` has the words of each row"),
    (errors.RequestTooLargeError, ExitCode.USAGE, "say less, or send fewer files"),
    (errors.UnreadableEventError, ExitCode.FAILED, "is this command as recent as the services? see `stemma --version`"),
    (errors.StemmaError, ExitCode.FAILED, ""),
    (ArtifactMissing, ExitCode.FAILED, "its document may have been erased"),
    (ArtifactCorrupt, ExitCode.FAILED, ""),
    (InvalidToken, ExitCode.USAGE, ""),
    (ValidationError, ExitCode.USAGE, ""),
    (OSError, ExitCode.FAILED, ""),
)


def _hint(error: Exception) -> str:
    match error:
        case errors.RequestRejectedError() if _names_no_document(error):
            return SEE_THE_LIST
        case _:
            return ""


def _names_no_document(error: errors.RequestRejectedError) -> bool:
    about_document = any(problem.field == "document_id" for problem in error.problems)
    return about_document and error.answer.document_id is None


def _message(error: Exception) -> str:
    match error:
        case errors.RequestRejectedError():
            return f"rejected: {error}"
        case ValidationError():
            return "; ".join(map(str, misfits(error)))
        case ArtifactMissing():
            return f"the content {error} is not in the store"
        case ArtifactCorrupt():
            return f"the content {error} is damaged in the store"
        case _:
            return str(error)
