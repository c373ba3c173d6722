"""What it costs to check the drafts of a run: the validator's own handler, on artifacts in memory, without a bus."""

from __future__ import annotations

import time
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
from stemma_validator.app import open_engine, open_fixes, service
from stemma_validator.grounds import Grounds
from stemma_validator.handlers import Tools, on_validate_draft

SECTIONS = 8


async def checks_of_a_run(runs: int) -> float:
    """CPU milliseconds of a document's drafts, the linter's included."""
    settings, limits = service.load_settings(), Limits()
    async with open_engine(settings, limits) as engine:
        artifacts = MemoryArtifactStore()
        tools = Tools(artifacts, engine, Grounds(artifacts, limits), open_fixes(limits), limits)
        await _checked(0, tools)
        before = _cpu_s()
        for number in range(1, runs + 1):
            await _checked(number, tools)
        return (_cpu_s() - before) / runs * 1000


async def _checked(document: int, tools: Tools) -> None:
    for job in [await _job(document, number, tools.artifacts) for number in range(SECTIONS)]:
        await on_validate_draft(job, tools=tools)


async def _job(document: int, number: int, artifacts: ArtifactStore) -> ValidateDraft:
    document_id, section_id = f"d{document}", f"s{number}"
    head = DocumentHead(document_id=document_id, tenant=TENANT, kind="proposal", created_at=datetime.now(UTC))
    bodies = [PARAGRAPH.format(title=f"{document} {number}", times=times) for times in TIMES]
    draft = f"# Section {number}\n\n## Contents\n" + "".join(f"\n{body}\n" for body in bodies)

    async def stored(text: str, name: str) -> ArtifactRef:
        return await artifacts.put(TENANT, document_id, text.encode(), media_type="text/markdown", name=name)

    return ValidateDraft(
        job_id=f"{document_id}.1.validate.{section_id}",
        document=head,
        section=SectionPlan(section_id=section_id, title=f"Section {number}", kind="research", graph="section"),
        version=1,
        draft=await stored(draft, "draft.md"),
        brief=await stored(BRIEF, "brief.md"),
        history=DraftHistory(),
    )


def _cpu_s() -> float:
    """Of this process, and of the linters that it runs."""
    linters = psutil.Process().children(recursive=True)
    return time.process_time() + sum(sum(linter.cpu_times()[:4]) for linter in linters)
