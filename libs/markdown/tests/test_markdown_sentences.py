"""Sentences in the languages that ship."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stemma_markdown import sentence_ranges, sentences
from stemma_testkit.property_tests import examples

SENTENCES = {
    "en": [
        "It is worth $2.5 million.",
        "Dr. Smith, e.g., agreed on Jan. 5, 2027.",
        "See Fig. 3 for details.",
        "It starts at 9 a.m.",
        "The U.S. Government shall pay No. 7 first.",
        "He asked: “Why?”",
        "Acme Inc. delivers it.",
        "Version 3.11.7 runs.",
        "Now!",
    ],
    "de": [
        "Die Arbeiten beginnen am 1. Juni 2027.",
        "Sie kosten 4.250,50 EUR.",
        "Das sind z. B. 3 % mehr.",
        "Herr Dr. Müller kommt ca. um 9 Uhr.",
        "Vgl. Abs. 3 Nr. 4 der Verordnung.",
        "Der 2. Weltkrieg endete 1945.",
        "Im 19. Jahrhundert war das anders.",
        "Er sagte: „Nein.“",
        "Die Müller GmbH, d. h. der Bieter, haftet gem. § 5 Abs. 2.",
        "Stand: 3. März 2026.",
    ],
    "fr": [
        "Le projet commence le 1er juin 2027.",
        "M. Dupont paie 4 250,50 €.",
        "Cf. art. 3 du contrat.",
        "Mme. Curie arrive à 9 h.",
        "Est-ce vrai ?",
        "Oui !",
        "« C'est bien. »",
        "Elle part.",
    ],
    "es": [
        "El Sr. Pérez llega el 1 de junio de 2027.",
        "Cuesta 4.250,50 €.",
        "¿Es cierto?",
        "¡Sí!",
        "La empresa S.A. paga el art. 3.",
        "Véase pág. 5 del anexo.",
        "EE. UU. participa.",
    ],
    "it": [
        "Il dott. Rossi arriva il 1° giugno 2027.",
        "Costa 4.250,50 euro.",
        "Vedi art. 3 e pag. 5.",
        "La Rossi S.p.A. consegna.",
        "Perché?",
        "Non so.",
    ],
    "nl": [
        "De heer drs. Jansen komt op 1 juni 2027.",
        "Het kost € 4.250,50.",
        "Zie blz. 3 en art. 5.",
        "Bijv. in het 1e kwartaal.",
        "Acme B.V. levert o.a. fietsen.",
        "Waarom?",
        "Daarom.",
    ],
    "pt": [
        "O Sr. Silva chega em 1 de junho de 2027.",
        "Custa 4.250,50 €.",
        "Ver art. 3 e pág. 5.",
        "A Dra. Ana pagou.",
        "A Acme Ltda. entrega.",
        "É verdade?",
        "Sim!",
    ],
    "ja": [
        "会議は2027年6月1日に始まる。",
        "費用は4,250.50円です。",
        "本当ですか？",
        "はい！",
        "「終わり。」と彼は言った。",
        "次です。",
        "会議の終了後、３日以内（休日（法律に掲げる日をいう。）を除く。）に議事録を作成すること。",
    ],
    "zh": [
        "会议于2027年6月1日开始。",
        "费用为4,250.50元。",
        "真的吗？",
        "是的！",
        "下一句。",
    ],
}


@pytest.mark.parametrize("language", SENTENCES)
def test_knows_abbreviations_numbers_and_dates(language: str) -> None:
    expected = SENTENCES[language]
    text = ("" if language in ("ja", "zh") else " ").join(expected)
    assert [text[start:end] for start, end in sentence_ranges(text, language)] == expected


@examples(200)
@given(st.text(max_size=80), st.sampled_from([*SENTENCES, "", "xx", "de-AT", "../../etc"]))
def test_leaves_out_nothing_but_space(text: str, language: str) -> None:
    ranges = sentence_ranges(text, language)
    kept = "".join(text[start:end] for start, end in ranges)
    assert "".join(kept.split()) == "".join(text.split())
    assert all(start < end for start, end in ranges)


@pytest.mark.parametrize("language", ["en", "de", "fr", "ja"])
def test_a_source_in_brackets_belongs_to_the_sentence_before_it(language: str) -> None:
    alone = "The garden opens in 2027. (Brief)"
    found = [one.text for one in sentences(f"{alone} It has 12 beds. (facts.md, Beds)", language)]
    assert found == [alone, "It has 12 beds. (facts.md, Beds)"]
    assert [one.text for one in sentences(alone, language)] == [alone]


def test_a_sentence_has_its_markup_in_its_range() -> None:
    text = "# One. Two\n\n- It is **bold**. It\n  has [a link](x.md).\n"
    assert [(s.text, s.line, text[s.start : s.end]) for s in sentences(text, "en")] == [
        ("It is bold.", 3, "It is **bold**."),
        ("It has a link.", 3, "It\n  has [a link](x.md)."),
    ]


def test_a_sentence_may_be_longer_than_the_window() -> None:
    text = "Short one. " + "Word " * 2000 + "end. Last one."
    assert [end - start for start, end in sentence_ranges(text, "en")] == [10, 10004, 9]


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("pt", "Conforme o art. 8, §1º, inc. VI, da lei."),
        ("pt", "Nos termos do inc. II, vale a regra."),
        ("fr", "L'article L. 312-1-2 du Code le prévoit."),
        ("it", "Si applica l'art. IV della legge."),
    ],
)
def test_a_number_belongs_to_the_abbreviation_of_a_part_of_a_law(language: str, sentence: str) -> None:
    assert len(sentence_ranges(sentence, language)) == 1


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("it", "Il sig. G. Rossi e il notaio nominato da A. B. Verdi firmano."),
        ("pt", "Conforme o n.º 5 da lei, paga-se."),
        ("es", "El n.º 5 del anexo lo dice."),
        ("fr", "Les horaires du présent C.C.T.P devront être respectés."),
        ("fr", "Selon l'art. 5 et l’art. L. 12 on paie."),
        ("en", "It is open until 5 p.m. Monday to Friday."),
        ("en", "Come before 9 a.m. (local time) with a bag."),
    ],
)
def test_a_sentence_goes_on_after_an_initial_an_elided_article_and_an_hour(language: str, sentence: str) -> None:
    assert len(sentence_ranges(sentence, language)) == 1


@pytest.mark.parametrize(
    ("language", "text"),
    [("en", "It closes at 5 p.m. The office pays."), ("it", "Si sceglie il piano B. Il comune paga.")],
)
def test_a_sentence_ends_after_an_hour_or_a_letter_where_another_one_begins(language: str, text: str) -> None:
    assert len(sentence_ranges(text, language)) == 2


@pytest.mark.req("S6")
@pytest.mark.parametrize(("lines", "sentences"), [(5, 1), (50, 2)])
def test_a_source_is_looked_for_in_the_few_characters_behind_a_sentence_alone(lines: int, sentences: int) -> None:
    """The expression itself does the work that a bound saves, where no call is counted: so the bound is shown."""
    assert len(sentence_ranges("It costs EUR 5." + "\n" * lines + "(plan.md)", "en")) == sentences


@pytest.mark.parametrize(
    ("language", "text"),
    [("en", "(1) It runs. It stops."), ("de", "(1) (a) Es läuft. Es hält."), ("ja", "(1) 走る。止まる。")],
)
def test_the_sentences_of_an_item_are_told_apart_whatever_its_mark(language: str, text: str) -> None:
    assert len(sentence_ranges(text, language)) == 2
