"""What a draft rests on and what fixes change is found within limits, also in texts that take long."""

import pytest
from stemma_confinement import Limits
from stemma_contracts.v1.inputs import UsedInput
from stemma_contracts.v1.references import ArtifactRef
from stemma_validator.given import THREAD_CHARACTERS, Given, used_inputs

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
