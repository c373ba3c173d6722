"""Links of notifications: a look changes nothing, since scanners of mails look too; what is sent decides, once.

A link is no power. Whoever follows it is signed in as the person that it names, and the decision is asked for as this
person, under an id that is the same whenever the same link is used.
"""

from datetime import UTC, datetime
from typing import Annotated, Any, Literal
from urllib.parse import parse_qsl

from fastapi import APIRouter, Depends, Path, Request, Response
from pydantic import AwareDatetime, BaseModel, ConfigDict, Field
from stemma_client import AnswerTimeoutError, RequestRejectedError
from stemma_contracts.v1.answers import Problem, RequestAccepted
from stemma_contracts.v1.decision_links import MAX_TOKEN, DecisionLink, InvalidLink, Verb, read_link
from stemma_contracts.v1.requests import ApproveSection, ReviseSection, SectionDecision
from stemma_contracts.v1.section import SectionStatus
from stemma_contracts.v1.views import SectionView

from stemma_gateway.authentication import Caller
from stemma_gateway.bodies import JSON, media_type_of, whole_body
from stemma_gateway.pages import HTML, PageRoute, language_of, page, reads_pages, reasons_shown
from stemma_gateway.problems import Expired, NotFound, NotOpen, NotYours, problem_of
from stemma_gateway.sessions import Session

from .addresses import section_of

AT_HAND_S, WAIT_S = 0.5, 20.0
MAX_BYTES = 128 * 1024
USED = {Verb.APPROVE: "link_approved", Verb.REVISE: "link_revised"}
router = APIRouter(tags=["decisions"], route_class=PageRoute)


class Decision(BaseModel):
    """What a link decides, and whether it still can."""

    document_id: str
    section_id: str
    title: str
    version: int
    verb: Verb
    person: str
    expires_at: AwareDatetime
    state: Literal["open", "used", "outdated", "decided"] = Field(
        description="`used` by this link, `outdated` by a newer version, `decided` in another way"
    )
    detail: str = ""
    code: str = Field("", description="of the problem that `detail` says")
    params: dict[str, str | int | float] = {}


class Answered(BaseModel):
    """What goes along with a decision."""

    model_config = ConfigDict(extra="forbid")

    feedback: str | None = Field(None, max_length=20_000, description="for a revision: what is to change, in words")


def link_of(
    session: Caller,
    token: Annotated[str, Path(max_length=4 * MAX_TOKEN, description="the last part of the link")],
) -> DecisionLink:
    """The decision of a link; raises `NotFound`, `Expired`, and `NotYours` for the link of somebody else."""
    try:
        link = read_link(token, datetime.min.replace(tzinfo=UTC))
    except InvalidLink:
        raise NotFound(Problem.of("link_invalid")) from None
    if not session.is_person or (session.tenant, session.user) != (link.tenant, link.person):
        raise NotYours(Problem.of("link_wrong_person", person=link.person, tenant=link.tenant))
    if link.expires_at <= datetime.now(UTC):
        raise Expired(Problem.of("link_expired", day=f"{link.expires_at:%Y-%m-%d}"))
    return link


Link = Annotated[DecisionLink, Depends(link_of)]
NO_JSON: dict[int | str, dict[str, Any]] = {200: {**HTML, "description": "What would be decided: a page for browsers."}}


@router.get("/decide/{token}", response_model=Decision, responses=NO_JSON)
async def show_decision(request: Request, session: Caller, link: Link) -> Any:
    """What a link would decide. Nothing is decided by looking at it."""
    decision = await _decision(session, link)
    if not reads_pages(request):
        return decision
    why = reasons_shown(problem_of(NotOpen(_why(decision))), language_of(request))
    return page(request, "decide.html", decision=decision, done=False, why=why)


@router.post(
    "/decide/{token}",
    response_model=RequestAccepted,
    openapi_extra={"requestBody": {"content": {JSON: {"schema": Answered.model_json_schema()}}}},
)
async def decide(request: Request, session: Caller, link: Link) -> Any:
    """Decide what the link is about, about this version alone, and once."""
    asked = _asked(link, await _body(request))
    if (decision := await _decision(session, link)).state != "open":
        raise NotOpen(_why(decision))
    answer = await session.client.request(asked, wait_s=WAIT_S)
    if not reads_pages(request):
        return Response(answer.model_dump_json(), media_type=JSON)
    return page(request, "decide.html", decision=decision, done=True)


def _asked(link: DecisionLink, body: Answered) -> SectionDecision:
    about: dict[str, Any] = link.model_dump(include={"document_id", "section_id", "version", "request_id"})
    about |= {"request_id": link.request_id, "actor": link.person}
    if link.verb is Verb.APPROVE:
        return ApproveSection(**about)
    return ReviseSection.model_validate({**about, "feedback": body.feedback})


async def _body(request: Request) -> Answered:
    body = await whole_body(request, MAX_BYTES)
    if media_type_of(request) == JSON:
        return Answered.model_validate_json(body)
    return Answered.model_validate(dict(parse_qsl(body.decode("utf-8", "replace"))))


async def _decision(session: Session, link: DecisionLink) -> Decision:
    section = await section_of(session, link.document_id, link.section_id)
    state, why = await _state(session, link, section)
    known = link.model_dump(include={"document_id", "section_id", "version", "verb", "person", "expires_at"})
    decision = Decision(**known, title=section.title, state=state)
    if why is None:
        return decision
    return decision.model_copy(update={"detail": why.message, "code": why.code, "params": why.params})


def _why(decision: Decision) -> Problem:
    return Problem(field="", message=decision.detail, code=decision.code, params=decision.params)


async def _state(session: Session, link: DecisionLink, section: SectionView) -> tuple[Any, Problem | None]:
    if section.status is SectionStatus.AWAITING_REVIEW and section.version == link.version:
        return "open", None
    if await _was_used(session, link):
        return "used", Problem.of(USED[link.verb], version=link.version)
    if section.version != link.version:
        return "outdated", Problem.of("version_old", version=link.version, current_version=section.version)
    return "decided", Problem.of("version_decided", version=link.version)


async def _was_used(session: Session, link: DecisionLink) -> bool:
    try:
        await session.client.answer(link.request_id, wait_s=AT_HAND_S)
    except (AnswerTimeoutError, RequestRejectedError):
        return False
    return True
