"""Remarks set off from the text: GitHub's alerts, and what the converter says about a section."""

from __future__ import annotations

from typing import Any

from stemma_languages import Words

from .tree import Node, node, plain, rewrite, text


def with_notices(blocks: list[Node], attributes: list[Any], words: Words) -> list[Node]:
    """Every remark as one block with these attributes, its name in bold at the beginning."""
    alerts = {"note": words.note, "tip": words.tip, "important": words.important, "caution": words.caution,
              "warning": words.warning}  # fmt: skip

    def edit(item: Node) -> list[Node]:
        match item:
            case {"t": "Div", "c": [[_, classes, _], [{"t": "Div", "c": [["", ["title"], _], name]}, *rest]]}:
                own = next((alerts[kind] for kind in classes if kind in alerts), plain(name).strip())
                heading = node("Para", [node("Strong", text(own))])
                return [node("Div", attributes, [heading, *rest])]
            case _:
                return [item]

    noticed: list[Node] = rewrite(blocks, edit)
    return noticed
