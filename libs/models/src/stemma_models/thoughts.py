"""What a model thinks aloud in its answer, between tags, is no part of the answer."""

import re
from bisect import bisect
from collections import deque
from collections.abc import Iterator
from typing import NamedTuple

_NAME = r"(?:\w{1,20}:)?(?:think|thinking|thoughts?|thought_process|reasoning)"
_OPEN = (
    rf"<{_NAME}(?:[ \t][^<>\n]{{0,80}})?>|\[THINK\]|◁think▷|<\|begin_of_thought\|>"
    r"|<\|channel\|>(?:analysis|commentary)<\|message\|>"
)
_CLOSE = (
    rf"</{_NAME}[ \t]{{0,4}}>|\[/THINK\]|◁/think▷|<\|end_of_thought\|>"
    r"|(?:<\|end\|>)?(?:<\|start\|>assistant)?<\|channel\|>final<\|message\|>"
)
"""As DeepSeek, Qwen and others, Magistral, Kimi, OpenThinker and gpt-oss write it, where a server leaves it in."""
_TAG = re.compile(rf"(?P<open>{_OPEN})|(?P<close>{_CLOSE})", re.IGNORECASE)
_HALF_TAG = re.compile(r"[<\[◁][/|\w:\]<>]{0,40}\s{0,4}\Z")
_FENCE = re.compile(r"^ {0,3}(?:```|~~~)", re.MULTILINE)
_BLANK = re.compile(r"\s*+")
_INDENTED = re.compile(r" {4,}| *\t")


class Parted(NamedTuple):
    """The words of an answer without its thoughts; ``found`` if there were some, ``open`` if the last has no end."""

    words: str
    found: bool
    open: bool


class _Tag(NamedTuple):
    """A tag; ``leads``: nothing but spaces stands before it in the line that begins at ``line``."""

    start: int
    end: int
    opens: bool
    line: int
    leads: bool
    is_code: bool


def without_thoughts(text: str, opens_with: tuple[str, ...] = ()) -> Parted:
    """Take out what stands between tags such as ``<think>``.

    A pair of tags in the middle of a line is a sentence about tags, and what stands in code is code. Some servers leave
    the first opening tag out: then everything before the closing tag is a thought, unless that begins with one of
    ``opens_with``, as all answers have to, and what follows does not.
    """
    words, at, first, found = list[str](), 0, _word_at(text, 0), False
    tags = deque(_tags(text))
    while tags:
        tag = tags.popleft()
        begins = tag.start == first
        if tag.is_code and not begins:
            continue
        if tag.opens and (tag.leads or begins or not _is_mentioned(tag, tags)):
            words.append(text[at : tag.start])
            while tags and tags[0].opens:
                tags.popleft()
            if not tags:
                return Parted("".join(words).lstrip(), found=True, open=True)
            at, found = tags.popleft().end, True
            first = _word_at(text, at)
        elif not tag.opens and not _is_word(text, first, tag.end, opens_with):
            words, at, found = [], tag.end, True
            first = _word_at(text, at)
    return Parted("".join([*words, text[at:]]).lstrip(), found, open=False)


def words_so_far(text: str, opens_with: tuple[str, ...]) -> str:
    """The words of an answer of which more is to come, as far as they are certainly no thought.

    If all answers have to open with one of ``opens_with``, one that does not may be a thought without its opening tag.
    """
    parted = without_thoughts(text, opens_with)
    words = parted.words
    if opens_with and not parted.found and not words.startswith(opens_with):
        return ""
    half = _HALF_TAG.search(words, max(0, len(words) - 64))
    return words[: half.start()] if half else words


def _tags(text: str) -> Iterator[_Tag]:
    fences = [fence.start() for fence in _FENCE.finditer(text)]
    line, end, lead, ticks = 0, -1, 0, (-1, -1)
    for found in _TAG.finditer(text):
        if found.start() > end:
            line, end = text.rfind("\n", max(end, 0), found.start()) + 1, text.find("\n", found.end())
            end = len(text) if end < 0 else end
            lead = _word_at(text, line)
            ticks = text.find("`", line, end), text.rfind("`", line, end)
        before = bisect(fences, found.start())
        is_fenced = before % 2 == 1 and before < len(fences)
        is_quoted = 0 <= ticks[0] < found.start() and ticks[1] >= found.end()
        is_indented = lead == found.start() and _INDENTED.match(text, line, lead) is not None
        is_code = is_fenced or is_quoted or is_indented
        yield _Tag(found.start(), found.end(), found["open"] is not None, line, lead == found.start(), is_code)


def _is_mentioned(opening: _Tag, tags: deque[_Tag]) -> bool:
    """Whether an opening tag in the middle of a line is a word in it; its closing tag goes with it."""
    if not tags or tags[0].opens:
        return True
    if tags[0].line == opening.line:
        tags.popleft()
        return True
    return False


def _is_word(text: str, first: int, end: int, opens_with: tuple[str, ...]) -> bool:
    """Whether a closing tag without an opening one stands in the answer, and not before it."""
    return text.startswith(opens_with or "\0", first) and not text.startswith(opens_with, _word_at(text, end))


def _word_at(text: str, place: int) -> int:
    blank = _BLANK.match(text, place)
    return blank.end() if blank else place
