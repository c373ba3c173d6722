"""Languages are data: what a file must hold, what is written with it, and that another one needs no code."""

import json
import re
import shutil
from datetime import date
from pathlib import Path

import pytest
from stemma_languages import UnknownLanguage, count_words, is_mail, language, role_of_name, role_of_text, shipped
from stemma_languages.languages import DATA, InvalidLanguage, read_languages

SHIPPED = ("de", "en", "es", "fr", "it", "ja", "nl", "pt", "zh")
DAYS = (
    "1. Juni 2027", "1 June 2027", "1 de junio de 2027", "1 juin 2027", "1 giugno 2027", "2027年6月1日", "1 juni 2027",
    "1 de junho de 2027", "2027年6月1日",
)  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copytree(DATA, tmp_path / "data")
    return tmp_path / "data"


def change(file: Path, **changes: object) -> None:
    data = json.loads(file.read_text("utf-8"))
    file.write_text(json.dumps(data | changes), encoding="utf-8")


@pytest.mark.req("T5")
def test_another_language_is_a_data_file(folder: Path) -> None:
    words = language("en").words.model_dump() | {"contents": "Innehåll", "page_of": "Sida {page} av {pages}"}
    swedish = {"tag": "sv", "locale": "sv-SE", "name": "svenska", "english_name": "Swedish", "words": words}
    (folder / "sv.json").write_text(json.dumps(swedish), encoding="utf-8")
    found = read_languages(folder)["sv"]
    assert found.words.contents == "Innehåll"
    assert found.date(date(2027, 6, 1)) == "1 juni 2027"
    assert found.number(4250.5, 2) == "4\u00a0250,50"


@pytest.mark.req("T5")
def test_each_language_that_ships_writes_days_as_its_readers_do_and_no_english_sentences() -> None:
    assert shipped() == SHIPPED
    assert tuple(language(tag).date(date(2027, 6, 1)).replace("1er", "1") for tag in SHIPPED) == DAYS
    english = set(language("en").words.model_dump().values())
    for tag in set(SHIPPED) - {"en"}:
        words = language(tag).words.model_dump().values()
        assert [text for text in words if text in english and text.count(" ") > 1] == []


def test_numbers_have_the_separators_of_the_language() -> None:
    assert [language(tag).number(4250, 2) for tag in ("en", "de", "ja")] == ["4,250.00", "4.250,00", "4,250.00"]
    assert language("fr").number(4250) == "4\u202f250"


def test_labels_follow_the_language() -> None:
    french, chinese = language("fr"), language("zh")
    assert french.captioned(french.numbered(french.words.table, 2), "Prix") == "Tableau 2\u00a0: Prix"
    assert chinese.captioned(chinese.numbered(chinese.words.figure, 3), "计划") == "图 3\uff1a计划"
    assert [language(tag).sentence("A") for tag in ("de", "ja")] == ["A.", "A\u3002"]
    assert language("ja").sentence("A\u3002") == "A\u3002"


@pytest.mark.req("I3", "T5")
def test_a_place_of_a_file_is_cited_as_the_language_does() -> None:
    places = [("page", "p. 12"), ("slide", "slide 3"), ("paragraph", "para. 4"), ("part", "message from Ada")]
    german, chinese = language("de"), language("zh")
    assert [german.place(*place) for place in places] == ["S. 12", "Folie 3", "Abs. 4", "Nachricht von Ada"]
    assert chinese.citation("rfq.pdf", "page", "p. 12") == "rfq.pdf, 第12页"
    assert german.citation("prices.xlsx", "sheet", "Prices!A1:D20") == "prices.xlsx, Prices!A1:D20"
    assert german.citation("note.txt", "", "") == "note.txt"


def test_a_regional_tag_names_its_language_and_an_empty_one_english() -> None:
    assert [language(tag).tag for tag in ("de-AT", "PT-BR", "")] == ["de", "pt", "en"]


@pytest.mark.req("P19")
def test_refuses_a_language_without_a_file_by_name() -> None:
    with pytest.raises(UnknownLanguage, match=r"no language 'sv'; there are: de, en, es"):
        language("sv")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"tag": "xx"}, "locale de-DE is of another language than xx"),
        ({"locale": "de-XX"}, "locale: Value error, Babel has no dates and numbers for it"),
        ({"tags": "de"}, "tags: Extra inputs are not permitted"),
        ({"words": {"contents": "Inhalt"}}, "words.figure: Field required"),
        (
            {"words": language("de").words.model_dump() | {"page": "Seite {number}"}},
            "page takes ['number'], in English ['page']",
        ),
    ],
    ids="tag locale field missing values".split(),
)
def test_refuses_a_file_with_what_is_wrong_in_it(folder: Path, changes: dict[str, object], words: str) -> None:
    change(folder / "de.json", **changes)
    with pytest.raises(InvalidLanguage, match=rf"^de\.json: .*{re.escape(words)}"):
        read_languages(folder)


def test_refuses_a_file_under_another_tag(folder: Path) -> None:
    (folder / "de.json").rename(folder / "da.json")
    with pytest.raises(InvalidLanguage, match=r"da.json: its tag is de"):
        read_languages(folder)


@pytest.mark.req("P19")
def test_counts_words_between_spaces_and_characters_of_scripts_without_them() -> None:
    assert count_words("Budget: EUR 4,250 – by 1 June 2027.") == 7
    assert count_words("目录搜索迁移到OpenSearch。") == 8
    assert count_words("カタログ検索をOpenSearchへ移行する。") == 13
    assert count_words(" \n-- ** ") == 0


@pytest.mark.req("B1")
@pytest.mark.parametrize(
    ("role", "names"),
    [
        ("internal", "re-price.eml AW_Angebot.msg mbox/RFP.eml"),
        (
            "request",
            "RFP2021.pdf tender.docx ITT_Harbour.pdf Ausschreibungsunterlagen_Los1.pdf Leistungsverzeichnis.pdf",
        ),
        ("request", "cahier-des-charges.docx CCTP.pdf pliego_tecnico.pdf bando-di-gara.pdf Capitolato_tecnico.pdf"),
        ("request", "Aanbestedingsleidraad.pdf edital_12.pdf 公募要領.pdf 業務仕様書.docx 招标文件.pdf bordereau.pdf"),
        ("request", "tender.docx request_for_proposals_2025.pdf reglement_de_la_consultation.pdf"),
        ("form", "bordereau_des_prix.xlsx BPU.xlsx PricingForm.xlsx Preisblatt.xlsx 様式第3号.docx"),
        (
            "price",
            "ratesheet.xlsx PriceList.csv Preisliste_2026.xlsx stundensaetze.csv tarifs.xlsx 単価表.xlsx precos.csv",
        ),
        ("style", "StyleGuide.docx style.md Stilvorgaben.docx charte_editoriale.pdf"),
        ("past-text", "proposal_2021.docx Angebot_frueher.docx old-bid.md RFP_response_2021.docx 提案書2021.docx"),
        (None, "facts.md service-requirements.md vaccination-rates.csv proposal.md rfp-response.docx contender.md"),
        (None, "tender-map.png styles-of-building.md"),
    ],
)
def test_the_name_of_a_file_proposes_its_role_in_any_language(role: str | None, names: str) -> None:
    types = {".png": "image/png", ".eml": "message/rfc822"}
    proposed = {name: role_of_name(name, types.get(name[-4:], "")) for name in names.split()}
    assert proposed == dict.fromkeys(proposed, role)


@pytest.mark.req("B1")
@pytest.mark.parametrize(
    ("role", "text"),
    [
        ("internal", "Von: Anna Amsel\nGesendet: Montag\nAn: Bo\nBetreff: Preise\n\nBitte nicht erwähnen."),
        ("internal", "# Our lowest price\n\nFrom: Ana <ana@example.org>\nTo: Bo\nDate: Monday\n\nDo not go below it."),
        ("internal", "差出人: 田中\n宛先: 鈴木\n件名: 価格\n"),
        ("request", "# City of Harbour\n\n## Request for Proposals\n\nA ferry."),
        ("request", "# Request for Quotation\n\n## Ferry\n\nFrom: Bo, the buyer\nSubject: Quotation\nDate: Monday\n"),
        ("request", "# 図書館システム構築業務 仕様書\n"),
        ("request", "# Annex\n" + "The bidder shall name a person for it.\n" * 6),
        ("price", "| Role | Hourly rate |\n|---|---|\n| Analyst | 90 |\n| Engineer | 110 |\n| Lead | 130 |\n"),
        ("price", 'item;unidade;preço unitário (R$)\nPão;kg;"14,90"\nBolo;un;"12,30"\nSonho;un;"3,10"\n'),
        (None, "Our rates, in short.\n\nThey rose by 3 % in 2024, 2025 and 2026.\n"),
        ("internal", "Wykonawca jest zobowiązany dostarczyć sprzęt w terminie podanym w specyfikacji. " * 9),
        (None, "Wykonawca dostarcza sprzęt."),
        ("price", "| Rolle | Satz EUR |\n|---|---|\n| Analyse | 90 |\n| Technik | 110 |\n| Leitung | 130 |\n"),
        (None, "# Our response to the Request for Proposals\n"),
        (None, "# Security policy\n" + "Staff must lock the door.\n" * 20),
        ("request", "| Item | Unit price |\n|---|---|\n| Bolt 4 | |\n| Bolt 5 | |\n| Bolt 6 | |\n"),
        (None, "| Item | Unit price |\n|---|---|\n| Bolt 4 | 80 |\n| Bolt 5 | |\n| Bolt 6 | |\n| Bolt 7 | |\n"),
        (None, f"Item;Rate\n{'ﷺ' * 10_000};5\n"),
        (None, "# Route\n\nFrom: the harbour\nTo: the isle\nDate: any\n"),
        (None, ""),
    ],
)
def test_a_text_proposes_a_role_only_where_it_is_certain(role: str | None, text: str) -> None:
    assert role_of_text(text) == role
    assert is_mail(text) <= (role == "internal")
