"""Names and titles as people read them: what stands in one must not be read as something else.

Overrides and embeddings turn the direction of what follows, so that ``exe.pdf`` is read where ``fdp.exe`` stands; an
isolate without its end does so with what comes after the name. Control characters and tags are seen by nobody. None of
them is needed: Arabic, Hebrew and Persian are written with their letters, and marks (U+200E, U+200F, U+061C), joiners
(U+200C, U+200D) and pairs of isolates, which stay. White space is
no matter here: whoever shows a title makes it one line.
"""

import re
import unicodedata

from .tokens import check_file_name

_UNSEEN = "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u206a-\u206f\ufff9-\ufffb\U000e0000-\U000e007f"
_IN_TEXT = re.compile(f"[\r{_UNSEEN}]")
_IN_NAME = re.compile(f"[{_UNSEEN}]")
_ISOLATE = re.compile("[\u2066-\u2069]")
_END = "\u2069"


def check_shown(value: str) -> str:
    """Return ``value`` if a name or title may be so; else raise `ValueError`, which names the character."""
    found = _IN_NAME.search(value) or (None if _is_closed(value) else _ISOLATE.search(value))
    if found:
        name = unicodedata.name(found[0], "a control character")
        character = f"U+{ord(found[0]):04X} ({name})"
        raise ValueError(f"must not have {character}, by which it is read otherwise, got {value[:80]!r}")
    return value


def check_upload_name(value: str) -> str:
    """Return ``value`` if an upload may be called so: it is a file name, and read as it stands."""
    return check_shown(check_file_name(value))


def shown(text: str) -> str:
    """The text without such characters, for a place that shows what nobody has checked; lines and tabs stay."""
    text = _IN_TEXT.sub("", text)
    return text if _is_closed(text) else _ISOLATE.sub("", text)


def _is_closed(text: str) -> bool:
    """Whether every isolate has its end, in a line of its own."""
    for line in text.split("\n"):
        depth = 0
        for mark in _ISOLATE.findall(line):
            depth += -1 if mark == _END else 1
            if depth < 0:
                return False
        if depth:
            return False
    return True
