"""The tool that reads a section, with all that there is to know before a decision about it."""

from collections.abc import Iterator, Sequence
from typing import Annotated, Any

from pydantic import Field
from stemma_client.client import Client
from stemma_client.differences import Change, Kind, differences, meanwhile
from stemma_client.findings import findings_in, findings_of
from stemma_contracts.v1.evaluation import Evaluation, EvaluationResult
from stemma_contracts.v1.grounding import CitedText, GroundingReport
from stemma_contracts.v1.views import ProposalView, SectionView, VersionView

from stemma_mcp.answers import decisions_about

from .answers import ChangedLines, Comparison, MergeConflict, Merged, ProposedEdit, SectionTold, VersionLine, step
from .arguments import DocumentId, SectionId
from .clients import section_in, version_in
from .resources import section_uri

MOST_CHARACTERS = 40_000
MOST_FINDINGS = 50
MOST_VERSIONS = 20
MOST_THREADS = 50


async def read_section(
    client: Client,
    document_id: DocumentId,
    section_id: SectionId,
    version: Annotated[int, Field(ge=0, description="The version to read; 0: the current one.")] = 0,
    from_character: Annotated[int, Field(ge=0, description="Where to begin in a long text.")] = 0,
    citations: Annotated[
        bool, Field(description="Also tell on which places of the inputs each sentence rests.")
    ] = False,
) -> SectionTold:
    """Read a section in a version: its text in Markdown, scores, findings with their lines, why it is stale, what it
    asks, the edit that is proposed, and open comments. Read it before you decide, and name the version that you read.
    Of a long text 40,000 characters come at a time."""
    view, section = await section_in(client, document_id, section_id)
    chosen = _version_of(section, version)
    text = await client.text(document_id, chosen.draft if chosen else None)
    findings = await findings_of(client, document_id, chosen)
    number, evaluation = (chosen.number, chosen.evaluation) if chosen else (0, None)
    need = section.need if section.asks else None
    threads = [thread for thread in await client.threads(document_id, section) if not thread.view.resolved]
    return SectionTold(
        document_id=document_id,
        section_id=section_id,
        title=section.title,
        status=section.status,
        version=number,
        current_version=section.version,
        text=text[from_character : from_character + MOST_CHARACTERS],
        text_from=from_character,
        text_length=len(text),
        resource=section_uri(document_id, section_id, number),
        waits_for=list(section.waits_for),
        evaluation=evaluation,
        feedback=await _feedback(client, document_id, evaluation),
        findings=list(findings[:MOST_FINDINGS]),
        findings_left_off=max(0, len(findings) - MOST_FINDINGS),
        rests_on=await _rests_on(client, document_id, chosen) if citations else (),
        stale_reasons=section.stale_reasons,
        stale_inputs=section.stale_inputs,
        stale_requirements=section.stale_requirements,
        need=need,
        question=await client.text(document_id, need.question) if need else "",
        proposed_edit=await _proposed(client, document_id, section.proposal),
        open_threads=threads[:MOST_THREADS],
        threads_left_off=max(0, len(threads) - MOST_THREADS),
        refusal=await client.text(document_id, section.refusal),
        failure=section.failure or "",
        versions=[VersionLine.model_validate(one) for one in section.versions[-MOST_VERSIONS:]],
        next=decisions_about(view, section, number),
    )


def _version_of(section: SectionView, number: int) -> VersionView | None:
    """The version that is meant; none of a section that has none yet."""
    return version_in(section, number, "version") if number else section.current


async def _feedback(client: Client, document_id: str, evaluation: Evaluation | None) -> str:
    if evaluation is None:
        return ""
    if not evaluation.judged or evaluation.feedback is None:
        return evaluation.not_judged_reason
    result = await client.stored(document_id, evaluation.feedback, EvaluationResult)
    return result.feedback if result else ""


async def _rests_on(client: Client, document_id: str, version: VersionView | None) -> tuple[CitedText, ...]:
    """What its validation found: nothing if it was not looked up, or is not stored any more."""
    validation = version.validation if version else None
    report = await client.stored(document_id, validation.grounding if validation else None, GroundingReport)
    return report.cited if report else ()


async def _proposed(client: Client, document_id: str, proposal: ProposalView | None) -> ProposedEdit | None:
    """The edit that waits; nothing while the editor is at work on it."""
    if proposal is None or proposal.draft is None:
        return None
    text = await client.text(document_id, proposal.draft)
    findings = await findings_in(client, document_id, proposal.validation)
    return ProposedEdit(
        proposal=proposal,
        summary=await client.text(document_id, proposal.summary),
        text=text[:MOST_CHARACTERS],
        text_length=len(text),
        findings=findings[:MOST_FINDINGS],
    )


MOST_CHANGES = 50


async def compare_versions(
    client: Client,
    document_id: DocumentId,
    section_id: SectionId,
    old_version: Annotated[int, Field(ge=1, description="The earlier version, of read_section.")],
    new_version: Annotated[int, Field(ge=0, description="The later one; 0: the current one.")] = 0,
) -> Comparison:
    """Tell what changed between two versions of a section, line by line; what only moved is told as moved."""
    document, section = await section_in(client, document_id, section_id)
    old = version_in(section, old_version, "old_version")
    new = version_in(section, new_version or section.version, "new_version")
    before, after = [await client.text(document_id, version.draft) for version in (old, new)]
    changes = await client.compute(differences, before, after, document.language)
    told = list(fitting(changes))
    return Comparison(
        document_id=document_id,
        section_id=section_id,
        old_version=old.number,
        new_version=new.number,
        current_version=section.version,
        changes=told,
        changes_left_off=len(changes) - len(told),
    )


async def merge_text(
    client: Client,
    document_id: DocumentId,
    section_id: SectionId,
    version: Annotated[int, Field(ge=0, description="The version that the text was made of; 0: of none.")],
    text: Annotated[str, Field(min_length=1, description="The whole text as somebody changed it, in Markdown.")],
) -> Merged:
    """Merge a text that somebody wrote with the versions that came meanwhile, such as after edit_section said that
    another version is current. Nothing is changed: look at the result, then give it to edit_section with the version
    that is told here. Where both changed the same, the text that you gave stays, and a conflict says so."""
    document, section = await section_in(client, document_id, section_id)
    if version:
        version_in(section, version, "version")
    newer = await meanwhile(client, document, section, text, version)
    changes, conflicts = (newer.changes, newer.conflicts) if newer else ((), ())
    told = list(fitting(changes))
    about: dict[str, Any] = {"document_id": document_id, "section_id": section_id, "version": section.version}
    return Merged(
        **about,
        text=newer.text if newer else text,
        changes=told,
        changes_left_off=len(changes) - len(told),
        conflicts=[MergeConflict(before=one.base, kept=one.ours, other=one.theirs) for one in conflicts],
        next=[step("edit_section", "to make it the text of the section", **about)],
    )


def fitting(changes: Sequence[Change]) -> Iterator[ChangedLines]:
    characters = 0
    for change in changes[:MOST_CHANGES]:
        characters += sum(len(piece.text) for piece in change.pieces)
        if characters > MOST_CHARACTERS:
            return
        yield ChangedLines(
            old_line=change.old_line,
            new_line=change.new_line,
            moved=change.moved,
            before=_side(change, Kind.ADDED),
            after=_side(change, Kind.REMOVED),
        )


def _side(change: Change, other: Kind) -> str:
    return "".join(piece.text for piece in change.pieces if piece.kind is not other)
