"""Deadlines of requests: what is due when, as it is written, and what amendments made of it."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stemma_contracts.v1.deadlines import Deadline, Deadlines
from stemma_contracts.v1.ledger import LedgerRows
from stemma_evidence.requirements import FoundDeadline, Source, deadlines, difference, read_ledger, requirements
from stemma_testkit.property_tests import examples

pytestmark = pytest.mark.req("L1")

README = Path(__file__).parent / "deadlines"


def found(text: str, language: str = "en") -> list[FoundDeadline]:
    demanded = {(one.unit.line, one.unit.text) for one in requirements(text, language)}
    return list(deadlines(text, language, demanded))


def told(text: str, language: str = "en") -> list[tuple[str, str, str]]:
    """What is due, its days and its time."""
    return [(one.kind, " ".join(one.due.days), one.due.time) for one in found(text, language)]


def read(*sources: Source, previous: LedgerRows | None = None) -> Deadlines:
    ledger = read_ledger(sources, previous or LedgerRows())
    assert ledger.deadlines is not None
    return ledger.deadlines


def counting(read: Deadlines) -> list[Deadline]:
    return [one for one in read.found if not one.replaced_by]


def test_a_deadline_has_its_day_its_time_and_its_zone_as_they_are_written() -> None:
    (one,) = found("Proposals are due Friday, 12 March 2027 at 14:00 local time.")
    assert (one.kind, one.due.days, one.due.time, one.due.zone) == (
        "submission",
        ("2027-03-12",),
        "14:00",
        "local time",
    )
    assert one.due.written == "Friday, 12 March 2027 at 14:00 local time"
    (one,) = found("Bids must be received by 2:00 p.m. Eastern Time on March 12, 2027. Late bids are rejected.")
    assert (one.due.days, one.due.time, one.due.zone) == (("2027-03-12",), "14:00", "Eastern Time")
    (one,) = found("Reply By: April 8, 2016 at 7 PM (EDT)")
    assert (one.due.time, one.due.zone, one.due.written) == ("19:00", "EDT", "April 8, 2016 at 7 PM (EDT)")
    assert told("Die Angebote sind bis 12. März 2027, 14 Uhr einzureichen.", "de") == [
        ("submission", "2027-03-12", "14:00")
    ]


def test_the_title_of_a_request_tells_of_no_date_what_is_due() -> None:
    title, rest = "# Invitation to Tender: Signs\n\n", "Vendors must register by 5 May 2027.\n"
    assert told(f"{title}{rest}") == [("other", "2027-05-05", "")]
    assert told(f"{title}## Questions\n\n{rest}") == [("questions", "2027-05-05", "")]
    assert told(f"# Questions\n\n{rest}\n# Works\n\nNone.\n") == [("questions", "2027-05-05", "")]
    assert told(f"{title}Answers are published by 5 May 2027.") == [("answers", "2027-05-05", "")]


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("en", "Questions must be sent by 3 April 2027.", ("questions", "2027-04-03", "")),
        ("en", "Answers to questions will be published on 5 April 2027.", ("answers", "2027-04-05", "")),
        ("en", "A site visit takes place on 2 March 2027 at 10:00.", ("meeting", "2027-03-02", "10:00")),
        ("en", "Offers remain valid until 30 June 2027.", ("validity", "2027-06-30", "")),
        ("en", "The award is expected in May 2027.", ("award", "2027-05", "")),
        ("en", "The contract starts on 1 July 2027.", ("start", "2027-07-01", "")),
        ("en", "The contractor shall deliver the final report by 1 May 2028.", ("delivery", "2028-05-01", "")),
        ("de", "Bieterfragen sind bis zum 03.04.2027 zu stellen.", ("questions", "2027-04-03", "")),
        ("de", "Die Bindefrist endet am 30.06.2027.", ("validity", "2027-06-30", "")),
        ("de", "Eine Ortsbesichtigung findet am 2. März 2027 um 10 Uhr statt.", ("meeting", "2027-03-02", "10:00")),
        ("de", "Der Vertrag beginnt am 1. Juli 2027.", ("start", "2027-07-01", "")),
        ("fr", "Les offres doivent être remises au plus tard le 12 mars 2027 à 14h00.",
         ("submission", "2027-03-12", "14:00")),
    ],
)  # fmt: skip
def test_what_is_due_is_told_by_the_words_around_the_date(
    language: str, text: str, expected: tuple[str, str, str]
) -> None:
    assert told(text, language) == [expected]


DUE = {
    "es": ("Las ofertas deberán presentarse antes del 12 de marzo de 2027 a las 14:00 horas.",
           "Las consultas podrán formularse hasta el 3 de abril de 2027.",
           "La oferta tendrá una validez hasta el 30/06/2027.",
           "El informe se entregará en un plazo de 30 días desde la firma del contrato."),
    "it": ("Le offerte devono pervenire entro e non oltre le ore 14.00 del 12 marzo 2027.",
           "I chiarimenti possono essere richiesti entro il 3 aprile 2027.",
           "L'offerta è valida fino al 30 giugno 2027.",
           "La relazione va consegnata entro 30 giorni dalla stipula del contratto."),
    "nl": ("Inschrijvingen moeten uiterlijk 12 maart 2027 om 14.00 uur zijn ingediend.",
           "Vragen kunnen tot en met 3 april 2027 worden gesteld.",
           "De inschrijving is geldig tot 30 juni 2027.",
           "Het rapport wordt geleverd binnen 30 dagen na ondertekening van de overeenkomst."),
    "pt": ("As propostas devem ser apresentadas até às 14h00 do dia 12 de março de 2027.",
           "Os esclarecimentos podem ser pedidos até 3 de abril de 2027.",
           "A proposta é válida até 30/06/2027.",
           "O relatório deve ser entregue no prazo de 30 dias após a assinatura do contrato."),
    "ja": ("提案書は令和９年３月１２日（金）１４時までに提出すること。",
           "質問は2027年4月3日まで受け付ける。",
           "見積書の有効期限は2027年6月30日とする。",
           "報告書は契約締結後30日以内に納品すること。"),
    "zh": ("投标文件应于2027年3月12日14:00前递交。",
           "供应商应在2027年4月3日前提出质疑。",
           "投标有效期至2027年6月30日。",
           "供应商应在合同签订之日起30个工作日内交货。"),
    "fr": ("Les offres doivent être remises au plus tard le 12 mars 2027 à 14 heures.",
           "Les questions sont posées avant le 3 avril 2027.",
           "Les offres sont valables jusqu'au 30 juin 2027.",
           "Le rapport est remis dans un délai de 30 jours à compter de la notification du marché."),
}  # fmt: skip


@pytest.mark.req("B5")
@pytest.mark.parametrize("language", DUE)
def test_closing_questions_validity_and_counted_times_are_read_in_each_language(language: str) -> None:
    assert told("\n\n".join(DUE[language]), language) == [
        ("submission", "2027-03-12", "14:00"),
        ("questions", "2027-04-03", ""),
        ("validity", "2027-06-30", ""),
        ("delivery", "", ""),
    ]


def test_the_rows_of_a_schedule_are_deadlines_but_for_the_day_of_issue() -> None:
    text = "# Schedule\n\n| Event | Date |\n|---|---|\n| RFP issued | 1 March 2027 |\n| Orals | 4 - 8 May 2027 |\n"
    (one,) = found(text)
    assert (one.kind, one.due.days, one.due.until) == ("presentation", ("2027-05-04",), "2027-05-08")


@pytest.mark.req("B5")
@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("pt", "5.1. O licitante deverá enviar sua proposta até a abertura, conforme o item 4.9. deste edital."),
        ("es", "2.1. CARTA DE PRESENTACIÓN DE LA PROPUESTA.\n\n2.11. TÉRMINO PARA LA SUSCRIPCIÓN DEL CONTRATO."),
        ("ja", "入札者は「2.3.調達案件間の入札制限」及び「7.2.入札制限」に示す要件を満たすこと。"),
        ("de", "2.1. Angebote müssen spätestens bei Ablauf der Frist nach Ziffer 4.9. vorliegen."),
    ],
)
def test_the_number_of_a_chapter_is_no_day(language: str, text: str) -> None:
    assert told(text, language) == []


def test_what_lasts_from_the_day_of_the_contract_ends_then() -> None:
    assert told("# 仕様書\n\n## 契約期間\n\n契約日から令和8年3月31日まで", "ja") == [("end", "2026-03-31", "")]


def test_in_japanese_what_a_term_is_of_stands_right_before_it() -> None:
    assert told("質問書の提出期限 平成30年3月23日（金）まで。", "ja") == [("questions", "2018-03-23", "")]


def test_a_day_and_a_month_are_one_in_german() -> None:
    text = "Angebote müssen bis 4.9. vorliegen.\n\n15.11. ist die Frist für Angebote."
    assert told(text, "de") == [("submission", "--09-04", ""), ("submission", "--11-15", "")]


@pytest.mark.req("B5")
def test_a_day_counted_from_the_date_of_an_event_has_no_day() -> None:
    text = "Todos podem impugnar este Edital até 3 (três) dias úteis antes da data da abertura do certame."
    assert told(text, "pt") == [("questions", "", "")]


@pytest.mark.parametrize(
    "text",
    [
        "The Act of 12 March 2019 applies.",
        "This clause (FEB 1998) is included by reference.",
        "The archive was opened on 12 March 2019.",
        "Reports are due 5 days after each sprint.",
        "Answer calls within one hour.",
    ],
)
def test_dates_that_are_only_told_and_what_comes_again_are_no_deadlines(text: str) -> None:
    assert found(text) == []


def test_of_two_readings_both_are_kept_until_the_source_itself_decides() -> None:
    (one,) = found("Proposals are due 03/04/2027.")
    assert (one.due.days, one.due.doubts) == (("2027-03-04", "2027-04-03"), ("order",))
    assert told("Questions are due 13/03/2027. Proposals are due 03/04/2027.")[1][1] == "2027-04-03"
    assert told("Questions are due 3/13/2027. Proposals are due 03/04/2027.")[1][1] == "2027-03-04"
    both = found("Questions are due 3/13/2027, answers 14/3/2027. Proposals are due 03/04/2027.")
    assert both[-1].due.doubts == ("order",)


def test_the_day_of_the_week_and_the_language_decide_as_well() -> None:
    assert told("Proposals are due Saturday, 03/04/2027.") == [("submission", "2027-04-03", "")]
    assert told("Die Angebote sind bis 03/04/2027 einzureichen.", "de") == [("submission", "2027-04-03", "")]


def test_what_cannot_be_is_told_and_nothing_is_invented() -> None:
    (one,) = found("Proposals are due 12 March at 10:00.")
    assert (one.due.days, one.due.doubts) == (("--03-12",), ("year",))
    (one,) = found("Proposals are due Monday, 12 March 2027.")
    assert (one.due.days, one.due.doubts) == (("2027-03-12",), ("weekday",))
    (one,) = found("Proposals are due 29 February 2027.")
    assert (one.due.days, one.due.doubts) == ((), ("day",))


def test_a_time_that_is_counted_from_an_event_has_no_day() -> None:
    (one,) = found("The plan is due no later than 30 days after award.")
    assert (one.due.written, one.due.days, one.kind) == ("no later than 30 days after award", (), "delivery")
    (one,) = found("Das Konzept ist innerhalb von 30 Tagen nach Zuschlagserteilung vorzulegen.", "de")
    assert (one.due.written, one.due.days) == ("innerhalb von 30 Tagen nach Zuschlagserteilung", ())


FIRST = "# RFP\n\nProposals are due 12 March 2027 at 14:00.\n\nQuestions are due 1 March 2027.\n"


def test_another_version_of_a_source_says_what_a_deadline_was_and_which_file_changed_it() -> None:
    before = read_ledger([Source("brief", FIRST, "en", 1, "rfp.md")], LedgerRows())
    amended = FIRST.replace("12 March", "19 March").replace("# RFP", "# RFP\n\nWelcome.")
    after = read_ledger([Source("brief", amended, "en", 2, "rfp-2.md")], before)
    assert after.deadlines is not None
    submission, questions = after.deadlines.found
    (change,) = submission.changes
    assert (submission.deadline_id, submission.due.days) == ("D1", ("2027-03-19",))
    assert (change.before.written, change.version, change.file) == ("12 March 2027 at 14:00", 2, "rfp-2.md")
    assert (questions.changes, difference(before, after).deadlines) == ((), ("D1",))
    again = read_ledger([Source("brief", amended, "en", 2, "rfp-2.md")], after)
    assert again.deadlines == after.deadlines
    assert difference(after, again).deadlines == ()


def test_a_deadline_is_linked_with_the_row_of_the_same_words() -> None:
    ledger = read_ledger(
        [Source("brief", "The offeror shall submit its proposal by 1 May 2026.\n", "en")], LedgerRows()
    )
    assert ledger.deadlines is not None
    assert [one.requirement_id for one in ledger.deadlines.found] == ["R1"]


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "The deadline for submission is extended from 12 March 2027 to 19 March 2027, 16:00."),
        ("en", "Proposals are now due 19 March 2027, 16:00 instead of 12 March 2027."),
        ("en", "The deadline for proposals has been extended to 19 March 2027, 16:00."),
        ("it", "Dati i chiarimenti, il termine delle offerte è prorogato alle ore 16:00 del 19.3.2027."),
    ],
)
def test_a_sentence_of_an_amendment_replaces_the_deadline_that_it_moves(language: str, text: str) -> None:
    found = read(Source("brief", FIRST, "en"), Source("amendment.pdf", text, language, 1))
    questions, submission = counting(found)
    assert (questions.kind, submission.kind, submission.due.days) == ("questions", "submission", ("2027-03-19",))
    assert [(change.before.days, change.source) for change in submission.changes] == [
        (("2027-03-12",), "amendment.pdf")
    ]
    assert found.found[0].replaced_by == submission.deadline_id


def test_a_german_amendment_moves_a_deadline_and_a_second_one_moves_it_again() -> None:
    first = Source("brief", "Die Angebotsfrist endet am 12.03.2027, 14:00 Uhr.", "de")
    second = Source("nachtrag-1.pdf", "Die Angebotsfrist wird vom 12.03.2027 auf den 19.03.2027 verlängert.", "de")
    third = Source("nachtrag-2.pdf", "Die Angebotsfrist wird bis zum 26.03.2027 verlängert.", "de")
    (one,) = counting(read(first, second, third))
    assert one.due.days == ("2027-03-26",)
    assert [(change.before.days[0], change.source) for change in one.changes] == [
        ("2027-03-12", "nachtrag-1.pdf"),
        ("2027-03-19", "nachtrag-2.pdf"),
    ]


def test_an_amendment_moves_nothing_where_it_is_not_told_which_of_two_is_meant() -> None:
    lots = Source(
        "brief", "Proposals for lot 1 are due 12 March 2027.\n\nProposals for lot 2 are due 2 May 2027.\n", "en"
    )
    found = read(lots, Source("a.pdf", "The deadline for proposals has been extended to 19 May 2027.", "en"))
    assert [(one.replaced_by, one.changes) for one in found.found] == [("", ())] * 3


def test_the_four_states_of_a_real_notice_tell_how_its_deadline_moved() -> None:
    ledger = LedgerRows()
    for number in range(4):
        text = (README / f"talentmap-readme-{number}.md").read_text()
        ledger = read_ledger([Source("README.md", text, "en", number + 1)], ledger)
    assert ledger.deadlines is not None
    (offers,) = [one for one in ledger.deadlines.found if one.kind == "submission"]
    assert (offers.due.written, offers.due.zone) == ("March 6th, at 12:00pm, Eastern Time", "Eastern Time")
    assert [(one.before.written, one.version) for one in offers.changes] == [
        ("February 24th, at 6pm", 2),
        ("March 6th, at 6pm", 3),
    ]


@examples(100)
@given(
    st.lists(
        st.sampled_from(
            ["12 March 2027", "03/04/2027", "99/99/9999", "29.02.2027", "due", "by", "extended", "to", "instead of",
             "bis zum", "14:00", "p.m.", "(CET)", "|", "\n", "- ", "# ", "\x00", "‮", "<b>", "30 days after award", "٣"]
        ),
        max_size=30,
    ),
    st.sampled_from(["en", "de", "fr", "xx"]),
)  # fmt: skip
def test_whatever_a_text_holds_its_deadlines_are_words_of_it(pieces: list[str], language: str) -> None:
    text = " ".join(pieces)
    source = Source("brief", text, language)
    ledger = read_ledger([source], read_ledger([source], LedgerRows()))
    assert ledger.deadlines is not None
    ids = [one.deadline_id for one in ledger.deadlines.found]
    assert len(ids) == len(set(ids))
    assert all(one.due.written in one.quote for one in ledger.deadlines.found)


def test_a_sentence_of_ten_thousand_dates_is_read_in_its_length() -> None:
    assert len(found("Proposals are due 12 March 2027, " + "12 March 2027, " * 2000)) <= 200
