"""Tools that start documents, find them, and tell where they stand."""

from typing import Annotated, Literal

from pydantic import Field
from stemma_client.client import Client
from stemma_client.overviews import asked_of_budget, waiting_sections
from stemma_contracts.v1.answers import Problem
from stemma_contracts.v1.outline import OutlineSection
from stemma_contracts.v1.references import UploadRef
from stemma_contracts.v1.review import ReviewMode, ReviewPolicy
from stemma_contracts.v1.section import SETTLED
from stemma_contracts.v1.summary import DocumentSummary, SectionSummary
from stemma_contracts.v1.views import DocumentView, SectionView
from stemma_domain.dependencies import held_up_by

from stemma_mcp.answers import ASK_AGAIN_AFTER_S, accepted, reading, steps_of

from . import answers
from .arguments import DocumentId, GivenFile, GivenInput, RequestId
from .clients import content_of, uploaded
from .refusals import InvalidArgumentsError

PAGE = 20
Review = Literal["kind", "human", "auto", "none"]


async def list_kinds(client: Client) -> answers.Kinds:
    """List the kinds of documents that can be started, each with its sections, what each rests on, and who settles
    its drafts. Ask this before start_document."""
    return answers.Kinds(kinds=tuple(await client.kinds()))


async def start_document(
    client: Client,
    kind: Annotated[str, Field(description="A kind of list_kinds, such as proposal.")],
    brief: Annotated[str, Field(description="What the document is for and has to say, in words.")] = "",
    brief_file: Annotated[GivenFile | None, Field(description="A file that says so, in place of brief.")] = None,
    inputs: Annotated[
        list[GivenInput], Field(max_length=200, description="Files with the facts. What is in no file is not made up.")
    ] = [],  # noqa: B006
    title: Annotated[str, Field(max_length=300, description="Else the heading that the brief begins with.")] = "",
    language: Annotated[str, Field(description="A tag such as de or pt-BR; else the language of the brief.")] = "",
    review: Annotated[
        Review, Field(description="Who settles drafts: a person, a score, nobody; kind: what the kind says.")
    ] = "kind",
    outline: Annotated[
        list[OutlineSection] | None,
        Field(description="All sections in order; else the chapters that a request demands, or the kind."),
    ] = None,
    request_id: RequestId = "",
) -> answers.Accepted:
    """Start a document from a brief and input files. It returns at once with the id of the document; sections are
    then written one after the other for seconds to minutes. Ask document_status where it stands."""
    words = await _brief(client, brief, brief_file)
    files = await _uploaded(client, inputs)
    policy = None if review == "kind" else ReviewPolicy(mode=ReviewMode(review))
    return accepted(
        await client.create_document(
            kind,
            brief=words,
            inputs=files,
            title=title,
            language=language or None,
            review=policy,
            outline=outline,
            request_id=request_id or None,
        )
    )


async def _brief(client: Client, brief: str, file: GivenFile | None) -> str | UploadRef:
    if bool(brief) == (file is not None):
        raise InvalidArgumentsError(Problem.of("brief_or_file_needed", "brief"))
    return await uploaded(client, file, content_of(file, "brief_file")) if file else brief


async def _uploaded(client: Client, inputs: list[GivenInput]) -> list[UploadRef]:
    """The files where a request can refer to them; all of them are looked at before one is sent."""
    contents = [content_of(file, f"inputs.{number}") for number, file in enumerate(inputs)]
    return [await uploaded(client, file, content) for file, content in zip(inputs, contents, strict=True)]


async def list_documents(
    client: Client,
    skip: Annotated[int, Field(ge=0, description="Leave out so many of the newest.")] = 0,
) -> answers.Documents:
    """List the documents, newest first, twenty at a time."""
    summaries = await client.documents()
    page = [await _document_line(client, summary) for summary in summaries[skip : skip + PAGE]]
    more = answers.further("list_documents", skip + len(page), len(summaries))
    return answers.Documents(documents=page, total=len(summaries), next=more)


async def _document_line(client: Client, summary: DocumentSummary) -> answers.DocumentLine:
    return answers.DocumentLine(
        document_id=summary.document_id,
        title=await client.stored_text(summary.document_id, summary.title) or "",
        kind=summary.kind,
        status=summary.status,
        created_at=summary.created_at,
        sections=len(summary.sections),
        settled=sum(section.status in SETTLED for section in summary.sections),
        waiting=len(waiting_sections(summary)),
    )


async def what_waits(client: Client) -> answers.Waiting:
    """List the sections of all documents that wait for a decision: a review, an answer to a question, a proposed edit,
    or a stale text that is to be kept or regenerated; and budgets. What was decided a moment ago may still be listed.
    Read each with read_section before you decide about it."""
    oldest_first = (await client.documents())[::-1]
    found = [(summary, section) for summary in oldest_first for section in waiting_sections(summary)]
    told = [await _waiting(client, summary, section) for summary, section in found[:PAGE]]
    asked = [(summary.document_id, one) for summary in oldest_first if (one := asked_of_budget(summary))][:PAGE]
    budgets = [answers.WaitingBudget(document_id=document_id, **dict(one)) for document_id, one in asked]
    steps = [answers.budget_step(*one) for one in asked[:1]]
    steps += [reading(one.document_id, one.section_id, one.waits_for) for one in told[:1]]
    return answers.Waiting(sections=told, budgets=budgets, left_off=len(found) - len(told), next=steps)


async def _waiting(client: Client, summary: DocumentSummary, section: SectionSummary) -> answers.WaitingSection:
    title = await client.stored_text(summary.document_id, summary.title) or ""
    return answers.WaitingSection(document_id=summary.document_id, document_title=title, **dict(section))


async def document_status(client: Client, document_id: DocumentId) -> answers.DocumentTold:
    """Tell where a document stands: its status, each section with its version, what waits for a decision, exports,
    and what the models cost. It never waits: while at_work is true, ask again after ask_again_after_s seconds."""
    return await told_of(client, await client.document(document_id))


async def told_of(client: Client, view: DocumentView) -> answers.DocumentTold:
    return answers.DocumentTold(
        document_id=view.document_id,
        title=await client.stored_text(view.document_id, view.title) or "",
        kind=view.kind,
        language=view.language,
        status=view.status,
        outlined_by=view.outlined_by,
        awaits_chapters=view.awaits_chapters,
        sections=[_section_line(view, section) for section in view.sections.values()],
        exports=list(view.exports.values()),
        form_exports=list(view.form_exports.values()),
        usage=view.usage,
        budget=view.budget,
        lacks_brief=view.lacks_brief,
        at_work=view.is_moving,
        ask_again_after_s=ASK_AGAIN_AFTER_S if view.is_moving else None,
        next=steps_of(view),
    )


def _section_line(view: DocumentView, section: SectionView) -> answers.SectionLine:
    return answers.SectionLine(
        **dict(SectionSummary.of(section, section.title)),
        depends_on=section.depends_on,
        held_up_by=[upstream.section_id for upstream in held_up_by(view, section.section_id)],
        failure=section.failure or "",
    )
