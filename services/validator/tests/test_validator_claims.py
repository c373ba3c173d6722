"""Where the claims of a draft stand, by the handler of the validator."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from stemma_confinement import Limits
from stemma_contracts.v1.jobs import UpstreamDraft, ValidateDraft
from stemma_contracts.v1.references import InputFile
from stemma_evidence import read as read_source
from stemma_validator.engines.rumdl import SafeFixes
from stemma_validator.grounds import Grounds

from .conftest import HEAD, RULES, Desk

pytestmark = pytest.mark.req("T3")

FACTS = (
    "# Facts\n\n## Rent\n\nThe hall costs EUR 4,250 a month.\n\n## Time\n\nIt opens on 1 June 2027 for 412 children.\n"
)
CLEAN = "# Budget\n\nFrom 1 June 2027 the rent comes to 4 250 euros a month, which is EUR 51,000 a year.\n"
INVENTED = "# Budget\n\nThe rent is EUR 4,250 a month.\n\nThe deposit is EUR 9,999, due on 3 March 2029.\n"
MAIL = "From: Ada\n\nPlease do not mention the outage of 2016.\n\nOur lowest price is EUR 9,100.\n"


async def job(desk: Desk, text: str, facts: str = FACTS, **fields: Any) -> ValidateDraft:
    """A document with a brief and an input."""
    given: dict[str, Any] = {
        "brief": await desk.put("Write a budget."),
        "inputs": (await desk.input(facts, "facts.md"),),
    }
    return await desk.job(text, **given | fields)


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The standing of every text that is read, as it is read."""
    read: list[str] = []

    def counted(text: str, media_type: str, language: str, *, standing: str, name: str) -> object:
        read.append(standing)
        return read_source(text, media_type, language, standing=standing, name=name)

    monkeypatch.setattr("stemma_validator.claims.read", counted)
    return read


async def test_tells_for_each_claim_file_heading_and_line(desk: Desk) -> None:
    outcome = await desk.handled(await job(desk, CLEAN))
    assert (outcome.validation.passed, outcome.validation.unsupported) == (True, {})
    found = {claim.text: claim for claim in (await desk.grounding(outcome)).claims}
    rent = found["4 250 euros"]
    assert (rent.standing, rent.line_number) == ("input", 3)
    (source,) = rent.sources
    assert (source.name, source.heading, source.line, source.text) == ("facts.md", "Rent", 5, "EUR 4,250")
    assert (found["EUR 51,000"].standing, found["EUR 51,000"].how) == ("computed", "4 250 euros × 12")


async def test_an_unsupported_claim_is_an_issue_with_its_line_and_what_is_no_text_is_named(desk: Desk) -> None:
    plan = InputFile(name="plan.pdf", artifact=await desk.put("%PDF-1.7", "plan.pdf", "application/pdf"))
    asked = await job(desk, INVENTED)
    outcome = await desk.handled(asked.model_copy(update={"inputs": (*asked.inputs, plan)}))
    assert (outcome.validation.passed, outcome.validation.unread) == (False, ("plan.pdf",))
    assert outcome.validation.unsupported == {"amount": 1, "date": 1}
    assert outcome.validation.rules == {"grounding/amount": 1, "grounding/date": 1}
    issues = (await desk.report(outcome)).issues
    assert [(issue.line_number, issue.error_detail) for issue in issues] == [(5, "EUR 9,999"), (5, "3 March 2029")]


async def test_brief_upstream_and_words_of_people_are_grounds_and_are_told_as_such(desk: Desk) -> None:
    draft = await desk.put("It is EUR 22.")
    grounds: dict[str, Any] = {
        "brief": await desk.put("Pay EUR 11."),
        "upstream": (UpstreamDraft(section_id="solution", title="Solution", version=1, draft=draft),),
        "said": (await desk.put("EUR 33, and 4,300 instead of 4,250, for EUR 7,100 is too much."),),
    }
    text = "# Budget\n\nIt costs EUR 11, then EUR 22, then EUR 33, EUR 4,300 and USD 7,100.\n"
    outcome = await desk.handled(await job(desk, text, **grounds))
    found = (await desk.grounding(outcome)).claims
    assert {claim.text: (claim.standing, *(one.name for one in claim.sources[:1])) for claim in found} == {
        "EUR 11": ("brief", ""),
        "EUR 22": ("upstream", "solution"),
        "EUR 33": ("person", ""),
        "EUR 4,300": ("person", ""),
        "USD 7,100": ("unsupported",),
    }


async def test_the_text_of_a_person_is_said_by_that_person(desk: Desk) -> None:
    asked = await job(desk, INVENTED)
    outcome = await desk.handled(asked.model_copy(update={"said": (asked.draft,)}))
    assert outcome.validation.passed
    assert {claim.standing for claim in (await desk.grounding(outcome)).claims} == {"input", "person"}


async def test_stays_quiet_about_a_job_that_names_no_grounds(desk: Desk) -> None:
    validation = (await desk.handled(await desk.job(INVENTED))).validation
    assert (validation.passed, validation.grounding) == (True, None)


async def test_a_source_is_read_once_whatever_it_is_called(desk: Desk, read: list[str]) -> None:
    await desk.handled(await job(desk, CLEAN))
    read.clear()
    outcome = await desk.handled(await job(desk, CLEAN))
    assert read == ["draft"]
    claims = (await desk.grounding(outcome)).claims
    assert {source.name for claim in claims for source in claim.sources} == {"facts.md"}


async def test_what_is_kept_is_bounded_by_the_memory_that_it_takes(
    desk: Desk, read: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("stemma_validator.grounds._KEPT_BYTES", 100_000)
    grounds = Grounds(desk.artifacts, Limits())
    for number in [*range(20), 0]:
        read.clear()
        await desk.handled(await job(desk, CLEAN, f"{FACTS}\nThis is number {number}.\n"), grounds=grounds)
    assert "input" in read, "ten thousand bytes each, of which there is room for few"


async def test_a_sentence_that_says_otherwise_than_its_source_is_an_issue_with_what_the_source_says(
    desk: Desk,
) -> None:
    misstated = "# Dates\n\nThe hall opens after 1 June 2027.\n\nThe town has approved the rent.\n"
    outcome = await desk.handled(await job(desk, misstated, "It opens before 1 June 2027 for 412 children."))
    issues = (await desk.report(outcome)).issues
    otherwise, unsaid = (issue for issue in issues if issue.rule == "grounding/statement")
    assert (otherwise.line_number, otherwise.code, unsaid.code) == (3, "statement_time", "statement_promise_unsaid")
    assert "It opens before 1 June 2027 for 412 children. (facts.md, line 1)" in otherwise.message
    assert [said.why for said in (await desk.grounding(outcome)).statements] == ["time", "promise"]
    assert outcome.validation.rules["grounding/statement"] == 2


async def test_values_that_change_places_are_told_as_that(desk: Desk) -> None:
    facts = "The building permit arrives on 3 March 2027.\nThe doors open to visitors on 1 June 2027.\n"
    swapped = "# Dates\n\nThe building permit arrives on 1 June 2027. The doors open to visitors on 3 March 2027.\n"
    issues = await desk.issues(await job(desk, swapped, facts))
    assert [issue.message.rpartition(": ")[2] for issue in issues] == ["1 June 2027", "3 March 2027"]
    assert "said of another, where they have 3 March 2027 (facts.md, line 1)" in issues[0].message


async def test_a_short_source_is_read_in_the_language_of_each_document(desk: Desk) -> None:
    for language, unsupported in (("de", {"amount": 1}), ("en", {})):
        document = HEAD.model_copy(update={"language": language})
        asked = await job(desk, "The rate is EUR 1.5 a day.\n", "The rate is EUR 1.500 a day.\n", document=document)
        assert (await desk.handled(asked)).validation.unsupported == unsupported


async def test_what_cannot_be_read_within_the_limits_is_told(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stemma_validator.grounds.READ_CHARACTERS", 50)
    outcome = await desk.handled(await job(desk, INVENTED))
    assert (await desk.grounding(outcome)).unread == outcome.validation.unread == ("facts.md",)


async def test_a_check_or_a_mend_that_did_not_come_to_its_end_hides_nothing_that_others_found(
    desk: Desk, tmp_path: Path
) -> None:
    desk.tools = replace(desk.tools, fixes=SafeFixes(RULES, executable=tmp_path / "gone", limits=Limits()))
    outcome = await desk.handled(await job(desk, f"{INVENTED}\nTODO\n", fix=True))
    assert outcome.validation.rules == {"STEMMA000": 1, "STEMMA011": 1, "grounding/amount": 1, "grounding/date": 1}
    grounds = Grounds(desk.artifacts, Limits(output_mb=0))
    outcome = await desk.handled(await job(desk, f"{INVENTED}\nTODO <b>x</b>\n", FACTS * 2000), grounds=grounds)
    assert outcome.validation.rules == {"STEMMA000": 1, "STEMMA011": 1, "MD033": 1}


@pytest.mark.req("B1")
async def test_words_that_may_not_stand_in_a_text_are_issues_with_their_place(desk: Desk) -> None:
    text = (
        "# Budget\n\nPlease do not mention the outage.\n\nKeep the tone modest and be brief.\n\n"
        "The bidder shall name the rent of the hall.\n"
    )
    asked = await desk.input("The bidder shall name the rent of the hall.\n", "rfp.md", role="request")
    mail = await desk.input(MAIL, "mail.md", role="style", internal=True)
    brief = await desk.put("Keep the tone modest and be brief.")
    issues = await desk.issues(await job(desk, text, inputs=(asked,), brief=brief, internal=(mail,)))
    said = "Words of an internal input stand in the text (mail.md, line 3): Please do not mention the outage"
    told = "An instruction to the writer stands in the text: Keep the tone modest and be brief"
    theirs = "This is the client's sentence, not ours (rfp.md, line 1): The bidder shall name the rent of the hall"
    assert [(issue.line_number, issue.rule, issue.message) for issue in issues] == [
        (3, "words/internal", said),
        (5, "words/instruction", told),
        (7, "words/request", theirs),
    ]


@pytest.mark.req("B1")
async def test_a_claim_that_only_an_internal_input_says_is_unsupported(desk: Desk) -> None:
    mail = await desk.input(f"{MAIL}\nThe rent is EUR 4,250.\n", "mail.md", role="style", internal=True)
    text = "# Budget\n\nIt costs EUR 9,100, and the rent is EUR 4,250.\n"
    outcome = await desk.handled(await job(desk, text, internal=(mail,)))
    messages = [issue.message for issue in (await desk.report(outcome)).issues]
    assert messages == ["Only an internal input says it (mail.md, line 5): EUR 9,100"]
    assert outcome.validation.unsupported == {"amount": 1}


@pytest.mark.req("B1", "T4")
@pytest.mark.parametrize(("words", "issues"), [("Say that we own", 0), ("Make clear why we own", 1)])
async def test_what_a_person_dictates_is_theirs_and_what_they_ask_for_is_no_text(
    desk: Desk, words: str, issues: int
) -> None:
    asked = (await desk.put(f"{words} the hall and the yard behind it."),)
    text = "# Budget\n\nWe own the hall and the yard behind it.\n"
    outcome = await desk.handled(await job(desk, text, said=asked, instructions=asked))
    assert outcome.validation.rules == ({"words/instruction": issues} if issues else {})
