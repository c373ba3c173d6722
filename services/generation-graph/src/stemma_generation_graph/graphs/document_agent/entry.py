"""The entry of the document agent: check the inputs, make the session, build the state."""

from __future__ import annotations

from stemma_contracts.v1.jobs import GenerateSection
from stemma_contracts.v1.references import InputFile

from stemma_generation_graph.inputs import InputsRefused
from stemma_generation_graph.session.references import MAX_IMAGE_BYTES, is_image
from stemma_generation_graph.session.session import new_manifest
from stemma_generation_graph.session.tools import READABLE

from .state import DocumentState, build_initial_state

MAX_TEXT_BYTES = 2 * 1024 * 1024


def open_session(job: GenerateSection) -> DocumentState:
    """The state that a job starts with: its inputs are in the session by reference. Raises `InputsRefused`."""
    texts = [file.name for file in job.inputs if file.artifact.media_type in READABLE]
    if not texts:
        raise InputsRefused("there is no text among the inputs")
    for file in job.inputs:
        _check(file)
    state = build_initial_state(job.thread_id, texts)
    return {**state, "job": job.model_dump(mode="json"), "manifest": new_manifest(job.inputs)}


def _check(file: InputFile) -> None:
    kind, size = file.artifact.media_type, file.artifact.size
    limit = MAX_IMAGE_BYTES if is_image(kind) else MAX_TEXT_BYTES if kind in READABLE else None
    if limit is not None and size > limit:
        raise InputsRefused(f"an input of the kind {kind} has {size} bytes; at most {limit} are taken")
