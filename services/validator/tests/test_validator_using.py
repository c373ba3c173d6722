"""What a draft rests on and what fixes change is found within limits, also in texts that take long."""

from collections.abc import Awaitable, Callable

import pytest
from stemma_artifacts.store import ArtifactStore
from stemma_confinement import Limits
from stemma_contracts.v1.inputs import UsedInput
from stemma_contracts.v1.jobs import UpstreamDraft, ValidateDraft
from stemma_contracts.v1.references import ArtifactRef
from stemma_contracts.v1.staleness import UsedUpstream
from stemma_markdown import marked
from stemma_validator.engines import RumdlEngine
from stemma_validator.given import THREAD_CHARACTERS, Given, used_inputs
from stemma_validator.handlers import on_validate_draft

from .conftest import DOCUMENT, TENANT, tools_of

pytestmark = pytest.mark.req("I4", "S6")
REF = ArtifactRef(digest="0" * 64, size=1, media_type="text/markdown", name="a.md")
HARD = "- a 22\n" * (THREAD_CHARACTERS // 2)


async def test_an_input_that_takes_too_long_counts_as_used_as_a_whole() -> None:
    used = await used_inputs([Given("a", "a.md", REF, text=HARD)], HARD, Limits(seconds=1, memory_mb=512))
    assert used == (UsedInput(input_id="a", whole=True),)


async def test_a_long_input_is_looked_through_in_a_process_of_its_own() -> None:
    text = "\n\n".join(f"Paragraph {n} names its {'x' * 99}{n}." for n in range(1400))
    used = await used_inputs([Given("a", "a.md", REF, text=text)], text.split("\n\n")[7], Limits())
    assert len(text) > THREAD_CHARACTERS
    assert used is not None
    assert (used[0].input_id, used[0].whole, len(used[0].parts)) == ("a", False, 1)


JobFor = Callable[..., Awaitable[ValidateDraft]]
UPSTREAM = "# Operation\n\nBackups are kept for 30 days.\n\nThe desk answers within 15 minutes.\n"


class Above:
    """A draft whose section rests on `operation`, which rests on `research`."""

    def __init__(self, artifacts: ArtifactStore, engine: RumdlEngine, job_for: JobFor) -> None:
        self.artifacts, self.engine, self.job_for = artifacts, engine, job_for

    async def used(self, draft: str) -> tuple[UsedUpstream, ...] | None:
        job = await self.job_for(draft)
        ref = await self.artifacts.put(TENANT, DOCUMENT, UPSTREAM.encode(), media_type="text/markdown", name="draft.md")
        names = "operation", "research"
        above = tuple(UpstreamDraft(section_id=name, title=name, version=3, draft=ref) for name in names)
        section = job.section.model_copy(update={"depends_on": ("operation",)})
        job = job.model_copy(update={"section": section, "upstream": above})
        return (await on_validate_draft(job, tools=tools_of(self.artifacts, self.engine))).validation.used_upstream


@pytest.fixture
def above(artifacts: ArtifactStore, rumdl: RumdlEngine, job_for: JobFor) -> Above:
    return Above(artifacts, rumdl, job_for)


@pytest.mark.req("L3")
async def test_what_a_draft_uses_of_its_direct_upstream_is_told(above: Above) -> None:
    (used,) = await above.used("# Costs\n\nTo keep backups for 30 days costs more.\n") or ()
    (_, backups, _) = marked(UPSTREAM)
    assert (used.section_id, used.version, used.whole) == ("operation", 3, False)
    assert (
        {backups.mark, backups.facts["30"]}
        <= set(used.marks)
        <= {backups.mark, backups.below, backups.after, backups.facts["30"]}
    )


@pytest.mark.req("L3")
async def test_an_upstream_of_which_nothing_is_found_is_named_without_marks(above: Above) -> None:
    assert await above.used("# Costs\n\nNothing.\n") == (UsedUpstream(section_id="operation", version=3),)
