"""A draft that quotes its sources is never accused; what it says in other words is compared as before."""

from collections.abc import Iterator
from random import Random

import pytest
from evidence_corpus import Case, cases, quoted, source, translations, unsupported
from stemma_evidence import Source
from stemma_markdown import Document, Prose

pytestmark = pytest.mark.req("T3", "T9")

_SENTENCES = {
    "en": "The hall of {n} costs EUR {a} until {d} May {y}.|Of {a} guests {n} came in {y}.",
    "de": "Die Halle von {n} kostet {a} EUR bis {d}. Mai {y}.|Von {a} Gästen kamen {n} im Jahr {y}.",
    "fr": "La halle de {n} coûte {a} euros avant le {d} mai {y}.|De {a} visiteurs, {n} sont venus en {y}.",
    "es": "La sala de {n} cuesta {a} euros hasta el {d} de mayo de {y}.|De {a} visitantes vinieron {n} en {y}.",
    "it": "La sala di {n} costa {a} euro fino al {d} maggio {y}.|Di {a} visitatori sono venuti {n} nel {y}.",
    "nl": "De hal van {n} kost {a} euro tot {d} mei {y}.|Van {a} gasten kwamen er {n} in {y}.",
    "pt": "A sala de {n} custa {a} euros até {d} de maio de {y}.|De {a} visitantes vieram {n} em {y}.",
    "ja": "第{n}ホールの費用は{y}年5月{d}日まで{a}円です。|{y}年には{a}人のうち{n}人が来ました。",
    "zh": "第{n}号大厅到{y}年5月{d}日的费用是{a}元。|{y}年{a}人中来了{n}人。",
}


def accused(draft: str, *sources: Source, language: str = "en") -> list[tuple[str, str]]:
    return [(claim.kind, claim.text) for claim in unsupported(draft, *sources, language=language)]


def written(language: str, random: Random) -> str:
    """A text with headings that differ in a value, sentences, items and tables, all alike but for their values."""

    def said() -> str:
        number, day, year = random.randint(2, 99), random.randint(1, 28), random.randint(2001, 2030)
        form = random.choice(_SENTENCES[language].split("|"))
        return form.format(n=number, a=random.randint(100, 9999), d=day, y=year)

    parts = ["# Plan"]
    for _ in range(random.randint(2, 5)):
        parts.append(f"## {random.randint(1, 9)}.{random.randint(1, 9)} {said().rstrip('.。')}")
        joint = "" if language in ("ja", "zh") else " "
        parts.append(joint.join(said() for _ in range(random.randint(1, 3))))
        parts.append("\n".join(f"- **{random.randint(2, 999)}** {said()}" for _ in range(3)))
        rows = [f"| {said()} | {random.randint(2, 999)} | {random.randint(2, 999)} |" for _ in range(3)]
        parts.append("| A | B | C |\n|---|---|---|\n" + "\n".join(rows))
        cells = "".join(f"<tr><td>{said()}</td>\n<td>{random.randint(2, 99)}</td><td>- €</td></tr>\n" for _ in "ab")
        parts.append(f"<table>\n{cells}</table>")
    return "\n\n".join(parts) + "\n"


def quotations(text: str, name: str, language: str, random: Random) -> str:
    """What a text says, in another order, with the place of each behind it."""
    document, heading, found = Document(text), "", list[str]()
    for piece in document.prose:
        if piece.kind == "heading":
            heading = piece.text
            found.append(f"#### {heading}")
        elif piece.kind == "paragraph":
            found += _of_paragraph(document, piece, f"({name}, {heading})" if heading else f"({name})", language)
    found += [f"| A | B | C | D |\n|---|---|---|---|\n{line} {name} |" for line in text.split("\n") if line[:2] == "| "]
    random.shuffle(found)
    return "\n\n".join(found) + "\n"


def _of_paragraph(document: Document, piece: Prose, place: str, language: str) -> Iterator[str]:
    is_item = document.text[: piece.start].rstrip("*").endswith("- ")
    for sentence in document.sentences(language):
        if piece.start <= sentence.start < piece.end:
            yield f"{'- ' * is_item}{document.text[sentence.start : sentence.end]} {place}"


@pytest.mark.parametrize("language", sorted(_SENTENCES))
def test_a_draft_that_quotes_its_source_in_any_order_is_not_accused(language: str) -> None:
    for seed in range(2):
        random = Random(seed)
        text = written(language, random)
        draft = quotations(text, "facts.md", language, random)
        assert accused(draft, source(text, language), language=language) == [], draft


@pytest.mark.parametrize("case", quoted(), ids=lambda case: case.name)
def test_tables_timelines_and_minutes_that_are_quoted_are_not_accused(case: Case) -> None:
    assert [claim.text for claim in case.unsupported(case.draft)] == []


@pytest.mark.parametrize("case", [*cases(), *translations("seen")[:6]], ids=lambda case: case.name)
def test_a_real_text_that_is_quoted_in_another_order_is_not_accused(case: Case) -> None:
    for name, text in case.texts:
        if name.endswith(".md"):
            draft = quotations(text, name, case.language, Random(1))
            found = [item for item in accused(draft, *case.sources, language=case.language) if item[0] != "name"]
            assert found == []


ROOF = "# What the roof costs in all\n\nThe roof costs EUR 5,000.\n"


@pytest.mark.parametrize(
    ("plan", "draft", "found"),
    [
        ("# Costs\n\nThe roof costs EUR 5,000 and is ready in May.\n\nThe cellar costs EUR 7,000 in all.\n",
         "For the roof EUR 7,000 are paid, for the cellar EUR 5,000.\n", ["EUR 7,000", "EUR 5,000"]),
        ("| Part | Price (EUR) |\n|---|---|\n| Roof | 5,000 |\n| Cellar | 7,000 |\n| Yard | 900 |\n",
         "| Part | Price (EUR) |\n|---|---|\n| Roof | 7,000 |\n| Cellar | 5,000 |\n", ["7,000", "5,000"]),
        ("# Costs\n\nThe roof is red.\n", "The roof is red. (facts.md, 7.3 Roofs)\n", ["7.3"]),
        (ROOF, "It is EUR 8,123 (facts.md, What the roof costs in all)\n", ["EUR 8,123"]),
        (ROOF, "It is (EUR 8,123, What the roof costs in all)\n", ["EUR 8,123"]),
        ("The roof of the hall is red and costs EUR 70 (with nails EUR 5).\n",
         "The roof of the hall is red and costs EUR 70 (with nails EUR 8,123).\n", ["EUR 8,123"]),
        ("# 1.1 Costs\n\nThe roof costs EUR 5,000.\n",
         "The roof costs EUR 5,000. It saves EUR 8,123. (facts.md, 1.1 Costs)\n", ["EUR 8,123"]),
    ],
    ids="exchanged cells heading before bracketed closing beside".split(),
)  # fmt: skip
def test_what_is_written_otherwise_beside_a_quotation_or_a_reference_is_refused(
    plan: str, draft: str, found: list[str]
) -> None:
    assert [text for _, text in accused(draft, source(plan))] == found


def test_cells_of_a_table_in_html_are_read_one_by_one() -> None:
    plan = source("<table>\n<tr><td>Roof</td><td>4</td>\n<td>- €</td><td>1.500,00 €</td></tr></table>\n", "it")
    values = [claim.values[0] for claim in plan.claims if claim.kind in ("amount", "quantity")]
    assert values == ["4", "1500 EUR"]
    assert accused("| Roof | 4 | 1.500,00 € |\n|---|---|---|\n| Roof | 4 | \\- € |\n", plan, language="it") == []
