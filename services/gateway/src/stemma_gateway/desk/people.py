"""People and roles: what each role may, who has work, and how whoever runs the installation adds and removes people."""

from collections import Counter
from collections.abc import Mapping
from types import MappingProxyType

from fastapi import APIRouter, Request, Response
from stemma_contracts.roles import Role, may_ask
from stemma_contracts.v1.section import SETTLED

from stemma_gateway.authentication import Caller
from stemma_gateway.pages import PageRoute

from .shell import shown
from .verbs import VERBS

MAY: Mapping[str, str] = MappingProxyType(
    {
        **{verb.name: verb.token for verb in VERBS},
        "comment": "comment-section",
        "assign_to_person": "assign-section",
        "new_document": "create-document",
        "export": "export-document",
        "work_pause": "pause-document",
        "work_cancel": "cancel-document",
    }
)
"""What people do, by the ids of its words, with the request that it makes."""
router = APIRouter(route_class=PageRoute)


@router.get("/desk/people")
async def show_people(request: Request, session: Caller) -> Response:
    listed = await session.client.documents(warns=False)
    sections = [one for document in listed for one in document.sections if one.assignee]
    assigned = Counter(one.assignee for one in sections if one.status not in SETTLED)
    may = {role: may_ask(role) for role in Role}
    return shown(
        request,
        session,
        "people.html",
        roles=list(Role),
        allowed={name: [role for role in Role if token in may[role]] for name, token in MAY.items()},
        assigned={name: assigned[name] for name in sorted({session.user, *(one.assignee for one in sections)})},
        tenant=session.tenant,
        role=session.client.role,
    )
