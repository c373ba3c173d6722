"""Where and how an answer is written into a text document."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from lxml import etree

from .controls import Control
from .paragraph import FormField, Paragraph


@dataclass(frozen=True)
class Range:
    """Characters of a paragraph that give way to the answer."""

    paragraph: Paragraph
    start: int
    end: int


@dataclass(frozen=True)
class TextSpot:
    """A placeholder, in each of its places; ``cleared`` are further lines that were left free for the same answer."""

    ranges: list[Range]
    cleared: list[Range] = field(default_factory=list)


@dataclass(frozen=True)
class EmptySpot:
    """An empty paragraph, in a cell or below a question."""

    element: etree._Element


@dataclass(frozen=True)
class AfterSpot:
    """The end of a paragraph that is a label."""

    paragraph: Paragraph


@dataclass(frozen=True)
class ControlSpot:
    control: Control


@dataclass(frozen=True)
class FieldSpot:
    field: FormField


Spot: TypeAlias = TextSpot | EmptySpot | AfterSpot | ControlSpot | FieldSpot
