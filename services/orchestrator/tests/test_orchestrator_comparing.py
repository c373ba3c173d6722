"""A text that comes is compared with the one that other sections rest on, before its event is decided."""

import domain_asking as asking
import pytest
from domain_asking import DOCUMENT, TENANT
from domain_story import Story, ref
from stemma_artifacts.store import MemoryArtifactStore
from stemma_contracts.v1.references import ArtifactRef
from stemma_domain.commands import Command, Compared
from stemma_markdown import marked
from stemma_orchestrator.comparing import MOST_BYTES, MOST_LINES, Comparing

pytestmark = pytest.mark.req("L3")
OLD = "Backups are kept for 30 days.\n\nThe desk answers.\n"


class Texts:
    """The section `research`, which others rest on, and the texts that come for it."""

    def __init__(self, story: Story) -> None:
        self.story, self.artifacts = story, MemoryArtifactStore()

    async def put(self, text: bytes) -> ArtifactRef:
        return await self.artifacts.put(TENANT, DOCUMENT, text, media_type="text/markdown", name="draft.md")

    def write(self, draft: ArtifactRef) -> Command:
        number = self.story.document.sections["research"].current_number
        return asking.write(self.story.asked(), "research", number, draft)

    async def compared(self, draft: ArtifactRef) -> Command:
        return await Comparing(self.artifacts).compared(self.write(draft), self.story.document)


@pytest.fixture
async def texts(begun: Story) -> Texts:
    begun.settle("research", "solution")
    texts = Texts(begun)
    begun.when(texts.write(await texts.put(OLD.encode())))
    return texts


async def test_a_text_that_takes_the_place_of_another_is_compared_with_it(texts: Texts) -> None:
    new = await texts.put(OLD.replace("30", "60").encode())
    command = await texts.compared(new)
    assert isinstance(command, Compared)
    ((old, come), difference), *more = command.differences.items()
    first, _ = marked(OLD)
    assert (come, difference.base, difference.touched, more) == (new.digest, old, (first.facts["30"],), [])


async def test_the_mending_of_a_typo_touches_nothing(texts: Texts) -> None:
    texts.story.when(texts.write(await texts.put(OLD.replace("Backups", "Bakcups").encode())))
    command = await texts.compared(await texts.put(OLD.encode()))
    assert isinstance(command, Compared)
    (difference,) = command.differences.values()
    assert (difference.touched, len(difference.followed)) == ((), 4)


@pytest.mark.parametrize(
    "text",
    [b"\xff\xfe", b"x" * (MOST_BYTES + 1), b"a\n" * (MOST_LINES + 1), b"a\r" * (MOST_LINES + 1), OLD.encode()],
)
async def test_what_is_no_text_or_too_long_or_the_same_is_not_compared(texts: Texts, text: bytes) -> None:
    assert not isinstance(await texts.compared(await texts.put(text)), Compared)


async def test_a_text_that_is_gone_is_not_compared(texts: Texts) -> None:
    assert not isinstance(await texts.compared(ref("gone")), Compared)
