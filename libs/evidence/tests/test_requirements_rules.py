"""What requests say about the bid itself: read from the words, and nothing that is about the work."""

from pathlib import Path

import pytest
from stemma_contracts.v1.bids import BidRule
from stemma_evidence.requirements import Source, read_rules

pytestmark = pytest.mark.req("B6")

LABELLED = Path(__file__).parent / "labelled"
REQUESTS = sorted(Path(__file__).with_name("rules").glob("*.txt"))
"""Of each language: the rules, and below them the request that has them."""


def told(rule: BidRule) -> str:
    value = " ".join(filter(None, (f"{rule.number:g}" if rule.number is not None else "", rule.unit, *rule.values)))
    return f"{rule.kind} {rule.part}: {value}{' advised' if rule.advised else ''}".rstrip()


def rules(text: str, language: str = "en") -> list[str]:
    return [told(rule) for rule in read_rules([Source("request.md", text, language)]).found]


@pytest.mark.parametrize("path", REQUESTS, ids=lambda path: path.stem)
def test_reads_the_rules_for_the_bid_and_none_for_the_work(path: Path) -> None:
    expected, request = path.read_text().split("\n=== request\n")
    assert rules(request, path.stem) == expected.splitlines()


@pytest.mark.parametrize(
    ("language", "denied", "said"),
    [
        ("de", "Ein fehlendes Verzeichnis führt nicht zum Ausschluss des Angebots.",
         "Verspätete Angebote werden ausgeschlossen."),
        ("fr", "L'absence de sommaire n'entraîne pas le rejet de l'offre.", "Les offres tardives seront rejetées."),
        ("es", "La falta de índice no es causal de rechazo de la propuesta.", "Será rechazada la propuesta tardía."),
        ("it", "L'assenza dell'indice non è causa di esclusione dell'offerta.", "Le offerte tardive saranno escluse."),
        ("ja", "目次のない提案書を失格としない。", "期限後の提案書は失格とする。"),
        ("zh", "投标文件缺少目录不作为否决投标的理由。", "逾期的投标文件将被否决。"),
    ],
)  # fmt: skip
def test_what_is_denied_excludes_no_bid(language: str, denied: str, said: str) -> None:
    assert (rules(f"{denied}\n", language), rules(f"{said}\n", language)) == ([], ["exclusion :"])


@pytest.mark.parametrize(
    ("language", "sentence", "expected"),
    [
        ("en", "Bidders shall keep their offers open until 30 September 2027.", "validity : 2027-09-30"),
        ("en", "Offers must be valid from 1 June 2027 to 30 September 2027.", "validity : 2027-09-30"),
        ("en", "Three copies of the proposal must be handed in.", "copies : 3"),
        ("de", "Die Bindefrist beträgt 120 Tage.", "validity : 120 days"),
        ("de", "Der Bieter ist an sein Angebot bis zum 30.09.2027 gebunden.", "validity : 2027-09-30"),
        ("fr", "Notre offre est valable 90 jours.", "validity : 90 days"),
        ("fr", "Le mémoire technique est limité à 3 000 mots.", "word_limit mémoire technique: 3000"),
        ("fr", "L'offre est remise dans un fichier nommé « Offre Port.pdf ».", "file_name : Offre Port.pdf"),
        ("fr", "Les offres sont anonymes.", "blind :"),
        ("nl", "De gestanddoeningstermijn bedraagt 90 dagen.", "validity : 90 days"),
    ],
)  # fmt: skip
def test_reads_what_is_said_without_the_usual_words(language: str, sentence: str, expected: str) -> None:
    assert expected in rules(f"{sentence}\n", language)


@pytest.mark.parametrize("sentence", ["Das Zertifikat ist bis 30.09.2027 gültig.", "Angebote bis 1.6.2027, gültig."])
def test_a_day_binds_no_bid_where_something_else_is_valid_until_then(sentence: str) -> None:
    assert rules(f"{sentence}\n", "de") == []


def test_reads_no_rule_of_a_real_request_that_it_does_not_have() -> None:
    found = rules((LABELLED / "fedramp-dashboard-rfq.md").read_text())
    assert [one for one in found if one != "exclusion :"] == [
        "paper : letter",
        "page_limit technical quotation: 5",
        "validity : 45 days",
        "page_limit cover page: 1 advised",
    ]
    found = [one for one in rules((LABELLED / "alaska-search-rfp.md").read_text()) if one != "exclusion :"]
    others = [one for one in found if not one.startswith("criterion")]
    assert others == ["page_limit : 9", "copies : 1", "validity : 90 days", "page_limit : 7 advised", "order :"]
    assert len(found) - len(others) == 8


def test_two_limits_of_one_thing_contradict_each_other_and_name_each_other() -> None:
    brief = Source("brief", "The proposal is limited to three pages.", "en")
    other = Source("rfp.md", "# Offers\n\nThe proposal shall not exceed 5 pages. The cover letter: max. 1 page.", "en")
    three, five, letter = read_rules([brief, other]).found
    assert (three.contradicts, five.contradicts, letter.contradicts) == (("B2",), ("B1",), ())
    assert (three.source, five.source, five.line) == ("brief", "rfp.md", 3)


def test_a_rule_of_an_amendment_replaces_that_of_the_request_and_both_are_told() -> None:
    request = Source("rfp.md", "The proposal is limited to three pages.", "en")
    amendment = Source("amendment-2.md", "The proposal shall not exceed 5 pages.", "en")
    three, five = read_rules([request, amendment]).found
    assert (three.replaced_by, three.contradicts) == ("B2", ())
    assert (five.replaced_by, five.contradicts) == ("", ())
