"""Texts without what does not belong in them: a fence around all, HTML, inner links, options that are not ticked."""

import re
from collections.abc import Callable, Iterator, Sequence

from .document import Document, fences, links
from .reading import Leaf, Token

_CODE = re.compile(r"(?<!`)(`++).*?(?<!`)\1(?!`)")
_KEPT_LINK = re.compile(r"https?:|mailto:|//", re.IGNORECASE)


def without_inner_links(text: str) -> str:
    """The text with the words of its links that lead neither to the web nor to a mailbox; images and code stay."""
    kept, at = list[str](), 0
    for link in links(text):
        markup = text[link.start : link.end]
        if markup.endswith(")") and not _KEPT_LINK.match(link.target):
            kept += [text[at : link.start], markup[1 : markup.rfind("](")]]
            at = link.end
    return "".join([*kept, text[at:]])


def outside_code(text: str, change: Callable[[str], str]) -> str:
    """A line with a change made to all that is no code in it."""
    parts, last = list[str](), 0
    for code in _CODE.finditer(text):
        parts += [change(text[last : code.start()]), code.group()]
        last = code.end()
    return "".join([*parts, change(text[last:])])


_BREAK = re.compile(r"(?<!\s)\s*+<br\s*+/?>\s*+", re.IGNORECASE)
_BREAK_AT_END = re.compile(f"{_BREAK.pattern}$", re.IGNORECASE)
_RAISED = re.compile(r"<sup\b[^<>]*+>\s*+(?:<a\b[^<>]*+>)?\s*+(\d{1,9})\s*+(?:</a>)?\s*+</sup>", re.IGNORECASE)
_RAISED_DIGITS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_COMMENT = re.compile(r"<!--.*?-->")
_TAG = re.compile(r"</?[a-z][a-z0-9-]*(?:\s[^<>]*)?/?>", re.IGNORECASE)
_BARE = re.compile(
    r"(?<![<(\[\"'\w/.:@])(?:https?://[^\s<>()\[\]|]+[^\s<>()\[\]|.,;:!?]|[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4})",
    re.ASCII,
)


def without_html(line: str) -> str:
    """The line, but for its code, without HTML; bare addresses become links, a break at its end stays one."""
    broken = _BREAK_AT_END.search(line)
    text = outside_code(line[: broken.start()] if broken else line, _without_html)
    return f"{text}\\" if broken and text.strip() else text


def _without_html(text: str) -> str:
    raised = _RAISED.sub(lambda found: found[1].translate(_RAISED_DIGITS), text)
    # Before the last end of a comment none begins that has no end: each is looked at once.
    commented, end, rest = raised.rpartition("-->")
    plain = _TAG.sub("", _BREAK.sub(" ", _COMMENT.sub("", commented + end) + rest))
    return _BARE.sub(lambda found: f"<{found.group()}>", plain)


_OPENING = re.compile(r"(`{3,}|~{3,})[ \t]*(\w*)[ \t]*")


def unwrapped(text: str, *languages: str) -> str:
    """A text without the fence around all of it, if that names no language or one of ``languages``.

    With words before or after the fence, or where a plain fence ends before the text does, the text stays as it is.
    """
    whole = text.strip()
    first, _, rest = whole.partition("\n")
    found = _OPENING.fullmatch(first.rstrip())
    if not found or not rest.endswith("\n" + found[1]):
        return text
    goes_around = found[2] in languages if found[2] else fences(whole)[0].last_line > whole.count("\n")
    return rest[: -len(found[1]) - 1] if goes_around else text


_EMPTY, _TICKED = "☐□◻⬜", "☑☒■✅✔✓"
_UNTICKED = re.compile(
    rf"(?:[{_EMPTY}]|^[ \t>]*\[ \](?=\s))(?:(?!^[ \t>]*\[[ xX]\]\s)[^{_EMPTY}{_TICKED}])*+|^[ \t>]*\[[xX]\][ \t]+",
    re.MULTILINE,
)
"""An option in a paragraph, as far as the next one; of one that is ticked in letters the mark."""
_BOX = re.compile(rf"\[[ xX]\]|[{_EMPTY}]")
_SAID = re.compile(r"[^\r\n>]")


def without_unticked(text: str) -> str:
    """The text without options that are not ticked and what stands below them; lines keep their numbers.

    In a table they stay: the box in the cell says how it is.
    """
    if not _BOX.search(text):
        return text
    kept, at = list[str](), 0
    for start, end in _ranges(Document(text).tokens, text):
        kept += [text[at:start], _SAID.sub("", text[start:end])]
        at = end
    return "".join([*kept, text[at:]])


def _ranges(tokens: Sequence[Token], text: str) -> Iterator[tuple[int, int]]:
    open_item: tuple[int, int] | None = None
    before: Token | None = None
    for token in tokens:
        if open_item and token.depth <= open_item[1]:
            yield _stripped(text, open_item[0], token.start)
            open_item = None
        if not open_item and isinstance(token, Leaf) and token.kind == "paragraph":
            first, words = token.inner_start, text[token.inner_start : token.inner_end]
            if before and before.kind == "item" and _UNTICKED.fullmatch(words):
                open_item = before.start, before.depth
            else:
                yield from ((first + found.start(), first + found.end()) for found in _UNTICKED.finditer(words))
        before = token
    if open_item:
        yield _stripped(text, open_item[0], len(text))


def _stripped(text: str, start: int, end: int) -> tuple[int, int]:
    """A range without the indentation, or the marks of quotes, before what comes next."""
    return start, start + len(text[start:end].rstrip(" \t\r\n>"))
