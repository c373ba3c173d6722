"""What requests say about the bid itself: read from the words, and nothing that is about the work."""

from pathlib import Path

import pytest
from stemma_contracts.v1.bids import BidRule
from stemma_evidence.requirements import Source, read_rules
from stemma_testkit.counting import calls

pytestmark = pytest.mark.req("B6")

LABELLED = Path(__file__).parent / "labelled"

ENGLISH = """# Request for Proposals

## Proposal format

Proposals must be submitted as a single PDF file named "RFP-2031-Technical.pdf". The technical proposal shall not exceed
twenty (20) pages, 8.5 x 11 inch paper, single-spaced, in 12-point Times New Roman or Arial. Text in tables may use 9
point font. The executive summary is limited to 500 words. Proposals must be written in English. Proposals shall not
identify the bidder by name or logo. Proposals of ten pages or less are encouraged: 15 pages at most.

| Volume | Page limit |
| --- | --- |
| Volume I Technical | 30 |

Submit an original and three copies of the proposal. Proposals must be valid for 120 days. Late proposals will be
rejected. The price proposal is submitted in Excel. Proposals sent in Word format will be rejected. The sections of the
proposal must be submitted in the following order:

1. Cover letter (one page)
2. Technical approach: steps and roles
3. Price

## Scope

The contractor shall deliver monthly reports of no more than 5 pages in PDF format in English. Each report uses 11-point
Arial on A4 paper. The system must not reveal the identity of companies. See the tender file
rfp.docx. The contractor shall provide three copies of the tender drawings in PDF format.
Staff in the German market are invited.

## Evaluation criteria

- Price: 60 %
- Approach: 40 %

Bids are scored: 5 points for good, 0 points for bad.
"""
GERMAN = """# Aufforderung zur Angebotsabgabe

## 3 Form des Angebots

Das Angebot ist in deutscher Sprache abzufassen und als PDF über die Plattform einzureichen. Der Umfang des
Umsetzungskonzepts darf 20 DIN-A4-Seiten nicht überschreiten. Schriftart Arial, Schriftgröße mindestens 11,
Zeilenabstand 1,5. Lebensläufe sollten zwei Seiten nicht überschreiten. Das Angebot ist in zweifacher Ausfertigung
vorzulegen. Der Bieter ist bis zum Ablauf der Bindefrist von 60 Kalendertagen an sein Angebot gebunden. Angebote, die
nicht fristgerecht eingehen, werden ausgeschlossen. Das Konzept darf keine Rückschlüsse auf den Bieter zulassen.

## 4 Leistung

Der Auftragnehmer liefert monatlich einen Bericht von höchstens 5 Seiten in deutscher Sprache als PDF.

## 5 Zuschlagskriterien

| Kriterium | Gewichtung |
| --- | --- |
| Preis | 40 % |
| Umsetzungskonzept | 60 % |

- sehr gut: 5 Punkte
- gut: 4 Punkte
"""
FRENCH = """# Règlement de la consultation

## 5 Présentation des offres

Les offres sont rédigées en langue française. Le mémoire technique ne doit pas dépasser 25 pages au format A4, police
Arial taille 11, interligne simple. Les fichiers de l’offre seront remis au format PDF. Les plis sont remis en trois
exemplaires. Le délai de validité des offres est fixé à 120 jours. Les offres remises hors délai seront éliminées.

Les critères sont les suivants : prix 40 %, valeur technique 60 %.

## 6 Exécution

Le titulaire remet un rapport de 10 pages maximum en français au format PDF.
"""
SPANISH = """# Pliego de condiciones

## 8 Presentación de las ofertas

Las ofertas se redactarán en castellano. La memoria técnica tendrá una extensión máxima de 30 páginas, en formato A4,
letra Arial tamaño 11 e interlineado sencillo. Las ofertas se presentarán en formato PDF. El plazo de validez de la
oferta será de 90 días. Serán excluidas las ofertas que superen el presupuesto.

## 9 Criterios de adjudicación

| Criterio | Puntuación máxima |
| --- | --- |
| Oferta económica | 60 puntos |
| Memoria técnica | 40 puntos |
"""
ITALIAN = """# Disciplinare di gara

## 5 Presentazione dell'offerta

Le offerte devono essere redatte in lingua italiana. La relazione tecnica non deve superare le 20 pagine in formato
A4, carattere Arial, dimensione 11, interlinea singola. L'offerta è trasmessa in formato PDF.
L'offerta è valida per 180 giorni. Le offerte pervenute oltre il termine saranno escluse.

## 6 Criteri di aggiudicazione

| Criterio | Punteggio massimo |
| --- | --- |
| Offerta tecnica | 70 punti |
| Offerta economica | 30 punti |

## 7 Esecuzione

L'appaltatore consegna un rapporto di massimo 5 pagine in italiano.
"""
DUTCH = """# Aanbestedingsleidraad

## 4 Indiening van de inschrijving

De inschrijving dient in het Nederlands te zijn opgesteld. Het plan van aanpak is maximaal 10 pagina's A4, lettertype
Arial, lettergrootte 10. De inschrijving wordt als PDF ingediend.
De inschrijving is 90 dagen geldig. Inschrijvingen die te laat zijn, worden terzijde gelegd.

## 5 Gunningscriteria

- Prijs: 40%
- Kwaliteit: 60%

## 6 Uitvoering

De opdrachtnemer levert een rapportage van maximaal 5 pagina's.
"""
PORTUGUESE = """# Programa do concurso

## 4 Apresentação das propostas

As propostas devem ser redigidas em português. A memória descritiva não pode exceder 15 páginas, em formato A4, letra
Arial, tamanho 11, espaçamento de 1,5. As propostas são apresentadas em formato PDF.
O prazo de validade das propostas é de 66 dias. São excluídas as propostas entregues fora do prazo.

## 5 Critérios de adjudicação

| Critério | Ponderação |
| --- | --- |
| Preço | 60% |
| Qualidade técnica | 40% |

## 6 Execução

O adjudicatário entrega um relatório de até 5 páginas em português.
"""
JAPANESE = """# 公募要領

## 4 提案書の作成

提案書は日本語で記載し、PDF形式で提出すること。技術提案書は20ページ以内とし、A4判、文字サイズは11ポイント以上とする。提案書は正本を含め5部提出すること。
提案書の有効期間は90日間とする。期限後に到着した提案は失格とする。

## 5 評価基準

| 評価項目 | 配点 |
| --- | --- |
| 業務の理解 | 40点 |
| 実施体制 | 60点 |

## 6 業務

受託者は5ページ以内の報告書を提出する。
"""
CHINESE = """# 招标文件

## 4 投标文件的编制

投标文件应以中文编制，并以PDF格式提交。技术方案不超过30页，采用A4纸，字体为宋体。投标文件一式3份递交。
投标有效期为90天，投标文件在此期间有效。逾期送达的投标文件将被拒绝。

## 5 评分标准

| 评分项目 | 分值 |
| --- | --- |
| 技术方案 | 60分 |
| 价格 | 40分 |

## 6 服务

中标人提交不超过5页的报告。
"""


def told(rule: BidRule) -> str:
    value = " ".join(filter(None, (f"{rule.number:g}" if rule.number is not None else "", rule.unit, *rule.values)))
    return f"{rule.kind} {rule.part}: {value}{' advised' if rule.advised else ''}"


def rules(text: str, language: str) -> list[str]:
    return [told(rule) for rule in read_rules([Source("request.md", text, language)]).found]


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        (
            ENGLISH,
            "en",
            [
                "file_format : pdf",
                "file_name : RFP-2031-Technical.pdf",
                "page_limit technical proposal: 20",
                "paper : letter",
                "font_size : 12",
                "font : Times New Roman Arial",
                "line_spacing : 1",
                "font_size tables: 9",
                "word_limit executive summary: 500",
                "language : en",
                "blind : ",
                "page_limit : 10 advised",
                "page_limit : 15 advised",
                "page_limit Volume I Technical: 30",
                "copies : 3",
                "validity : 120 days",
                "exclusion : ",
                "file_format price proposal: xlsx",
                "exclusion : ",
                "order : Cover letter Technical approach Price",
                "criterion Price: 60 percent",
                "criterion Approach: 40 percent",
            ],
        ),
        (
            GERMAN,
            "de",
            [
                "language : de",
                "file_format : pdf",
                "page_limit Umsetzungskonzepts: 20",
                "paper : A4",
                "font_size : 11",
                "font : Arial",
                "line_spacing : 1.5",
                "page_limit Lebensläufe: 2 advised",
                "copies : 2",
                "validity : 60 days",
                "exclusion : ",
                "blind : ",
                "criterion Preis: 40 percent",
                "criterion Umsetzungskonzept: 60 percent",
            ],
        ),
        (
            FRENCH,
            "fr",
            [
                "language : fr",
                "page_limit mémoire technique: 25",
                "paper : A4",
                "font_size : 11",
                "font : Arial",
                "line_spacing : 1",
                "file_format : pdf",
                "copies : 3",
                "validity : 120 days",
                "exclusion : ",
                "criterion prix: 40 percent",
                "criterion valeur technique: 60 percent",
            ],
        ),
        (
            SPANISH,
            "es",
            [
                "language : es",
                "page_limit memoria técnica: 30",
                "paper : A4",
                "font_size : 11",
                "font : Arial",
                "line_spacing : 1",
                "file_format : pdf",
                "validity : 90 days",
                "exclusion : ",
                "criterion Oferta económica: 60 points",
                "criterion Memoria técnica: 40 points",
            ],
        ),
        (
            ITALIAN,
            "it",
            [
                "language : it",
                "page_limit relazione tecnica: 20",
                "paper : A4",
                "font_size : 11",
                "font : Arial",
                "line_spacing : 1",
                "validity : 180 days",
                "file_format : pdf",
                "exclusion : ",
                "criterion Offerta tecnica: 70 points",
                "criterion Offerta economica: 30 points",
            ],
        ),
        (
            DUTCH,
            "nl",
            [
                "language : nl",
                "page_limit plan van aanpak: 10",
                "paper : A4",
                "font_size : 10",
                "font : Arial",
                "file_format : pdf",
                "validity : 90 days",
                "exclusion : ",
                "criterion Prijs: 40 percent",
                "criterion Kwaliteit: 60 percent",
            ],
        ),
        (
            PORTUGUESE,
            "pt",
            [
                "language : pt",
                "page_limit memória descritiva: 15",
                "paper : A4",
                "font_size : 11",
                "font : Arial",
                "line_spacing : 1.5",
                "file_format : pdf",
                "validity : 66 days",
                "exclusion : ",
                "criterion Preço: 60 percent",
                "criterion Qualidade técnica: 40 percent",
            ],
        ),
        (
            JAPANESE,
            "ja",
            [
                "language : ja",
                "file_format : pdf",
                "page_limit 技術提案書: 20",
                "paper : A4",
                "font_size : 11",
                "copies : 5",
                "validity : 90 days",
                "exclusion : ",
                "criterion 業務の理解: 40 points",
                "criterion 実施体制: 60 points",
            ],
        ),
        (
            CHINESE,
            "zh",
            [
                "language : zh",
                "file_format : pdf",
                "page_limit 技术方案: 30",
                "paper : A4",
                "copies : 3",
                "validity : 90 days",
                "exclusion : ",
                "criterion 技术方案: 60 points",
                "criterion 价格: 40 points",
            ],
        ),
    ],
    ids=("en", "de", "fr", "es", "it", "nl", "pt", "ja", "zh"),
)
def test_reads_the_rules_for_the_bid_and_none_for_the_work(text: str, language: str, expected: list[str]) -> None:
    assert rules(text, language) == expected


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
    assert (rules(f"{denied}\n", language), rules(f"{said}\n", language)) == ([], ["exclusion : "])


def test_reads_no_rule_of_a_real_request_that_it_does_not_have() -> None:
    found = rules((LABELLED / "fedramp-dashboard-rfq.md").read_text(), "en")
    assert [one for one in found if not one.startswith("exclusion")] == [
        "paper : letter",
        "page_limit technical quotation: 5",
        "validity : 45 days",
        "page_limit cover page: 1 advised",
    ]
    found = rules((LABELLED / "alaska-search-rfp.md").read_text(), "en")
    assert [one for one in found if not one.startswith(("exclusion", "criterion"))] == [
        "page_limit : 9",
        "copies : 1",
        "validity : 90 days",
        "page_limit : 7 advised",
        "order : ",
    ]
    assert len([one for one in found if one.startswith("criterion")]) == 8


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


@pytest.mark.parametrize("piece", ["proposal 5 pages max ", "in English proposals 12 point ", "Price 10 %.\n\n- "])
def test_twice_as_much_hostile_text_is_about_twice_the_work(piece: str) -> None:
    def work(times: int) -> int:
        source = Source("a.md", f"# Proposal format\n\n{(piece * 30 + '.') * times}\n", "en")
        return calls(lambda: read_rules([source]))

    assert work(80) < 2.5 * work(40)
