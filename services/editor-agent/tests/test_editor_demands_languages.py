"""In every language that ships the change that was asked for is taken, and another one refused."""

from dataclasses import dataclass
from itertools import pairwise

import pytest
from stemma_editor_agent.demands import demand_of, unmet
from stemma_editor_agent.reporting import changes_between
from stemma_languages import shipped

pytestmark = pytest.mark.req("T6", "T5")


@dataclass(frozen=True)
class Sample:
    """A text of two headings, with a paragraph of two sentences and one of one, and what may be asked of it."""

    headings: tuple[str, str]
    sentences: tuple[str, str]
    paragraph: str
    added: str
    words: tuple[str, str]
    delete_heading: tuple[str, ...]
    remove_sentence: tuple[str, ...]
    remove_paragraph: tuple[str, ...]
    replace: tuple[str, ...]
    mention: tuple[str, ...]
    shorten: tuple[str, ...]
    unknown: tuple[str, ...]

    @property
    def draft(self) -> str:
        first, second = self.headings
        gap = "" if first in ("预算", "予算") else " "
        return f"# Titel\n\n## {first}\n\n{gap.join(self.sentences)}\n\n## {second}\n\n{self.paragraph}\n"


SAMPLES = {
    "en": Sample(
        ("Costs", "Milestones"),
        ("The van is dear.", "The colour is blue."),
        "The pilot begins in May.",
        "An insurance covers the damage.",
        ("van", "bicycle"),
        ("Delete the heading “Milestones”", "Please remove the subheading Milestones."),
        ("Remove the sentence about the colour", "Delete the sentence “The colour is blue.” please"),
        ("Remove the paragraph about the pilot",),
        ("Replace van by bicycle", "Please change “van” to “bicycle”."),
        ("Add a sentence about the insurance", "Mention an insurance."),
        ("Shorten the text",),
        (
            "Delete the second heading",
            "Delete the heading Milestones and add a table",
            "Delete the heading of chapter 2",
        ),
    ),
    "de": Sample(
        ("Kosten", "Meilensteine"),
        ("Der Wagen ist teuer.", "Die Farbe ist blau."),
        "Der Probelauf beginnt im Mai.",
        "Eine Versicherung deckt den Schaden.",
        ("Wagen", "Fahrrad"),
        ("Lösche die Überschrift „Meilensteine“", "Bitte entfernen Sie die Überschrift Meilensteine."),
        ("Streichen Sie den Satz über die Farbe.", "Den Satz zur Farbe löschen"),
        ("Lösche den Absatz über den Probelauf", "Absatz zum Probelauf bitte streichen"),
        ("Ersetze Wagen durch Fahrrad", "„Wagen“ bitte durch „Fahrrad“ ersetzen"),
        ("Erwähne die Versicherung", "Füge einen Satz über die Versicherung hinzu"),
        ("Kürze den Text", "Den ersten Absatz bitte kürzen"),
        (
            "Lösche die zweite Überschrift",
            "Lösche die Überschrift Meilensteine und ergänze eine Tabelle",
            "Lösche die Überschrift des zweiten Kapitels",
        ),
    ),
    "fr": Sample(
        ("Budget", "Jalons"),
        ("La voiture est chère.", "La couleur est bleue."),
        "Le projet pilote commence en mai.",
        "Une assurance couvre les dégâts.",
        ("voiture", "bicyclette"),
        ("Supprime le titre « Jalons »", "Veuillez supprimer l’intertitre Jalons."),
        ("Supprimez la phrase sur la couleur.", "Enlève la phrase à propos de la couleur"),
        ("Retirez le paragraphe sur le projet pilote",),
        ("Remplacez voiture par bicyclette", "Merci de remplacer « voiture » par « bicyclette »."),
        ("Ajoutez une phrase sur l'assurance", "Mentionne l'assurance"),
        ("Raccourcissez le texte",),
        (
            "Supprimez le deuxième titre",
            "Supprimez le titre Jalons et ajoutez un tableau",
            "Supprime le titre du chapitre 2",
        ),
    ),
    "es": Sample(
        ("Presupuesto", "Hitos"),
        ("El coche es caro.", "El color es azul."),
        "La prueba empieza en mayo.",
        "Un seguro cubre los daños.",
        ("coche", "bicicleta"),
        ("Elimina el título «Hitos»", "Por favor, borre el encabezado Hitos."),
        ("Quite la frase sobre el color.", "Elimina la oración «El color es azul.»"),
        ("Elimine el párrafo sobre la prueba",),
        ("Reemplaza coche por bicicleta", "Sustituya «coche» por «bicicleta», por favor."),
        ("Añade una frase sobre el seguro", "Mencione el seguro."),
        ("Acorte el texto",),
        ("Elimina el segundo título", "Elimina el título Hitos y añade una tabla", "Elimina el título de la sección 2"),
    ),
    "it": Sample(
        ("Bilancio", "Tappe"),
        ("La macchina è cara.", "Il colore è blu."),
        "La prova comincia a maggio.",
        "Una polizza copre i danni.",
        ("macchina", "bicicletta"),
        ("Elimina il titolo «Tappe»", "Per favore, cancelli l'intestazione Tappe."),
        ("Elimina la frase sul colore.", "Togli la frase «Il colore è blu.»"),
        ("Elimina il paragrafo sulla prova",),
        ("Sostituisci macchina con bicicletta", "Sostituire “macchina” con “bicicletta”."),
        ("Aggiungi una frase sulla polizza", "Menziona la polizza"),
        ("Accorcia il testo",),
        (
            "Elimina il secondo titolo",
            "Elimina il titolo Tappe e aggiungi una tabella",
            "Elimina il titolo della sezione 2",
        ),
    ),
    "nl": Sample(
        ("Kosten", "Mijlpalen"),
        ("De auto is duur.", "De kleur is blauw."),
        "De proef begint in mei.",
        "Een verzekering dekt de schade.",
        ("auto", "fiets"),
        ("Verwijder de kop ‘Mijlpalen’", "Schrap alsjeblieft het kopje Mijlpalen."),
        ("Verwijder de zin over de kleur.", "De zin over de kleur schrappen"),
        ("Verwijder de alinea over de proef",),
        ("Vervang auto door fiets", "Vervang “auto” door “fiets”, alstublieft."),
        ("Voeg een zin over de verzekering toe", "Vermeld de verzekering"),
        ("Kort in", "De eerste alinea inkorten"),
        (
            "Verwijder de tweede kop",
            "Verwijder de kop Mijlpalen en voeg een tabel toe",
            "Verwijder de kop van hoofdstuk 2",
        ),
    ),
    "pt": Sample(
        ("Orçamento", "Marcos"),
        ("O carro é caro.", "A cor é azul."),
        "O teste começa em maio.",
        "Um seguro cobre os danos.",
        ("carro", "bicicleta"),
        ("Elimine o título “Marcos”", "Por favor, remova o cabeçalho Marcos."),
        ("Remova a frase “A cor é azul.”", "Exclua a frase que diz que A cor é azul"),
        ("Elimine o parágrafo sobre o teste",),
        ("Substitua carro por bicicleta", "Trocar “carro” por “bicicleta”."),
        ("Acrescente uma frase sobre o seguro", "Mencione o seguro."),
        ("Encurte o texto",),
        ("Elimine o segundo título", "Elimine o título Marcos e adicione uma tabela", "Elimine o título da seção 2"),
    ),
    "ja": Sample(
        ("予算", "日程"),
        ("自動車は高価です。", "色は青です。"),
        "試行は五月に始まります。",
        "保険が損害を補償します。",
        ("自動車", "自転車"),
        ("見出し「日程」を削除してください。", "「日程」という見出しを消してください"),
        ("色についての文を削除してください。", "文「色は青です。」を削除"),
        ("試行に関する段落を削除してください。",),
        ("「自動車」を「自転車」に置き換えてください。", "自動車を自転車に変更してください"),
        ("保険についての文を追加してください。", "保険に言及してください"),
        ("本文を短くしてください。",),
        ("二番目の見出しを直してください。", "見出し「日程」を削除し、見出し「予算」を削除してください。"),
    ),
    "zh": Sample(
        ("预算", "日程"),
        ("汽车很贵。", "颜色是蓝色。"),
        "试点五月开始。",
        "保险承担损失。",
        ("汽车", "自行车"),
        ("删除标题“日程”", "请删除“日程”这个标题。"),
        ("删除关于颜色的句子。", "请把关于颜色的句子删掉"),
        ("删除关于试点的段落",),
        ("将“汽车”替换为“自行车”", "请把汽车改成自行车。"),
        ("添加一个关于保险的句子", "请提及保险。"),
        ("缩短正文", "请把正文精简"),
        ("请修改第二个标题", "删除标题“日程”并添加一个表格"),
    ),
}


def refusal(language: str, instruction: str, revised: str) -> str:
    draft = SAMPLES[language].draft
    changes = changes_between(draft, revised, language)
    return unmet(demand_of(instruction, language), draft, revised, changes, language)


def without_heading(language: str, number: int) -> str:
    sample = SAMPLES[language]
    return sample.draft.replace(f"## {sample.headings[number]}\n\n", "")


def without(language: str, text: str) -> str:
    draft = SAMPLES[language].draft
    assert text in draft
    return draft.replace(f" {text}", "").replace(f"{text}\n\n", "\n\n").replace(text, "")


def test_every_language_that_ships_is_tried() -> None:
    assert set(SAMPLES) == set(shipped())


@pytest.mark.parametrize("language", SAMPLES)
def test_what_was_asked_for_is_taken_in_every_form_and_another_change_refused(language: str) -> None:
    sample, draft = SAMPLES[language], SAMPLES[language].draft
    (other, named), (kept, gone), (old, new) = sample.headings, sample.sentences, sample.words
    text = ("" if language in ("ja", "zh") else " ").join(sample.sentences)
    no_heading, no_paragraph = without_heading(language, 1), without(language, sample.paragraph)
    more, again = f"{draft}\n{sample.added}\n", f"{draft}\n{gone}\n"
    forms: dict[str, tuple[str, dict[str, str]]] = {
        "delete_heading": (
            no_heading,
            {
                without_heading(language, 0): f"the heading “{named}” is still there",
                no_heading.replace(f"## {other}\n\n", ""): f"more changed than the heading “{named}”",
            },
        ),
        "remove_sentence": (without(language, gone), {without(language, kept): "nothing that speaks of"}),
        "remove_paragraph": (
            no_paragraph,
            {
                without(language, text): "nothing that speaks of",
                no_paragraph.replace(text, ""): "something else changed: Paragraph removed",
            },
        ),
        "replace": (draft.replace(old, new), {draft.replace(old, "XYZ"): f"“{old}” was not replaced by “{new}”"}),
        "mention": (more, {again: "nothing that was added speaks of"}),
        "shorten": (without(language, gone), {more: "the text did not get shorter"}),
    }
    for form, (asked, others) in forms.items():
        for instruction in getattr(sample, form):
            assert refusal(language, instruction, asked) == "", instruction
            for revised, reason in others.items():
                assert refusal(language, instruction, revised).startswith(reason), instruction
    assert not any(demand_of(instruction, language) for instruction in sample.unknown)


@pytest.mark.parametrize(("document", "spoken"), [*pairwise(SAMPLES), ("zh", "en")])
def test_a_person_may_instruct_in_another_language(document: str, spoken: str) -> None:
    known, asked = SAMPLES[document], SAMPLES[spoken]
    instruction = asked.delete_heading[0].replace(asked.headings[1], known.headings[1])
    assert refusal(document, instruction, without_heading(document, 1)) == ""
    assert refusal(document, instruction, without_heading(document, 0)).endswith("is still there")
    assert refusal(document, asked.mention[0], f"{known.draft}\n{known.added}\n") == ""
