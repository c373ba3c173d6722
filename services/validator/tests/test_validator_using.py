"""What a draft rests on and what fixes change is found within limits, also in texts that take long."""

import pytest
from stemma_confinement import Limits
from stemma_contracts.v1.inputs import UsedInput
from stemma_contracts.v1.jobs import UpstreamDraft
from stemma_contracts.v1.references import ArtifactRef
from stemma_contracts.v1.staleness import UsedUpstream
from stemma_markdown import marked
from stemma_validator.given import THREAD_CHARACTERS, Given, used_inputs

from .conftest import Desk

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


UPSTREAM = "# Operation\n\nBackups are kept for 30 days.\n\nThe desk answers within 15 minutes.\n"


@pytest.mark.req("L3")
async def test_what_a_draft_uses_of_its_direct_upstream_is_told_and_one_of_which_it_uses_nothing_is_named(
    desk: Desk,
) -> None:
    """A draft whose section rests on `operation`, which rests on `research`."""
    draft = await desk.put(UPSTREAM)
    names = "operation", "research"
    above = tuple(UpstreamDraft(section_id=name, title=name, version=3, draft=draft) for name in names)

    async def used_by(text: str) -> tuple[UsedUpstream, ...]:
        job = await desk.job(text, plan={"depends_on": ("operation",)}, upstream=above)
        return (await desk.handled(job)).validation.used_upstream or ()

    (used,) = await used_by("# Costs\n\nTo keep backups for 30 days costs more.\n")
    (_, backups, _) = marked(UPSTREAM)
    least = {backups.mark, backups.facts["30"]}
    assert (used.section_id, used.version, used.whole) == ("operation", 3, False)
    assert least <= set(used.marks) <= {*least, backups.below, backups.after}
    assert await used_by("# Costs\n\nNothing.\n") == (UsedUpstream(section_id="operation", version=3),)
