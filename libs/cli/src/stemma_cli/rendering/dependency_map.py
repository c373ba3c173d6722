"""The dependency map of a document, in the terminal and as Mermaid."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text
from rich.tree import Tree
from stemma_contracts.v1.section import SectionStatus
from stemma_contracts.v1.views import DocumentView, SectionView
from stemma_domain.dependencies import in_order

from stemma_cli.output import clean_line
from stemma_cli.wording import reasons_words, status_words

_STYLES = {
    SectionStatus.QUEUED: "dim",
    SectionStatus.GENERATING: "cyan",
    SectionStatus.AWAITING_REVIEW: "yellow",
    SectionStatus.APPROVED: "green",
    SectionStatus.EDITED: "green",
    SectionStatus.FAILED: "red",
}
_CLASSES = (
    "classDef settled fill:#d7f0d7,stroke:#2e7d32",
    "classDef waiting fill:#fff3c4,stroke:#b8860b",
    "classDef working fill:#d5ecf5,stroke:#1f6f8b",
    "classDef queued fill:#eeeeee,stroke:#888888",
    "classDef failed fill:#f8d0d0,stroke:#b00020",
    "classDef stale fill:#f5dcc3,stroke:#c05000,stroke-dasharray:4 3",
)
_CLASS_OF = {
    SectionStatus.QUEUED: "queued",
    SectionStatus.GENERATING: "working",
    SectionStatus.AWAITING_REVIEW: "waiting",
    SectionStatus.APPROVED: "settled",
    SectionStatus.EDITED: "settled",
    SectionStatus.FAILED: "failed",
}


def tree(view: DocumentView) -> Tree:
    """The map as a tree with statuses and staleness."""
    root = Tree(Text(f"{view.document_id}: {view.status}", style="bold"))
    branches = [root]
    for section, depth in in_order(view):
        del branches[depth + 1 :]
        branches.append(branches[depth].add(_label(view, section)))
    return root


def _label(view: DocumentView, section: SectionView) -> Text:
    """Every section stands once, below one that it rests on; the others are named."""
    style = "bold magenta" if section.stale else _STYLES[section.status]
    label = Text.assemble((section.section_id, "bold"), "  ", (_state(section), style))
    if section.stale:
        label.append(f" because {reasons_words(section.stale_reasons)}")
    if len(section.depends_on) > 1:
        label.append(f"  (rests on {', '.join(section.depends_on)})", "dim")
    return label


def _state(section: SectionView) -> str:
    return f"{status_words(section)}{f', version {section.version}' if section.version else ''}"


def mermaid(view: DocumentView) -> Iterator[str]:
    """The map as lines for Mermaid."""
    names = {section_id: f"s{number}" for number, section_id in enumerate(view.sections, 1)}
    yield "flowchart TD"
    for section in view.sections.values():
        style = "stale" if section.stale else _CLASS_OF[section.status]
        yield f'    {names[section.section_id]}["{_escaped(section.title)}<br/>{_state(section)}"]:::{style}'
    for section in view.sections.values():
        for upstream in section.depends_on:
            yield f"    {names[upstream]} --> {names[section.section_id]}"
    yield from (f"    {line}" for line in _CLASSES)


def _escaped(title: str) -> str:
    """A title as Mermaid shows it literally, whatever it holds."""
    return "".join(c if c.isalnum() or c in " ,.-_" else f"#{ord(c)};" for c in clean_line(title))
