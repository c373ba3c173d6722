"""Documents with inputs, and what comes of reading them."""

from typing import Any

import domain_asking as asking
from domain_story import CHAIN, Story, ref, validation
from stemma_contracts.v1 import jobs as j
from stemma_contracts.v1 import outcomes as o
from stemma_contracts.v1.inputs import InputDifference, InputReading, Unreadable, UsedInput
from stemma_contracts.v1.references import InputFile
from stemma_contracts.v1.section import SectionPlan
from stemma_domain.state import State
from stemma_testkit.deciding import Then

PDF = "application/pdf"


def file(name: str, content: str = "x", media_type: str = PDF, **more: Any) -> InputFile:
    return InputFile(name=name, artifact=ref(content, media_type), **more)


def begin(story: Story, *files: InputFile, to_read: tuple[str, ...] = (), **more: Any) -> Story:
    """A document with inputs, whose sections rest on one another as in a proposal."""
    plans = (
        SectionPlan(section_id=name, title=name, kind=name, graph="section", depends_on=upstream)
        for name, upstream in CHAIN.items()
    )
    about: dict[str, Any] = {"inputs": files, "sections": tuple(plans), "to_read": to_read}
    story.when(asking.create(story.asked("create"), **about, **more))
    return story


def settle(story: Story, name: str, used: tuple[UsedInput, ...]) -> None:
    story.drafted(name)
    story.outcome(o.DraftValidated, name, validation=validation().model_copy(update={"used": used}))
    story.approve(name)


def read(story: Story, text: str = "read", job: j.ReadInput | None = None, **told: Any) -> Then[State, Any]:
    """The one file that is to be read, or another, was read; what is not told of the outcome is of the reading."""
    beside = {name: told.pop(name) for name in ("children", "difference") if name in told}
    reading = InputReading(text=ref(text), **told)
    return story.said(job or story.job(j.ReadInput), o.InputRead, reading=reading, **beside)


def unread(story: Story, job: j.ReadInput | None = None) -> Then[State, Any]:
    why = Unreadable(reason="password", detail="It is locked.")
    return story.said(job or story.job(j.ReadInput), o.InputUnreadable, unreadable=why)


def changed(*parts: str, blocks: int = 1) -> InputDifference:
    return InputDifference(changes=ref("changes", "application/json"), blocks=blocks, parts=parts)


def replaced(
    story: Story, text: str = "two", *, version: int = 1, of: str = "input-1", staged: bool = False
) -> Then[State, Any]:
    return story.ask(asking.replace_input, of, version, ref(text, PDF), is_text=False, staged=staged)


def written_from_parts() -> Story:
    """A document of which `research` uses a part of its input, `solution` another one, and `budget` none."""
    story = Story()
    begin(story, file("rfp.md", "one", "text/markdown"))
    uses = {"research": ("aaa",), "solution": ("bbb",), "budget": (), "timeline": ()}
    for name, parts in uses.items():
        used = (UsedInput(input_id="input-1", parts=parts),) if parts else ()
        settle(story, name, used)
    return story
