"""What may fail in a node, and how it becomes state: every failure is the business of ``error_handler``.

What keeps the machinery from working, such as a store that does not answer or a bug of ours, is not one of them: it
ends the job, which is delivered again and goes on at the same step.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import wraps
from typing import Any

from stemma_models import ContextTooLongError, MalformedAnswerError, ModelUnavailableError

from stemma_generation_graph.graphs.transitions import FAILURES as OF_ANY_NODE

Update = dict[str, Any]
Node = Callable[..., Awaitable[Update]]


class AgentFailure(Exception):
    """A failure with its type; ``detail`` holds no text of a document. Some no retry can mend."""

    def __init__(self, error_type: str, detail: str, *, retryable: bool = True) -> None:
        super().__init__(f"{error_type}: {detail}")
        self.error_type = error_type
        self.detail = detail
        self.retryable = retryable


FAILURES = (AgentFailure, *OF_ANY_NODE)


def failure_of(error: Exception) -> Update:
    """The failure as the field ``failure`` of the state."""
    match error:
        case AgentFailure():
            return _failure(error.error_type, error.detail, error.retryable)
        case ModelUnavailableError():
            return _failure("model_unavailable", error.detail)
        case MalformedAnswerError():
            return _failure("answer_malformed", error.detail)
        case ContextTooLongError():
            return _failure("context_too_long", error.detail, retryable=False)
        case _:
            return _failure("file_lost", type(error).__name__)


def _failure(error_type: str, detail: str, retryable: bool = True) -> Update:
    return {"failure": {"type": error_type, "detail": detail[:300], "retryable": retryable}}


def guarded(node: Node) -> Node:
    """The same node; a failure in it is its update."""

    @wraps(node)
    async def run(*args: Any, **kwargs: Any) -> Update:
        try:
            return await node(*args, **kwargs)
        except FAILURES as error:
            return failure_of(error)

    return run
