"""The ways in which a model call fails: for good, or worth another attempt, and after how long."""

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from stemma_contracts.v1.usage import Usage
from tenacity import RetryCallState

from .settings import ModelSettings


class UnfinishedAnswer(ConnectionError):
    """The provider ended an answer, or fell silent, before it was whole: worth another attempt."""


class UnreadableAnswer(Exception):
    """The provider answers in a format that LiteLLM does not read, and would do so again."""

    def __init__(self) -> None:
        super().__init__(
            "its answers are not in OpenAI's format, such as lists of parts: name the model by its own provider"
        )


class ModelError(Exception):
    """A model call that gave nothing; ``detail`` says why without any text of a document."""

    def __init__(self, detail: str, usage: Usage) -> None:
        super().__init__(detail)
        self.detail = detail[:300]
        self.usage = usage


class ModelUnavailableError(ModelError):
    """The model did not answer within the bounds of the retries and the time limit."""


class ContextTooLongError(ModelError):
    """The prompt is longer than the model holds; it was not sent, or the provider refused it.

    ``prompt_tokens`` is a rough count, ``context_tokens`` what the model holds, prompt and answer; 0: not known.
    ``answer_tokens`` is 0 where the provider has refused the prompt.
    """

    def __init__(self, model: str, prompt_tokens: int, context_tokens: int, answer_tokens: int, usage: Usage) -> None:
        room = f", of which the answer needs {answer_tokens}" if answer_tokens else ""
        held = f"{context_tokens} tokens{room}" if context_tokens else "fewer"
        told = f"the prompt has about {prompt_tokens} tokens and {model[:80]} holds {held}"
        super().__init__(f"{told}: take one that holds more (CONTEXT_TOKENS), or less input (MAX_INPUT_CHARS)", usage)
        self.prompt_tokens = prompt_tokens
        self.context_tokens = context_tokens


class MalformedAnswerError(ModelError):
    """The answers did not fit, also after the model was told what was wrong with them."""


LONGEST_WAIT_S = 60.0
LOADING_S = 2.0
TRANSIENT_STATUS = frozenset({408, 409, 425, 429})
WORDS_READ = 2000
"""Of what a provider says of an error: it may quote the prompt."""

_TOO_LONG = re.compile(
    r"context[ _-]?(?:window|length|size|limit)|exceed_context|(?:prompt|input|request)(?: is)? too (?:long|large)"
    r"|reduce the length of|maximum number of tokens allowed|too many (?:input )?tokens",
    re.IGNORECASE,
)
_ALWAYS_TOO_LONG = re.compile(r"request too large", re.IGNORECASE)
"""A limit by the minute that is smaller than the prompt; LiteLLM makes 429 of 413."""
_TOO_LONG_IN_AN_OUTAGE = re.compile(
    r"exceeds?(?:_| the | available |d | )*context|(?:prompt|input)(?: is)? too long", re.IGNORECASE
)
"""Of a status that says an outage, which a prompt that is quoted does not change."""
_IS_MORE_THAN = re.compile(r"\d(?: tokens?)? > (\d{3,9})", re.IGNORECASE)
_HOLDS = re.compile(
    r"(?:context (?:length|window|size|limit)(?: is| of|:)? ?\(?|tokens allowed \()(\d{3,9})",
    re.IGNORECASE,
)
_QUOTA = re.compile(
    r"insufficient[_ ](?:quota|balance|credits?|funds)|exceeded your current quota|credit balance is too low"
    r"|out of credits?|billing_(?:hard_)?limit|payment required",
    re.IGNORECASE,
)
_NO_STRUCTURE = re.compile(
    r"response[_ ]?(?:format|schema)|json[_ ]?schema|structured output|tool[_ ]?(?:choice|calling)|function calling"
    r"|grammar|support tools",
    re.IGNORECASE,
)
_COMES_BACK = re.compile(r"(?:retry|try again) in \d", re.IGNORECASE)
"""A limit by the minute that calls itself a quota."""
_ADVICE = {
    401: "check the key in the environment of the service",
    403: "check what the key may do",
    404: "check the name of the model and its api_base",
}


def status_of(error: BaseException) -> int | None:
    """The HTTP status that a provider's error carries."""
    status = getattr(error, "status_code", None)
    return status if isinstance(status, int) else None


def is_provider_error(error: BaseException) -> bool:
    """Whether the fault lies with the model or the way to it; anything else is a bug of ours."""
    return isinstance(error, OSError | UnreadableAnswer) or status_of(error) is not None


def is_transient(error: BaseException) -> bool:
    """Whether the same call may succeed a little later."""
    status = status_of(error)
    if status is None:
        return isinstance(error, OSError)
    is_lasting = is_too_long(error) or is_quota(error) or _repeats_itself(error)
    return (status in TRANSIENT_STATUS or status >= 500) and not is_lasting


def _repeats_itself(error: BaseException) -> bool:
    """Whether LiteLLM ended a stream of the same piece a hundred times: each further attempt costs as much."""
    return "The model is repeating the same chunk" in _words(error)


def is_too_long(error: BaseException) -> bool:
    """Whether the provider says, in any of many wordings, that the prompt is longer than its model holds."""
    if type(error).__name__ == "ContextWindowExceededError":
        return True
    status = status_of(error) or 0
    said = _ALWAYS_TOO_LONG if status == 429 else _TOO_LONG_IN_AN_OUTAGE if status >= 500 else _TOO_LONG
    return (status in (400, 413, 422, 429) or status >= 500) and said.search(_words(error)) is not None


def is_structure_refused(error: BaseException) -> bool:
    """Whether the server says that it takes no schema of an answer, or no tool in its place."""
    return status_of(error) in (400, 404, 422, 501) and _NO_STRUCTURE.search(_words(error)) is not None


def is_loading(error: BaseException | None) -> bool:
    """Whether the server is there and still reads its model: it answers in a minute."""
    return error is not None and status_of(error) == 503 and "loading model" in _words(error).lower()


def _is_unreachable(error: BaseException | None) -> bool:
    """Whether no connection was made; LiteLLM makes a server's status 500 of it."""
    import httpx

    while error is not None and not isinstance(error, httpx.ConnectError | httpx.InvalidURL):
        error = error.__cause__ or error.__context__
    return error is not None


def held_tokens(error: BaseException) -> int:
    """How many tokens the model holds, as the provider says with its refusal; 0 if it does not."""
    words = _words(error)
    found = _IS_MORE_THAN.search(words) or _HOLDS.search(words)
    return int(found[1]) if found else 0


def is_quota(error: BaseException) -> bool:
    """Whether what was paid for is used up: no attempt helps before somebody pays."""
    if status_of(error) == 402:
        return True
    words = _words(error)
    is_told = status_of(error) in (400, 403, 429) and _QUOTA.search(words) is not None
    return is_told and not _COMES_BACK.search(words) and _retry_after(error) is None


def describe(error: BaseException) -> str:
    """An error in a few words, with what to do about it; never its message, which may quote the prompt."""
    if isinstance(error, UnfinishedAnswer | UnreadableAnswer):
        return str(error)
    if is_loading(error):
        return "the server still loads its model"
    status = status_of(error)
    kind = type(error).__name__ if status is None else f"{type(error).__name__} ({status})"
    if is_quota(error):
        return f"the provider's quota or credit is used up, {kind}: raise it there, then try again"
    if _repeats_itself(error):
        return "the model repeated itself without end: try again, or take another model"
    if _is_unreachable(error):
        return f"{kind}: no server is reached; check its address (api_base) and that it runs"
    return f"{kind}: {_ADVICE[status]}" if status in _ADVICE else kind


class Wait:
    """Exponential backoff; what the provider says overrides it; both up to `LONGEST_WAIT_S`."""

    def __init__(self, settings: ModelSettings) -> None:
        self._settings = settings

    def __call__(self, state: RetryCallState) -> float:
        error = state.outcome.exception() if state.outcome else None
        if is_loading(error):
            return LOADING_S
        told = _retry_after(error)
        wait = self._settings.backoff * 2.0 ** (state.attempt_number - 1) if told is None else told
        return min(LONGEST_WAIT_S, wait)


def _words(error: BaseException) -> str:
    return f"{error} {getattr(error, 'body', None) or ''}"[:WORDS_READ]


def _retry_after(error: BaseException | None) -> float | None:
    """Seconds by ``retry-after-ms`` or ``Retry-After``, which has seconds or a date."""
    for headers in _headers(error):
        if (told := str(headers.get("retry-after-ms") or "")) and _is_number(told):
            return float(told) / 1000
        if told := str(headers.get("retry-after") or ""):
            return float(told) if _is_number(told) else _seconds_until(told)
    return None


def _is_number(text: str) -> bool:
    return text.isascii() and text.replace(".", "", 1).isdigit()


def _seconds_until(date: str) -> float | None:
    try:
        return max(0.0, (parsedate_to_datetime(date) - datetime.now(UTC)).total_seconds())
    except (ValueError, TypeError):
        return None


def _headers(error: BaseException | None) -> Iterator[Mapping[str, str]]:
    """The headers of the answer wherever an error keeps them; LiteLLM's own response object has none."""
    yield getattr(error, "litellm_response_headers", None) or {}
    yield getattr(getattr(error, "response", None), "headers", None) or {}
    yield getattr(error, "headers", None) or {}
