import pytest
from stemma_validator.report import Rule
from stemma_validator.structure import check_structure

ASSETS = ("media/plan.png", "media/site plan.png", "media/a(1).png")


def found(body: str, *required: str) -> list[tuple[str, int, str | None]]:
    issues = check_structure(f"# Title\n\n{body}", frozenset(ASSETS), required)
    return [(issue.rule, issue.line_number, issue.error_detail) for issue in issues]


@pytest.mark.req("V4")
@pytest.mark.parametrize(
    "body",
    [
        "![plan](media/plan.png)",
        "![plan](./media/plan.png 'The plan')",
        "![plan](<media/site plan.png>)",
        "![plan](media/site%20plan.png)",
        "![plan](media/a(1).png)",
        "![plan][p]\n\n[p]: media/plan.png",
        "[![plan](media/plan.png)](media/plan.png)",
        "`![gone](media/gone.png)` and\n\n```\n![gone](gone.png)\n```",
        "\\![gone](https://example.org/)",
    ],
)
def test_accepts_an_image_that_the_document_has(body: str) -> None:
    assert found(body) == []


@pytest.mark.req("V4")
@pytest.mark.parametrize(
    "body",
    [
        "![x](media/gone.png)",
        "text\n![x](../media/plan.png)",
        "![x][p]\n\n[p]: media/gone.png",
        "| a |\n|---|\n| ![x](/media/plan.png) |",
        "> - ![x](media/plan.png?raw=true)",
        "[![x](media/gone.png)](https://example.org)",
        "**![x ![y](gone.png)](media/plan.png)**",
    ],
)
def test_finds_an_image_that_the_document_does_not_have(body: str) -> None:
    assert [rule for rule, _, _ in found(body)] == [Rule.MISSING_IMAGE.code]


@pytest.mark.req("V4")
@pytest.mark.parametrize("target", ["https://example.org/a.png", "//example.org/a.png", "data:image/png;base64,AA=="])
def test_finds_an_image_on_another_host(target: str) -> None:
    assert [rule for rule, _, _ in found(f"![x]({target})")] == [Rule.REMOTE_IMAGE.code]


@pytest.mark.req("V4")
def test_names_line_and_target_of_a_missing_image() -> None:
    assert found("one\ntwo `code`\n![x](media/gone.png)") == [(Rule.MISSING_IMAGE.code, 5, "media/gone.png")]


@pytest.mark.req("V4")
@pytest.mark.parametrize("body", ["[text][label]", "![text][label]", "[label][]", "[**text**][label]"])
def test_finds_a_reference_without_definition(body: str) -> None:
    assert found(f"first\n{body}") == [(Rule.UNDEFINED_REFERENCE.code, 4, "label")]


@pytest.mark.req("V4")
@pytest.mark.parametrize(
    "body", ["[text][label]\n\n[label]: https://example.org", "`[text][label]`", "\\[text\\]\\[label\\]", "[alone]"]
)
def test_accepts_a_reference_that_is_defined_or_is_none(body: str) -> None:
    assert found(body) == []


@pytest.mark.req("V4")
def test_finds_a_footnote_without_definition() -> None:
    assert found("One[^1] and two[^2].\n\n[^1]: Defined.") == [(Rule.UNDEFINED_FOOTNOTE.code, 3, "2")]


@pytest.mark.req("V4")
def test_finds_a_footnote_that_refers_to_a_footnote() -> None:
    body = "One[^1] and two[^2].\n\n[^1]: See[^2].\n\n[^2]: Defined."
    assert found(body) == [(Rule.NESTED_FOOTNOTE.code, 5, "2")]


@pytest.mark.req("V4")
def test_finds_a_link_to_a_heading_that_is_not_there() -> None:
    body = "[a](#costs-in-2026) [b](#title) [c](#costs-1) [d](#costs-2)\n\n## Costs\n\n## Costs\n\n## Costs, in `2026`"
    assert found(body) == [(Rule.MISSING_ANCHOR.code, 3, "#costs-2")]


@pytest.mark.req("V4")
def test_finds_a_link_to_a_file_that_is_not_part_of_the_document() -> None:
    body = "[a](media/plan.png) [b](notes/other.md) [c](https://example.org) [d](mailto:a@example.org)"
    assert found(body) == [(Rule.MISSING_FILE.code, 3, "notes/other.md")]


@pytest.mark.req("V4")
def test_finds_required_headings_that_are_missing_or_empty_whatever_their_case() -> None:
    body = "## Risks and *measures*\n\n> ## Costs\n\n```\n## Schedule\n```\n\n## Team\n"
    assert found(body, "risks  and MEASURES", "Costs", "Schedule", "Team") == [
        (Rule.REQUIRED_HEADING.code, 0, "Costs"),
        (Rule.REQUIRED_HEADING.code, 0, "Schedule"),
        (Rule.OPEN_HEADING.code, 11, "Nothing of ours stands under it yet. What do we say there? Team"),
    ]


@pytest.mark.req("B2")
def test_a_draft_of_headings_only_is_open() -> None:
    assert [rule for rule, _, _ in found("## Costs\n")] == [Rule.OPEN_HEADING.code]
    assert found("## Costs\n\nIt is paid.\n") == []


@pytest.mark.req("V4")
@pytest.mark.parametrize(
    ("body", "detail"),
    [
        ("We will TODO this.", "TODO"),
        ("## TBD", "TBD"),
        ("Costs: XXXX euros", "XXXX"),
        ("By [insert name of the city].", "[insert name of the city]"),
        ("By \\[Insert name\\].", "[Insert name]"),
        ("Dear {{name}},", "{{name}}"),
        ("| a |\n|---|\n| TBD |", "TBD"),
        ("> Lorem ipsum dolor", "Lorem ipsum"),
        ("> The image TODO", "TODO"),
        ("<!-- TODO: write -->", "TODO"),
        ("[TBD](https://example.org)", "TBD"),
        ("TO&#68;O and no more", "TODO"),
        ("TO**DO** and no more", "TODO"),
        ("[INSERT NAME]", "[INSERT NAME]"),
    ],
)
def test_finds_a_placeholder_that_was_left(body: str, detail: str) -> None:
    assert [(rule, text) for rule, _, text in found(f"{body}\n\nText.")] == [(Rule.PLACEHOLDER.code, detail)]


@pytest.mark.req("V4")
@pytest.mark.parametrize(
    "body",
    [
        "> Image not supplied: media/TODO.png",
        "> Image not supplied: {{name}}.png",
        "`TODO` and `{{name}}`",
        "```text\nTODO [insert name]\n```",
        "    XXX indented code",
        "En todo caso, a Todo list; TODOS; a tbd lower case; xxx; XX.",
        "We insert coins.",
    ],
)
def test_accepts_code_and_the_placeholder_of_a_skipped_image(body: str) -> None:
    assert found(body) == []


@pytest.mark.req("V4")
@pytest.mark.parametrize("text", ["", "\n \n", "\t"])
def test_an_empty_draft_is_one_issue(text: str) -> None:
    assert [issue.rule for issue in check_structure(text, (), ("Costs",))] == [Rule.EMPTY.code]


@pytest.mark.req("V4")
@pytest.mark.parametrize(
    "text", ["Text.\n", "## Two\n", "> # Quoted\n", "---\ntitle: x\n---\n\n# Title\n\nText.\n", "[a]: b\n"]
)
def test_finds_a_draft_that_does_not_begin_with_its_title(text: str) -> None:
    assert [issue.rule for issue in check_structure(text, (), ())] == [Rule.TITLE_FIRST.code]


@pytest.mark.req("V4")
def test_finds_every_further_level_1_heading() -> None:
    assert found("Text.\n\nOther\n=====\n\n## Two\n\n# Third") == [
        (Rule.ONE_TITLE.code, 5, "Other"),
        (Rule.ONE_TITLE.code, 10, "Third"),
    ]


def test_counts_lines_through_tables_and_line_breaks() -> None:
    body = "| a |\n|---|\n| b |\n| ![x](gone.png) |\n\ntext\\\nmore  \n<b\nid='x'> ![x\ny](gone.png)\n![z](gone.png)"
    assert [line for _, line, _ in found(body)] == [6, 11, 13]
