"""Which units demand something: by their own words, by what announces them, and which do not."""

import pytest
from stemma_evidence.requirements import requirements, units
from stemma_testkit.counting import calls

pytestmark = pytest.mark.req("L1")


def found(text: str, language: str = "en") -> dict[str, tuple[str, str]]:
    return {one.unit.text: (one.kind, one.obligation) for one in requirements(text, language)}


def test_a_unit_has_its_headings_its_line_its_place_and_what_announces_it() -> None:
    text = "# Bid\n\n## Work\n\nThe Contractor shall:\n\n- run *daily*\n  backups. Weekly, too.\n"
    *headings, first, _, third = units(text, "en")
    assert [(one.form, one.text, one.path) for one in headings] == [
        ("heading", "Bid", ()),
        ("heading", "Work", ("Bid",)),
    ]
    assert first.text == "The Contractor shall:"
    assert first.path == ("Bid", "Work")
    assert third.text == "Weekly, too."
    assert third.leads == ("The Contractor shall:",)
    second = next(unit for unit in units(text, "en") if unit.line == 7)
    assert second.text == "run daily backups."
    assert text[second.start : second.end] == "run *daily*\n  backups."


def test_items_inherit_what_announces_their_list_through_nested_ones_too() -> None:
    text = "The Contractor shall:\n\n- train\n  - users, and\n  - staff\n\nGood luck.\n"
    assert set(found(text)) == {"train", "users, and", "staff"}


def test_paragraphs_that_begin_like_items_inherit_too() -> None:
    text = "The Contractor shall:\n\na) deliver reports\n\nb) keep records\n\nThe records are old.\n"
    assert set(found(text)) == {"a) deliver reports", "b) keep records"}


def test_rows_of_a_table_of_demands_are_demands() -> None:
    text = "## Deliverables\n\n| Deliverable | Due |\n|---|---|\n| Plan | 3 days after award |\n"
    assert found(text) == {"Plan | 3 days after award": ("work", "mandatory")}


@pytest.mark.parametrize(
    "sentence",
    [
        "The Government shall pay within 30 days.",
        "All reports shall be inspected by the Government.",
        "The offeror may visit the site.",
        "A site visit is not required.",
        "The State reserves the right to reject all proposals.",
        "Offerors will be notified of the result.",
        "Offerors may be required to attend.",
        '"Work" means what the contractor does.',
        "The product team will evaluate all libraries.",
        "The Government requires all federal agencies to have a certificate.",
        "Nothing in this part shall be construed to require a visit.",
        "Bidders should note that the site is closed in May.",
        "Desired Skills and Knowledge",
    ],
)
def test_what_the_buyer_does_what_is_allowed_and_what_is_not_required_is_no_demand(sentence: str) -> None:
    assert found(f"# Scope\n\n{sentence}\n") == {}


@pytest.mark.parametrize("mark", ["- ", "a) ", ""])
def test_what_a_list_of_what_is_not_required_names_is_no_demand(mark: str) -> None:
    assert found(f"The vendor will not be required to do the following:\n\n{mark}Provide hosting\n") == {}


@pytest.mark.parametrize(
    "sentence",
    [
        "The team will evaluate all libraries.",
        "The Government requires all vendors to have a certificate.",
        "The Government requires that the vendor gives the agencies a certificate.",
        "Bidders should note in their plan how the site is reached.",
        "Desired are skills and knowledge",
    ],
)
def test_what_only_looks_like_that_is_one(sentence: str) -> None:
    assert list(found(f"# Scope\n\n{sentence}\n")) == [sentence]


def test_a_body_that_the_text_gives_a_short_name_is_a_buyer() -> None:
    named = "The Office of Harbour Works (OHW) asks for proposals.\n\n"
    assert found(f"{named}The OHW shall provide access.\n") == {}
    assert found("The OHW shall provide access.\n") != {}


def test_kinds_and_obligations_are_told_apart() -> None:
    text = """# RFP 7

## Instructions to offerors

The offeror shall submit its proposal by noon. The offeror shall submit a signed certification form with its proposal.
Resumes should be short. Please subscribe to updates if you would like.

## Work

The contractor shall test the software.

## Evaluation

The Government will evaluate the offeror's approach. Late proposals will not be considered.
"""
    assert list(found(text).values()) == [
        ("instruction", "mandatory"),
        ("form", "mandatory"),
        ("instruction", "should"),
        ("instruction", "option"),
        ("work", "mandatory"),
        ("evaluation", "mandatory"),
        ("evaluation", "mandatory"),
    ]


def test_german_demands_are_found_and_what_is_none_is_not() -> None:
    text = """## Leistungen

Die Stadt betreibt ein Archiv. Der Auftragnehmer hat die Daten monatlich zu sichern.
Das System soll leicht bedienbar sein. Der Auftraggeber stellt die Räume.
Eine Schulung ist nicht erforderlich. Alle Schnittstellen sind zu dokumentieren.

Dem Angebot sind folgende Unterlagen beizufügen:

- drei Referenzen
"""
    assert found(text, "de") == {
        "Der Auftragnehmer hat die Daten monatlich zu sichern.": ("work", "mandatory"),
        "Das System soll leicht bedienbar sein.": ("work", "should"),
        "Alle Schnittstellen sind zu dokumentieren.": ("work", "mandatory"),
        "drei Referenzen": ("instruction", "mandatory"),
    }


def test_german_lists_behind_a_verb_of_one_word_are_demands_and_what_only_looks_like_one_is_none() -> None:
    text = """Der Bieter hat folgende Unterlagen vorzulegen:

- den Preisbogen,
- zwei Referenzen.

Die Bieter haben ihre Eignung nachzuweisen. Der Auftragnehmer hat die Anzugsordnungen gekannt.

Die Vergabestelle hat die Pläne bereitzustellen.
"""
    assert found(text, "de") == {
        "den Preisbogen,": ("instruction", "mandatory"),
        "zwei Referenzen.": ("instruction", "mandatory"),
        "Die Bieter haben ihre Eignung nachzuweisen.": ("instruction", "mandatory"),
    }


def test_german_terms_of_offers_are_demands_and_wishes_of_politeness_are_none() -> None:
    text = """# Teilnahmebedingungen

Nebenangebote sind nicht zugelassen. Die Angebotsfrist endet am 12. März 2027 um 14:00 Uhr.
Wir erwarten eine Beschreibung Ihres Konzepts. Wir wünschen Ihnen viel Erfolg.
"""
    assert list(found(text, "de")) == [
        "Nebenangebote sind nicht zugelassen.",
        "Die Angebotsfrist endet am 12. März 2027 um 14:00 Uhr.",
        "Wir erwarten eine Beschreibung Ihres Konzepts.",
    ]


def test_french_demands_are_found_and_what_is_none_is_not() -> None:
    text = """## Prestations

La ville gère un fonds depuis 1998. Le titulaire est tenu de former le personnel. Le titulaire assurera la maintenance.
L'acheteur met les locaux à disposition. La visite n'est pas obligatoire. L'interface devrait être simple.

Le candidat remet les pièces suivantes :

- le formulaire DC1 signé
"""
    assert found(text, "fr") == {
        "Le titulaire est tenu de former le personnel.": ("work", "mandatory"),
        "Le titulaire assurera la maintenance.": ("work", "mandatory"),
        "L'interface devrait être simple.": ("work", "should"),
        "le formulaire DC1 signé": ("instruction", "mandatory"),
    }


@pytest.mark.parametrize(
    "unit",
    [
        "The contractor shall and may not ",
        "- a) the contractor shall:\n",
        "  - x:\n",
        "> shall: ",
        "Administrative Office of the ",
        "if the offeror must, ",
        "| must | shall |\n|---|---|\n",
        "# shall include the following:\n\n",
    ],
)
def test_time_grows_with_the_length_of_a_hostile_text(unit: str) -> None:
    def read(times: int) -> int:
        return calls(lambda: list(requirements(unit * times, "en")))

    assert read(400) < 2.5 * read(200)


def test_a_short_name_of_a_german_party_counts_as_the_whole_and_a_preposition_or_a_company_does_not() -> None:
    text = """Der AN stellt ein Team. AN hat Protokolle vorzulegen. Das Protokoll ist dem AG vorzulegen.
Der AG muss die Räume öffnen. An das Amt schreibt die Siemens AG. Der AG wird den AN informieren."""
    spelled = (
        text.replace("AN ", "Auftragnehmer ")
        .replace("dem AG", "dem Auftraggeber")
        .replace("Der AG", "Der Auftraggeber")
    )
    found = [one.unit.text for one in requirements(text, "de")]
    assert found == ["Der AN stellt ein Team.", "AN hat Protokolle vorzulegen.", "Das Protokoll ist dem AG vorzulegen."]
    assert len(list(requirements(spelled, "de"))) == len(found)


def test_only_what_says_that_a_list_follows_announces_its_items() -> None:
    text = (
        "We live by the sea.\n\n- Name your zoologist.\n\nThe contractor shall:\n\n- keep records\n\n"
        "Offers shall have the following parts.\n\n- Describe your boats.\n"
    )
    assert [(one.unit.text, one.announced_by) for one in requirements(text, "en")] == [
        ("Name your zoologist.", ""),
        ("keep records", "The contractor shall:"),
        ("Offers shall have the following parts.", ""),
        ("Describe your boats.", "Offers shall have the following parts."),
    ]


@pytest.mark.parametrize(
    ("language", "text", "number"),
    [
        ("fr", "Le gardiennage inclut les missions suivantes (liste non exhaustive) :\n\n- Contrôler l'accès ;\n", 1),
        ("en", "The service has the following tasks:\n\n- Night rounds of both sites\n", 1),
        ("de", "Für die Leistungen gelten folgende Unterlagen:\n\n- das Angebot des AN\n", 0),
        ("en", "If none exist, state so.", 1),
        ("en", "The contractor needs experience with SQL.", 1),
        ("de", "Die Agentur gestaltet eine Seite.", 1),
        ("it", "Il fornitore è inoltre tenuto a comunicare i codici.", 1),
        ("es", "La duración de la sociedad no será inferior a la del plazo.", 1),
        ("pt", "O prazo de validade não será inferior a 60 dias.", 1),
        ("ja", "リーダーは実務を担う。", 1),
    ],
)
def test_reads_lists_of_tasks_duties_behind_conditions_and_least_terms(language: str, text: str, number: int) -> None:
    assert [one.obligation for one in requirements(text, language)] == ["mandatory"] * number


LANGUAGES = {
    "en": (
        "The contractor shall train ten users.",
        "The supplier should propose a shorter term.",
        "The bidder need not visit the site.",
    ),
    "de": (
        "Der Auftragnehmer muss zehn Nutzer schulen.",
        "Die Lösung sollte barrierefrei sein.",
        "Der Bieter muss nicht anreisen.",
    ),
    "fr": (
        "Le titulaire doit former dix agents.",
        "Une visite est souhaitable.",
        "La traduction n'est pas exigée.",
    ),
    "es": (
        "El adjudicatario formará a diez usuarios.",
        "Se recomienda visitar el centro.",
        "No será necesario traducir los certificados.",
    ),
    "it": (
        "L'appaltatore forma dieci utenti e dovrà consegnare i manuali.",
        "È auspicabile un sopralluogo.",
        "La traduzione non è richiesta.",
    ),
    "nl": (
        "De opdrachtnemer traint tien gebruikers en levert handleidingen.",
        "Een locatiebezoek is wenselijk.",
        "De inschrijver hoeft geen vertaling te leveren.",
    ),
    "pt": (
        "A contratada treinará dez usuários.",
        "Recomenda-se a visita técnica.",
        "Não será exigida a tradução dos certificados.",
    ),
    "ja": (
        "受注者は、利用者10名に研修を行うこと。",
        "国産の製品が望ましい。",
        "翻訳文の添付は必要ない。",
    ),
    "zh": (
        "中标人须培训十名用户。",
        "建议供应商采用国产产品。",
        "供应商无需提供译文。",
    ),
}


@pytest.mark.req("B5")
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_request_is_read_in_each_language_in_which_documents_are_written(language: str) -> None:
    must, should, denied = LANGUAGES[language]
    read = found(f"# 1\n\n{must}\n\n{should}\n\n{denied}\n", language)
    assert {text: obligation for text, (_, obligation) in read.items()} == {must: "mandatory", should: "should"}


@pytest.mark.req("B5")
@pytest.mark.parametrize(
    ("language", "legend", "column", "grades"),
    [
        ("en", "", "Obligation", ("MUST", "SHOULD", "MAY")),
        ("en", "M means mandatory, D means desirable, O means optional.", "M/D", ("M", "D", "O")),
        ("en", "Mandatory (A), desirable (B) and optional (C) are told apart.", "Class", ("A", "B", "C")),
        ("de", "", "Muss/Soll/Kann", ("MUSS", "SOLL", "KANN")),
        ("de", "A = zwingend, B = wünschenswert, C = optional", "Klasse", ("A", "B", "C")),
        ("fr", "", "Exigence", ("DOIT", "DEVRAIT", "PEUT")),
        ("es", "", "Carácter", ("Obligatorio", "Deseable", "Opcional")),
        ("it", "", "Priorità", ("Obbligatorio", "Desiderabile", "Facoltativo")),
        ("nl", "", "Eis/wens", ("Eis", "Wens", "Optioneel")),
        ("pt", "", "Prioridade", ("Obrigatório", "Desejável", "Opcional")),
        ("ja", "", "区分", ("必須", "推奨", "任意")),
        ("zh", "", "重要性", ("必须", "建议", "可选")),
    ],
)
def test_a_column_or_a_legend_says_how_strictly_each_row_of_a_table_is_meant(
    language: str, legend: str, column: str, grades: tuple[str, ...]
) -> None:
    rows = "".join(f"| F{number} | Export CSV 500 | {grade} |\n" for number, grade in enumerate(grades))
    text = f"# F\n\n{legend}\n\n| No. | Text | {column} |\n| --- | --- | --- |\n{rows}"
    read = [one.obligation for one in requirements(text, language) if one.unit.form == "row"]
    assert read == ["mandatory", "should", "option"]


def test_a_column_of_each_grade_may_be_ticked_and_a_row_without_a_grade_is_a_demand_too() -> None:
    ticked = "| Text | Must | Should |\n|---|---|---|\n| Export CSV | x | |\n| Dark colours | | x |\n"
    assert [one[1] for one in found(ticked).values()] == ["mandatory", "should"]
    bare = "| No. | Text | Obligation |\n|---|---|---|\n| F1 | Export CSV | |\n"
    assert [one[1] for one in found(bare).values()] == ["mandatory"]


def test_the_table_of_a_legend_demands_nothing() -> None:
    assert found("| Class | Meaning |\n|---|---|\n| M | Mandatory |\n| D | Desirable |\n") == {}


QUESTIONS = """# Questions and answers

## Question 14

Must the bidder provide a crane? We think that bidders must have one.

Answer: No. A hired crane is sufficient.

## Question 15

Q: Is it required that the contractor shall work at night?
A: The contractor shall work at night if the harbour master orders it.

| Question | Answer |
| --- | --- |
| Must bidders have a yard? | A yard is of no interest. |
| May we come by boat? | Bidders must come by road. |

## Submission

Questions must be sent by 3 April 2027.
"""


@pytest.mark.req("B5")
def test_of_questions_and_answers_only_an_answer_demands() -> None:
    assert set(found(QUESTIONS)) == {
        "The contractor shall work at night if the harbour master orders it.",
        "Bidders must come by road.",
        "Questions must be sent by 3 April 2027.",
    }


@pytest.mark.req("B5")
def test_an_answer_is_quoted_from_its_first_word_on_whatever_letters_it_has() -> None:
    assert set(found("Antwort: Die Straße muss außen gereinigt werden.", "de")) == {
        "Die Straße muss außen gereinigt werden."
    }


def test_a_heading_of_nearly_nothing_but_spaces_is_read_at_once() -> None:
    [heading] = units("# page 1" + " " * 200_000 + "x\n", "en")
    assert heading.text == "page 1 x"


@pytest.mark.parametrize("marks", [("~~", "~~"), ("<del>", "</del>"), ("<s>", "</s>")])
def test_what_is_struck_out_demands_nothing_and_all_else_stays_in_its_place(marks: tuple[str, str]) -> None:
    text = f"{marks[0]}The bidder shall pay.{marks[1]}\n\nThe contractor shall {marks[0]}sing{marks[1]} dance.\n"
    (one,) = requirements(text, "en")
    assert one.unit.text == "The contractor shall dance."
    assert (one.unit.line, text[one.unit.start :][:14]) == (3, "The contractor")


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("de", "Beendet der Auftraggeber die Nutzung, ist das System wieder freizugeben und zu löschen."),
        ("de", "Zudem beachtet der Auftragnehmer die durch den Auftraggeber gesetzten Regeln."),
        ("fr", "Le titulaire précisera les supports de la documentation."),
        ("es", "Se entregará el código fuente."),
        ("pt", "O prazo de entrega dos bens é de 10 dias."),
        ("ja", "記載した書類(以下「入札書」という。)を提出すること。"),
        ("zh", "投标有效期：90 天"),
    ],
)
def test_a_demand_is_found_whatever_the_order_of_its_words_and_whoever_else_is_named(
    language: str, sentence: str
) -> None:
    assert set(found(f"# 1\n\n{sentence}\n", language)) == {sentence}


def test_what_bidders_and_buyers_are_free_to_do_is_no_demand_in_dutch() -> None:
    offered = "Het is mogelijk vragen te stellen.\n\nDe gemeente geeft een toelichting."
    assert found(f"# 1\n\n{offered}\n\nDe huidige applicatie toont alleen de naam.\n", "nl") == {}


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("pt", "O fiscal do contrato verificará as condições de habilitação da contratada, acompanhará o empenho."),
        ("es", "El pago del contrato se efectuará mediante transferencia."),
        ("en", "The Government will send the plans of the contractor to the county."),
        ("zh", "□ 供应商必须提供样品"),
    ],
)
def test_what_a_buyer_does_with_a_party_or_leaves_unticked_is_no_demand(language: str, sentence: str) -> None:
    assert found(f"# 1\n\n{sentence}\n", language) == {}


def test_what_is_announced_right_before_a_heading_or_in_an_item_holds_for_the_list_below() -> None:
    text = "- 10.3 The bidder shall:\n\n## Papers\n\n- a register\n- a tax number\n\nGood luck.\n"
    assert set(found(text)) == {"a register", "a tax number"}


def test_items_of_one_list_inherit_what_a_numbered_item_above_them_announces() -> None:
    text = "- 4.11. All crates shall be:\n- 4.11.1. clean\n- 4.11.2. dry\n- a) marked\n- 4.12. The harbour is old\n"
    assert set(found(text)) == {"4.11.1. clean", "4.11.2. dry", "a) marked"}


def test_items_right_below_a_heading_of_requirements_are_demands_and_those_below_others_are_not() -> None:
    items = "- Traffic over HTTPS\n- Links that expire\n"
    assert len(found(f"# System\n\n## Non-functional requirements\n\n### Security\n\n{items}")) == 2
    assert found(f"# System\n\n## Background\n\n{items}") == {}


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("es", "El sistema enviará un aviso."),
        ("fr", "Les formations auront lieu au siège."),
        ("de", "Die Prüfung ist unter Beachtung der Belange des Auftragnehmers durchzuführen."),
        ("pt", "Não é admitida a subcontratação."),
        ("it", "Il servizio comprende la manutenzione."),
        ("nl", "De software toont elke wijziging."),
        ("nl", "De applicatie wordt in Nederland gehost."),
        ("nl", "Het is niet mogelijk een regel te wissen."),
        ("nl", "De oplossing neemt alle gegevens uit de huidige applicatie over."),
    ],
)
def test_what_a_system_does_and_what_is_to_be_done_without_a_party_is_a_demand(language: str, sentence: str) -> None:
    assert set(found(f"# 1\n\n{sentence}\n", language)) == {sentence}


def test_a_heading_that_is_a_sentence_is_a_demand_and_the_lead_of_its_list_and_a_title_is_none() -> None:
    text = """# 4 Mandatory Requirements for the Contractor and its Personnel

## 4.1 Mandatory requirements

### 4.1.1 The system SHALL keep a log of each change for seven years.

### 4.1.2 The system MAY provide the following ways to log in:

- a badge

Rationale: Staff should not need passwords.

- Page 3 of 9
"""
    assert found(text) == {
        "4.1.1 The system SHALL keep a log of each change for seven years.": ("work", "mandatory"),
        "4.1.2 The system MAY provide the following ways to log in:": ("work", "option"),
        "a badge": ("work", "option"),
    }


@pytest.mark.req("B5")
def test_lines_of_a_paragraph_that_begin_with_marks_are_items_whose_kinds_of_marks_are_their_levels() -> None:
    text = (
        "(1) 企画書\nア 参加者は、次の事項を明確にした企画書を作成すること。\n(ア) 調査の方法\n(イ) 実施体制\n"
        "イ 複数の提案は認めない。なお、様式は任意である。\n"
    )
    assert [(one.unit.text, one.announced_by) for one in requirements(text, "ja")] == [
        ("ア 参加者は、次の事項を明確にした企画書を作成すること。", ""),
        ("(ア) 調査の方法", "ア 参加者は、次の事項を明確にした企画書を作成すること。"),
        ("(イ) 実施体制", "ア 参加者は、次の事項を明確にした企画書を作成すること。"),
        ("イ 複数の提案は認めない。", ""),
        ("なお、様式は任意である。", ""),
    ]
    inline = "Une livraison doit comprendre :\n• le code source\n• un document\n\n# Page 17\n\n• la licence\n"
    assert [*found(inline, "fr")] == ["• le code source", "• un document", "• la licence"]


def test_a_bullet_of_a_symbol_font_is_a_mark_and_items_of_an_aim_are_no_tasks() -> None:
    assert found("Ces tests ont pour objectif de :\n\n\uf0b7 Vérifier la conception ;\n", "fr") == {}
    text = "業務計画書には、次に掲げる事項を含めること。\n\n\uf0b7 目的と範囲\n\n\uf0b7 日程\n"
    assert [*found(text, "ja")] == ["業務計画書には、次に掲げる事項を含めること。", "\uf0b7 目的と範囲", "\uf0b7 日程"]


def test_the_rest_of_an_item_in_a_line_of_its_own_does_not_end_the_list() -> None:
    rest = "The supplier shall provide:\n\n• help to the users of the\n\nnew portal\n\n• training\n\nThank you.\n"
    assert [*found(rest)] == ["• help to the users of the", "new portal", "• training"]


def test_the_items_below_a_heading_of_functional_features_are_demands() -> None:
    text = "## 4. Non-Functional Features\n\na) Responsiveness: Optimized for tablets.\n\nb) Tooltips in each table.\n"
    assert [*found(text)] == ["a) Responsiveness: Optimized for tablets.", "b) Tooltips in each table."]


def test_what_has_a_number_of_a_series_of_demands_is_one() -> None:
    text = "REQ-1 The system shall log in users.\n\nREQ-2 Export to CSV\n\nREQ-3 Dark colours\n\nAP1 Start\n\nAP2 End\n"
    assert [*found(text)] == ["REQ-1 The system shall log in users.", "REQ-2 Export to CSV", "REQ-3 Dark colours"]


def test_a_criterion_with_its_weight_is_a_demand_of_evaluation_and_a_total_is_none() -> None:
    text = "# Evaluation\n\n| Criterion | Weight |\n|---|---|\n| Quality of the plan | 40 % |\n| Total | 100 % |\n"
    assert found(text) == {"Quality of the plan | 40 %": ("evaluation", "mandatory")}


@pytest.mark.req("B5")
@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("de", "Die Preise sind unter Angabe der Mengen (§ 3 Abs. 2) aufzuschlüsseln."),
        ("de", "Bietergemeinschaften haben in ihren Angeboten alle Mitglieder sowie einen bevollmächtigten Vertreter "
        "für den Abschluss und die Durchführung des Vertrages zu benennen."),
        ("de", "Die Grafiken werden vom Auftragnehmer in zwei Sprachen entwickelt."),
        ("de", "Zu jeder Grafik wird eine kleine Fassung erstellt."),
        ("fr", "Chaque intervention fera l'objet d'un rapport."),
        ("fr", "Les demandes urgentes sont prises en charge par le prestataire."),
        ("fr", "La maintenance comprend la mise à jour de la documentation."),
        ("fr", "Les autres matériels sont à la charge du titulaire."),
        ("fr", "Le titulaire désigne un chef de projet."),
        ("es", "Para ello, aportará una verificación del poder."),
        ("es", "Devolver los datos al terminar el contrato."),
        ("es", "El servicio comprende la atención a usuarios."),
        ("pt", "Devolver os dados ao fim do contrato."),
        ("it", "Restituire i dati al termine del contratto."),
        ("ja", "運用に必要な手順書を作成する。"),
        ("ja", "契約の終了後にデータを廃棄することとし、証明書を提出する．"),
        ("de", "Das Tracking darf erst nach der Zustimmung beginnen."),
        ("de", "Zum Leistungsumfang gehört auch die Prüfung nach dem Start."),
        ("de", "Der Auftraggeber muss in der Lage sein, Begriffe zu ergänzen."),
        ("fr", "Les tests de robustesse sont sous la responsabilité du titulaire."),
        ("fr", "Il est demandé au titulaire de ne livrer que des logiciels maintenus."),
        ("fr", "Le périmètre des prestations correspond aux activités de pilotage."),
        ("en", "Interested agencies are requested to send two PDFs."),
        ("es", "Asimismo, participará en las pruebas de seguridad."),
        ("es", "Tiempo máximo de respuesta: 60 minutos."),
        ("ja", "次の観点を踏まえ、活用の方法を具体化する。"),
        ("ja", "必要な対策を講じること（以下の記載は基本的な事項）。"),
        ("ja", "複製が不要となり次第、データを消去すること。"),
        ("en", "The Client must be able to add its own keywords."),
        ("en", "Map navigation: Include pan and zoom controls."),
        ("en", "# Objectives\n\n## a) Integrate data from the surveys of each district.\n"),
        ("en", "Migrate the existing records."),
        ("en", "No changes will be permitted after the opening."),
    ],
)  # fmt: skip
def test_a_duty_is_found_in_each_form_in_which_a_language_says_one(language: str, sentence: str) -> None:
    assert [*found(sentence, language)] == [sentence.split("# ")[-1].strip()]


@pytest.mark.req("B5")
@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("de", "Als Bundeseinrichtung ist der AG verpflichtet, einen barrierefreien Zugang zu gewährleisten."),
        ("de", "Sie werden auf der Homepage genutzt, wo sie jede Person findet."),
        ("de", "Ziel ist es, die Öffentlichkeit zu informieren."),
        ("de", "Die Übersetzung wird durch den Auftraggeber zur Verfügung gestellt."),
        ("de", "Die Daten haben sich in allen Nutzungen bewährt."),
        ("fr", "Les documents seront fournis au titulaire."),
        ("fr", "Le service central mettra un accès à disposition du titulaire."),
        ("fr", "Le terme « anomalie » désigne un défaut."),
        ("es", "Para la adjudicación se aplicará el procedimiento abierto."),
        ("es", "Lugar de la prestación del servicio"),
        ("ja", "本市では毎年祭りを実施する。"),
    ],
)
def test_what_a_buyer_does_and_what_only_sounds_like_a_duty_is_none(language: str, sentence: str) -> None:
    assert found(sentence, language) == {}
