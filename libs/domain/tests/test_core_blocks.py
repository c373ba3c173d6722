"""Every version keeps which blocks it has, and the next one is told."""

import domain_asking as asking
from domain_story import Story, ref, validation
from stemma_contracts.v1 import jobs as j
from stemma_contracts.v1 import outcomes as o
from stemma_contracts.v1.jobs import DraftHistory
from stemma_contracts.v1.references import ArtifactRef
from stemma_contracts.v1.validation import ValidationSummary


def history(story: Story) -> DraftHistory | None:
    (job,) = story.jobs(j.ValidateDraft)
    return job.history


def with_blocks(name: str) -> ValidationSummary:
    return validation().model_copy(update={"blocks": ref(name)})


def kept(story: Story) -> list[ArtifactRef | None]:
    return [version.blocks for version in story.document.sections["research"].versions]


def write(story: Story, text: str) -> None:
    story.when(asking.write(story.asked(), "research", story.document.sections["research"].current_number, ref(text)))


def restore(story: Story, version: int) -> None:
    story.when(asking.restore(story.asked(), "research", story.document.sections["research"].current_number, version))


def checked(story: Story, name: str) -> None:
    (job_id,) = (job_id for job_id, job in story.open_jobs().items() if isinstance(job, j.ValidateDraft))
    story.outcome(o.DraftValidated, "research", job_id=job_id, validation=with_blocks(name))


def test_the_first_draft_has_no_history_and_each_later_one_that_before_it(begun: Story) -> None:
    begun.drafted("research", "one")
    assert history(begun) == DraftHistory()
    checked(begun, "blocks of one")
    write(begun, "two")
    assert history(begun) == DraftHistory(blocks=ref("blocks of one"), drafts=(ref("one"),))
    checked(begun, "blocks of two")
    assert kept(begun) == [ref("blocks of one"), ref("blocks of two")]


def test_drafts_without_blocks_go_along_since_the_last_that_has_them(begun: Story) -> None:
    begun.drafted("research", "one")
    checked(begun, "blocks of one")
    write(begun, "two")
    write(begun, "three")
    assert history(begun) == DraftHistory(blocks=ref("blocks of one"), drafts=(ref("one"), ref("two")))


def test_a_log_from_before_blocks_had_ids_is_told_from_its_beginning(begun: Story) -> None:
    begun.reviewable("research")
    write(begun, "two")
    write(begun, "three")
    assert history(begun) == DraftHistory(drafts=(ref("text of research"), ref("two")))


def test_a_restored_version_has_blocks_of_its_own(begun: Story) -> None:
    begun.drafted("research", "one")
    checked(begun, "blocks of one")
    write(begun, "two")
    checked(begun, "blocks of two")
    restore(begun, 1)
    assert kept(begun) == [ref("blocks of one"), ref("blocks of two"), None]
    assert history(begun) == DraftHistory(blocks=ref("blocks of two"), drafts=(ref("two"),))
