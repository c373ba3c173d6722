"""Where the claims of a draft stand, by the handler of the validator."""

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from stemma_artifacts.store import ArtifactStore
from stemma_confinement import Limits
from stemma_contracts.v1.grounding import GroundedClaim, GroundingReport
from stemma_contracts.v1.jobs import UpstreamDraft, ValidateDraft
from stemma_contracts.v1.outcomes import DraftValidated
from stemma_contracts.v1.references import ArtifactRef, InputFile
from stemma_contracts.v1.validation import ValidationReport
from stemma_evidence import read as read_source
from stemma_validator.engines import RumdlEngine
from stemma_validator.engines.rumdl import SafeFixes
from stemma_validator.grounds import Grounds
from stemma_validator.handlers import on_validate_draft

from .conftest import DOCUMENT, FIXES, RULES, TENANT, stored, tools_of

JobFor = Callable[..., Awaitable[ValidateDraft]]

pytestmark = pytest.mark.req("T3")

FACTS = (
    "# Facts\n\n## Rent\n\nThe hall costs EUR 4,250 a month.\n\n## Time\n\nIt opens on 1 June 2027 for 412 children.\n"
)
CLEAN = "# Budget\n\nFrom 1 June 2027 the rent comes to 4 250 euros a month, which is EUR 51,000 a year.\n"
INVENTED = "# Budget\n\nThe rent is EUR 4,250 a month.\n\nThe deposit is EUR 9,999, due on 3 March 2029.\n"


MISSTATED = "# Dates\n\nThe hall opens after 1 June 2027.\n\nThe town has approved the rent.\n"


class Looked:
    """What the validator said of drafts in a document with facts."""

    def __init__(self, artifacts: ArtifactStore, engine: RumdlEngine, job_for: JobFor) -> None:
        self.artifacts = artifacts
        self.job_for = job_for
        self.engine = engine
        self.grounds = Grounds(artifacts, Limits())
        self.fixes = FIXES

    async def put(self, text: str, name: str = "draft.md", media_type: str = "text/markdown") -> ArtifactRef:
        return await self.artifacts.put(TENANT, DOCUMENT, text.encode(), media_type=media_type, name=name)

    async def job(self, text: str, facts: str = FACTS) -> ValidateDraft:
        job = await self.job_for(text)
        inputs = (InputFile(name="facts.md", artifact=await self.put(facts, "facts.md")),)
        return job.model_copy(update={"brief": await self.put("Write a budget.", "brief.md"), "inputs": inputs})

    async def handled(self, job: ValidateDraft) -> DraftValidated:
        tools = tools_of(self.artifacts, self.engine, grounds=self.grounds, fixes=self.fixes)
        return await on_validate_draft(job, tools=tools)

    async def report(self, outcome: DraftValidated) -> GroundingReport:
        return await stored(self.artifacts, outcome.validation.grounding, GroundingReport)

    async def issues(self, outcome: DraftValidated) -> ValidationReport:
        return await stored(self.artifacts, outcome.validation.report, ValidationReport)

    async def claims(self, outcome: DraftValidated) -> list[GroundedClaim]:
        return list((await self.report(outcome)).claims)


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The standing of every text that is read, as it is read."""
    read: list[str] = []

    def counted(text: str, media_type: str, language: str, *, standing: str, name: str) -> object:
        read.append(standing)
        return read_source(text, media_type, language, standing=standing, name=name)

    monkeypatch.setattr("stemma_validator.claims.read", counted)
    return read


@pytest.fixture
def looked(rumdl: RumdlEngine, artifacts: ArtifactStore, job_for: JobFor) -> Looked:
    return Looked(artifacts, rumdl, job_for)


async def test_tells_for_each_claim_file_heading_and_line(looked: Looked) -> None:
    outcome = await looked.handled(await looked.job(CLEAN))
    assert outcome.validation.passed
    assert outcome.validation.unsupported == {}
    found = {claim.text: claim for claim in await looked.claims(outcome)}
    rent = found["4 250 euros"]
    assert (rent.standing, rent.line_number) == ("input", 3)
    (source,) = rent.sources
    assert (source.name, source.heading, source.line, source.text) == ("facts.md", "Rent", 5, "EUR 4,250")
    assert found["EUR 51,000"].standing == "computed"
    assert found["EUR 51,000"].how == "4 250 euros × 12"


async def test_an_unsupported_claim_is_an_issue_with_its_line(looked: Looked) -> None:
    outcome = await looked.handled(await looked.job(INVENTED))
    assert not outcome.validation.passed
    assert outcome.validation.unsupported == {"amount": 1, "date": 1}
    assert outcome.validation.rules == {"grounding/amount": 1, "grounding/date": 1}
    issues = (await looked.issues(outcome)).issues
    assert [(issue.line_number, issue.error_detail) for issue in issues] == [(5, "EUR 9,999"), (5, "3 March 2029")]


async def test_brief_upstream_and_words_of_people_are_grounds_and_are_told_as_such(looked: Looked) -> None:
    job = await looked.job("# Budget\n\nIt costs EUR 11, then EUR 22, then EUR 33.\n")
    upstream = UpstreamDraft(
        section_id="solution", title="Solution", version=1, draft=await looked.put("It is EUR 22.")
    )
    grounds = {"brief": await looked.put("Pay EUR 11."), "upstream": (upstream,), "said": (await looked.put("EUR 33"),)}
    outcome = await looked.handled(job.model_copy(update=grounds))
    standings = {claim.text: (claim.standing, claim.sources[0].name) for claim in await looked.claims(outcome)}
    assert standings == {"EUR 11": ("brief", ""), "EUR 22": ("upstream", "solution"), "EUR 33": ("person", "")}


async def test_an_amount_is_a_persons_who_said_its_number_without_the_currency(looked: Looked) -> None:
    job = await looked.job("# Budget\n\nIt costs EUR 4,300 and USD 7,100.\n")
    said = (await looked.put("Replace 4,250 by 4,300, for EUR 7,100 is too much."),)
    outcome = await looked.handled(job.model_copy(update={"said": said}))
    standings = {claim.text: claim.standing for claim in await looked.claims(outcome)}
    assert standings == {"EUR 4,300": "person", "USD 7,100": "unsupported"}


async def test_the_text_of_a_person_is_said_by_that_person(looked: Looked) -> None:
    job = await looked.job(INVENTED)
    outcome = await looked.handled(job.model_copy(update={"said": (job.draft,)}))
    assert outcome.validation.passed
    assert {claim.standing for claim in await looked.claims(outcome)} == {"input", "person"}


async def test_stays_quiet_about_a_job_that_names_no_grounds(looked: Looked) -> None:
    outcome = await looked.handled(await looked.job_for(INVENTED))
    assert outcome.validation.passed
    assert outcome.validation.grounding is None


async def test_a_source_is_read_once_whatever_it_is_called(looked: Looked, read: list[str]) -> None:
    await looked.handled(await looked.job(CLEAN))
    read.clear()
    outcome = await looked.handled(await looked.job(CLEAN))
    assert read == ["draft"]
    assert {source.name for claim in await looked.claims(outcome) for source in claim.sources} == {"facts.md"}


async def test_what_is_kept_is_bounded_by_the_memory_that_it_takes(
    looked: Looked, read: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("stemma_validator.grounds._KEPT_BYTES", 100_000)
    looked.grounds = Grounds(looked.artifacts, Limits())
    for number in [*range(20), 0]:
        read.clear()
        await looked.handled(await looked.job(CLEAN, f"{FACTS}\nThis is number {number}.\n"))
    assert "input" in read, "ten thousand bytes each, of which there is room for few"


async def test_a_sentence_that_says_otherwise_than_its_source_is_an_issue_with_what_the_source_says(
    looked: Looked,
) -> None:
    outcome = await looked.handled(await looked.job(MISSTATED, "It opens before 1 June 2027 for 412 children."))
    otherwise, unsaid = (
        issue for issue in (await looked.issues(outcome)).issues if issue.rule == "grounding/statement"
    )
    assert (otherwise.line_number, otherwise.code, unsaid.code) == (3, "statement_time", "statement_promise_unsaid")
    assert "It opens before 1 June 2027 for 412 children. (facts.md, line 1)" in otherwise.message
    assert [said.why for said in (await looked.report(outcome)).statements] == ["time", "promise"]
    assert outcome.validation.rules["grounding/statement"] == 2


async def test_values_that_change_places_are_told_as_that(looked: Looked) -> None:
    facts = "The building permit arrives on 3 March 2027.\nThe doors open to visitors on 1 June 2027.\n"
    swapped = "# Dates\n\nThe building permit arrives on 1 June 2027. The doors open to visitors on 3 March 2027.\n"
    report = await looked.issues(await looked.handled(await looked.job(swapped, facts)))
    assert [issue.message.rpartition(": ")[2] for issue in report.issues] == ["1 June 2027", "3 March 2027"]
    assert "said of another, where they have 3 March 2027 (facts.md, line 1)" in report.issues[0].message


async def test_a_short_source_is_read_in_the_language_of_each_document(looked: Looked) -> None:
    outcome = None
    for language in ("de", "en"):
        job = await looked.job("The rate is EUR 1.5 a day.\n", "The rate is EUR 1.500 a day.\n")
        head = job.document.model_copy(update={"language": language})
        outcome = await looked.handled(job.model_copy(update={"document": head}))
    assert outcome is not None
    assert outcome.validation.unsupported == {}


async def test_what_cannot_be_read_within_the_limits_is_told(looked: Looked, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stemma_validator.grounds.READ_CHARACTERS", 50)
    outcome = await looked.handled(await looked.job(INVENTED))
    assert (await looked.report(outcome)).unread == ("facts.md",)
    assert outcome.validation.unread == ("facts.md",)


async def test_an_input_that_is_no_text_is_named(looked: Looked) -> None:
    job = await looked.job(CLEAN)
    plan = InputFile(name="plan.pdf", artifact=await looked.put("%PDF-1.7", "plan.pdf", "application/pdf"))
    outcome = await looked.handled(job.model_copy(update={"inputs": (*job.inputs, plan)}))
    assert outcome.validation.passed
    assert outcome.validation.unread == ("plan.pdf",)


async def test_a_check_that_did_not_come_to_its_end_hides_nothing_that_others_found(looked: Looked) -> None:
    looked.grounds = Grounds(looked.artifacts, Limits(output_mb=0))
    outcome = await looked.handled(await looked.job(INVENTED + "\nTODO <b>x</b>\n", FACTS * 2000))
    assert outcome.validation.rules == {"STEMMA000": 1, "STEMMA011": 1, "MD033": 1}


async def test_mends_that_fail_hide_nothing_that_is_found(looked: Looked, tmp_path: Path) -> None:
    looked.fixes = SafeFixes(RULES, executable=tmp_path / "gone", limits=Limits())
    job = await looked.job(INVENTED + "\nTODO\n")
    outcome = await looked.handled(job.model_copy(update={"fix": True}))
    assert outcome.validation.rules == {"STEMMA000": 1, "STEMMA011": 1, "grounding/amount": 1, "grounding/date": 1}


MAIL = "From: Ada\n\nPlease do not mention the outage of 2016.\n\nOur lowest price is EUR 9,100.\n"


@pytest.mark.req("B1")
async def test_words_that_may_not_stand_in_a_text_are_issues_with_their_place(looked: Looked) -> None:
    job = await looked.job(
        "# Budget\n\nPlease do not mention the outage.\n\nKeep the tone modest and be brief.\n\nX.\n"
    )
    asked = InputFile(name="rfp.md", artifact=await looked.put("The bidder shall name the rent of the hall.\n"))
    given = {
        "inputs": (*job.inputs, asked.model_copy(update={"role": "request"})),
        "brief": await looked.put("Keep the tone modest and be brief.", "brief.md"),
        "internal": (
            InputFile(name="mail.md", artifact=await looked.put(MAIL, "mail.md"), role="style", internal=True),
        ),
        "draft": await looked.put(
            "# Budget\n\nPlease do not mention the outage.\n\nKeep the tone modest and be brief.\n\n"
            "The bidder shall name the rent of the hall.\n"
        ),
    }
    report = await looked.issues(await looked.handled(job.model_copy(update=given)))
    assert [(issue.line_number, issue.rule, issue.message) for issue in report.issues] == [
        (
            3,
            "words/internal",
            "Words of an internal input stand in the text (mail.md, line 3): Please do not mention the outage",
        ),
        (5, "words/instruction", "An instruction to the writer stands in the text: Keep the tone modest and be brief"),
        (
            7,
            "words/request",
            "This is the client's sentence, not ours (rfp.md, line 1): The bidder shall name the rent of the hall",
        ),
    ]


@pytest.mark.req("B1")
async def test_a_claim_that_only_an_internal_input_says_is_unsupported(looked: Looked) -> None:
    job = await looked.job("# Budget\n\nIt costs EUR 9,100, and the rent is EUR 4,250.\n")
    told = f"{MAIL}\nThe rent is EUR 4,250.\n"
    mail = InputFile(name="mail.md", artifact=await looked.put(told, "mail.md"), role="style", internal=True)
    outcome = await looked.handled(job.model_copy(update={"internal": (mail,)}))
    report = await looked.issues(outcome)
    assert [issue.message for issue in report.issues] == ["Only an internal input says it (mail.md, line 5): EUR 9,100"]
    assert outcome.validation.unsupported == {"amount": 1}


@pytest.mark.req("B1", "T4")
@pytest.mark.parametrize(("words", "issues"), [("Say that we own", 0), ("Make clear why we own", 1)])
async def test_what_a_person_dictates_is_theirs_and_what_they_ask_for_is_no_text(
    looked: Looked, words: str, issues: int
) -> None:
    job = await looked.job("# Budget\n\nWe own the hall and the yard behind it.\n")
    asked = (await looked.put(f"{words} the hall and the yard behind it."),)
    outcome = await looked.handled(job.model_copy(update={"said": asked, "instructions": asked}))
    assert outcome.validation.rules == ({"words/instruction": issues} if issues else {})
