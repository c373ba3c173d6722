"""A Word document says, unseen, of which drafts its paragraphs are."""

from typing import Any

import pytest
from stemma_markdown import Document
from stemma_ooxml.word import WordFile, fingerprint

_SECOND = (
    "# Prices\n\n- one\n- two\n\n| a | b |\n|---|---|\n| 1 | yes |\n| 2 | yes |\n\nOf this.[^1]\n\n[^1]: A note.\n"
)


@pytest.mark.req("W1")
async def test_each_paragraph_says_which_piece_of_which_draft_it_shows(exporter: Any, rich: str) -> None:
    data, _ = await exporter.export("docx", rich, _SECOND)
    file = WordFile(data)
    assert file.origin is not None
    assert file.origin.document_id == "doc-1"
    assert [(one.section_id, one.version) for one in file.origin.sections] == [("s0", 1), ("s1", 1)]
    shown = [paragraph for paragraph in file.paragraphs(lambda _: True) if paragraph.text.strip()]
    marks = [mark for paragraph in shown for mark in paragraph.marks]
    assert len(marks) == len(shown)
    assert all(mark.text == fingerprint(one.text) for one in shown for mark in one.marks)
    assert all(len(mark.name) <= 40 for mark in marks)
    texts = [one.text for one in Document(_SECOND).prose]
    found = {
        mark.number: one.text.strip() for one in shown for mark in one.marks if mark.section == 1 and not mark.is_own
    }
    assert found == dict(enumerate(texts))
    absent = file.origin.sections[0].absent
    assert [Document(rich).prose[number].text[:2] for number in absent] == ["$$"], "a formula has other letters in Word"


@pytest.mark.req("W1")
async def test_a_comparison_says_nothing_of_where_it_comes_from(exporter: Any) -> None:
    data, _ = await exporter.export("docx", "New words.", previous=["Old words."])
    assert WordFile(data).origin is None
