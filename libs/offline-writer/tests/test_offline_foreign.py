"""What foreign texts brought to light: nothing false, nothing called absent that is there, nothing in pieces."""

import pytest
from langchain_core.messages import HumanMessage
from stemma_evidence import UNSUPPORTED, ground, read
from stemma_languages import shipped
from stemma_models.prompting import block
from stemma_offline_writer import OfflineWriter

OUTLINE = [
    ("research", "Research", "facts and findings about schools, gardens, guards and grants", ""),
    ("timeline", "Timeline", "dates", "dates"),
    ("budget", "Budget", "costs", "amounts"),
]
# A lead-in that negates, as a sentence of its own, and an item with an amount.
EXCLUSIONS = {
    "en": ("No grant is paid for the following works.", "Gardens of less than EUR 5,000"),
    "de": ("Keine Zuschüsse werden für folgende Vorhaben gewährt.", "Gärten unter 5.000 Euro"),
    "fr": ("Aucune aide n'est versée pour les travaux suivants.", "Jardins de moins de 5 000 euros"),
    "es": ("No se concede ninguna ayuda para las obras siguientes.", "Jardines de menos de 5.000 euros"),
    "it": ("Nessun contributo è concesso per i lavori seguenti.", "Giardini sotto i 5.000 euro"),
    "nl": ("Er wordt geen subsidie gegeven voor de volgende werken.", "Tuinen onder de 5.000 euro"),
    "pt": ("Nenhum apoio é concedido para as obras seguintes.", "Jardins de menos de 5.000 euros"),
    "ja": ("次の工事には補助金は交付されません。", "5,000円未満の庭園"),
    "zh": ("下列工程不予补助。", "5000元以下的花园"),
}


def draft_of(
    name: str, language: str, inputs: dict[str, str], headings: str = "- Part", upstream: str = "", brief: str = "A."
) -> str:
    entries = [block("entry", about, id=key, kind=key, title=title, collects=c) for key, title, about, c in OUTLINE]
    title, about, collects = next((title, about, c) for key, title, about, c in OUTLINE if key == name)
    named = {"id": name, "kind": name, "title": title, "language": language, "collects": collects}
    texts = [block("evidence", text, name=file) for file, text in inputs.items()]
    before = [block("upstream", upstream, id="research", title="Research")] if upstream else []
    parts = [block("section", about, **named), block("outline", entries), block("headings", headings)]
    prompt = "\n".join([block("task", "section"), *parts, block("brief", brief), *texts, *before])
    return OfflineWriter().invoke([HumanMessage(prompt)]).text


@pytest.mark.req("T3")
@pytest.mark.parametrize("tag", sorted(shipped()))
@pytest.mark.parametrize("colon", [False, True])
def test_an_item_that_is_excepted_is_told_with_the_words_that_except_it_also_among_amounts(
    tag: str, colon: bool
) -> None:
    lead, item = EXCLUSIONS[tag]
    lead = f"{lead[:-1]}:" if colon else lead
    facts = f"# A\n\n**{lead[:2]}**{lead[2:]}\n\n- {item}\n"
    for name in ("research", "budget"):
        draft = draft_of(name, tag, {"a.md": facts})
        for line in (line for line in draft.splitlines() if item in line):
            above = draft[: draft.index(line)].rstrip().rpartition("\n")[2]
            assert lead in line or lead in above


@pytest.mark.req("T3")
def test_the_number_in_the_heading_of_a_table_is_nothing_that_the_draft_says() -> None:
    table = "| | |\n|---|---|\n| Bid of one | EUR 83 |\n"
    facts = "# Rating\n\nBids have had prices for three years.\n\n## Step 2\n\nThe prices of the bids are:\n\n" + table
    draft = draft_of("budget", "en", {"a.md": facts})
    sources = [read(facts, "text/markdown", "en", standing="input", name="a.md")]
    grounded = ground(read(draft, "text/markdown", "en", standing="draft", name=""), sources, ["Budget", "Costs"])
    assert "Table: The prices of the bids are (a.md, Step 2)" in draft
    assert [g.claim.text for g in grounded if g.standing == UNSUPPORTED] == []


HEAD = "<tr><th>Item</th><th>Price</th></tr>"
HTML = "".join(
    f"<table><caption>Prices of {year}</caption>{HEAD}<tr><td>Gate<br>Door</td><td>EUR 80</td></tr></table>\n\n"
    for year in (2023, 2024)
)
JOINED = (
    "<table><tr><th>Item</th><th>2025</th><th>2026</th></tr>"
    '<tr><td rowspan="2">Gate</td><td>EUR 70</td><td>EUR 80</td></tr>'
    "<tr><td>EUR 90</td><td>EUR 95</td></tr></table>"
)
PAGE = (
    "---\ntitle: Lamps\ncontent: >-\n  The lamps cost EUR 900 in all.\n\n\n  ## More\n\n  Glue costs EUR 7.\n"
    "file:\n  - a.pdf\n---\n"
)
BOOKS = (
    "# Contents\n\n- 1 Guards of schools\n- Grants for gardens\n\n# 1 Guards of schools\n\n"
    "All the schools have guards.\n\n# Grants for gardens\n\n- Grants for gardens\n\n"
    "# References\n\nGuards of schools, a book on gardens.\n"
)
POINTS = ("I. it comes too late;", "II. guards of other schools asked before;", "III. the school has no garden.")
NESTED = "- Guards watch schools.\n  - Guards of gardens get grants.\n    - Schools pay guards.\n- Schools are new."
NUMBERS = "".join(f"{number}. guards of school {number}\n" for number in range(8, 12))
UNDER = {
    "de": ("Zeitplan", "Die Wege werden vor den Beeten gebaut."),
    "fr": ("Calendrier", "Les chemins sont construits avant les parterres."),
    "ja": ("スケジュール", "道は花壇より先に作られます。"),
}
# What an input says, what stands of it in a section, and what does not.
QUOTED: dict[str, tuple[str, str, str, tuple[str, ...], tuple[str, ...]]] = {
    "items of a sentence that is not quoted": (
        "research", "en", "# S\n\n- b) Guards of schools and gardens;\n- c) Guards of grants in schools\n",
        (), ("Guards",),
    ),
    "items under a heading that excepts": (
        "research", "en", "# Not covered by grants\n\n- Guards of schools\n", (), ("Guards",)
    ),
    "a name to fill in": (
        "research", "en", "# G\n\n> The (NAME OF THE BODY) paid schools grants of EUR 900 for guards.\n", (), ("900",)
    ),
    "a guard to fill in": (
        "budget", "en", "# G\n\n> The school pays [name of the guard] a grant of EUR 900 each month.\n", (), ("900",)
    ),
    "a line to fill in": (
        "budget", "en", "# G\n\n> The school pays ________ a grant of EUR 900 each month.\n", (), ("900",)
    ),
    "front matter": (
        "budget", "en", PAGE, ("The lamps cost EUR 900 in all. (a.md)", "Glue costs EUR 7. (a.md, More)"), ()
    ),
    "what looks like a number of a list": (
        "research", "en", "# A\n\n2.The garden of schools has a guard.\n",
        ("\n2\\.The garden of schools has a guard. (a.md, A)",), (),
    ),
    "what looks like a heading": (
        "research", "en", "# A\n\n#1 of the schools has a garden.\n",
        ("\n\\#1 of the schools has a garden. (a.md, A)",), (),
    ),
    "a decimal": (
        "research", "en", "# A\n\n2.5 hectares are the garden of schools.\n", ("\n2.5 hectares are the garden",), ()
    ),
    "rules about dates": (
        "timeline", "en", "# N\n\nA column with a date or a week ends in period.\n\nThe gate opens on 4 July 2027.\n",
        ("The gate opens on 4 July 2027.",), ("column",),
    ),
    "contents and bibliographies": (
        "research", "en", BOOKS, ("All the schools have guards. (a.md, 1 Guards of schools)",), ("- ", "book")
    ),
    "captions of tables in HTML": (
        "budget", "en", f"# Costs\n\n{HTML}",
        ("Table: Prices of 2023 (a.md, Costs)", "Table: Prices of 2024 (a.md, Costs)", "| Gate Door | EUR 80 |"), (),
    ),
    "joined cells": (
        "budget", "en", f"# Costs\n\n{JOINED}\n", ("| Gate | EUR 70 | EUR 80 |\n| ↑ | EUR 90 | EUR 95 |",), ()
    ),
    "an empty head": (
        "budget", "en", "# Costs\n\n|  |  |\n|---|---|\n| **Gate** | EUR 80 |\n|  |  |\n| Door | EUR 90 |\n",
        ("|  |  |\n| --- | --- |\n| Gate | EUR 80 |\n| Door | EUR 90 |",), (),
    ),
    "options that are ticked": (
        "budget", "en", "# Grants\n\n- [ ] The school was paid EUR 500.\n- [x] The school was paid EUR 700.\n",
        ("- The school was paid EUR 700.",), ("500",),
    ),
    "alternatives with Roman numbers": (
        "research", "en",
        "# S\n\nThe guards of schools and gardens refuse a visit if:\n\n" + "\n\n".join(POINTS) + "\n", POINTS, (),
    ),
    "items below items": ("research", "en", f"# Schools\n\n{NESTED}\n", (NESTED,), ()),
    "numbered items": (
        "research", "en", f"# Schools\n\nThe grants for gardens pay:\n\n{NUMBERS}",
        ("\n- guards of school 10\n- guards of school 11",), (),
    ),
    "an item below one that is left out": (
        "research", "en", "- Guards watch schools.\n- guards are late.\n  - Guards of gardens get grants for all.\n",
        ("\n- Guards of gardens",), (),
    ),
    "sentences of one item": (
        "research", "en", "# A\n\n- Guards watch schools and gardens. Schools pay guards some grants.\n",
        ("- Guards watch schools and gardens. Schools pay guards some grants. (a.md, A)",), (),
    ),
    **{
        f"a label before a sentence, {opening!r}": (
            "research", "en", f"# A\n\n{opening}Guards of schools watch gardens.\n",
            ("Night: Guards of schools watch gardens.",), (),
        )
        for opening in ("**Night**\n", "Night<br>", "Night  \n", "**Night:** ")
    },
    **{
        f"a caption, {tag}": ("research", tag, f"# A\n\n{caption}\n", (), (caption,))
        for tag, caption in (
            ("en", "Figure 3: Guards of schools and gardens with grants."),
            ("de", "Abb. 2.1 – Wachen an Schulen und Gärten mit Zuschuss."),
            ("zh", "图3 学校和花园的警卫情况。"),
        )
    },
    **{
        f"a heading that names a section, {tag}, {name}": (
            name, tag, f"# A\n\n## {heading}\n\n{fact}\n",
            (fact,) * (name == "timeline"), (fact,) * (name == "research"),
        )
        for tag, (heading, fact) in UNDER.items()
        for name in ("timeline", "research")
    },
}  # fmt: skip


@pytest.mark.req("T3", "V1")
@pytest.mark.parametrize(("name", "tag", "text", "there", "absent"), QUOTED.values(), ids=QUOTED)
def test_of_a_foreign_text_stands_what_it_states_in_its_place_and_nothing_else(
    name: str, tag: str, text: str, there: tuple[str, ...], absent: tuple[str, ...]
) -> None:
    draft = draft_of(name, tag, {"a.md": text})
    assert [words for words in there if words not in draft and words not in draft.replace("\\", "")] == []
    assert [words for words in absent if words in draft] == []
