"""A draft changed as an instruction says, block by block, and nothing else in it; all of the instruction or nothing."""

import re
from collections.abc import Callable
from typing import Any, TypeAlias

from stemma_languages import Form, Grammar, detect, grammar, language
from stemma_markdown import plain, sentence_ranges, split

from . import markdown
from .material import NO_SPACES, distinct
from .reading import read
from .request import Request
from .terms import nearest, terms

Blocks: TypeAlias = dict[str, str]

_ITEMS = re.compile(r"\n(?=[-*+]\s|\d{1,9}[.)]\s)")
_KINDS = {"table": "table", "list": "list", "paragraph": "paragraph", "heading": "heading"}


def kind_of(text: str) -> str:
    """What kind of block a text is."""
    blocks = split(text)
    return blocks[0].kind if blocks else ""


def is_list(text: str) -> bool:
    """Whether a block is a list."""
    return kind_of(text) == "list"


def is_prose(text: str) -> bool:
    """Whether a block is a paragraph of sentences."""
    return kind_of(text) == "paragraph" and not text.lstrip().startswith("!")


def items_of(text: str) -> list[str]:
    """The items of a list, each with what hangs below it."""
    return _ITEMS.split(text)


def words_of(target: str, known: Grammar, language: str) -> set[str]:
    """The terms that a text must have to be meant, without the words that only name a kind of block."""
    filler = {term for word in known.filler for term in terms(word, language)}
    return set(terms(target, language)) - filler


def meant(target: str, blocks: Blocks, known: Grammar, language: str) -> list[str]:
    """The ids of the blocks that are meant, in their order; none if the words fit no block."""
    if known.is_whole(target):
        return list(blocks)
    kind, wanted = known.block_kind(target), words_of(target, known, language)
    if kind in ("section", "") and (under := _under_heading(wanted, blocks, language)):
        return under
    of_kind = {n: text for n, text in blocks.items() if kind_of(text) == _KINDS.get(kind, "paragraph")}
    place, names = known.place(target), list(of_kind)
    if place is not None and -len(names) <= place < len(names):
        return [names[place]]
    if kind == "heading":
        return [n for n, text in of_kind.items() if wanted and wanted == set(terms(plain(text), language))][:1]
    return _nearest(wanted, of_kind, language)


def _under_heading(wanted: set[str], blocks: Blocks, language: str) -> list[str]:
    found: list[str] = []
    level = 0
    for name, text in blocks.items():
        first = next(iter(split(text)), None)
        depth = first.level if first else 0
        if depth and level and depth <= level:
            break
        if depth > 1 and not level and wanted and wanted == set(terms(plain(text), language)):
            level = depth
        if level:
            found.append(name)
    return found


def _nearest(wanted: set[str], blocks: Blocks, language: str) -> list[str]:
    if not wanted:
        return list(blocks) if len(blocks) == 1 else []
    found = nearest(wanted, (terms(plain(text), language) for text in blocks.values()))
    return [] if found is None else [list(blocks)[found]]


FORMS = (
    "shorten something, add a sentence about something, mention something, say that something is so, remove something, "
    "replace one thing with another"
)

Change: TypeAlias = Callable[[str], str]

_CITATION = re.compile(r"\s*\([^()\n]{1,400}(?:\([^()\n]{0,200}\)[^()\n]{0,200})?\)\s*\Z")


class _Refusal(Exception):
    """An instruction that cannot be followed, with the reason for the person who gave it."""


def revise(request: Request) -> dict[str, Any]:
    """The changes by block, what was done in words, or why nothing was."""
    try:
        changes, done = _carried_out(request)
    except _Refusal as refusal:
        return {"changes": [], "summary": "", "refused": str(refusal)}
    return {
        "changes": [{"block_id": name, "text": text} for name, text in changes.items()],
        "summary": "; ".join(done),
        "refused": None,
    }


def _carried_out(request: Request) -> tuple[Blocks, list[str]]:
    known, parts = _read(request)
    forms = [known.form(part) for part in parts]
    unknown = [part for part, form in zip(parts, forms, strict=True) if form is None]
    if unknown or not forms:
        asked = "; ".join(unknown)[:200]
        raise _Refusal(f"The instruction “{asked}” is none that the offline writer can follow: it can {FORMS}.")
    editor, done = _Editor(request, known), list[str]()
    # What is added comes last, so that nothing else in the same instruction takes it away again.
    for form in sorted(filter(None, forms), key=lambda form: form.verb in ("say", "add")):
        before = dict(editor.blocks)
        editor.apply(form)
        if editor.blocks == before:
            raise _Refusal(f"Nothing in the text changes by this: {form.verb} {form.what}.")
        done.append(" ".join(filter(None, (form.verb, form.what, form.new and f"-> {form.new}"))))
    first = {named.name: named.text for named in request.blocks}
    return {name: text for name, text in editor.blocks.items() if text != first[name]}, done


def _read(request: Request) -> tuple[Grammar, list[str]]:
    """The grammar of the text's language or of the instruction's own, whichever knows more of the instruction."""
    languages = dict.fromkeys((request.language, detect(request.instruction), "en"))
    readings = [(known := grammar(tag), list(known.parts(request.instruction))) for tag in languages]
    return max(readings, key=lambda reading: all(map(reading[0].form, reading[1])))


class _Editor:
    """The blocks of a draft while forms are carried out on them."""

    def __init__(self, request: Request, known: Grammar) -> None:
        self.blocks: Blocks = {named.name: named.text for named in request.blocks}
        self._request, self._known, self._language = request, known, request.language

    def apply(self, form: Form) -> None:
        """Carry out one form; raises `_Refusal`."""
        match form.verb:
            case "shorten":
                self._change(self._meant(form.what), self._shortened)
            case "replace":
                self._replace(form.what, form.new)
            case "remove":
                self._remove(form.what)
            case "say":
                sentence = language(self._language).sentence(form.what[:1].upper() + form.what[1:])
                self._append(form.what, markdown.quoted(sentence))
            case "add":
                self._append(form.what, self._from_material(form.what))

    def _meant(self, target: str) -> list[str]:
        found = meant(target, self.blocks, self._known, self._language)
        if not found:
            raise _Refusal(f"It is not clear which text is meant by “{target}”.")
        return found

    def _change(self, names: list[str], change: Change) -> None:
        self.blocks = {name: change(text) if name in names else text for name, text in self.blocks.items()}

    def _shortened(self, text: str) -> str:
        return self._kept(text, lambda pieces: pieces[: (len(pieces) + 1) // 2])

    def _kept(self, text: str, choose: Callable[[list[str]], list[str]]) -> str:
        """A paragraph or a list with those of its sentences or items that are chosen, and its source."""
        body = text.rstrip()
        source = found.group() if (found := _CITATION.search(body)) else ""
        body, end = body[: len(body) - len(source)], text[len(body) :]
        if is_list(body):
            kept = choose(items_of(body))
        elif is_prose(body):
            kept = choose([body[start:stop] for start, stop in sentence_ranges(body, self._language)])
        else:
            return text
        joint = "\n" if is_list(body) else "" if self._language in NO_SPACES else " "
        return joint.join(kept) + source + end if kept else ""

    def _replace(self, old: str, new: str) -> None:
        bounds = (r"(?<!\w)" if old[:1].isalnum() else "", r"(?!\w)" if old[-1:].isalnum() else "")
        if self._language in NO_SPACES:
            bounds = ("", "")
        pattern = re.compile(bounds[0] + re.escape(old) + bounds[1])
        if not any(map(pattern.search, self.blocks.values())):
            raise _Refusal(f"“{old}” does not stand in the text, so it cannot be replaced.")
        self._change(list(self.blocks), lambda text: pattern.sub(lambda _: new, text))

    def _remove(self, target: str) -> None:
        kind, subject = self._known.block_kind(target), self._known.subject(target)
        if kind == "item" and (place := self._known.place(target)) is not None:
            self._change(self._lists(place), lambda text: self._kept(text, lambda items: _without(items, place)))
        elif kind and kind != "sentence" and subject == target:
            self._change(self._meant(target), lambda _: "")
        else:
            self._remove_about(subject, target)

    def _lists(self, place: int) -> list[str]:
        return [n for n, text in self.blocks.items() if is_list(text) and -1 <= place < len(items_of(text))][:1]

    def _remove_about(self, subject: str, target: str) -> None:
        wanted = words_of(subject, self._known, self._language)
        if not wanted:
            raise _Refusal(f"It is not clear which text is meant by “{target}”.")
        before = dict(self.blocks)

        def others(pieces: list[str]) -> list[str]:
            return [piece for piece in pieces if not wanted <= set(terms(plain(piece), self._language))]

        self._change(list(self.blocks), lambda text: self._kept(text, others))
        if self.blocks == before:
            raise _Refusal(f"Nothing in the text mentions {subject}, so there is nothing to remove.")

    def _append(self, subject: str, sentence: str) -> None:
        """The sentence at the end of the paragraph that is nearest to its subject."""
        prose = [name for name, text in self.blocks.items() if is_prose(text)]
        if not prose:
            raise _Refusal("There is no paragraph that a sentence could be added to.")
        if any(sentence in text for text in self.blocks.values()):
            raise _Refusal(f"The text says this about {subject} already.")
        wanted = set(terms(subject, self._language))
        best = max(prose, key=lambda name: len(wanted & set(terms(self.blocks[name], self._language))))
        joint = "" if self._language in NO_SPACES else " "
        self._change([best], lambda text: f"{text.rstrip()}{joint}{sentence}{text[len(text.rstrip()) :]}")

    def _from_material(self, subject: str) -> str:
        wanted = set(terms(subject, self._language)) - set(self._known.filler)
        texts = [named.text for named in (*self._request.upstream, *self._request.inputs)]
        found = [read("input", "", text, self._language) for text in texts]
        passages = [
            p for p in distinct(p for one in found for p in one.passages) if p.form != "heading" and not p.items
        ]
        best = nearest(wanted, (terms(passage.text, self._language) for passage in passages))
        if best is None:
            raise _Refusal(
                f"The material has no sentence about {subject} that could be quoted; say it yourself (“say that ...”)."
            )
        return markdown.quoted(passages[best].text)


def _without(items: list[str], place: int) -> list[str]:
    return [item for at, item in enumerate(items) if at not in (place, place + len(items))]
