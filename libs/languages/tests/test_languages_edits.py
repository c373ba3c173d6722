"""Instructions to an editor are read by forms that are data: one file for each language."""

import pytest
from stemma_languages import AskedEdit, Numbered, asked_edit, grammar, shipped
from stemma_languages.edits import MAX_INSTRUCTION
from stemma_languages.languages import DATA

pytestmark = pytest.mark.req("T6")


def test_every_language_that_ships_has_its_forms() -> None:
    for folder in ("edits", "editing"):
        assert {file.stem for file in (DATA / folder).glob("*.json")} == set(shipped())
    for tag in shipped():
        asked_edit("?", tag)
        grammar(tag)


@pytest.mark.parametrize(
    ("instruction", "language", "asked"),
    [
        ("Delete the heading “Risks”.", "en", AskedEdit("delete_heading", {"subject": "Risks"}, "en")),
        ("Delete the heading Risks, please", "de-AT", AskedEdit("delete_heading", {"subject": "Risks"}, "en")),
        ("Absatz über Kosten löschen", "en", AskedEdit("remove_paragraph", {"subject": "Kosten"}, "de")),
        ("Supprimez la phrase sur l’eau", "fr", AskedEdit("remove_sentence", {"subject": "eau"}, "fr")),
        ("「甲」を「乙」に変更", "ja", AskedEdit("replace", {"old": "甲", "new": "乙"}, "ja")),
        ("请缩短", "zh", AskedEdit("shorten", {}, "zh")),
        ("Shorten it.", "da", AskedEdit("shorten", {"target": "it"}, "en")),
    ],
)
def test_tells_what_is_asked_for_and_in_which_language(instruction: str, language: str, asked: AskedEdit) -> None:
    assert asked_edit(instruction, language) == asked


@pytest.mark.parametrize(
    ("instruction", "language", "numbered"),
    [
        ("Shorten the first paragraph to 40 words", "en", Numbered("paragraph", 0)),
        ("Den letzten Absatz kürzen", "de", Numbered("paragraph", -1)),
        ("Raccourcis la deuxième phrase", "fr", Numbered("sentence", 1)),
        ("Acorta el primer párrafo", "es", Numbered("paragraph", 0)),
        ("Accorcia l'ultima frase", "it", Numbered("sentence", -1)),
        ("Verkort de tweede alinea", "nl", Numbered("paragraph", 1)),
        ("Encurte o primeiro parágrafo", "pt", Numbered("paragraph", 0)),
        ("第2段落を短くして", "ja", Numbered("paragraph", 1)),
        ("请缩短第一段", "zh", Numbered("paragraph", 0)),
        ("Shorten the first and the second paragraph", "en", None),
        ("Shorten the second sentence of the first paragraph", "en", None),
        ("Shorten the paragraph about the first aid kit", "en", None),
    ],
)
def test_tells_the_one_place_that_is_named_by_its_number(
    instruction: str, language: str, numbered: Numbered | None
) -> None:
    asked = asked_edit(instruction, language)
    assert asked is not None
    assert grammar(asked.language).numbered(asked.words["target"]) == numbered


@pytest.mark.parametrize(
    "instruction",
    [
        "",
        "Delete it",
        "Delete the heading of the second chapter",
        "Delete the heading Risks; add a table",
        "Replace the heading Risks by Chances",
        "Lösche die Überschrift Risiken und kürze den Rest",
        "删除标题“风险”，添加一个表格",
    ],
)
def test_stays_quiet_about_what_it_does_not_know(instruction: str) -> None:
    assert asked_edit(instruction, "en") is None


@pytest.mark.timeout(60)
@pytest.mark.parametrize("piece", ["a ", "replace a by ", "durch ", "把", "を", "in the a ", "bitte ", "“", "and "])
def test_a_hostile_instruction_is_read_to_its_end(piece: str) -> None:
    for start in ("", "replace ", "ersetze ", "把", "見出し", "delete the heading ", "mention "):
        text = (start + piece * MAX_INSTRUCTION)[: MAX_INSTRUCTION - 1]
        found = asked_edit(f"{text}!", "en")
        assert found is None or found.language in shipped()


@pytest.mark.timeout(60)
@pytest.mark.req("S6")
def test_an_instruction_of_empty_lines_is_read_to_its_end() -> None:
    """Where an expression may begin at each of them and looks to the last, this takes minutes."""
    text = ("replace " + "\n" * MAX_INSTRUCTION)[:MAX_INSTRUCTION]
    assert asked_edit(text, "en") is None
    assert [list(grammar(tag).parts(text)) for tag in shipped()] == [["replace"]] * len(shipped())
