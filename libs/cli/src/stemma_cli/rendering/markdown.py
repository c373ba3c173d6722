"""Markdown for the eyes of a person at a terminal."""

from collections.abc import Iterable, Iterator, Sequence

from rich import box
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text
from stemma_markdown import Container, Document, Inline, Leaf, Token

INDENT = 2
_STYLES = {"heading": "bold", "code": "dim", "html": "dim"}


def rendered(text: str) -> Group:
    """The text without its markup: headings stand out, lists are indented, tables have columns."""
    return Group(*_blocks(Document(text).tokens))


def _blocks(tokens: Iterable[Token]) -> Iterator[RenderableType]:
    around: list[Container] = []
    marks = _Marks()
    rows: list[list[str]] = []
    for token in tokens:
        around = around[: token.depth]
        if isinstance(token, Container):
            around.append(token)
            marks.enter(around)
            rows += [[]] if token.kind == "row" else []
        elif token.kind == "cell":
            rows[-1].append(_words(token.inlines))
        if rows and not any(container.kind == "table" for container in around):
            yield _table(rows)
            rows = []
        if isinstance(token, Leaf) and token.kind != "cell":
            yield Padding(_leaf(token, marks.taken()), (0, 0, 1, INDENT * _lists(around)))
    if rows:
        yield _table(rows)


class _Marks:
    def __init__(self) -> None:
        self._numbers: dict[int, int] = {}
        self._mark = ""

    def enter(self, around: Sequence[Container]) -> None:
        container = around[-1]
        if container.kind == "list" and isinstance(container.detail, int):
            self._numbers[container.start] = container.detail
        elif container.kind == "item":
            number = self._numbers.get(around[-2].start)
            self._mark = "• " if number is None else f"{number}. "
            if number is not None:
                self._numbers[around[-2].start] = number + 1
        elif container.kind == "footnote":
            self._mark = f"[{container.detail}] "

    def taken(self) -> str:
        mark, self._mark = self._mark, ""
        return mark


def _lists(around: Iterable[Container]) -> int:
    return sum(container.kind in ("list", "quote") for container in around)


def _leaf(leaf: Leaf, mark: str) -> Text:
    words = "─" * 8 if leaf.kind == "rule" else _words(leaf.inlines).rstrip("\n")
    return Text(mark + words, style=_STYLES.get(leaf.kind, ""))


def _words(inlines: Iterable[Inline]) -> str:
    return "".join(_word(inline) for inline in inlines)


def _word(inline: Inline) -> str:
    match inline.kind:
        case "softbreak":
            return " "
        case "hardbreak":
            return "\n"
        case "footnote":
            return f"[{inline.text}]"
        case _:
            return inline.text


def _table(rows: Sequence[Sequence[str]]) -> Padding:
    table = Table(box=box.SIMPLE_HEAD)
    for title in rows[0]:
        table.add_column(Text(title))
    for row in rows[1:]:
        table.add_row(*map(Text, row))
    return Padding(table, (0, 0, 1, 0))
