"""Sections become one document, and what is unfinished is shown."""

import re
from typing import Any

import pytest
from stemma_contracts.v1.section import SectionStatus
from stemma_converter.layout import column_shares

NOTE = "> [!WARNING]\n> "


@pytest.mark.req("G13")
async def test_an_unfinished_document_says_so_at_each_section(exporter: Any) -> None:
    states = {
        1: {"status": SectionStatus.AWAITING_REVIEW},
        2: {"stale": True},
        3: {"status": SectionStatus.FAILED},
    }
    data, outcome = await exporter.export("md", "# One\n", "# Two\n", "# Three\n", None, states=states)
    text = data.decode()
    assert f"## Two\n\n{NOTE}This section has not been approved yet." in text
    assert f"## Three\n\n{NOTE}This section is out of date" in text
    assert f"## Section 3\n\n{NOTE}This section has not been written yet." in text
    assert text.count(NOTE) == 3
    assert [(w.code, w.section_id) for w in outcome.warnings] == [
        ("not_approved", "s1"), ("stale", "s2"), ("not_written", "s3"),
    ]  # fmt: skip


async def test_each_section_is_one_chapter_without_gaps_in_its_levels(exporter: Any) -> None:
    drafts = (
        "# One\n\n# Also one\n\n#### Deep\n\n###### Deeper\n",
        "No heading\n\n## Sub\n",
        "Setext\n======\n\nA\n-\n",
    )
    text = await exporter.text("md", *drafts)
    assert re.findall(r"^#+ .*$", text, re.MULTILINE) == [
        "# A plan", "## One", "### Also one", "#### Deep", "##### Deeper",
        "## Section 1", "### Sub", "## Setext", "### A",
    ]  # fmt: skip


@pytest.mark.req("T1")
async def test_the_title_of_a_document_of_one_section_is_no_chapter(exporter: Any) -> None:
    text = await exporter.text("md", "# A  plan\n\nWhy.\n\n## One\n\n#### Deep\n\n## Two\n")
    assert re.findall(r"^#+ .*$", text, re.MULTILINE) == ["# A plan", "## One", "### Deep", "## Two"]
    assert text.index("Why.") < text.index("## One")
    alone = await exporter.text("md", "# A plan\n\nWhy.\n")
    assert re.findall(r"^#+ .*$", alone, re.MULTILINE) == ["# A plan", "## A plan"]


async def test_headings_inside_lists_and_quotations_are_no_chapters(exporter: Any) -> None:
    text = await exporter.text("md", "# One\n\n> # Quoted\n\n- # Listed\n")
    assert re.findall(r"^#+ .*$", text, re.MULTILINE) == ["# A plan", "## One"]
    assert "> **Quoted**" in text


async def test_equal_labels_of_two_sections_keep_their_own_meaning(exporter: Any) -> None:
    first = "# One\n\nA[^1] [see][ref].\n\n[^1]: first note\n\n[ref]: https://one.example\n"
    second = first.replace("first", "second").replace("one.example", "two.example").replace("# One", "# Two")
    text = await exporter.text("md", first, second)
    assert "A[^1] [see](https://one.example)" in text
    assert "A[^2] [see](https://two.example)" in text
    assert "[^1]: first note" in text
    assert "[^2]: second note" in text
    assert text.index("first note") < text.index("## Two") < text.index("second note")


async def test_links_inside_follow_their_own_section_first(exporter: Any) -> None:
    section = "# {}\n\nSee [own](#scope), [other](#one), [none](#nowhere).\n\n## Scope\n"
    data, outcome = await exporter.export("md", section.format("One"), section.format("Two"))
    assert "See [own](#scope), [other](#one), none." in data.decode()
    assert "See [own](#scope-1), [other](#one), none." in data.decode()
    assert {(w.code, w.count) for w in outcome.warnings} == {("dropped_link", 1)}


async def test_a_missing_image_is_a_visible_note_and_a_warning_and_told_apart_from_a_refused_one(
    exporter: Any,
) -> None:
    drafts = "# A\n\n![Site plan](media/none.png)\n", "# B\n\n![x](a.svg)\n"
    data, outcome = await exporter.export("html", *drafts, assets={"a.svg": b"<svg/>"})
    assert "[Image not available: Site plan]" in data.decode()
    assert [(w.code, w.section_id, w.count) for w in outcome.warnings] == [
        ("missing_image", "s0", 1), ("dropped_image", "s1", 1),
    ]  # fmt: skip


async def test_images_are_found_under_their_escaped_names(exporter: Any, plan: Any) -> None:
    names = ("media/site plan.png", "plan%20of%20site.png", "site_plan.png", "a b.png", "a&b.png", "\u00fcber.png")
    assets = dict.fromkeys(names, plan["media/plan.png"])
    draft = "# A\n\n![x](./media/site%20plan.png)\n\n![y](plan%2520of%2520site.png)\n"
    draft += "\n![x](site\\_plan.png) ![x](<a b.png>) ![x](a&amp;b.png) ![x](%C3%BCber.png)\n"
    _, outcome = await exporter.export("pdf", draft, assets=assets)
    assert outcome.warnings == ()
    assert "![x](media/site%20plan.png)" in await exporter.text("md", draft, assets=assets)
    assert '"source": "media/site plan.png"' in await exporter.text("json", draft, assets=assets)


async def test_byte_order_mark_and_control_characters_vanish_and_text_of_raw_markup_stays(exporter: Any) -> None:
    draft = "# B\n\n<div>\n<p>Kept <b>words</b></p>\n</div>\n\nline<br>break <u>under</u>\n\n| a |\n|---|\n| x<br>y |\n"
    text = await exporter.text("md", "\ufeff# One\r\n\r\nA\x00B\x0bC\x1bD\r\n", draft)
    assert text.startswith("# A plan\n\n## One\n\nABCD\n")
    assert "Kept words" in text
    assert "line\\\nbreak under" in text
    assert "x<br>y" in text


async def test_names_in_raw_markup_lead_to_their_heading(exporter: Any) -> None:
    draft = "# A\n\n[go](#s1.1) [there](#inner)\n\n## <a name='s1.1'></a>First\n\n<a id='inner'></a>\n\nText.\n"
    data, outcome = await exporter.export("md", draft)
    assert "[go](#first) [there](#first)" in data.decode()
    assert "\n### First\n\nText.\n" in data.decode()
    assert outcome.warnings == ()


def test_columns_are_as_wide_as_what_they_hold() -> None:
    cells = [["Item", "Licences"], ["Year 1", "240,000"], ["Basis", "List price, indexed each year as agreed " * 3]]
    item, year, basis = column_shares(cells)
    assert basis > 0.6
    assert item * 95 > len("Licences") + 2
    assert year * 95 > len("240,000") + 2
    assert column_shares([["a"], ["b"]]) == [0.5, 0.5]
    assert sum(column_shares([["x" * 500]] * 40)) == pytest.approx(1)


async def test_an_empty_table_header_is_no_row_and_a_table_without_title_has_no_caption(exporter: Any) -> None:
    page = await exporter.text("html", "# A\n\n| | |\n|---|---|\n| x<br>y | z |\n")
    assert "<thead" not in page
    assert "<caption" not in page
    assert "<table" in page
