"""Where the graph goes from each node: for every node the first route whose condition holds."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from langgraph.graph import END

from .state import DocumentState
from .steps import is_call

Condition = Callable[[DocumentState], bool]


@dataclass(frozen=True)
class Route:
    """One row of the routing table; ``when`` says in words what ``holds`` computes."""

    source: str
    when: str
    holds: Condition
    target: str


def _always(_: DocumentState) -> bool:
    return True


def _failed(state: DocumentState) -> bool:
    return state["failure"] is not None


def _asks(state: DocumentState) -> bool:
    return bool(state["pending_question"])


def _calls_tools(state: DocumentState) -> bool:
    last = state["messages"][-1] if state["messages"] else None
    return last is not None and is_call(last)


def _complete(state: DocumentState) -> bool:
    return state["generation_complete"]


def _failure_of(source: str) -> Route:
    return Route(source, "the node failed", _failed, "error_handler")


ROUTES = (
    _failure_of("scan_assets"),
    Route("scan_assets", "images are missing", _asks, "human_input"),
    Route("scan_assets", "otherwise", _always, "agent"),
    _failure_of("agent"),
    Route("agent", "the message calls tools", _calls_tools, "tools"),
    Route("agent", "its steps are used up", _asks, "human_input"),
    Route("agent", "the document is complete", _complete, "parse_to_json"),
    Route("agent", "otherwise", _always, "agent"),
    _failure_of("tools"),
    Route("tools", "a question is pending", _asks, "human_input"),
    Route("tools", "a checkpoint was just created", lambda s: s["checkpoint_created"], "validate_md"),
    Route("tools", "a validation was asked for", lambda s: s["validation_requested"], "validate_md"),
    Route("tools", "the document is complete", _complete, "parse_to_json"),
    Route("tools", "otherwise", _always, "agent"),
    _failure_of("validate_md"),
    Route("validate_md", "the chapter passed", lambda s: s["verdict"] == "passed", "checkpoint"),
    Route(
        "validate_md",
        "it is out of attempts, or unchanged",
        lambda s: s["verdict"] == "kept",
        "checkpoint",
    ),
    Route("validate_md", "the same, if that ends the run", lambda s: s["verdict"] == "given_up", "parse_to_json"),
    Route("validate_md", "otherwise", _always, "agent"),
    _failure_of("checkpoint"),
    Route("checkpoint", "otherwise", _always, "agent"),
    _failure_of("human_input"),
    Route("human_input", "the question is open still", _asks, "human_input"),
    Route("human_input", "the document is complete", _complete, "parse_to_json"),
    Route("human_input", "otherwise", _always, "agent"),
    _failure_of("parse_to_json"),
    Route("parse_to_json", "otherwise", _always, "convert_docx"),
    _failure_of("convert_docx"),
    Route("convert_docx", "otherwise", _always, "evaluate"),
    Route("error_handler", "no retry is left", lambda s: s["partial"], "evaluate"),
    Route("error_handler", "otherwise", _always, "agent"),
    Route("evaluate", "always", _always, END),
)


def targets_of(source: str) -> list[str]:
    return list(dict.fromkeys(route.target for route in ROUTES if route.source == source))


def router(source: str) -> Callable[[DocumentState], Awaitable[str]]:
    """The function that picks the route from a node; LangGraph would run one that is not async in a thread."""
    routes = [route for route in ROUTES if route.source == source]

    async def route(state: DocumentState) -> str:
        return next(route.target for route in routes if route.holds(state))

    return route


route_after_tools = router("tools")
