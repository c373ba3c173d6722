"""Which errors of a provider are worth another attempt, and after how long."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from tenacity import RetryCallState

from .settings import ModelSettings

LONGEST_WAIT_S = 60.0
TRANSIENT_STATUS = frozenset({408, 409, 425, 429})


def status_of(error: BaseException) -> int | None:
    """The HTTP status that a provider's error carries."""
    status = getattr(error, "status_code", None)
    return status if isinstance(status, int) else None


def is_provider_error(error: BaseException) -> bool:
    """Whether the fault lies with the model or the way to it; anything else is a bug of ours."""
    return isinstance(error, OSError) or status_of(error) is not None


def is_transient(error: BaseException) -> bool:
    """Whether the same call may succeed a little later."""
    status = status_of(error)
    if status is None:
        return isinstance(error, OSError)
    return status in TRANSIENT_STATUS or status >= 500


def is_too_long(error: BaseException) -> bool:
    """Whether the provider says that the prompt is longer than its model holds; LiteLLM reads that from its words."""
    return type(error).__name__ == "ContextWindowExceededError"


def describe(error: BaseException) -> str:
    """An error in a few words; never its message, which may quote the prompt."""
    status = status_of(error)
    return type(error).__name__ if status is None else f"{type(error).__name__} ({status})"


class Wait:
    """Exponential backoff; a ``Retry-After``, in seconds or as a date, overrides it; both up to `LONGEST_WAIT_S`."""

    def __init__(self, settings: ModelSettings) -> None:
        self._settings = settings

    def __call__(self, state: RetryCallState) -> float:
        error = state.outcome.exception() if state.outcome else None
        told = _retry_after(error)
        wait = self._settings.backoff * 2.0 ** (state.attempt_number - 1) if told is None else told
        return min(LONGEST_WAIT_S, wait)


def _retry_after(error: BaseException | None) -> float | None:
    value = next((value for headers in _headers(error) if (value := str(headers.get("retry-after") or ""))), "")
    if value.replace(".", "", 1).isdigit():
        return float(value)
    try:
        return max(0.0, (parsedate_to_datetime(value) - datetime.now(UTC)).total_seconds())
    except (ValueError, TypeError):
        return None


def _headers(error: BaseException | None) -> Iterator[Mapping[str, str]]:
    """The headers of the answer wherever an error keeps them; LiteLLM's own response object has none."""
    yield getattr(error, "litellm_response_headers", None) or {}
    yield getattr(getattr(error, "response", None), "headers", None) or {}
    yield getattr(error, "headers", None) or {}
