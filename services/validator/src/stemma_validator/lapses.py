"""What a model leaves in a text by mistake: its thoughts, its prompt, a loop, half a sentence, another language."""

from __future__ import annotations

import re
from collections.abc import Iterator

from stemma_contracts.complaints import COMPLAINTS
from stemma_contracts.v1.validation import ValidationIssue
from stemma_evidence import STEMMERS, language_of
from stemma_markdown import Document, Prose

from .report import Rule

_TAG = re.compile(
    r"</?(?:\w{1,20}:)?(?:think|thinking|thoughts?|thought_process|reasoning)(?:[ \t][^<>\n]{0,80})?>"
    r"|(?-i:\[/?(?:THINK|INST)\])(?![(\[:])|<\|[a-z_]{1,30}\|>"
    r"|^[ ]{0,3}</?(?:task|document|outline|entry|brief|request|evidence|internal|upstream|manner|revision_feedback"
    r"|guidance|previous|issues|criteria|draft|headings|requirements?|inputs)(?:[ \t][^<>\n]{0,200})?>"
    rf"|\b(?:{'|'.join(re.escape(said.partition(',')[0].rstrip('.')) for said in COMPLAINTS)})",
    re.IGNORECASE | re.MULTILINE,
)
_ENDS = re.compile(r"[.!?:;…。！？」』)\]\"”“»’'|*_`>]\s*\Z")
_SAID = re.compile(r"[\"„“«»][^\"„“”«»]{0,2000}[\"”“«»]|[‘‚][^‘‚]{0,2000}?[’‘](?!\w)")
_MOST_ALIKE = 3
_LEAST_LETTERS, _LEAST_IN_ROW = 40, 3
_LEAST_WORDS, _TELLING_WORDS = 8, 25


def lapses(document: Document, language: str) -> Iterator[ValidationIssue]:
    """An issue for each; quotations may be in any language. Takes time linear in the text."""
    pieces = [piece for piece in document.prose if piece.kind != "code"]
    yield from _left_over(document)
    yield from _repeated(document, language)
    paragraphs = [piece for piece in pieces if piece.kind == "paragraph" and not piece.in_footnote]
    last = next((block for block in reversed(document.blocks) if block.kind != "blank"), None)
    # What ends in an image ends in its address, whatever its description ends in.
    if last and last.kind == "paragraph" and paragraphs and not _ENDS.search(last.content):
        yield from _unfinished(document, paragraphs[-1])
    if language in STEMMERS:
        yield from (issue for piece in paragraphs if not piece.quoted for issue in _foreign(piece, language))


def _left_over(document: Document) -> Iterator[ValidationIssue]:
    code = iter([*document.code, (len(document.text), len(document.text))])
    start, end = next(code)
    for found in _TAG.finditer(document.text):
        at = found.end() - len(found[0].lstrip())
        while at >= end > start:
            start, end = next(code)
        if not start <= at < end:
            yield Rule.LEFT_OVER.issue(document.line(at), found[0].strip())


def _repeated(document: Document, language: str) -> Iterator[ValidationIssue]:
    """The fourth time that a long sentence stands anywhere, or a short one in a row with nothing between."""
    times, told = dict[str, int](), set[str]()
    before, end = "", 0
    for sentence in document.sentences(language):
        words = " ".join(sentence.text.casefold().split())
        is_long = sum(map(str.isalpha, words)) >= _LEAST_LETTERS
        goes_on = is_long or (words == before and not document.text[end : sentence.start].strip())
        times[words] = times.get(words, 0) + 1 if goes_on else 1
        is_sentence = is_long or len(words.split()) >= _LEAST_IN_ROW
        if is_sentence and times[words] > _MOST_ALIKE and words not in told:
            told.add(words)
            yield Rule.REPEATED.issue(sentence.line, sentence.text)
        before, end = words, sentence.end


def _unfinished(document: Document, last: Prose) -> Iterator[ValidationIssue]:
    """The end, if it is of prose: no address or signature in lines, no number with its unit."""
    words = last.text.split()
    lines = [line for line in map(str.strip, document.text[last.start : last.end].splitlines()) if line]
    is_block = len(lines) > 1 and all(line[0].isupper() for line in lines)
    if len(words) < _LEAST_WORDS or is_block or words[-2][-1].isdigit():
        return
    if not _ENDS.search(last.text) and words[-1].isalpha() and words[-1].islower():
        yield Rule.UNFINISHED.issue(document.line(last.end - 1), " ".join(words[-_LEAST_WORDS:]))


def _foreign(piece: Prose, language: str) -> Iterator[ValidationIssue]:
    words = _SAID.sub(" ", piece.text).split()
    if len(words) < _TELLING_WORDS:
        return
    # Related languages share function words: both halves have to tell the same other one.
    middle = len(words) // 2
    found = {language_of(" ".join(half), language) for half in (words[:middle], words[middle:])}
    if len(found) == 1 and language not in found:
        yield Rule.OTHER_LANGUAGE.issue(piece.line, " ".join(words)[:80])
