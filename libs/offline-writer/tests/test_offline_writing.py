"""What the offline writer quotes: every amount and date with its words, nothing that nobody said, no instruction."""

import json
import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import HumanMessage
from stemma_evidence import UNSUPPORTED, ground, read
from stemma_languages import language as language_of
from stemma_languages import shipped
from stemma_markdown import Document
from stemma_models.prompting import block
from stemma_offline_writer import OfflineWriter
from stemma_offline_writer.choosing import claimed
from stemma_offline_writer.material import Place
from stemma_offline_writer.reading import PassageReader
from stemma_offline_writer.reading import read as read_material
from stemma_testkit.counting import calls, characters
from stemma_testkit.plugin import examples

_CITED = re.compile(r"\s*\([^()]*\)\s*$")
OUTLINE = [
    ("research", "Research", "facts and people"),
    ("timeline", "Timeline", "dates"),
    ("budget", "Budget", "costs"),
]
# Of each language: sentences with an amount, with a date, without either, and instructions to a writer.
SENTENCES: dict[str, tuple[list[str], list[str], list[str], list[str]]] = {
    "en": (
        ["Planting costs EUR 4,250.", "The fence was quoted at $2 million by the builder."],
        ["The garden must open before 1 June 2027.", "The survey ended on 14 September 2026."],
        ["The lawn belongs to the town.", "Visitors like quiet places."],
        ["Say who needs it and what it costs.", "Describe the timeline."],
    ),
    "de": (
        ["Die Bepflanzung kostet 4.250 EUR.", "Der Zaun kostet 2,5 Mio. Euro."],
        ["Der Garten muss vor dem 1. Juni 2027 öffnen.", "Die Umfrage endete am 14. September 2026."],
        ["Der Rasen gehört der Stadt.", "Besucher mögen ruhige Orte."],
        ["Beschreiben Sie den Bedarf.", "Nennen Sie die Kosten."],
    ),
    "fr": (
        ["La plantation coûte 4 250 EUR.", "La clôture coûte 12 500 euros."],
        ["Le jardin doit ouvrir avant le 1er juin 2027.", "L'enquête a pris fin le 14 septembre 2026."],
        ["La pelouse appartient à la ville.", "Les visiteurs aiment le calme."],
        ["Décrivez le besoin.", "Veuillez indiquer les coûts."],
    ),
    "es": (
        ["La plantación cuesta 4.250 EUR.", "La valla cuesta 12.500 euros."],
        ["El jardín debe abrir antes del 1 de junio de 2027.", "La encuesta terminó el 14 de septiembre de 2026."],
        ["El césped pertenece a la ciudad.", "A los visitantes les gusta la calma."],
        ["Describa la necesidad.", "Indique los costos."],
    ),
    "it": (
        ["La piantumazione costa 4.250 EUR.", "Il recinto costa 12.500 euro."],
        ["Il giardino deve aprire prima del 1 giugno 2027.", "Il sondaggio è finito il 14 settembre 2026."],
        ["Il prato appartiene alla città.", "I visitatori amano la calma."],
        ["Descrivi il bisogno.", "Indicare i costi."],
    ),
    "nl": (
        ["De beplanting kost 4.250 EUR.", "Het hek kost 12.500 euro."],
        ["De tuin moet voor 1 juni 2027 open zijn.", "De enquête eindigde op 14 september 2026."],
        ["Het gazon is van de stad.", "Bezoekers houden van rust."],
        ["Beschrijf de behoefte.", "Noem de kosten."],
    ),
    "pt": (
        ["O plantio custa 4.250 EUR.", "A cerca custa 12.500 euros."],
        ["O jardim deve abrir antes de 1 de junho de 2027.", "A pesquisa terminou em 14 de setembro de 2026."],
        ["O gramado pertence à cidade.", "Os visitantes gostam de calma."],
        ["Descreva a necessidade.", "Indique os custos."],
    ),
    "ja": (
        ["植栽には425万円かかります。", "柵の費用は120,000円です。"],
        ["庭園は2027年6月1日までに開園します。", "調査は2026年9月14日に終わりました。"],
        ["芝生は町のものです。", "来館者は静かな場所を好みます。"],
        ["必要性を説明してください。", "費用を記載すること。"],
    ),
    "zh": (
        ["种植费用为4250元。", "围栏费用为12万元。"],
        ["花园必须在2027年6月1日前开放。", "调查于2026年9月14日结束。"],
        ["草坪属于市政府。", "访客喜欢安静的地方。"],
        ["请说明需求。", "列出费用。"],
    ),
}


def prompt(name: str, language: str, brief: str, inputs: dict[str, str], collects: str = "", headings: str = "") -> str:
    title, purpose = next((title, purpose) for key, title, purpose in OUTLINE if key == name)
    about = {"id": name, "kind": name, "title": title, "language": language}
    return "\n".join(
        [
            block("task", "section"),
            block("section", purpose, **about, **({"collects": collects} if collects else {})),
            block("outline", [block("entry", p, id=key, kind=key, title=t) for key, t, p in OUTLINE]),
            *([block("headings", headings)] if headings else []),
            block("brief", brief),
            *(block("evidence", text, name=file) for file, text in inputs.items()),
        ]
    )


def written(text: str) -> str:
    return OfflineWriter().invoke([HumanMessage(text)]).text


def words(text: str) -> str:
    return "".join(char for char in Document(text).plain if char.isalnum())


@st.composite
def cases(draw: st.DrawFn) -> tuple[str, list[str], list[str], str, str]:
    tag = draw(st.sampled_from(sorted(shipped())))
    amounts, dates, others, asked = SENTENCES[tag]
    facts = draw(st.permutations([*amounts, *dates, *others]))
    orders = draw(st.permutations(asked))
    joint = "" if tag in ("ja", "zh") else " "
    ends = sorted(draw(st.sets(st.integers(1, len(facts) - 1), max_size=3)) | {0, len(facts)})
    pieces = [joint.join(facts[a:b]) for a, b in pairwise(ends)]
    shape = draw(st.sampled_from(["{}", "- {}", "## Part {{}}\n\n{}", "> {}", "| | |\n|-|-|\n| {} | x |"]))
    text = "\n\n".join(shape.format(piece).replace("{}", str(n)) for n, piece in enumerate(pieces))
    return tag, amounts, dates, joint.join(orders), f"# A\n\n{text}\n"


@pytest.mark.req("T3", "T4", "T5", "T9")
@given(cases())
@examples(60)
def test_every_amount_and_date_is_there_with_its_words_and_nothing_else_is(
    case: tuple[str, list[str], list[str], str, str],
) -> None:
    tag, amounts, dates, brief, facts = case
    sources = [
        read(facts, "text/markdown", tag, standing="input", name="facts.md"),
        read(brief, "text/markdown", tag, standing="brief", name=language_of(tag).words.brief),
    ]
    for name, collects, wanted in (("budget", "amounts", amounts), ("timeline", "dates", dates)):
        draft = written(prompt(name, tag, brief, {"facts.md": facts}, collects))
        assert [sentence for sentence in wanted if words(sentence) not in words(draft)] == []
        assert not [s for s in SENTENCES[tag][3] if words(s) in words(draft)]
        own = [title for _, title, _ in OUTLINE]
        grounded = ground(read(draft, "text/markdown", tag, standing="draft", name=""), sources, own)
        assert [(g.claim.kind, g.claim.text) for g in grounded if g.standing == UNSUPPORTED] == []
        quoted = (_CITED.sub("", sentence.text) for sentence in Document(draft).sentences(tag))
        told = (sentence for sentence in quoted if not sentence.startswith(f"{language_of(tag).words.table}: "))
        assert [sentence for sentence in told if words(sentence) not in words(facts)] == []


CSV = {
    "comma": "Item,Price (EUR),Ordered\nWindows,12400.50,2027-02-01\nShelves,6250,2027-03-01\n",
    "semicolon": "Item;Price (EUR);Ordered\nWindows;12400,50;2027-02-01\nShelves;6250;2027-03-01\n",
    "tab": "Item\tPrice (EUR)\tOrdered\nWindows\t12400,50\t2027-02-01\nShelves\t6250\t2027-03-01\n",
}


@pytest.mark.req("T3")
@pytest.mark.parametrize("delimiter", CSV)
def test_a_file_of_values_is_quoted_as_a_table_with_its_numbers_as_they_stand(delimiter: str) -> None:
    text = prompt("budget", "en", "A reading room.", {"quotes.csv": CSV[delimiter]}, "amounts", "- Costs")
    draft = written(text)
    price = "12400.50" if delimiter == "comma" else "12400,50"
    assert f"| Windows | {price} | 2027-02-01 |\n| Shelves | 6250 | 2027-03-01 |" in draft
    assert "Table: quotes (quotes.csv)" in draft


@pytest.mark.req("T3")
def test_json_is_quoted_with_its_keys_and_its_numbers_as_they_stand() -> None:
    data = '{"offer": {"price": "EUR 4250.00", "valid": "1 June 2027", "items": [{"name": "Lamp", "EUR": 18.50}]}}'
    draft = written(prompt("budget", "en", "A room.", {"offer.json": data}, "amounts", "- Costs"))
    assert "| price | EUR 4250.00 |" in draft
    assert "| Lamp | 18.50 |" in draft
    assert "Table: items (offer.json, items)" in draft


@pytest.mark.req("B1", "B2")
@pytest.mark.parametrize("tag", sorted(shipped()))
def test_what_is_not_ours_stands_in_no_text_and_a_heading_without_evidence_is_open(tag: str) -> None:
    amounts, dates, others, asked = SENTENCES[tag]
    blocks = [block("request", " ".join([*amounts, *dates]), name="rfp.md"), block("evidence", "")]
    blocks += [block("internal", " ".join(others), name="mail.md"), block("price", "", name="empty.csv")]
    blocks += [block("guidance", " ".join(asked)), block("upstream", "# R\n\nEUR 5.", id="research", title="R")]
    draft = written("\n".join([prompt("timeline", tag, asked[0], {}, "dates", "- Milestones\n- Next"), *blocks]))
    assert draft == "# Timeline\n\n## Milestones\n\n## Next\n"


@pytest.mark.req("T3")
def test_no_sentence_stands_twice_and_every_quotation_names_file_and_heading() -> None:
    facts = "# Facts\n\nPlanting costs EUR 4,250.\n"
    draft = written(prompt("budget", "en", "A lawn.", {"a.md": facts, "b.md": facts}, "amounts", "- Costs"))
    assert draft.count("Planting costs EUR 4,250.") == 1
    assert "Planting costs EUR 4,250. (a.md, Facts)" in draft


@pytest.mark.req("T4")
def test_what_a_person_dictates_stands_and_how_it_was_asked_does_not() -> None:
    text = prompt("budget", "en", "A lawn.", {"a.md": "Planting costs EUR 4,250.\n"}, "amounts", "- Costs")
    draft = written(f"{text}\n{block('guidance', 'Say that the council pays. Write it in verse.')}")
    assert "The council pays." in draft
    assert "Say that" not in draft
    assert "verse" not in draft


RFP = """# Terms

- [Exhibit 2. Costs](#costs)

4.2. The lamp costs EUR 4,250, its colour is TBD.

See www.example.org for what it costs: EUR 10.

Testing - Describe your tests, which cost EUR 77.

Provide a lamp for EUR 20.** It must shine for EUR 30.
"""


@pytest.mark.req("T3", "T4")
def test_of_a_call_for_proposals_stands_what_it_states_in_whole_sentences_and_not_what_it_asks_the_writer() -> None:
    draft = written(prompt("budget", "en", "A lamp.", {"terms.md": RFP}, "amounts", "- Costs"))
    assert "4.2. The lamp costs EUR 4,250, its colour is to be determined." in draft
    assert "See <http://www.example.org> for what it costs: EUR 10." in draft
    assert "Provide a lamp for EUR 20. It must shine for EUR 30." in draft
    assert "\n\nTesting - " not in draft
    assert "Exhibit 2" not in draft


@pytest.mark.req("T3")
def test_a_picture_that_is_called_as_its_file_has_the_heading_above_it_as_its_caption() -> None:
    facts = "# Costs of the lamp\n\n![image1](media/image1.png)\n"
    images = block("images", "- media/image1.png: image1")
    draft = written(f"{prompt('budget', 'en', 'A lamp.', {'a.md': facts}, 'amounts', '- Costs')}\n{images}")
    assert "![Costs of the lamp](media/image1.png)" in draft
    draft = written(f"{prompt('budget', 'en', 'A lamp.', {'a.md': '![](media/image1.png)'}, 'amounts')}\n{images}")
    assert "image1" not in draft, "nothing describes it"


WHOLE = """# Terms

The garden must:

- cost at most EUR 900;
- hold
  - 12 benches for EUR 80 each
  - a gate.

The town has a lamp. It costs EUR 70.

The bridge costs EUR 60 and

B. the applicable portion of EUR 50; and

Bidders must hand in an offer of EUR 40.

This document costs EUR 30.
"""


@pytest.mark.req("T3", "T4")
def test_a_list_stands_with_its_lead_in_and_half_a_sentence_or_one_for_bidders_does_not() -> None:
    draft = written(prompt("budget", "en", "A garden.", {"terms.md": WHOLE}, "amounts", "- Costs"))
    assert "The garden must:\n\n- cost at most EUR 900;\n- hold\n  - 12 benches for EUR 80 each\n  - a gate. (" in draft
    assert "The town has a lamp. It costs EUR 70. (terms.md, Terms)" in draft
    assert not any(words in draft for words in ("bridge", "portion", "Bidders", "document"))


@pytest.mark.req("T3")
@pytest.mark.parametrize(
    ("tag", "sentence"),
    [("ja", "求人倍率は３．５４倍で費用は120,000円です。"), ("pt", "Custa 900 euros todo o trabalho produzido.")],
)
def test_a_decimal_point_ends_no_sentence_and_a_common_word_is_no_placeholder(tag: str, sentence: str) -> None:
    assert sentence in written(prompt("budget", tag, "A.", {"a.md": f"{sentence}\n"}, "amounts", "- C"))


@pytest.mark.req("T3")
def test_a_paragraph_stands_in_one_section_and_a_long_one_is_cut_where_a_sentence_is_left_out() -> None:
    said = "The research gives facts on people. The budget gives the costs. The timeline gives the dates."
    drafts = [written(prompt(name, "en", "A lawn.", {"a.md": f"{said}\n"})) for name, _, _ in OUTLINE]
    assert [(said in draft, "gives" in draft) for draft in drafts].count((True, True)) == 1
    assert [("gives" in draft) for draft in drafts].count(True) == 1
    long = f"Planting costs EUR 4,250. The lawn is dry. The path is {'very ' * 300}dry, for EUR 900.\n"
    draft = written(prompt("budget", "en", "A lawn.", {"a.md": long}, "amounts", "- Costs"))
    assert "EUR 4,250. (a.md)\n\nThe path is very" in draft


@pytest.mark.req("T3")
@pytest.mark.parametrize(
    ("tag", "heading", "paid", "costs"),
    [
        ("en", "Our experience", "We sold 410 parts to the harbour for EUR 96,400.", "Planting costs EUR 4,250."),
        ("es", "Experiencia", "Vendimos 410 piezas al puerto por 96.400 euros.", "Plantar cuesta 4.250 euros."),
        ("ja", "実績", "当社は港に部品を964万円で納めました。", "植栽には425万円かかります。"),
        ("ja", "会社概要", "資本金は5,000万円です。", "植栽には425万円かかります。"),
    ],
)
def test_what_a_company_has_and_what_its_references_paid_are_no_costs(
    tag: str, heading: str, paid: str, costs: str
) -> None:
    facts = f"# {heading}\n\n{paid}\n\n# 1\n\n{costs}\n"
    draft = written(prompt("budget", tag, "A.", {"a.md": facts}, "amounts", "- C"))
    assert (paid in draft, costs in draft) == (False, True)


@pytest.mark.req("T3")
def test_what_another_section_collects_stands_there_and_here_only_what_is_collected_here() -> None:
    facts = (
        "Planting costs EUR 4,250.\n\nThe garden opens on 1 June 2027.\n\nThe fence of EUR 900 stands on 2 May 2027.\n"
    )
    outline = [block("entry", "dates", id="timeline", kind="t", title="Timeline", collects="dates")]
    outline += [block("entry", "costs", id="budget", kind="b", title="Budget", collects="amounts")]
    drafts = [
        written(
            "\n".join(
                [
                    block("section", "", id=name, title=name, language="en", collects=collects),
                    block("outline", outline),
                    block("evidence", facts, name="a.md"),
                ]
            )
        )
        for name, collects in (("timeline", "dates"), ("budget", "amounts"))
    ]
    assert [draft.count("Planting costs EUR 4,250. (a.md)") for draft in drafts] == [0, 1]
    assert [draft.count("The garden opens on 1 June 2027. (a.md)") for draft in drafts] == [1, 0]
    assert sum(draft.count("The fence of EUR 900 stands on 2 May 2027. (a.md)") for draft in drafts) == 1


@pytest.mark.req("T3")
def test_where_the_purposes_are_in_another_language_one_word_of_what_a_section_is_about_leads_to_it() -> None:
    fact = "Der Rat hat gestern einen Beschluss gefasst."
    purposes = {"Research": "What the documents say about the need.", "Conclusion": "What the reader should do now."}
    outline = block("outline", [block("entry", p, id=title, kind="k", title=title) for title, p in purposes.items()])
    facts = block("evidence", f"# Bericht\n\n{fact}\n\nDer Rasen im Park ist flach.\n", name="a.md")
    asked = {title: block("section", p, id=title, title=title, language="de") for title, p in purposes.items()}
    drafts = {title: written(f"{section}\n{outline}\n{facts}") for title, section in asked.items()}
    assert fact in drafts["Conclusion"]
    assert fact not in drafts["Research"]


@pytest.mark.req("T5")
def test_what_is_in_another_language_than_the_document_is_set_apart_as_a_quotation() -> None:
    facts = "Planting the lawn beside the library costs EUR 4,250.\n\nThe fence around the lawn costs EUR 900.\n"
    draft = written(prompt("budget", "de", "Ein Rasen.", {"a.md": facts}, "amounts", "- Kosten"))
    assert "> Planting the lawn beside the library costs EUR 4,250. (a.md)\n>\n> The fence around" in draft


@pytest.mark.req("T3")
@pytest.mark.parametrize(
    ("words", "dates"),
    [
        ("The Civil Rights Act of 4 July 1964 holds.", 0),
        ("It was so in 2016.", 0),
        ("4.2. The gate is open.", 0),
        ("It opens on 4 July 2027.", 1),
    ],
)
def test_a_law_a_bare_year_and_a_number_of_a_paragraph_are_no_dates_of_a_timeline(words: str, dates: int) -> None:
    assert len(claimed(words, "en")) == dates


@pytest.mark.req("T3")
def test_a_table_stands_once_under_the_line_above_it_also_if_it_is_html() -> None:
    head = "<tr><th>Item</th><th>Empty</th><th>Price</th></tr>"
    rows = f"<table>{head}<tr><td>Gate</td><td></td><td>EUR 80</td></tr></table>"
    facts = f"# Costs\n\nPrices until 2030\n\n| Item | Price |\n| --- | --- |\n| Lamp | EUR 70 |\n\n{rows}\n"
    draft = written(prompt("budget", "en", "A lamp.", {"a.md": facts}, "amounts", "- Costs"))
    assert "Table: Prices until 2030 (a.md, Costs)\n\n| Item | Price |\n| --- | --- |\n| Lamp | EUR 70 |" in draft
    assert "| Item | Price |\n| --- | --- |\n| Gate | EUR 80 |" in draft


@pytest.mark.req("P13", "T3")
def test_of_a_schema_only_what_an_extract_can_say_is_filled_in() -> None:
    schema = {
        "properties": {
            "summary": {"type": "string", "default": "", "description": "one or two paragraphs"},
            "items": {"type": "array", "default": [], "items": {"type": "object"}, "description": "what is paid for"},
            "findings": {
                "type": "array",
                "default": [],
                "items": {"type": "object"},
                "description": "one per question",
            },
            "total": {"anyOf": [{"type": "number"}, {"type": "null"}]},
            "parts": {"type": "array", "default": [], "description": "sub-sections for required headings"},
        },
        "required": ["total"],
    }
    wanted = {"type": "json_schema", "json_schema": {"name": "Budget", "schema": schema}}
    text = prompt(
        "budget",
        "en",
        "A lawn is planted.",
        {"a.md": "Planting costs EUR 4,250.\n"},
        "amounts",
        "- Costs",
    )
    answer = json.loads(OfflineWriter().bind(response_format=wanted).invoke([HumanMessage(text)]).text)
    assert answer["total"] is None
    assert "items" not in answer
    assert "findings" not in answer
    assert answer["parts"] == [{"heading": "Costs", "text": "Planting costs EUR 4,250. (a.md)"}]


@pytest.mark.req("B3")
def test_a_field_of_a_form_is_left_to_code_whatever_it_asks_for() -> None:
    asked = {"type": "string", "description": "the answer to: Describe your lawns in one paragraph"}
    wanted = {"type": "json_schema", "json_schema": {"name": "Form", "schema": {"properties": {"f-1": asked}}}}
    text = prompt("budget", "en", "A form.", {"a.md": "Planting costs EUR 4,250.\n"}, "amounts")
    assert OfflineWriter().bind(response_format=wanted).invoke([HumanMessage(text)]).text == "{}"


@pytest.mark.req("L1")
def test_a_demand_is_answered_with_what_an_input_says_and_with_nothing_where_none_does() -> None:
    text = "# Staff\n\nAda Byron trains every user of the archive on two afternoons. The roof is made of slate.\n"
    demands = ["The contractor shall train the users of the archive.", "The contractor shall insure all vessels."]
    asked = prompt("timeline", "en", "A new archive.", {"staff.md": text})
    plain = written(asked)
    told = written(f"{asked}\n{block('requirements', [block('requirement', one, id='R1') for one in demands])}")
    assert "Ada Byron trains every user" not in plain
    assert "Ada Byron trains every user of the archive on two afternoons." in told
    assert "insure" not in told
    assert "shall train" not in told


async def test_streams_in_word_groups_what_it_answers_at_once() -> None:
    messages = [HumanMessage(prompt("budget", "en", "A lawn.", {"a.md": "Planting costs EUR 4,250.\n" * 3}, "amounts"))]
    whole = await OfflineWriter().ainvoke(messages)
    chunks = [chunk.text async for chunk in OfflineWriter().astream(messages)]
    assert "".join(chunks) == whole.text
    assert len(chunks) > 2


@pytest.mark.parametrize("unit", ["- A pier.\n\nText.\n\n", "[a](#b)\n\n", "![a](b.png)\n\n", "<table><tr><td>a\n\n"])
def test_a_text_of_very_many_parts_is_read_in_steps_that_grow_with_its_size(unit: str) -> None:
    few, many = (unit * number for number in (100, 400))
    assert calls(lambda: read_material("input", "a.md", many, "en")) < 6 * calls(
        lambda: read_material("input", "a.md", few, "en")
    )


@pytest.mark.parametrize("unit", ["She digs the bed.\n\n", "It is not dug.\n\n"])
def test_sentences_that_lean_on_one_another_are_joined_in_steps_that_grow_with_their_size(unit: str) -> None:
    few, many = ("Ada digs the bed.\n\n" + unit * number for number in (400, 800))

    def joined(text: str) -> str:
        reader = PassageReader("en")
        for number, words in enumerate(text.split("\n\n")):
            reader.paragraph(words, 0, Place("input", "a.md", "en"), number, is_item=False)
        return "\n".join(passage.text for passage in reader.passages)

    assert joined(many).split() == many.split()
    assert characters(lambda: joined(many)) < 2.5 * characters(lambda: joined(few))


@pytest.mark.req("I5")
def test_an_image_stands_behind_the_paragraph_that_it_stood_behind() -> None:
    before, after = "The lamp costs EUR 40 with its bulb.", "The pole costs EUR 90 with its base."
    facts = f"# Costs\n\n{before}\n\n![The lamp](lamp.png)\n\n{after}\n"
    images = block("images", "- lamp.png: The lamp")
    draft = written(f"{prompt('budget', 'en', 'A lamp.', {'a.md': facts}, 'amounts')}\n{images}")
    assert draft.index(before) < draft.index("](lamp.png)") < draft.index(after)


@pytest.mark.req("B1", "T3")
def test_what_stands_below_the_title_of_a_chapter_stands_in_it_and_rates_where_money_is_the_matter() -> None:
    titles = {"one": ("Method", ""), "two": ("Past work", ""), "three": ("Price", "amounts")}
    about = "Who plans, builds and tests, when it ends, and what it costs."
    entries = [block("entry", about, id=key, title=title, collects=kinds) for key, (title, kinds) in titles.items()]
    work = (
        "# Ours\n\n## Past Work\n\n### A pier\n\nWe build and test a pier; it ends on 1 May 2025 and costs EUR 900.\n"
    )
    rates = "role,EUR\nMason,81.50\nSmith,70.25\n"
    files = [block("evidence", work, name="a.md"), block("price", rates, name="rates.csv")]

    def draft(key: str) -> str:
        title, kinds = titles[key]
        asked = block("section", about, id=key, title=title, language="en", collects=kinds)
        return written("\n".join([block("task", "section"), asked, block("outline", entries), *files]))

    assert ["pier" in draft(key) for key in titles] == [False, True, False]
    assert ["Mason" in draft(key) for key in titles] == [False, False, True]


@pytest.mark.req("B1", "T9")
@pytest.mark.parametrize(
    ("sheet", "last"),
    [
        ("item,days,rate USD\nPlan,12,960\nBuild,4.5,880\n", "| Total |  |  | 15,480.00 |"),
        ("item,days,rate USD\nPlan,12,960\nDiscount,1,-500\n", "| Total |  |  | 11,020.00 |"),
        ("item,days,rate USD\nPlan,3,0.335\nBuild,3,0.335\n", "| Total |  |  | 2.02 |"),
        ("item,days,rate USD\nPlan,12,960\nBuild,,880\n", "| Build |  | 880 |"),
        ("item,days,rate,total USD\nPlan,12,USD 960,11520\nBuild,2,USD 880,1760\n", "| Build | 2 | USD 880 | 1760 |"),
        ("item,days,rate\nPlan,12,USD 960\nBuild,2,EUR 880\n", "| Build | 2 | EUR 880 |"),
        ("item,days,rate USD\nPlan,12,960\nTotal,12,960\n", "| Total | 12 | 960 |"),
        ("item,days,rate\nPlan,12,5%\nBuild,2,8%\n", "| Build | 2 | 8% |"),
        ("item,days,hourly rate USD\nPlan,12,96\nBuild,2,88\n", "| Build | 2 | 88 |"),
        ("minimum quantity,rate USD,item\n10,96,Plan\n20,88,Build\n", "| 20 | 88 | Build |"),
        ("days,rate USD\n10,960\n20,880\n", "| 20 | 880 |"),
        ("item,days,rate\nPlan,12,960\nDiscount,1,(500)\n", "| Discount | 1 | (500) |"),
        ("item,days,rate EUR\nPlan,12,960.00\nBuild,2,4.500\n", "| Build | 2 | 4.500 |"),
        (f"item,days,rate USD\nPlan,12,{'9' * 30}\n", f"| Plan | 12 | {'9' * 30} |"),
    ],
    ids="summed discount rounded gap totals currencies sums percent units least scale brackets readings huge".split(),
)
def test_a_rate_sheet_with_quantities_has_the_amount_of_each_row_and_their_total(sheet: str, last: str) -> None:
    assert price_of(block("price", sheet, name="rates.csv")) == last


@pytest.mark.req("B1", "T9")
def test_what_is_no_rate_sheet_or_only_a_part_of_one_has_no_total() -> None:
    rows = [f"Plan {number},12,960" for number in range(300)]
    sheet, long = "item,days,rate USD\nPlan,12,960\n", "\n".join(["item,days,rate USD", *rows])
    cut = block("left_out", [block("entry", "", name="rates.csv", given="1", of="2")])
    assert price_of(block("evidence", sheet, name="rates.csv")) == "| Plan | 12 | 960 |"
    assert price_of(f"{block('price', sheet, name='rates.csv')}\n{cut}") == "| Plan | 12 | 960 |"
    assert price_of(block("price", long, name="rates.csv")) == "| Plan 199 | 12 | 960 |"


def price_of(inputs: str) -> str:
    """The last line of a section about prices."""
    asked = block("section", "What it costs.", id="p", title="Price", language="en", collects="amounts")
    outline = block("outline", block("entry", "What it costs.", id="p", title="Price", collects="amounts"))
    return written(f"{asked}\n{outline}\n{inputs}").rstrip().split("\n")[-1]


@pytest.mark.req("T3")
def test_what_an_item_says_of_a_project_stands_with_its_name() -> None:
    item = "- Alliance (2024): a portal with a digest. Went live after many weeks. Contact: Paula Reyes."
    facts = f"# Work\n\n{item}\n- A ferry.\n"
    titles = {"Contact": "Contacts, such as Paula, and weeks.", "Portal": "The portal and its digest."}
    outline = block("outline", [block("entry", p, id=title, kind="k", title=title) for title, p in titles.items()])
    asked = {t: block("section", p, id=t, title=t, language="en") for t, p in titles.items()}
    drafts = [written(f"{one}\n{outline}\n{block('evidence', facts, name='a.md')}") for one in asked.values()]
    assert [item in draft for draft in drafts] == [True, False]
    assert "digest" not in drafts[1]


@pytest.mark.req("T3")
def test_of_an_item_that_turns_to_its_reader_all_else_is_quoted() -> None:
    facts = (
        "# Work\n\n- Alliance (2024): a portal with a digest. Your town may visit the portal. The portal has maps.\n"
    )
    asked = block("section", "The portal, its digest and maps.", id="p", title="Portal", language="en")
    draft = written(f"{asked}\n{block('evidence', facts, name='a.md')}")
    assert [words in draft for words in ("a portal with a digest", "Your town", "has maps")] == [True, False, True]


@pytest.mark.req("B1", "T3")
def test_of_chapters_with_one_title_in_two_volumes_that_takes_what_stands_below_it_whose_purpose_it_bears_on() -> None:
    purposes = {"one": "The ferries and their piers.", "two": "The rates and the discount."}
    outline = block("outline", [block("entry", p, id=key, kind="k", title="Overview") for key, p in purposes.items()])
    facts = block("evidence", "# Overview\n\nOur ferries leave from two piers of the town.\n", name="a.md")
    asked = {key: block("section", p, id=key, title="Overview", language="en") for key, p in purposes.items()}
    drafts = {key: written(f"{section}\n{outline}\n{facts}") for key, section in asked.items()}
    assert [key for key, draft in drafts.items() if "Our ferries" in draft] == ["one"]


@pytest.mark.req("B1")
def test_what_stands_under_references_is_no_bibliography_where_a_section_is_called_so() -> None:
    purposes = {"Company": "Who the company is and what it does.", "References": ""}
    outline = block("outline", [block("entry", p, id=title, kind="k", title=title) for title, p in purposes.items()])
    facts = block("evidence", "# References\n\nWe built the bridge of Suldal, for the people.\n", name="a.md")
    asked = {title: block("section", p, id=title, title=title, language="en") for title, p in purposes.items()}
    drafts = {title: written(f"{section}\n{outline}\n{facts}") for title, section in asked.items()}
    assert [title for title, draft in drafts.items() if "We built the bridge" in draft] == ["References"]
