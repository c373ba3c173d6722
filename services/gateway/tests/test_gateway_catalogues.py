"""The catalogues of words: what pages say is in each, and nothing else."""

import re
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

import pytest
from babel.messages.pofile import read_po
from stemma_contracts import problems
from stemma_gateway.catalogues import LANGUAGES, sentence, words
from stemma_gateway.desk.shell import UNITS

pytestmark = pytest.mark.req("H4", "R8")
CODE = "\n".join(
    path.read_text(encoding="utf-8")
    for path in Path(str(files("stemma_gateway"))).rglob("*")
    if path.suffix in {".html", ".py"}
)
COUNTED = {*re.findall(r"\bplural\(\"([a-z_]+)\"", CODE), *(unit for unit, _ in UNITS)}
NAMED = set(re.findall(r"\bt\.(?!plural\b)([a-z_0-9]+)", CODE)) | COUNTED
FAMILIES = tuple(set(re.findall(r"\"([a-z_]+_)(?:\" ~|\{)", CODE)))
"""How ids begin that are made of a word of a contract."""
LINTER = "MD"
"""Its rules are told in its own English."""


def forms(language: str) -> dict[tuple[str | None, str], tuple[str, ...]]:
    """What each id of a catalogue has for words, in each of its numbers."""
    with (files("stemma_gateway") / "words" / f"{language}.po").open("rb") as file:
        catalog = read_po(file)
    return {
        (one.context, _all(one.id)[0]): _all(one.string)
        for one in catalog
        if one.id and one.context != "problem" and not (one.context == "rule" and _all(one.id)[0].startswith(LINTER))
    }


def _all(said: str | Sequence[str] | None) -> tuple[str, ...]:
    return (said,) if isinstance(said, str) else tuple(said or ())


def test_all_languages_have_the_same_ids_and_the_same_places_for_what_is_shown() -> None:
    english, *others = (forms(language) for language in LANGUAGES)
    for other in others:
        assert set(other) == set(english)
        for key, said in english.items():
            assert len(other[key]) == len(said), key
            assert len({tuple(re.findall("%[sd]", each)) for each in (*said, *other[key])}) == 1, key
            assert all(each.strip() for each in (*said, *other[key])), key


def test_every_id_that_a_page_names_is_in_the_catalogue_and_every_one_there_is_named() -> None:
    known = set(words(LANGUAGES[0]))
    assert NAMED - known == set()
    assert [family for family in FAMILIES if not any(key.startswith(family) for key in known)] == []
    quoted = set(re.findall(r"[\"']([a-z_0-9]+)[\"']", CODE))
    assert {key for key in known - NAMED - quoted if not key.startswith(FAMILIES)} == set()


def test_a_number_of_things_takes_the_form_of_its_language() -> None:
    assert [words("en").plural("days", number) for number in (1, 2)] == ["1 day", "2 days"]
    assert [words("de").plural("days", number) for number in (1, 2)] == ["1 Tag", "2 Tage"]
    with pytest.raises(KeyError):
        words("en").plural("of_a_later_release", 1)
    assert {name for name in COUNTED if len(forms("en")[None, name]) < 2} == set()


@pytest.mark.parametrize("language", LANGUAGES[1:])
def test_each_problem_has_a_sentence_of_the_parameters_of_the_english_one(language: str) -> None:
    assert set(words(language, "problem")) == set(problems.codes())
    for code in problems.codes():
        assert sentence(code, dict.fromkeys(problems.parameters(code), 7), language), code


def test_no_german_sentence_has_the_name_of_a_setting_or_of_a_field_of_the_interface() -> None:
    german = words("de", "problem")
    said = {code: german[code].format_map(dict.fromkeys(problems.parameters(code), 7)) for code in german}
    assert [code for code in said if re.search(r"[a-z]_[a-z]|STEMMA_", said[code])] == ["request_ids_differ"]
    internal = {"setting", "what", "header", "subject", "upload_field", "longest_field"}
    assert [code for code in german if problems.places(german[code]) & internal] == ["type_subject_mismatch"]
