"""Telling by words how a sentence hangs on what stands around it."""

import pytest
from stemma_languages import is_addressed, is_caption, leans, negates, shipped
from stemma_languages.languages import DATA

# Of each language: for bidders, about its own document, leaning, a fact.
SENTENCES = {
    "en": (
        "Offerors must submit one copy.",
        "The steps are described below.",
        "This notice is given in writing.",
        "The offer of courses grows.",
    ),
    "de": (
        "Die Bieter reichen ein Muster ein.",
        "Siehe unten die Schritte.",
        "Diese Aufgabe ist freiwillig.",
        "Der Rasen gehört der Stadt.",
    ),
    "fr": (
        "Les soumissionnaires remettent un dossier.",
        "Les étapes sont décrites ci-dessous.",
        "Cette tâche est libre.",
        "La pelouse est à la ville.",
    ),
    "es": (
        "Los licitadores entregan una copia.",
        "Este documento fue hecho por el equipo.",
        "Esta tarea es libre.",
        "El césped es de la ciudad.",
    ),
    "it": (
        "Gli offerenti consegnano una copia.",
        "Le fasi sono descritte di seguito.",
        "Questo compito è libero.",
        "Il prato è della città.",
    ),
    "nl": (
        "Inschrijvers leveren een kopie.",
        "De stappen staan hieronder.",
        "Deze taak is vrij.",
        "Het gazon is van de stad.",
    ),
    "pt": (
        "Os licitantes entregam uma cópia.",
        "As etapas estão descritas abaixo.",
        "Esta tarefa é livre.",
        "O gramado é da cidade.",
    ),
    "ja": (
        "応募者は写しを提出する。",
        "本書は手順を示す。",
        "この作業は自由です。",
        "芝生は町のものです。",
    ),
    "zh": ("投标人提交一份副本。", "步骤如下。", "这项工作是自愿的。", "草坪属于市政府。"),
}


def test_every_language_has_such_words() -> None:
    assert {file.stem for file in (DATA / "sentences").glob("*.json")} == set(shipped()) == set(SENTENCES)


@pytest.mark.req("T3", "T4")
@pytest.mark.parametrize("tag", SENTENCES)
def test_tells_what_is_false_or_says_nothing_in_another_document_from_a_fact(tag: str) -> None:
    for_bidders, of_its_place, leaning, fact = SENTENCES[tag]
    assert is_addressed(for_bidders, "", tag)
    assert is_addressed(of_its_place, "", tag)
    assert leans(leaning, tag)
    assert not is_addressed(fact, "", tag)
    assert not leans(fact, tag)


@pytest.mark.req("T3")
def test_a_heading_for_bidders_holds_for_what_stands_below() -> None:
    assert is_addressed("The lawn is flat.", "Instructions to offerors", "en")


@pytest.mark.req("T3")
def test_a_label_with_a_number_or_a_mark_opens_a_caption_and_no_sentence() -> None:
    for caption in ("Figure 3: The plan", "Table 2.1 – Prices", "Fig. 4 The plan", "Source: the town"):
        assert is_caption(caption, "en")
    for sentence in ("Table tennis is played.", "Figures are told.", "The figure 3: a plan"):
        assert not is_caption(sentence, "en")
    assert is_caption("図1 計画", "ja")
    assert not is_caption("図書館は町のものです。", "ja")


@pytest.mark.req("T3")
@pytest.mark.parametrize("apostrophe", "'\u2019")
def test_words_are_known_by_either_apostrophe(apostrophe: str) -> None:
    assert negates(f"The lift isn{apostrophe}t in the price.", "en")
    assert leans(f"C{apostrophe}est le cas en mai.", "fr")
    assert is_addressed(f"The offeror{apostrophe}s copy is red.", "", "en")
