"""Documents with inputs, and what comes of reading them."""

from datetime import UTC, datetime
from typing import Any

import domain_asking as asking
from domain_story import CHAIN, DOCUMENT, TENANT, Story, ref, validation
from stemma_contracts.v1 import jobs as j
from stemma_contracts.v1 import outcomes as o
from stemma_contracts.v1.inputs import InputReading, UsedInput
from stemma_contracts.v1.references import InputFile
from stemma_contracts.v1.section import SectionPlan

PDF = "application/pdf"


def file(name: str, content: str = "x", media_type: str = PDF, **more: Any) -> InputFile:
    return InputFile(name=name, artifact=ref(content, media_type), **more)


def begin(story: Story, *files: InputFile, to_read: tuple[str, ...] = (), **more: Any) -> None:
    """A document with inputs, whose sections rest on one another as in a proposal."""
    plans = (
        SectionPlan(section_id=name, title=name, kind=name, graph="section", depends_on=upstream)
        for name, upstream in CHAIN.items()
    )
    story.when(
        asking.create(
            asked=story.asked("create"),
            tenant=TENANT,
            document_id=DOCUMENT,
            kind="proposal",
            title=None,
            brief=ref("brief"),
            inputs=files,
            sections=tuple(plans),
            blueprint_digest="0" * 64,
            time=datetime(2026, 1, 1, tzinfo=UTC),
            to_read=to_read,
            **more,
        )
    )


def settle(story: Story, name: str, used: tuple[UsedInput, ...]) -> None:
    story.drafted(name)
    story.outcome(o.DraftValidated, name, validation=validation().model_copy(update={"used": used}))
    story.approve(name)


def outcome(story: Story, job: j.ReadInput, text: str = "read", **more: Any) -> o.InputRead:
    about: dict[str, Any] = {"job_id": job.job_id, "tenant": TENANT, "document_id": DOCUMENT}
    return o.InputRead(**about, reading=InputReading(text=ref(text)), **more)


def written_from_parts() -> Story:
    """A document of which `research` uses a part of its input, `solution` another one, and `budget` none."""
    story = Story()
    begin(story, file("rfp.md", "one", "text/markdown"))
    uses = {"research": ("aaa",), "solution": ("bbb",), "budget": (), "timeline": ()}
    for name, parts in uses.items():
        used = (UsedInput(input_id="input-1", parts=parts),) if parts else ()
        settle(story, name, used)
    return story
