"""The state of the document agent: JSON values and LangChain messages only; files are references.

Which node sets which field, besides `build_initial_state`, which sets all:

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

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, TypedDict

from langchain_core.messages import AnyMessage
from langgraph.graph.message import add_messages
from stemma_contracts.v1.jobs import GenerateSection

from stemma_generation_graph.graphs.transitions import add_or_remove, append, replace
from stemma_generation_graph.session.session import Manifest


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
    return DocumentState(
        session_id=session_id,
        input_files=list(input_files),
        job={},
        status="scanning_assets",
        manifest={},
        messages=[],
        document_outline=[],
        missing_references=[],
        user_decisions={},
        pending_question="",
        question_about="",
        pending_call="",
        current_file_index=0,
        current_chapter=0,
        last_checkpoint_id="",
        settled_checkpoint="",
        checkpoint_chapters={},
        checkpoint_created=False,
        validation_requested=False,
        validation_passed=False,
        validation_issues=[],
        accepted_issues=[],
        last_check={},
        verdict="",
        fix_attempts=0,
        temp_md_path="",
        left_out=[],
        generation_complete=False,
        agent_steps=0,
        extra_steps=0,
        spent={},
        structure_json_path="",
        output_docx_path="",
        conversion_attempts=0,
        failure=None,
        last_error="",
        error_type="",
        retry_count=0,
        partial=False,
        warnings=[],
        draft_artifact=None,
        left_out_artifact=None,
        evaluation=None,
        assets=[],
    )


def job_of(state: DocumentState) -> GenerateSection:
    return GenerateSection.model_validate(state["job"])


def with_all_fields(state: DocumentState) -> DocumentState:
    """The state with every field, also those that came after its thread began."""
    return {**build_initial_state(state["session_id"], state["input_files"]), **state}
