"""A document: its sections with their states, the map of what rests on what, what went in and what came out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from fastapi import APIRouter, Request, Response
from stemma_artifacts.store import ArtifactMissing
from stemma_client.costs import WORKS, costs_of
from stemma_contracts.v1.exports import ExportFormat
from stemma_contracts.v1.staleness import StaleReason
from stemma_document.views import DocumentView

from stemma_gateway.authentication import Caller
from stemma_gateway.pages import PageRoute
from stemma_gateway.resources.addresses import AtLeast, DocumentId, read_log
from stemma_gateway.sessions import Session

from .export_rows import export_rows
from .shell import shown
from .versions import timeline

WIDTH, HEIGHT, GAP_X, GAP_Y = 200, 48, 24, 40
router = APIRouter(route_class=PageRoute)


@dataclass(frozen=True)
class Node:
    """A section on the map."""

    section_id: str
    x: int
    y: int


@dataclass(frozen=True)
class Edge:
    """From a section to one that rests on it, with why that makes the other stale, if it does.

    ``x`` and ``y`` are where that is told, near the lower end of its path.
    """

    upstream: str
    downstream: str
    path: str
    x: int
    y: int
    reason: StaleReason | None


@dataclass(frozen=True)
class Map:
    """Sections in layers: each lies below all that it rests on."""

    width: int
    height: int
    nodes: Mapping[str, Node]
    edges: tuple[Edge, ...]


@router.get("/desk/documents/{document_id}")
async def show_document(
    request: Request, session: Caller, document_id: DocumentId, at_least: AtLeast = 0, done: str = ""
) -> Response:
    """The page of a document."""
    return await document_page(request, session, document_id, at_least, done="export" if done == "export" else "")


async def document_page(
    request: Request,
    session: Session,
    document_id: str,
    at_least: int = 0,
    *,
    done: str = "",
    error: Exception | None = None,
) -> Response:
    """The page of a document, all of it told by its log."""
    read = await read_log(session, document_id, at_least)
    log, document = read.events, read.document
    return shown(
        request,
        session,
        "document.html",
        error=error,
        document=document,
        title=await title_of(session, document),
        map=drawn(document),
        exports=export_rows(log, document),
        formats=list(ExportFormat),
        timeline=timeline(document),
        costs=costs_of(log),
        works=WORKS,
        done=done,
    )


async def title_of(session: Session, document: DocumentView) -> str:
    """What a document is called; its kind where that is not stored any more."""
    try:
        return (await session.client.text(document.document_id, document.title)).strip() or document.kind
    except ArtifactMissing:
        return document.kind


def drawn(document: DocumentView) -> Map:
    """The map of a document."""
    layers: dict[int, list[str]] = {}
    for name, layer in _layers(document).items():
        layers.setdefault(layer, []).append(name)
    most = max((len(names) for names in layers.values()), default=0)
    nodes = {
        name: Node(name, (2 * column + most - len(names)) * (WIDTH + GAP_X) // 2, layer * (HEIGHT + GAP_Y))
        for layer, names in layers.items()
        for column, name in enumerate(names)
    }
    return Map(
        most * (WIDTH + GAP_X),
        max(len(layers) * (HEIGHT + GAP_Y) - GAP_Y + 4, 0),
        nodes,
        tuple(_edges(document, nodes)),
    )


def _layers(document: DocumentView) -> Mapping[str, int]:
    """How deep each section lies: below all that it rests on."""
    depth = dict.fromkeys(document.sections, 0)
    for _ in document.sections:
        before = dict(depth)
        for name, section in document.sections.items():
            depth[name] = max((depth[each] + 1 for each in section.depends_on if each in depth), default=0)
        if depth == before:
            break
    return depth


def _edges(document: DocumentView, nodes: Mapping[str, Node]) -> list[Edge]:
    edges = []
    for name, section in document.sections.items():
        reasons = {reason.upstream_section_id: reason for reason in section.stale_reasons}
        for upstream in section.depends_on:
            if upstream in nodes:
                edges.append(_edge(nodes[upstream], nodes[name], reasons.get(upstream)))
    return edges


def _edge(above: Node, below: Node, reason: StaleReason | None) -> Edge:
    x1, y1 = above.x + WIDTH // 2, above.y + HEIGHT
    x2, y2 = below.x + WIDTH // 2, below.y
    path = f"M{x1} {y1}C{x1} {y1 + GAP_Y // 2} {x2} {y2 - GAP_Y // 2} {x2} {y2}"
    return Edge(above.section_id, below.section_id, path, (x1 + 5 * x2) // 6, y2 - GAP_Y // 4, reason)
