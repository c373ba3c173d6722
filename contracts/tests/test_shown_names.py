"""A name or title is refused that would be read as something else, and no Arabic, Hebrew or Persian one is."""

import re
from typing import Any

import pytest
from pydantic import ValidationError
from stemma_contracts.misfits import misfits
from stemma_contracts.shown import check_shown, shown
from stemma_contracts.v1.outline import OutlineSection
from stemma_contracts.v1.references import ArtifactRef, UploadRef
from stemma_contracts.v1.requests import CreateDocument

HONEST = [
    "عرض فني لشبكة 5G",
    "הצעה טכנית (RFP 7)",
    "می\u200cخواهم",
    "Angebot\u200e (عربي)\u200e!",
    "\u061c١٢٣-٤",
    "Report of \u2068שלום\u2069, part 2",
    "\u2067\u2066a\u2069\u2069",
    "Two\r\nlines",
    "👩\u200d🔬 Übung",
]
DECEIVING = {
    "invoice\u202efdp.exe": "U+202E (RIGHT-TO-LEFT OVERRIDE)",
    "a\u202ab": "U+202A (LEFT-TO-RIGHT EMBEDDING)",
    "a\u202cb": "U+202C (POP DIRECTIONAL FORMATTING)",
    "a\u2067b": "U+2067 (RIGHT-TO-LEFT ISOLATE)",
    "a\u2069b\u2066": "U+2069 (POP DIRECTIONAL ISOLATE)",
    "a\x1b[2Jb": "U+001B (a control character)",
    "a\x85b": "U+0085 (a control character)",
    "a\U000e0041b": "U+E0041 (TAG LATIN CAPITAL LETTER A)",
}
UPLOAD: dict[str, Any] = {"object_name": "u", "digest": "0" * 64, "size": 1, "media_type": "text/plain"}


@pytest.mark.req("S1", "H2")
@pytest.mark.parametrize("name", HONEST)
def test_text_of_any_direction_is_a_name_as_it_is_written(name: str) -> None:
    assert (check_shown(name), shown(name).split()) == (name, name.split())


@pytest.mark.req("S1", "H2")
@pytest.mark.parametrize("name", DECEIVING)
def test_what_is_read_otherwise_is_refused_with_the_character_and_shown_without_it(name: str) -> None:
    with pytest.raises(ValueError, match=re.escape(DECEIVING[name])):
        check_shown(name)
    assert check_shown(" ".join(shown(name).split()))


@pytest.mark.req("S1")
def test_requests_refuse_such_titles_and_names_by_their_field_and_events_still_read_old_ones() -> None:
    evil = "a\u202eb"
    asked: dict[str, Any] = {"kind": "proposal", "brief": "b"}
    inputs, outline = [UPLOAD | {"name": evil}], [{"title": evil}]
    for field, value in {"title": evil, "inputs.0.name": inputs, "outline.0.title": outline}.items():
        with pytest.raises(ValidationError) as refused:
            CreateDocument.model_validate(asked | {field.partition(".")[0]: value})
        first = misfits(refused.value)[0]
        assert (first.field, "U+202E" in first.message) == (field, True)
    assert ArtifactRef(digest="0" * 64, size=1, media_type="text/plain", name=evil).name == evil
    assert UploadRef(**UPLOAD, name="ملف.pdf").name == "ملف.pdf"
    assert OutlineSection(title="שלום").title == "שלום"


def test_lines_of_a_text_stay_and_an_isolate_ends_with_its_line() -> None:
    assert shown("a\tb\n\u2067c\u2069") == "a\tb\n\u2067c\u2069"
    assert shown("a\u2067b\nc\u2069") == "ab\nc"
