"""Sentences, true and false, over sources that the rules were not made for: how many of either are listed.

``labels.tsv`` has the half (``tuned`` was looked at while the rules were written, ``held`` only counted, ``new`` was
written before the words of its language or its kind were, ``model`` is what small models made of a brief), the label,
what the sentence is about, its source and the sentence.
"""

from pathlib import Path
from typing import NamedTuple

import pytest
from stemma_evidence import UNSUPPORTED, Doubt, Source, doubts, ground, read

pytestmark = pytest.mark.req("T3", "T9")
FOLDER = Path(__file__).parent / "sentences"
PAGE = 250
"""Words."""


class Label(NamedTuple):
    half: str
    label: str
    kind: str
    source: str
    text: str


LABELS = [Label(*line.split("\t")) for line in (FOLDER / "labels.tsv").read_text(encoding="utf-8").splitlines()]


def _words(label: Label) -> float:
    return len(label.text) / 2 if label.source in ("yamabiko", "chaguan") else len(label.text.split())


def _sources() -> dict[str, Source]:
    paths = sorted(FOLDER.glob("*.md"))
    return {
        path.name.split(".")[0]: read(
            path.read_text(encoding="utf-8"), "text/markdown", path.suffixes[0][1:], standing="input", name=path.name
        )
        for path in paths
    }


@pytest.fixture(scope="module")
def listed() -> dict[Label, bool]:
    """Whether each sentence is listed as unsupported; softly does not count."""
    sources = _sources()

    def is_listed(label: Label) -> bool:
        source = sources[label.source]
        draft = read(label.text, "text/markdown", source.language, standing="draft", name="")
        claims = any(item.standing == UNSUPPORTED for item in ground(draft, [source]))
        return claims or any(not doubt.soft for doubt in doubts(draft, [source]))

    return {label: is_listed(label) for label in LABELS}


@pytest.mark.parametrize("half", ["tuned", "held", "new", "model"])
def test_most_false_sentences_are_listed_and_at_most_one_true_one_a_page(listed: dict[Label, bool], half: str) -> None:
    false = [is_listed for label, is_listed in listed.items() if (label.half, label.label) == (half, "false")]
    true = [label for label in listed if (label.half, label.label) == (half, "true")]
    pages = sum(_words(label) for label in true) / PAGE
    print(f"{half}: {sum(false)} of {len(false)} false, {sum(listed[label] for label in true)} true, {pages:.1f} pages")
    assert sum(false) >= 0.8 * len(false)
    assert sum(listed[label] for label in true) <= pages


def of(draft: str, source: str, language: str = "en") -> list[Doubt]:
    said = read(draft, "text/markdown", language, standing="draft", name="")
    return list(doubts(said, [read(source, "text/markdown", language, standing="input", name="a.md")]))


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.md")), ids=lambda path: path.name)
def test_what_a_source_says_itself_is_never_doubted(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert of(text, text, path.suffixes[0][1:]) == []
    assert of(text.replace("\n\n", "\n\n> "), text, path.suffixes[0][1:]) == []


def test_a_doubt_names_the_sentence_of_the_source_and_what_differs() -> None:
    (doubt,) = of(
        "# Plan\n\nFine so far. The fence is built after 1 June 2027.", "The fence is built before 1 June 2027."
    )
    assert (doubt.why, doubt.line, doubt.soft) == ("time", 3, False)
    assert doubt.said
    assert doubt.said.text == "The fence is built before 1 June 2027."


@pytest.mark.parametrize("text", [one.text for one in LABELS if one.label == "unknown"])
def test_a_sentence_of_which_the_sources_have_hardly_a_word_is_doubted_softly(text: str) -> None:
    (doubt,) = of(text, (FOLDER / "garden.en.md").read_text(encoding="utf-8"))
    assert (doubt.why, doubt.soft, doubt.said) == ("words", True, None)


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.md")), ids=lambda path: path.name)
def test_a_sentence_in_words_of_the_source_is_not_of_nothing_known(path: Path) -> None:
    name, _, language = path.stem.partition(".")
    text = path.read_text(encoding="utf-8")
    true = [label.text for label in LABELS if (label.source, label.label) == (name, "true")]
    assert [doubt.text for one in true for doubt in of(one, text, language) if doubt.why == "words"] == []


def test_a_sentence_that_may_only_be_worded_otherwise_is_doubted_softly() -> None:
    (doubt,) = of("All drivers carry a phone.", "Drivers carry a phone and a map.")
    assert (doubt.why, doubt.soft) == ("quantifier", True)


@pytest.mark.parametrize(
    ("draft", "source", "why"),
    [
        ("The price per meal is EUR 4 here.", "A meal costs EUR 4 here.", []),
        ("The price per meal is EUR 4 here.", "Meals of a class cost EUR 4 here.", ["rate"]),
        ("Each bed must be filled with EUR 4,250.", "We want twelve beds. Planting costs EUR 4,250.", ["figure"]),
        ("Each bed must be filled with soil.", "We want twelve beds. Planting costs EUR 4,250.", []),
    ],
)
def test_what_one_costs_it_costs_per_piece_and_what_all_cost_no_piece_does(
    draft: str, source: str, why: list[str]
) -> None:
    assert [doubt.why for doubt in of(draft, source) if not doubt.soft] == why


def test_a_number_in_other_words_is_neither_another_figure_nor_somebody_else() -> None:
    found = of("The 280 seats are replaced.", "The hall has 280 places. The town will replace the seats soon.")
    assert [doubt.why for doubt in found if not doubt.soft] == []


@pytest.mark.parametrize(
    "draft",
    [
        "We guarantee it.",
        "The town has approved the funding.",
        "The town approved the funding.",
        "Our 412th visitor came by bus.",
        "The total cost is EUR 900.",
    ],
)
def test_a_promise_an_approval_a_rank_and_a_total_need_a_source_that_says_them(draft: str) -> None:
    assert len(of(draft, "The town has a park. It had 412 visitors. A tree costs EUR 900.")) == 1


def test_sentences_are_not_compared_across_languages_or_in_one_whose_words_are_not_known() -> None:
    assert of("The town has approved the fence.", "The town has a fence.", "sv") == []
    german = read("Die Stadt will den Zaun bauen.", "text/markdown", "de", standing="input", name="a.md")
    draft = read("The town built the fence.", "text/markdown", "en", standing="draft", name="")
    assert doubts(draft, [german]) == ()


@pytest.mark.parametrize(("day", "why"), [("Thursday", []), ("Sunday", ["time"])])
def test_two_days_of_the_week_may_be_the_first_and_the_last(day: str, why: list[str]) -> None:
    found = of(f"The ferry to the island runs on {day}.", "The ferry to the island runs from Tuesday to Saturday.")
    assert [doubt.why for doubt in found] == why


@pytest.mark.req("S6")
@pytest.mark.parametrize(
    ("text", "language"),
    [("\ue005 opens in year \ue020, 𝐱 or ａ.", "en"), ("一船分之三。", "zh"), ("分之分。", "zh")],
)
def test_no_letter_is_taken_for_a_value_and_no_word_for_a_fraction(text: str, language: str) -> None:
    assert [doubt for doubt in of(text, "The park opens in 2027.", language) if doubt.why != "words"] == []
