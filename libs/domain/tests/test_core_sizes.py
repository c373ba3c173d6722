"""What is said of the largest document that there may be is one message each."""

from dataclasses import replace

import domain_asking as asking
import pytest
from domain_story import meta, ref, validation
from stemma_contracts import MAX_MESSAGE_BYTES, Contract
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.exports import ExportFormat
from stemma_contracts.v1.outline import MOST_SECTIONS
from stemma_contracts.v1.references import InputFile
from stemma_contracts.v1.staleness import UpstreamVersion
from stemma_domain.decide import decide
from stemma_domain.evolve import evolve
from stemma_domain.staleness import staleness
from stemma_domain.state import Document, State
from stemma_domain.texts import with_current
from stemma_domain.view import summarise
from stemma_domain.work import open_jobs
from stemma_testkit.document_events import document_requested, plan, section_drafted, state_after

NAMES = [f"section_with_a_long_name_{number:03}" for number in range(MOST_SECTIONS)]
"""All rest on the first one."""
HALF = MAX_MESSAGE_BYTES / 2


def requested() -> e.DocumentRequested:
    plans = (plan(name, *(NAMES[:1] if number else ())) for number, name in enumerate(NAMES))
    told = {"title": "x" * 64, "purpose": "y" * 64}
    sections = tuple(one.model_copy(update=told) for one in plans)
    return document_requested().model_copy(update={"sections": sections, "starts": tuple(NAMES[:1])})


def written() -> Document:
    """Each section was written, with a picture, checked and approved."""
    report = ref("report", "application/json")
    checked = validation().model_copy(update={"report": report, "grounding": report, "blocks": report})
    approved = e.SectionApproved(section_id="research", version=1, validation=checked)
    sample = state_after(document_requested(), section_drafted("research"), approved).sections["research"]
    rests_on = (UpstreamVersion(section_id=NAMES[0], version=1),)
    document = state_after(requested())
    sections = {}
    for name, section in document.sections.items():
        image = InputFile(name=f"{name}.png", artifact=ref(name, "image/png", f"{name}.png"))
        texts = with_current(sample, images=(image,), rests_on=rests_on if section.plan.depends_on else ())
        sections[name] = replace(texts, plan=section.plan)
    return replace(document, sections=sections)


@pytest.mark.req("P14")
def test_a_document_of_as_many_sections_as_there_may_be_is_planned_changed_and_exported_in_messages() -> None:
    begun = state_after(requested())
    state: State = written()
    told: list[Contract] = [requested(), *open_jobs(begun)]
    edit = asking.write(meta("edit"), NAMES[0], 1, ref("other words"))
    again = asking.regenerate(meta("again"), NAMES[-1], 1)
    for command in (edit, again, asking.export(meta("export"), ExportFormat.DOCX)):
        (event,) = decide(command, state)
        state = evolve(state, event, None)
        told.append(event)
    assert isinstance(state, Document)
    assert len(staleness(state)) == MOST_SECTIONS - 1
    told += [*open_jobs(state), summarise(state, state.sequence)]
    sizes = {type(one).__name__: len(one.model_dump_json(exclude_defaults=True)) for one in told}
    assert {name: size for name, size in sizes.items() if size > HALF} == {}
