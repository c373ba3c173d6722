"""A run once more from its records: the same comes of it with no model, or it says where it differs."""

import json
from typing import Any

import pytest
from generation_agency import CHAPTER, CLEAN, EDIT, FINISH, SAVE, SCORES, Agency, append, call, issues
from generation_workshop import Workshop, evaluation
from stemma_contracts import registry
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.jobs import ValidateDraft
from stemma_contracts.v1.merges import Merge
from stemma_contracts.v1.outcomes import GraphPaused, Outcome, SectionGenerated
from stemma_generation_graph.replaying import NoModel, Replay, told_jobs
from stemma_testkit.clocks import clock_ahead
from stemma_testkit.scripted import ScriptedModel

pytestmark = pytest.mark.req("P2")
DRAFT = "# Approach\n\nA ferry for 40 people by May.\n"


def recorded(outcome: Outcome) -> Any:
    """The event that an outcome becomes."""
    told = outcome.model_dump(exclude={"tenant", "document_id"})
    return e.SectionNeedRaised(**told) if isinstance(outcome, GraphPaused) else e.SectionDrafted(version=1, **told)


async def written(workshop: Workshop) -> tuple[Any, e.SectionDrafted]:
    job = await workshop.job("approach")
    outcome, _ = await workshop.run(job, [DRAFT, evaluation("approach")])
    assert isinstance(outcome, SectionGenerated)
    return job, recorded(outcome)


async def test_a_job_comes_to_the_same_with_no_model(workshop: Workshop) -> None:
    job, event = await written(workshop)
    again = Replay(workshop.tools(NoModel()))
    found = await again.run(job, event)
    assert found is not None
    assert (found.verdict, found.why) == ("same", "")
    merged = {"draft": await workshop.store("# Both"), "merge": Merge(theirs=event.draft)}
    found = await again.run(job, event.model_copy(update=merged))
    assert found is not None
    assert found.verdict == "same", "what people wrote is no answer of a model"


async def test_a_run_of_the_agent_comes_to_the_same_an_hour_later() -> None:
    """What it is shown has ids of snapshots, and they the time."""
    agency = Agency(reports=[issues(3), CLEAN], answers=["It is 41 m."])
    ask = call("request_human_input", question="How long is the quay?")
    await agency.run([ask, append(CHAPTER), SAVE, EDIT, SAVE, FINISH, SCORES])
    with clock_ahead(3600):
        again = Replay(Agency(agency.workshop).tools(NoModel()))
        found = [await again.run(job, recorded(outcome)) for job, outcome in agency.done]
    assert [(one.verdict, one.why) for one in found if one] == [("same", "")] * len(agency.done)


async def test_it_says_where_a_run_differs_and_what_was_never_answered(workshop: Workshop) -> None:
    job, event = await written(workshop)
    again = Replay(workshop.tools(NoModel()))
    other = event.model_copy(update={"draft": await workshop.store("# Other"), "partial": True})
    asked_otherwise = job.model_copy(update={"brief": await workshop.store("# Another brief")})
    found = [await again.run(*each) for each in ((job, other), (asked_otherwise, event), (job, None))]
    assert [(one.verdict, one.why) for one in found if one] == [
        ("differs", "draft, partial"),
        ("differs", "it asks what no record answers"),
        ("skipped", "it is open"),
    ]


async def test_a_model_that_is_there_is_not_asked(workshop: Workshop) -> None:
    job, event = await written(workshop)
    model = ScriptedModel(script=["another text", evaluation("approach")])
    found = await Replay(workshop.tools(model, "section")).run(job, event)
    assert found is not None
    assert (found.verdict, len(model.script)) == ("same", 2)


async def test_jobs_of_other_services_are_passed_over_and_a_line_that_is_none_is_refused(workshop: Workshop) -> None:
    job, event = await written(workshop)
    line = {
        "type": "stemma.generate.section.v1",
        "job": job.model_dump(mode="json"),
        "event": {"type": registry.entry_of(event).ce_type, "data": event.model_dump(mode="json")},
    }
    [(read, became)] = told_jobs([json.dumps(line)])
    assert (read, became) == (job, event)
    about = job.model_dump(include={"job_id", "document", "section", "brief"})
    other = ValidateDraft(**about, version=1, draft=event.draft)
    assert await Replay(workshop.tools(NoModel())).run(other, None) is None
    with pytest.raises(ValueError, match="no contract"):
        list(told_jobs(['{"type": "stemma.nothing.v1", "job": {}, "event": null}']))
