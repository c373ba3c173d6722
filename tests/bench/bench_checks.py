"""What it costs to check the drafts of a run: the validator's own handler, on artifacts in memory, without a bus."""

from __future__ import annotations

from datetime import UTC, datetime

import psutil
from bench_model import PARAGRAPH, TIMES
from bench_workload import BRIEF, TENANT
from stemma_artifacts.store import ArtifactStore, MemoryArtifactStore
from stemma_confinement import Limits
from stemma_contracts.v1.document import DocumentHead
from stemma_contracts.v1.jobs import DraftHistory, ValidateDraft
from stemma_contracts.v1.references import ArtifactRef
from stemma_contracts.v1.section import SectionPlan
from stemma_telemetry.logs import configure_logs
from stemma_validator.app import open_engine, open_fixes, service
from stemma_validator.grounds import Grounds
from stemma_validator.handlers import Tools, on_validate_draft

TITLES = ("Research", "Solution", "Connections", "Problem", "Approach", "Timeline", "Budget", "Conclusion")
"""Without a number, which would be a claim, as the model of the bench writes it."""


async def checks_of_a_run(runs: int) -> float:
    """CPU milliseconds of a document's drafts, the linter's included."""
    configure_logs(json=True, level="warning")
    settings, limits = service.load_settings(), Limits()
    artifacts = MemoryArtifactStore()
    tools = Tools(artifacts, open_engine(settings, limits), Grounds(artifacts, limits), open_fixes(limits), limits)
    await _checked(0, tools)
    before = _cpu_s()
    for number in range(1, runs + 1):
        await _checked(number, tools)
    return (_cpu_s() - before) / runs * 1000


async def _checked(document: int, tools: Tools) -> None:
    for job in [await _job(f"d{document}", title, tools.artifacts) for title in TITLES]:
        await on_validate_draft(job, tools=tools)


async def _job(document_id: str, title: str, artifacts: ArtifactStore) -> ValidateDraft:
    section_id = title.lower()
    head = DocumentHead(document_id=document_id, tenant=TENANT, kind="proposal", created_at=datetime.now(UTC))
    bodies = [PARAGRAPH.format(title=title, times=times) for times in TIMES]
    draft = f"# {title}\n\n## Contents\n" + "".join(f"\n{body}\n" for body in bodies)

    async def stored(text: str, name: str) -> ArtifactRef:
        return await artifacts.put(TENANT, document_id, text.encode(), media_type="text/markdown", name=name)

    return ValidateDraft(
        job_id=f"{document_id}.1.validate.{section_id}",
        document=head,
        section=SectionPlan(section_id=section_id, title=title, kind="research", graph="section"),
        version=1,
        draft=await stored(draft, "draft.md"),
        brief=await stored(BRIEF, "brief.md"),
        history=DraftHistory(),
    )


def _cpu_s() -> float:
    """Of this process, and of the linters that it ran and runs."""
    own = psutil.Process()
    return float(sum(sum(process.cpu_times()[:4]) for process in (own, *own.children(recursive=True))))
