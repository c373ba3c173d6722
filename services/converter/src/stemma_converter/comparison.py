"""Two versions of a text as one tree, with marks around what went and what came.

Blocks, list items and table rows are first set side by side; those that are alike are compared inside.
"""

import json
from collections.abc import Hashable, Iterator, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from .alignment import Budget, Likeness, Opcode, aligned
from .attribution import Replay, attributed
from .tracking import Change, Scope, begin, changed_blocks, changed_words, end
from .tree import Node, attributes, node, plain, walk

_BOXES = ("☐", "☒")

Row = list[Any]
# Where the inlines of a wrapper lie in its content; the others are nothing but their inlines.
_INLINES_AT = {"Link": 1, "Quoted": 1}
_WRAPPERS = {"Emph", "Strong", "Strikeout", "Superscript", "Subscript", "SmallCaps", "Underline", *_INLINES_AT}
_SPACE = node("Space")
_GAP = ((), json.dumps(_SPACE))


def compared(old: list[Node], new: list[Node], replays: Sequence[Replay] = ()) -> list[Node]:
    """The blocks of both versions as one, chapter by chapter if they have as many.

    ``replays`` tell for each chapter who made its changes.
    """
    budget = Budget()
    before, after = _chapters(old), _chapters(new)
    if len(before) != len(after):
        return _compared(old, new, budget)
    # What stands before the first chapter is nobody's: there is nothing.
    told = (None, *replays) if len(replays) == len(before) - 1 else [None] * len(before)
    chapters = [_compared(*pair, budget) for pair in zip(before, after, strict=True)]
    return [
        block
        for chapter, replay in zip(chapters, told, strict=True)
        for block in (attributed(chapter, replay) if replay else chapter)
    ]


def _chapters(blocks: list[Node]) -> list[list[Node]]:
    chapters: list[list[Node]] = [[]]
    for block in blocks:
        if block["t"] == "Header" and block["c"][0] == 1:
            chapters.append([])
        chapters[-1].append(block)
    return chapters


def _compared(old: list[Node], new: list[Node], budget: Budget) -> list[Node]:
    merged: list[Node] = []
    for before, after in aligned(old, new, _key, _likeness, budget):
        if before is not None and after is not None:
            merged += _changed(before, after, budget)
        elif before is not None:
            merged += changed_blocks(Change.DELETED, [_without_name(before)])
        elif after is not None:
            merged += changed_blocks(Change.INSERTED, [after])
    return merged


def _changed(old: Node, new: Node, budget: Budget) -> list[Node]:
    if _key(old) == _key(new):
        return [new]
    match old, new:
        case {"c": before}, {"t": "Para" | "Plain" as kind, "c": after}:
            return [node(kind, reworded(before, after, budget))]
        case {"c": [_, _, before]}, {"t": "Header", "c": [level, attrs, after]}:
            return [node("Header", level, attrs, reworded(before, after, budget))]
        case {"c": before}, {"t": "BlockQuote", "c": after}:
            return [node("BlockQuote", _compared(before, after, budget))]
        case {"c": [_, before]}, {"t": "Div", "c": [attrs, after]}:
            return [node("Div", attrs, _compared(before, after, budget))]
        case {"c": before}, {"t": "BulletList", "c": after}:
            marks, items = _items(before, after, budget)
            return [*marks, node("BulletList", items)]
        case {"c": [_, before]}, {"t": "OrderedList", "c": [attrs, after]}:
            marks, items = _items(before, after, budget)
            return [*marks, node("OrderedList", attrs, items)]
        case {"c": [_, str(before)]}, {"t": "CodeBlock", "c": [_, str(after)]}:
            return [node("Div", attributes(custom_style="Source Code"), [node("Para", relined(before, after, budget))])]
        case {"t": "Table"}, {"t": "Table"}:
            return [_table(old, new, budget)]
        case _:
            return [*changed_blocks(Change.DELETED, [old]), *changed_blocks(Change.INSERTED, [new])]


def _items(old: list[list[Node]], new: list[list[Node]], budget: Budget) -> tuple[list[Node], list[list[Node]]]:
    """The items of both lists, and the marks that stand before the list.

    A mark must not be the first block of an item: it would take the bullet.
    """
    before_list: list[Node] = []
    items: list[list[Node]] = []
    for before, after in aligned(old, new, _keys, _likeness_of_item, budget):
        if before is not None and after is not None:
            first = _changed(before[0], after[0], budget) if before and after else []
            items.append([*first, *_compared(before[1:], after[1:], budget)])
        else:
            change = Change.DELETED if after is None else Change.INSERTED
            (items[-1] if items else before_list).append(begin(change))
            items.append([*(before or after or []), end()])
    return before_list, items


def _table(old: Node, new: Node, budget: Budget) -> Node:
    _, (_, old_title), _, old_head, old_bodies, _ = old["c"]
    attrs, (short, title), columns, head, bodies, foot = new["c"]
    heads = [_row(before, after, budget) for before, after in zip(old_head[1], head[1], strict=True)]
    body = bodies[0]
    rows = _rows(old_bodies[0][3], body[3], budget)
    caption = [short, _compared(old_title, title, budget)]
    return node("Table", attrs, caption, columns, [head[0], heads], [[*body[:3], rows]], foot)


def _rows(old: list[Row], new: list[Row], budget: Budget) -> list[Row]:
    rows = []
    for before, after in aligned(old, new, _json, _likeness_of_row, budget):
        if before is not None and after is not None:
            rows.append(_row(before, after, budget))
        elif before is not None:
            rows.append(_marked(before, Change.DELETED))
        elif after is not None:
            rows.append(_marked(after, Change.INSERTED))
    return rows


def _row(old: Row, new: Row, budget: Budget) -> Row:
    cells = [[*after[:4], _cell(before[4], after[4], budget)] for before, after in zip(old[1], new[1], strict=True)]
    return [new[0], cells]


def _cell(old: list[Node], new: list[Node], budget: Budget) -> list[Node]:
    if all(block["t"] == "Plain" for block in (*old, *new)):
        return [node("Plain", reworded(_words(old), _words(new), budget))]
    return _compared(old, new, budget)


def _words(blocks: list[Node]) -> list[Node]:
    return [inline for block in blocks for inline in block["c"]]


def _marked(row: Row, change: Change) -> Row:
    attrs, cells = row
    first = cells[0]
    opened = [*first[:4], [begin(change, Scope.ROW), *(first[4] or [node("Plain", [])])]]
    cells = [opened, *cells[1:]]
    last = cells[-1]
    return [attrs, [*cells[:-1], [*last[:4], [*(last[4] or [node("Plain", [])]), end(Scope.ROW)]]]]


def _without_name(block: Node) -> Node:
    """A heading that went gives its name up: the one that came may have the same."""
    if block["t"] != "Header":
        return block
    level, (_, classes, values), inlines = block["c"]
    return node("Header", level, ["", classes, values], inlines)


def _key(block: Node) -> Hashable:
    """What makes two blocks the same: all but the name of a heading and the widths of columns."""
    match block:
        case {"t": "Header"}:
            return _json(_without_name(block))
        case {"t": "Table", "c": [_, caption, columns, *rest]}:
            return _json([caption, [align for align, _ in columns], rest])
        case _:
            return _json(block)


def _keys(blocks: list[Node]) -> Hashable:
    return tuple(_key(block) for block in blocks)


def _shape(block: Node) -> str:
    """What two blocks must have in common to be compared inside."""
    match block:
        case {"t": "Para" | "Plain", "c": inlines} if not _has_display(inlines):
            return "text"
        case {"t": "Header", "c": [level, *_]}:
            return f"heading {level}"
        case {"t": "BulletList" | "BlockQuote" as kind}:
            return str(kind)
        case {"t": "OrderedList" | "Div" | "CodeBlock" as kind, "c": [attrs, _]}:
            return f"{kind}{_json(attrs)}"
        case {"t": "Table", "c": [_, caption, columns, head, [[_, _, [], _]], _]}:
            return "table" + _json([bool(caption[1]), [align for align, _ in columns], len(head[1])])
        case _:
            return _json(block)


def _has_display(inlines: list[Node]) -> bool:
    """Whether a formula stands on a line of its own: Word wants it in a paragraph of its own."""
    return any(item["t"] == "Math" and item["c"][0]["t"] == "DisplayMath" for item in walk(inlines, words=False))


def _likeness(block: Node) -> Likeness:
    return Likeness.of(_shape(block), plain(block))


def _likeness_of_item(blocks: list[Node]) -> Likeness:
    """Items must both begin with text, and be the same kind of task: else a change would take the bullet away."""
    kind = ("text", _task(blocks[0])) if blocks and _shape(blocks[0]) == "text" else None
    return Likeness.of(kind, plain(blocks))


def _task(block: Node) -> str | None:
    first = block["c"][0] if block["c"] else {}
    return first["c"] if first.get("c") in _BOXES else None


def _likeness_of_row(row: Row) -> Likeness:
    return Likeness.of(len(row[1]), plain([cell[4] for cell in row[1]]))


def _json(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


class _Token(NamedTuple):
    """A word, a space or another inline without inlines.

    ``around`` are its wrappers as JSON, the outermost first; ``word`` says what the leaf is.
    """

    around: tuple[str, ...]
    word: str
    leaf: Node


def reworded(old: list[Node], new: list[Node], budget: Budget) -> list[Node]:
    before, after = list(_tokens(old)), list(_tokens(new))
    merged: list[Node] = []
    opcodes = budget.opcodes([token[:2] for token in before], [token[:2] for token in after], gap=_GAP)
    for name, a, b, c, d in _whole_phrases(before, list(opcodes)):
        if name == "equal":
            merged += _rebuilt(after[c:d])
        else:
            merged += changed_words(Change.DELETED, _rebuilt(before[a:b]))
            merged += changed_words(Change.INSERTED, _rebuilt(after[c:d]))
    return merged


def relined(old: str, new: str, budget: Budget) -> list[Node]:
    return reworded(_code(old), _code(new), budget)


def _code(text: str) -> list[Node]:
    lines = [[node("Code", ["", [], []], line), node("LineBreak")] for line in text.rstrip("\n").split("\n")]
    return [inline for line in lines for inline in line][:-1]


def _tokens(inlines: Sequence[Node], around: tuple[str, ...] = ()) -> Iterator[_Token]:
    for item in inlines:
        inside = _inside(item)
        if inside:
            yield from _tokens(inside, (*around, json.dumps(_with_inside(item, []))))
        else:
            leaf = _SPACE if item["t"] == "SoftBreak" else item
            yield _Token(around, f"={leaf['c']}" if leaf["t"] == "Str" else json.dumps(leaf), leaf)


def _rebuilt(tokens: Sequence[_Token], depth: int = 0) -> list[Node]:
    inlines: list[Node] = []
    for wrapper, group in groupby(tokens, key=lambda token: token.around[depth : depth + 1]):
        if wrapper:
            inlines.append(_with_inside(json.loads(wrapper[0]), _rebuilt(list(group), depth + 1)))
        else:
            inlines += (token.leaf for token in group)
    return inlines


def _inside(item: Node) -> list[Node]:
    if item["t"] not in _WRAPPERS:
        return []
    place = _INLINES_AT.get(item["t"])
    inlines: list[Node] = item["c"] if place is None else item["c"][place]
    return inlines


def _with_inside(item: Node, inlines: list[Node]) -> Node:
    place = _INLINES_AT.get(item["t"])
    if place is None:
        return {"t": item["t"], "c": inlines}
    content: list[Any] = list(item["c"])
    content[place] = inlines
    return {"t": item["t"], "c": content}


def _whole_phrases(old: Sequence[_Token], opcodes: list[Opcode]) -> Iterator[Opcode]:
    """The opcodes without islands: a space that stayed between two changes belongs to both."""
    previous: Opcode | None = None
    for position, opcode in enumerate(opcodes):
        name, a, b, c, d = opcode
        between = 0 < position < len(opcodes) - 1
        island = name == "equal" and between and all(token.leaf["t"] == "Space" for token in old[a:b])
        current = ("replace", a, b, c, d) if name != "equal" or island else opcode
        if previous and previous[0] == current[0] == "replace":
            previous = ("replace", previous[1], b, previous[3], d)
        else:
            if previous:
                yield previous
            previous = current
    if previous:
        yield previous
