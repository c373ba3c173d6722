"""Text as it stands in a document, written so that Markdown shows the same characters."""

import re

WIDE = "[\u3000-\u30ff\u3400-\u9fff\uff01-\uff9f]"
"""A character of a script that has no spaces between words."""
STRUCK = "\ue000"
"""Before and behind plain text that is struck out; of private use, so that no other text has it."""
_STRUCK_ON = re.compile(rf"{STRUCK}( ?){STRUCK}")
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufffe\uffff\ud800-\udfff]")
_SPACES = re.compile(r"[ \t\r\n\u2028\u2029]+")
# Only what would mean something where it stands: a text full of backslashes is quoted and compared badly.
_MEANING = re.compile(
    r"\\(?=[!-/:-@\[-`{-~])"  # a backslash before punctuation
    r"|`|(?<!\s)\*|\*(?!\s)"  # code; emphasis, which touches a word
    r"|__+|(?<!\w)_(?=\S)|(?<=\S)_(?!\w)"
    r"|~~|\](?=[(\[:])|\[(?=\^)|!(?=\[)"  # struck out, links, footnotes, images
    r"|<(?=[A-Za-z/!?])|&(?=#?\w+;)"  # HTML
)
_LEADING = re.compile(r"(?:#{1,6}(?=\s|$)|[-+*](?=\s|$)|>|={2,}\s*$|-{2,}\s*$|~{3,}|\|)")
_NUMBERED = re.compile(r"(\d{1,9})([.)])(?=\s|$)")


_RAISED = str.maketrans("0123456789+-()n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁽⁾ⁿ")
_RAISABLE = re.compile(r"[0-9+\-()n]*[0-9][0-9+\-()n]*")


def raised(text: str) -> str:
    """Superscript figures as such, so that a footnote's or a power's do not run into the number before them."""
    return text.translate(_RAISED) if _RAISABLE.fullmatch(text) else text


def clean(text: str) -> str:
    return _FORBIDDEN.sub("", text)


def one_line(text: str) -> str:
    """The text in one line, with single spaces; spaces that do not break stay."""
    return _SPACES.sub(" ", clean(text)).strip(" ")


def inline(text: str) -> str:
    """Plain text for the inside of a line; what stands between two marks is struck out."""
    escaped = _MEANING.sub(lambda found: "".join("\\" + character for character in found[0]), clean(text))
    return _STRUCK_ON.sub(r"\1", escaped).replace(STRUCK, "~~") if STRUCK in escaped else escaped


def line(markdown: str) -> str:
    """Inline Markdown as a line of its own, that begins neither a heading nor a list, quote or table."""
    if _LEADING.match(markdown):
        return "\\" + markdown
    return _NUMBERED.sub(r"\1\\\2", markdown, count=1) if _NUMBERED.match(markdown) else markdown


def cell(markdown: str) -> str:
    """Inline Markdown as a cell of a table: in one line, with breaks as ``<br>``."""
    lines = (_SPACES.sub(" ", part).strip(" ") for part in markdown.split("\n"))
    return "<br>".join(filter(None, lines)).replace("|", "\\|")
