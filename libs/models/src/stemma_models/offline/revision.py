"""A draft changed as an instruction says, block by block, and nothing else in it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import assert_never

from .instructions import Add, Form, Mention, Remove, Replace, Shorten, read_instruction
from .material import read_units
from .plain import plain, safe
from .request import Request
from .sentences import as_sentence, shorten_to_words, split_sentences
from .targets import (
    Blocks,
    find_item,
    find_targets,
    is_list,
    is_prose,
    items_of,
    name_of,
    words_of_target,
)
from .words import content_stems, join_words

_MOST_QUOTED = 12
_ABOUT = re.compile(
    r"^(?:all |every |any |the |each )*(?:sentences?|words?|mentions?|references?|passages?)\s+"
    r"(?:about|on|of|to|that mentions?|with)\s+",
    re.I,
)
_BLOCK_NAME = re.compile(r"\b(?:paragraph|section|table|list|heading|image|figure)\b", re.I)
FORMS = "shorten, add a sentence about something, remove, replace one thing with another, and mention something"


@dataclass(frozen=True)
class Revised:
    """New texts of the blocks that change, what was done in words, or why nothing was."""

    changes: dict[str, str] = field(default_factory=dict)
    summary: str = ""
    refused: str | None = None

    @property
    def facts(self) -> dict[str, object]:
        changes = [{"block_id": name, "text": text} for name, text in self.changes.items()]
        return {"changes": changes, "summary": self.summary, "refused": self.refused}


class _Refusal(Exception):
    """An instruction that cannot be followed, with the reason for the person who gave it."""


def revise(request: Request) -> Revised:
    """Carries out the instruction of the request on its blocks; all of it or nothing."""
    forms, unknown = read_instruction(request.instruction)
    if unknown or not forms:
        asked = shorten_to_words(plain("; ".join(unknown)), _MOST_QUOTED)
        return _refused(f"The instruction “{asked}” is none that the offline writer can follow: it can {FORMS}.")
    try:
        return _carried_out(forms, request)
    except _Refusal as refusal:
        return _refused(str(refusal))


def _refused(reason: str) -> Revised:
    return Revised(summary=reason, refused=reason)


def _carried_out(forms: list[Form], request: Request) -> Revised:
    before = dict(request.blocks)
    blocks, done = dict(before), []
    for form in sorted(forms, key=_adds):
        after, said = _apply(form, blocks, request)
        if after == blocks:
            raise _Refusal(f"Nothing in the text changes by this: {said}.")
        blocks = after
        done.append(said)
    changes = {name: text for name, text in blocks.items() if text != before[name]}
    return Revised(changes, as_sentence(join_words(done)))


def _adds(form: Form) -> bool:
    """What is added comes last, so that nothing else in the same instruction takes it away again."""
    return isinstance(form, Add | Mention)


def _apply(form: Form, blocks: Blocks, request: Request) -> tuple[Blocks, str]:
    match form:
        case Shorten(target):
            return _mapped(blocks, find_targets(target, blocks), _shortened), f"shortened {name_of(target)}"
        case Replace(old, new):
            return _replaced(blocks, old, new), f"replaced “{plain(old)}” with “{plain(new)}”"
        case Remove(target):
            return _removed(blocks, target), f"removed {plain(target)}"
        case Add(subject):
            return _appended(
                blocks, subject, _from_material(subject, blocks, request)
            ), f"added a sentence about {subject}"
        case Mention(subject, whole):
            sentence = as_sentence(subject) if whole else f"This also concerns {subject}."
            said = f"mentioned {'that ' if whole else ''}{shorten_to_words(subject, _MOST_QUOTED)}"
            return _appended(blocks, subject, safe(sentence)), said
        case _ as unreachable:
            assert_never(unreachable)


def _mapped(blocks: Blocks, targets: list[str], change: Callable[[str], str]) -> Blocks:
    return {name: change(text) if name in targets else text for name, text in blocks.items()}


def _shortened(text: str) -> str:
    body, end = _split_end(text)
    if is_list(body):
        items = items_of(body)
        return "\n".join(items[: (len(items) + 1) // 2]) + end
    if not is_prose(body):
        return text
    sentences = split_sentences(body)
    return " ".join(sentences[: (len(sentences) + 1) // 2]) + end


def _split_end(text: str) -> tuple[str, str]:
    body = text.rstrip()
    return body, text[len(body) :]


def _replaced(blocks: Blocks, old: str, new: str) -> Blocks:
    start, end = r"\b" if old[:1].isalnum() else "", r"\b" if old[-1:].isalnum() else ""
    pattern = re.compile(start + re.escape(old) + end)
    if not any(pattern.search(text) for text in blocks.values()):
        pattern = re.compile(pattern.pattern, re.I)
    if not any(pattern.search(text) for text in blocks.values()):
        raise _Refusal(f"“{plain(old)}” does not stand in the text, so it cannot be replaced.")
    return {name: pattern.sub(lambda _: new, text) for name, text in blocks.items()}


def _removed(blocks: Blocks, target: str) -> Blocks:
    subject = _ABOUT.sub("", target)
    whole = find_targets(target, blocks) if subject == target else []
    if whole and _BLOCK_NAME.search(target):
        return _mapped(blocks, whole, lambda _: "")
    if item := find_item(target, blocks):
        return _mapped(blocks, [item[0]], lambda text: _without_item(text, item[1]))
    wanted = words_of_target(subject)
    if not wanted:
        raise _Refusal(f"It is not clear which text is meant by “{plain(target)}”.")
    after = {name: _without(text, wanted) for name, text in blocks.items()}
    if after == blocks:
        raise _Refusal(f"Nothing in the text mentions {plain(subject)}, so there is nothing to remove.")
    return after


def _without(text: str, wanted: set[str]) -> str:
    body, end = _split_end(text)
    if not wanted or not wanted <= set(content_stems(body)) or body.startswith("#"):
        return text
    if is_list(body):
        return _rejoined([item for item in items_of(body) if not wanted <= set(content_stems(item))], "\n", end)
    if not is_prose(body):
        return text
    return _rejoined([part for part in split_sentences(body) if not wanted <= set(content_stems(part))], " ", end)


def _without_item(text: str, place: int) -> str:
    body, end = _split_end(text)
    items = items_of(body)
    del items[place]
    return _rejoined(items, "\n", end)


def _rejoined(parts: list[str], joint: str, end: str) -> str:
    return joint.join(parts) + end if parts else ""


def _appended(blocks: Blocks, subject: str, sentence: str) -> Blocks:
    """The sentence at the end of the paragraph that is nearest to its subject."""
    prose = [name for name, text in blocks.items() if is_prose(text)]
    if not prose:
        raise _Refusal("There is no paragraph that a sentence could be added to.")
    wanted = set(content_stems(subject))
    if sentence in "\n".join(blocks.values()):
        raise _Refusal(f"The text says this about {subject} already.")
    best = max(prose, key=lambda name: len(wanted & set(content_stems(blocks[name]))))
    return _mapped(blocks, [best], lambda text: f" {sentence}".join(_split_end(text)))


def _from_material(subject: str, blocks: Blocks, request: Request) -> str:
    wanted, written = set(content_stems(subject)), plain(" ".join(blocks.values()))
    texts = [request.brief, *(section.text for section in request.upstream), *(text for _, text in request.inputs)]
    sentences = (sentence for text in texts for unit in read_units("", text) for sentence in unit.sentences)
    found = [text for text in sentences if text not in written and wanted & set(content_stems(text))]
    best = max(found, key=lambda text: len(wanted & set(content_stems(text))), default="")
    if not best or len(wanted & set(content_stems(best))) * 2 < len(wanted):
        raise _Refusal(
            f"The material that the editor is given says nothing about {subject}; state the sentence itself."
        )
    return safe(as_sentence(best))
