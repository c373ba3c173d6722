"""The state of the document agent: JSON values and LangChain messages only; files are references.

Which node sets which field; `build_initial_state` sets all, to what is empty:

| field | set by |
|---|---|
| ``session_id``, ``input_files``, ``job`` | nothing else |
| ``status`` | ``scan_assets``, ``human_input``, ``parse_to_json``, ``convert_docx``, ``error_handler``, ``evaluate`` |
| ``manifest`` | ``scan_assets``, ``tools``, ``validate_md``, ``checkpoint``, ``human_input``, ``parse_to_json``, ``convert_docx``, ``error_handler`` |
| ``messages`` | ``agent``, ``tools``, ``validate_md``, ``human_input``, ``error_handler`` |
| ``document_outline`` | ``scan_assets`` |
| ``missing_references`` | ``scan_assets``, ``human_input`` |
| ``user_decisions`` | ``human_input`` |
| ``pending_question``, ``question_about`` | ``scan_assets``, ``agent`` at its bound, ``tools``, ``human_input`` |
| ``pending_call`` | ``tools``, ``validate_md``, ``human_input`` |
| ``current_chapter``, ``current_file_index`` | ``checkpoint``; back again: ``tools`` on a rollback |
| ``last_checkpoint_id``, ``checkpoint_chapters`` | ``tools``, ``checkpoint`` |
| ``settled_checkpoint`` | ``checkpoint`` |
| ``checkpoint_created`` | ``tools``, ``validate_md`` |
| ``validation_requested`` | ``tools``, ``validate_md`` |
| ``validation_passed``, ``validation_issues``, ``accepted_issues``, ``last_check`` | ``validate_md`` |
| ``fix_attempts``, ``verdict`` | ``validate_md``, ``checkpoint``, ``error_handler`` |
| ``temp_md_path``, ``left_out`` | ``tools`` |
| ``generation_complete`` | ``tools``, ``agent``, ``human_input`` at the bound on steps, ``error_handler`` |
| ``agent_steps``, ``spent`` | ``agent`` |
| ``steps_seen``, ``stalled`` | ``agent``; cleared by ``human_input``, ``error_handler`` |
| ``extra_steps`` | ``human_input`` |
| ``structure_json_path`` | ``parse_to_json`` |
| ``output_docx_path`` | ``convert_docx`` |
| ``conversion_attempts`` | ``parse_to_json``, ``convert_docx`` |
| ``failure`` | any node that fails; cleared by ``error_handler`` |
| ``last_error``, ``error_type``, ``retry_count``, ``partial`` | ``error_handler`` |
| ``warnings`` | ``agent``, ``human_input``, ``validate_md``, ``error_handler``, ``evaluate`` |
| ``draft_artifact``, ``evaluation``, ``assets``, ``left_out_artifact`` | ``evaluate`` |

A thread that began with an earlier release lacks the fields that came since: `with_all_fields` fills them in.
"""  # noqa: E501

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import Annotated, Any, TypedDict

from langchain_core.messages import AIMessage, AnyMessage, BaseMessage
from langgraph.graph import END
from langgraph.graph.message import add_messages
from stemma_contracts.v1.jobs import GenerateSection
from stemma_models import ContextTooLongError, MalformedAnswerError, ModelUnavailableError

from stemma_generation_graph.graphs.transitions import FAILURES as OF_ANY_NODE
from stemma_generation_graph.graphs.transitions import add_or_remove, append, empty_state, replace

from .session import Manifest

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


class DocumentState(TypedDict):
    """See the module for who sets what. ``current_chapter`` is the number of chapters that are done, of all files."""

    session_id: str
    input_files: list[str]
    job: dict[str, Any]
    status: Annotated[str, replace]
    manifest: Annotated[Manifest, replace]
    messages: Annotated[list[AnyMessage], add_messages]
    document_outline: list[dict[str, Any]]
    missing_references: Annotated[list[dict[str, Any]], add_or_remove]
    user_decisions: dict[str, str]
    pending_question: Annotated[str, replace]
    question_about: Annotated[str, replace]
    pending_call: Annotated[str, replace]
    current_file_index: Annotated[int, replace]
    current_chapter: Annotated[int, replace]
    last_checkpoint_id: Annotated[str, replace]
    settled_checkpoint: str
    checkpoint_chapters: Annotated[dict[str, int], replace]
    checkpoint_created: Annotated[bool, replace]
    validation_requested: Annotated[bool, replace]
    validation_passed: bool
    validation_issues: list[dict[str, Any]]
    accepted_issues: list[str]
    last_check: dict[str, Any]
    verdict: Annotated[str, replace]
    fix_attempts: Annotated[int, replace]
    temp_md_path: str
    left_out: list[dict[str, str]]
    generation_complete: Annotated[bool, replace]
    agent_steps: int
    extra_steps: int
    steps_seen: Annotated[list[str], replace]
    stalled: Annotated[int, replace]
    spent: dict[str, Any]
    structure_json_path: str
    output_docx_path: str
    conversion_attempts: Annotated[int, replace]
    failure: Annotated[dict[str, Any] | None, replace]
    last_error: str
    error_type: str
    retry_count: int
    partial: bool
    warnings: Annotated[list[dict[str, Any]], append]
    draft_artifact: dict[str, Any] | None
    left_out_artifact: dict[str, Any] | None
    evaluation: dict[str, Any] | None
    assets: list[dict[str, Any]]


def build_initial_state(session_id: str, input_files: Sequence[str]) -> DocumentState:
    return empty_state(DocumentState, session_id=session_id, input_files=list(input_files), status="scanning_assets")


def job_of(state: DocumentState) -> GenerateSection:
    return GenerateSection.model_validate(state["job"])


def with_all_fields(state: DocumentState) -> DocumentState:
    """The state with every field, also those that came after its thread began."""
    return {**build_initial_state(state["session_id"], state["input_files"]), **state}


def is_call(message: BaseMessage) -> bool:
    """Whether a message calls tools, be it in a form that cannot be read."""
    return isinstance(message, AIMessage) and bool(message.tool_calls or message.invalid_tool_calls)


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
    Route("agent", "its steps are used up, or change nothing", _asks, "human_input"),
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
