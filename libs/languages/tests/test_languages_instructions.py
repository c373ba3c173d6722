"""Telling what a brief asks of its writer from what it states."""

import pytest
from stemma_languages import is_instruction, shipped
from stemma_languages.languages import DATA

ASKED = {
    "en": [
        "Say who needs it, what it holds, when it opens and what it costs.",
        "Please describe the costs.",
        "Use the figures of the survey.",
        "The proposal should be written in plain language.",
        "Do not invent figures.",
        "We need a proposal for a garden.",
        "Don’t invent figures.",
    ],
    "de": [
        "Beschreiben Sie den Bedarf.",
        "Bitte nennen Sie die Kosten.",
        "Nenne die Kosten.",
        "Das Angebot soll kurz sein.",
        "Stellen Sie den Zeitplan dar.",
    ],
    "fr": [
        "Décrivez le besoin.",
        "Veuillez indiquer les coûts.",
        "Dites qui en a besoin.",
        "N'inventez rien.",
        "N’oubliez pas de nommer les coûts.",
    ],
    "es": ["Describa la necesidad.", "Por favor, indique los costos.", "Explique cuánto cuesta."],
    "it": ["Descrivi il bisogno.", "Si prega di indicare i costi.", "Indicare chi ne ha bisogno."],
    "nl": ["Beschrijf de behoefte.", "Geef aan wat het kost.", "Leg uit wie het nodig heeft."],
    "pt": ["Descreva a necessidade.", "Por favor, indique os custos.", "Explique quem precisa."],
    "ja": ["誰が必要とするかを述べてください。", "費用を記載すること。", "提案書を作成してください。"],
    "zh": ["请说明谁需要它。", "描述费用。", "列出所有日期。"],
}
STATED = {
    "en": [
        "The lawn measures 640 square metres and belongs to the town.",
        "Use of the hall costs EUR 50.",
        "The garden must open before 1 June 2027.",
        "Show times are late.",
        "Report 2024 names 412 visitors.",
        "Who pays for it?",
    ],
    "de": ["Der Garten muss vor dem 1. Juni 2027 öffnen.", "Im Sommer kommen sie oft.", "Gestern waren sie da."],
    "fr": ["La pelouse mesure 640 mètres carrés.", "Chez nous, 412 visiteurs.", "Assez de place."],
    "es": ["El césped mide 640 metros.", "La propuesta cuesta 100 euros."],
    "it": ["Il prato misura 640 metri.", "La sezione A costa 100 euro."],
    "nl": ["De tuin moet open voor 1 juni 2027."],
    "pt": ["O gramado mede 640 metros."],
    "ja": ["芝生は640平方メートルです。", "庭園は2027年6月1日までに開園しなければなりません。"],
    "zh": ["草坪面积为640平方米。", "说明书共有12页。", "花园必须在2027年6月1日前开放。"],
}


@pytest.mark.req("T4")
@pytest.mark.parametrize("language", ASKED)
def test_an_instruction_to_the_writer_is_known_as_one(language: str) -> None:
    assert [sentence for sentence in ASKED[language] if not is_instruction(sentence, language)] == []


@pytest.mark.req("T4")
@pytest.mark.parametrize("language", STATED)
def test_a_statement_is_not_taken_for_an_instruction(language: str) -> None:
    assert [sentence for sentence in STATED[language] if is_instruction(sentence, language)] == []


def test_every_language_that_ships_has_its_instructions() -> None:
    assert {file.stem for file in (DATA / "instructions").glob("*.json")} == set(shipped())


def test_a_language_without_a_file_has_no_instructions() -> None:
    assert not is_instruction("Skriv om haven.", "da")
