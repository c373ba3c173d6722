"""The map of a document: each section with its state, its work and its cost, and the lines to those that rest on it.

The server sends a list. A script of the page lays it out as a graph.
"""

import asyncio
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from graphlib import TopologicalSorter

from fastapi import APIRouter, Request, Response
from stemma_client.progress import seconds_left
from stemma_contracts.v1.staleness import StaleReason
from stemma_contracts.v1.usage import Usage
from stemma_contracts.v1.views import DocumentView, SectionView
from stemma_domain.costs import Costs

from stemma_gateway.authentication import Caller
from stemma_gateway.pages import PageRoute
from stemma_gateway.resources.addresses import At, AtLeast, DocumentId, read_log_at

from .document import STOPS
from .forms import DOCUMENT
from .shell import shown, title_of

router = APIRouter(route_class=PageRoute)


@dataclass(frozen=True)
class Edge:
    """A line from a section to the one that rests on it, with why that makes it stale, if it does."""

    upstream: SectionView
    reason: StaleReason | None


@dataclass(frozen=True)
class Node:
    section: SectionView
    usage: Usage
    edges: tuple[Edge, ...]
    left_out: int
    """Lines that are not drawn, since a longer way leads along others."""


@router.get(f"{DOCUMENT}/map")
async def show_map(
    request: Request, session: Caller, document_id: DocumentId, at_least: AtLeast = 0, at: At = 0
) -> Response:
    """The map as it is, or as it was at a sequence of the log: then nothing can be decided there."""
    read = await read_log_at(session, document_id, at_least, at)
    document, may = read.document, frozenset[str]() if at else session.client.rights.names
    nodes = await asyncio.to_thread(drawn, document, read.costs)
    usual = await session.followed.usual(document) if document.at_work and not at else {}
    return shown(
        request,
        session,
        "map.html",
        document=document,
        title=await title_of(session.client, document),
        nodes=nodes,
        left_out=sum(node.left_out for node in nodes),
        usual=usual,
        left=seconds_left(document, usual, datetime.now(UTC)),
        stops=STOPS.get(document.status, ()) if "pause-document" in may else (),
        then=read.events[-1] if at else None,
        may=may,
    )


def drawn(document: DocumentView, costs: Costs) -> tuple[Node, ...]:
    return tuple(nodes_of(document, {name: costs.of_section(name) for name in document.sections}))


def nodes_of(document: DocumentView, usage: Mapping[str, Usage]) -> Iterator[Node]:
    """The sections in an order in which each follows all that it rests on."""
    sections = document.sections
    upstream = {
        name: tuple(each for each in dict.fromkeys(one.depends_on) if each in sections)
        for name, one in sections.items()
    }
    above: dict[str, set[str]] = {}
    for name in TopologicalSorter(upstream).static_order():
        farther = set[str]().union(*(above[each] for each in upstream[name]))
        above[name] = farther.union(upstream[name])
        reasons = {reason.upstream_section_id: reason for reason in sections[name].stale_reasons}
        drawn = [each for each in upstream[name] if each not in farther or each in reasons]
        edges = tuple(Edge(sections[each], reasons.get(each)) for each in drawn)
        yield Node(sections[name], usage.get(name, Usage()), edges, len(upstream[name]) - len(edges))
