"""All versions of a document in the order in which they came, to be drawn: which section got which, and how."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from stemma_domain.views import DocumentView, VersionView

STEP, MARGIN = 14, 8


@dataclass(frozen=True)
class Dot:
    """A version on the line of its section."""

    version: VersionView
    x: int


@dataclass(frozen=True)
class Timeline:
    """The versions of each section; all that came later in the document stand further to the right."""

    width: int
    dots: Mapping[str, tuple[Dot, ...]]


def timeline(document: DocumentView) -> Timeline:
    """The versions of a document in their order; what old logs do not date stands first."""
    made = [
        (version.made_at.timestamp() if version.made_at else 0.0, name, version)
        for name, section in document.sections.items()
        for version in section.versions
    ]
    dots: dict[str, list[Dot]] = {name: [] for name in document.sections}
    for place, (_, name, version) in enumerate(sorted(made, key=lambda one: one[0])):
        dots[name].append(Dot(version, MARGIN + place * STEP))
    width = 2 * MARGIN + max(len(made) - 1, 0) * STEP
    return Timeline(width, {name: tuple(of) for name, of in dots.items()})
