"""What all who write are told: the language, the limits, and how a claim that stands nowhere is answered."""

import json
from typing import Any

import pytest
from generation_agency import CHAPTER, EDIT, FINISH, SAVE, SCORES, Agency, append
from generation_company import Company, Stage, plays
from generation_workshop import HEAD, Workshop, evaluation
from stemma_contracts.v1.references import InputFile, UploadRole
from stemma_contracts.v1.validation import ValidationIssue, ValidationReport
from stemma_models.prompting import parse_blocks
from stemma_testkit.scripted import ScriptedModel

GERMAN = HEAD.model_copy(update={"language": "de"})
LIMITS = {"max_words": 500, "max_pages": 2}
WRITERS = {
    "section": ("default", ["# Default\n\nText.\n", evaluation("default")]),
    "formatter": ("format_doc", [json.dumps({"introduction": "Gut.", "key_decisions": []}), evaluation("format_doc")]),
    "reviewer": ("review_doc", [json.dumps({"summary": "Gut.", "findings": []})]),
}
UNSUPPORTED = ValidationReport(
    validation_passed=False,
    issues=(
        ValidationIssue(
            line_number=3, rule="grounding/amount", rule_description="", message="EUR 9 stands nowhere", error_detail=""
        ),
    ),
    engine="test",
    engine_version="1",
)


def is_told_everything(prompt: str, *, finding: bool = True) -> bool:
    """Whether a prompt names the language and both limits, and says what to do with a claim that stands nowhere."""
    (section,) = (found for found in parse_blocks(prompt) if found.tag == "section")
    told = {name: section.attributes.get(name) for name in ("language", *LIMITS)}
    assert told == {"language": "de", "max_words": "500", "max_pages": "2"}
    assert "German" in prompt
    assert all(f"`{name}`" in prompt for name in LIMITS)
    if finding:
        assert "grounding/..." in prompt
        assert "exactly as" in prompt
    return True


WORDS = {
    "rfp.md": "The bidder shall float.",
    "profile.md": "We float since 1990.",
    "rates.md": "Floating: EUR 5.",
    "mail.md": "Please do not mention the flood.",
}
TAGS: tuple[UploadRole, ...] = ("request", "evidence", "price", "internal")


@pytest.mark.req("B1", "T5", "P19", "T9")
@pytest.mark.parametrize("graph", WRITERS)
async def test_who_writes_is_told_language_limits_how_to_answer_a_finding_and_whose_words_are_which(
    workshop: Workshop, graph: str
) -> None:
    kind, script = WRITERS[graph]
    report = await workshop.store(UNSUPPORTED.model_dump_json())
    previous = await workshop.store("# Last\n\nEUR 9.\n")
    files = await workshop.inputs(WORDS)
    *given, mail = (file.model_copy(update=InputFile.fields_of(role)) for file, role in zip(files, TAGS, strict=True))
    about: dict[str, Any] = {"inputs": tuple(given), "internal": (mail,), "document": GERMAN}
    job = await workshop.job(kind, previous=previous, report=report, round=1, **about)
    plan = job.section.model_copy(update={**LIMITS, "graph": graph})
    _, model = await workshop.run(job.model_copy(update={"section": plan}), script)
    assert is_told_everything(model.prompt_text(0))
    assert "EUR 9 stands nowhere" in model.prompt_text(0)
    found = [
        (one.tag, one.attributes["name"], one.text) for one in parse_blocks(model.prompt_text(0)) if one.tag in TAGS
    ]
    assert found == [(tag, *words) for tag, words in zip(TAGS, WORDS.items(), strict=True)]


@pytest.mark.req("T5", "P19", "T9")
def test_roles_are_told_language_limits_and_that_their_claims_are_looked_up() -> None:
    stage = Stage(Company(plays=plays("chemist", "lawyer")))

    async def job(**fields: Any) -> Any:
        made = await Stage.job(stage, document=GERMAN)
        return made.model_copy(update={"section": made.section.model_copy(update=LIMITS)})

    stage.job = job  # type: ignore[method-assign]
    stage.play()
    for who in ("chemist", "lawyer", "synthesis", "role analysis"):
        (prompt,) = stage.company.prompts_of(who)
        assert is_told_everything(prompt, finding=who in ("chemist", "lawyer"))


@pytest.mark.req("B1")
async def test_a_prompt_explains_the_blocks_that_are_there_and_no_others(workshop: Workshop) -> None:
    _, plain = await workshop.run(await workshop.job("default"), ["# Default\n\nText.\n", evaluation("default")])
    told = plain.prompt_text(0)
    assert "- `internal`:" not in told
    assert "- `upstream`:" not in told
    assert ("- `brief`:" in told, "- `evidence`, `price`:" in told) == (True, True)
    assert "<evidence></evidence>" in told, "where nothing of ours is there, the writer is told"


@pytest.mark.req("T5", "P19", "T9")
async def test_the_agent_is_told_language_limits_and_how_to_answer_a_finding() -> None:
    steps = [append(CHAPTER), SAVE, EDIT, SAVE, FINISH, SCORES]
    agency, model = Agency(reports=[UNSUPPORTED]), ScriptedModel(script=steps)
    job = await agency.job()
    plan = job.section.model_copy(update=LIMITS)
    await agency.drive(job.model_copy(update={"section": plan, "document": GERMAN}), model)
    assert is_told_everything(model.prompt_text(0), finding=False)
    assert is_told_everything(model.prompt_text(2)), "once there is a finding"
