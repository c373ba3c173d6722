"""A form is answered from the bidder's own texts: no word of the buyer, of a colleague or of an old text is in it."""

import pytest
from generation_workshop import Workshop, evaluation
from stemma_contracts.v1.forms import AnsweredForm, FormField, FormFields
from stemma_contracts.v1.jobs import GenerateSection
from stemma_contracts.v1.outcomes import SectionGenerated
from stemma_contracts.v1.section import SectionPlan
from stemma_forms import too_long_answers
from stemma_generation_graph.handlers import on_generate_section
from stemma_offline_writer import OfflineWriter

pytestmark = pytest.mark.req("B3")
NAME, FAX, TRAINING, SHORT = (f"f-000000000{letter}" for letter in "abcd")
FIELDS = {NAME: "Name of Offeror", FAX: "Fax", TRAINING: "Describe your training"}
OURS = {"us.md": "Legal name: Northwind Ltd\n", "rates.csv": "Item,Rate (EUR)\nEngineer,980.00\n"}
THEIRS = {"rfp.md": "Skill Level Name and Fax: +49 40 111. Training is given to CANARY users."}


async def job(workshop: Workshop, *more: FormField) -> GenerateSection:
    fields = (FormField(field_id=f, place="A1", question=q) for f, q in FIELDS.items())
    asked = FormFields(fields=(*fields, *more)).model_dump_json()
    form = AnsweredForm(input_id="input-1", version=1, fields=await workshop.store(asked))
    plan = SectionPlan(section_id="form-1", title="Form", kind="form", graph="section", purpose="Answers.", form=form)
    request = [one.model_copy(update={"role": "request"}) for one in await workshop.inputs(THEIRS)]
    hidden = await workshop.inputs({"mail.md": "Fax: CANARY 2", "old-bid.md": "Fax: CANARY 3"})
    internal, manner = ([one.model_copy(update={"role": "style"})] for one in hidden)
    brief, inputs = await workshop.store("Fax: CANARY"), (*await workshop.inputs(OURS), *request)
    return await workshop.job("form", section=plan, brief=brief, inputs=inputs, internal=internal, manner=manner)


async def draft(workshop: Workshop, outcome: object) -> str:
    assert isinstance(outcome, SectionGenerated)
    return await workshop.read(outcome.draft)


async def test_fields_are_answered_from_evidence_and_what_it_does_not_say_stays_open(workshop: Workshop) -> None:
    told = await draft(workshop, await on_generate_section(await job(workshop), tools=workshop.tools(OfflineWriter())))
    assert f"### {NAME}: Name of Offeror\n\nNorthwind Ltd" in told
    assert told.endswith(f"### {FAX}: Fax\n\n### {TRAINING}: Describe your training\n")


async def test_a_model_sees_nothing_of_the_buyer_and_a_number_that_it_makes_up_is_dropped(workshop: Workshop) -> None:
    answers = f'{{"{FAX}": "+49 40 111", "{TRAINING}": "We train."}}'
    outcome, model = await workshop.run(await job(workshop), [answers, evaluation("form")])
    told = await draft(workshop, outcome)
    assert "Northwind Ltd" in told
    assert told.endswith(f"### {FAX}: Fax\n\n### {TRAINING}: Describe your training\n\nWe train.\n")
    assert "CANARY" not in model.prompt_text()


async def test_an_answer_that_is_too_long_stands_in_the_draft_where_it_is_found(workshop: Workshop) -> None:
    short = FormField(field_id=SHORT, place="A2", question="Company name", most=5, unit="characters")
    outcome = await on_generate_section(await job(workshop, short), tools=workshop.tools(OfflineWriter()))
    told = await draft(workshop, outcome)
    assert f"### {SHORT}: Company name (max. 5 characters)\n\nNorthwind Ltd\n" in told
    assert [(one.field_id, one.length) for one in too_long_answers(told)] == [(SHORT, 13)]
