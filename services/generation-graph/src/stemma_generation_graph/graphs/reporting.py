"""What is told of a run beside its draft: its sources, its times, what a person should know, and how it failed."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from stemma_contracts.execution import graph_execution_id
from stemma_contracts.v1 import outcomes as o
from stemma_contracts.v1.jobs import SectionJob
from stemma_contracts.v1.provenance import NodeRun, ProcessingMetadata, Provenance, RetrievedSource
from stemma_models.prompting import parse_blocks

CRITICAL: Mapping[str, type[o.RoleAnalysisMissing | o.NoRoleLeft]] = {
    "role_analysis_missing": o.RoleAnalysisMissing,
    "no_role_left": o.NoRoleLeft,
}


def retrieved_context(state: Mapping[str, Any]) -> tuple[RetrievedSource, ...] | None:
    """The inputs and upstream sections whose text was in the prompts; nothing is told by a graph without material."""
    if "material" not in state:
        return None
    found = []
    for shown in parse_blocks(state["material"]):
        if shown.tag == "input":
            found.append(RetrievedSource(kind="input", name=shown.attributes.get("name", "")))
        elif shown.tag == "upstream":
            version = int(shown.attributes.get("version", "0"))
            found.append(RetrievedSource(kind="upstream", name=shown.attributes.get("id", ""), version=version))
    return tuple(dict.fromkeys(found))


def processing_metadata(
    job: SectionJob, state: Mapping[str, Any], started: datetime, seconds: float, recipe: Provenance
) -> ProcessingMetadata:
    """When and how long a graph ran, and its nodes as far as it keeps account of them.

    How long is no difference of two times of day: a clock that is set meanwhile would make it negative.
    """
    return ProcessingMetadata(
        graph_execution_id=graph_execution_id(job.job_id),
        started_at=started,
        finished_at=started + timedelta(seconds=seconds),
        seconds=round(seconds, 3),
        agent=job.section.agent,
        model=recipe.model,
        prompt_digest=recipe.prompt_digest,
        agent_version=recipe.agent_version,
        nodes=tuple(NodeRun.model_validate(entry) for entry in state.get("timings", ())),
        timed_out=state.get("timed_out", False),
    )


def failed(
    state: Mapping[str, Any], echo: Mapping[str, Any], metadata: ProcessingMetadata
) -> o.RoleAnalysisMissing | o.NoRoleLeft | None:
    """The outcome of a run that came to nothing, with what is known of its course; nothing for any other."""
    critical = state.get("critical")
    if not critical:
        return None
    last = state["errors"][-1]
    detail = ": ".join(filter(None, (last["error_type"], last["detail"])))
    return CRITICAL[critical](**echo, detail=detail, processing_metadata=metadata)
