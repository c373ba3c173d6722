"""Remarks set off from the text: GitHub's alerts, and what the converter says about a section."""

from __future__ import annotations

from typing import Any

from .tree import Node, node, plain, rewrite


def with_notices(blocks: list[Node], attributes: list[Any]) -> list[Node]:
    """Every remark as one block with these attributes, its name in bold at the beginning."""

    def edit(item: Node) -> list[Node]:
        match item:
            case {"t": "Div", "c": [_, [{"t": "Div", "c": [["", ["title"], _], name]}, *rest]]}:
                heading = node("Para", [node("Strong", [node("Str", plain(name).strip())])])
                return [node("Div", attributes, [heading, *rest])]
            case _:
                return [item]

    noticed: list[Node] = rewrite(blocks, edit)
    return noticed
