"""Images of the inputs: found in every form, shown by their asset, asked for when they are missing."""

import pytest
from generation_agency import FINISH, SCORES, Agency, append, call, leave_all
from generation_workshop import Workshop
from langchain_core.messages import ToolMessage
from stemma_contracts.v1.needs import MissingReference, NeedAnswer
from stemma_contracts.v1.references import InputFile
from stemma_generation_graph.graphs.document_agent.images import (
    MAX_IMAGE_BYTES,
    Shown,
    batch_of,
    question_about,
    with_assets,
)
from stemma_generation_graph.passages import resolve
from stemma_markdown import images
from stemma_testkit.counting import calls

PNG = b"\x89PNG\r\n\x1a\n"
FORMS = """# Site

![Plan](media/plan.png) and ![b](<media/plan b.png> "A title") and ![Plan][p] and ![p] in a line.

<p align="center"><img src="media/html.png" alt="Html" width="10"></p>

![far](https://example.org/x.png)

    ![code](media/code.png)

```text
![fence](media/fence.png)
```

A `![span](media/span.png)` and \\![escaped](media/escaped.png).

[p]: media/ref.png 'Ref'
"""
WRITE = [append("# D\n\nThe quay."), leave_all, FINISH, SCORES]
MISSING: dict[str, str | bytes] = {
    "site.md": "# Site\n\n![The plan](media/plan.png)\n\nThe quay.\n",
    "old/plan.png": PNG,
}


@pytest.mark.req("G3")
async def test_every_form_of_a_reference_is_found_and_none_in_code_or_elsewhere() -> None:
    agency, long = Agency(answers=["skip"]), "x" * 600 + ".png"
    files: dict[str, str | bytes] = {
        "site.md": FORMS,
        "b.md": f"![x]({long})\n",
        "docs/c.md": "![x](../media/ref.png)\n",
        "media/ref.png": PNG,
    }
    outcome = await agency.run([call("read_file", file_name="b.md"), *WRITE], files)
    wanted = ["media/plan.png", "media/plan b.png", "media/html.png", long[:500]]
    assert [entry.reference for entry in agency.needs[0].references] == wanted
    assert agency.state["manifest"]["assets/media/ref.png"] == agency.state["manifest"]["inputs/media/ref.png"]
    assert [(w.code, w.count) for w in outcome.warnings] == [("skipped_image", 4)]
    assert f"> Image not supplied: {long}" in agency.model.prompt_text(1)


@pytest.mark.req("G3")
async def test_similar_names_are_looked_for_only_for_the_first_of_many_and_a_folder_is_no_reference() -> None:
    folders = ["![]()", "![x](<>)", "![x](.)", "![x](media/)", "![x](..)", "<img alt=x>"]
    assert [with_assets("docs/s.md", image, Shown) for image in folders] == folders
    many = "".join(f"![x](plan{n}.png)\n" for n in range(60))
    agency = Agency(answers=["skip"])
    await agency.run(WRITE, {"docs/s.md": "\n\n".join([*folders, many]), "old/plan.png": PNG})
    assert [bool(entry.candidates) for entry in agency.needs[0].references] == [True] * 50 + [False] * 10


@pytest.mark.req("G3", "G10", "G17")
@pytest.mark.failure("image-missing")
async def test_all_missing_images_are_one_question_with_what_was_found() -> None:
    agency = Agency(answers=[NeedAnswer(decisions={"media/plan.png": "old/plan.png", "x.png": "skip"})])
    files: dict[str, str | bytes] = {**MISSING, "b.md": "# B\n\nSee ![x](x.png) here.\n\n![x](x.png)\n"}
    steps = [call("read_file", file_name="site.md"), call("read_file", file_name="b.md")]
    outcome = await agency.run([*steps, *WRITE], files)
    assert [(e.reference, e.file, e.candidates) for e in agency.needs[0].references] == [
        ("media/plan.png", "site.md", ("old/plan.png",)),
        ("x.png", "b.md", ()),
    ]
    assert "`media/plan.png` (in `site.md`); found: `old/plan.png`" in agency.questions[0]
    shown = [str(m.content) for m in agency.model.prompts[2] if isinstance(m, ToolMessage)]
    assert "![The plan](old/plan.png)" in shown[0]
    assert "See (Image not supplied: x.png) here.\n\n> Image not supplied: x.png" in shown[1]
    assert "`x.png` is left out." in agency.model.prompt_text(0)
    state = agency.state
    assert (state["missing_references"], state["pending_question"]) == ([], "")
    assert state["user_decisions"] == {"media/plan.png": "old/plan.png", "x.png": "skip"}
    assert outcome.assets == ()


@pytest.mark.req("G10")
async def test_an_undecided_reference_asks_again_and_words_reach_the_model() -> None:
    files: dict[str, str | bytes] = {"site.md": "# S\n\n![a](a.png)\n\n![b](b.png)\n"}
    first = NeedAnswer(text="The second is lost.", decisions={"a.png": "skip", "b.png": "site.md"})
    agency = Agency(answers=[first, NeedAnswer(decisions={"b.png": "skip"})])
    await agency.run(WRITE, files)
    assert "a.png" not in agency.questions[1]
    assert "b.png" in agency.questions[1]
    assert "The second is lost." in agency.model.prompt_text(0)


@pytest.mark.req("G10")
async def test_an_uploaded_image_takes_the_place_of_the_missing_one_and_comes_with_the_draft(
    workshop: Workshop,
) -> None:
    outside = "../../etc/x.png"
    image = await workshop.store(PNG, "new.png", "image/png")
    text = await workshop.store("no image", "new.txt", "text/plain")
    tried = NeedAnswer(decisions={"media/plan.png": InputFile(name="new.txt", artifact=text)})
    large = image.model_copy(update={"size": MAX_IMAGE_BYTES + 1})
    too_large = NeedAnswer(decisions={"media/plan.png": InputFile(name="new.png", artifact=large)})
    supplied = NeedAnswer(
        decisions=dict.fromkeys(["media/plan.png", outside], InputFile(name="new.png", artifact=image))
    )
    agency = Agency(workshop, answers=[tried, too_large, supplied])
    files = {**MISSING, "s.md": f"![x]({outside})\n"}
    outcome = await agency.run([call("read_file", file_name="s.md"), *WRITE], files)
    assert len(agency.questions) == 3, "a file that is no image or too large decides nothing"
    plan, named = outcome.assets
    assert (plan.name, plan.artifact.digest, named.artifact.digest) == ("media/plan.png", image.digest, image.digest)
    assert named.name.startswith("supplied/"), "a reference that is no name of a file gets one"
    assert f"![x]({named.name})" in agency.model.prompt_text(1)
    assert [asset.name for asset in agency.needs[-1].assets] == [plan.name, named.name]


@pytest.mark.req("G3")
def test_what_is_no_image_stays_to_the_byte() -> None:
    shown = with_assets("site.md", FORMS, Shown)
    changed = {line for line in FORMS.splitlines() if line not in shown.splitlines()}
    assert {line[:6] for line in changed} == {"![Plan", "<p ali", "![far]"}
    assert "[far](https://example.org/x.png)" in shown
    assert "![b](<media/plan b.png>) and ![Plan](media/ref.png) and ![p](media/ref.png) in" in shown
    assert '<p align="center">![Html](media/html.png)</p>' in shown


@pytest.mark.req("G3", "S8")
@pytest.mark.parametrize(
    ("image", "expected"),
    [
        ("![x](javascript:alert(1))", "x"),
        ("![x](JavaScript:alert(1))", "x"),
        ("![x](file:///etc/passwd)", "x"),
        ("![x](data:image/png;base64,AA)", "x"),
        ("![x](//example.org/x.png)", "[x](//example.org/x.png)"),
        (r"![x](<https://example.org/\>)[y](javascript:1)>)", "[x](<https://example.org/%3E)%5By%5D(javascript:1)>)"),
        (r"![x](<a\>b.png>)", "![x](<a%3Eb.png>)"),
    ],
)
def test_only_an_image_on_the_web_becomes_a_link_and_no_address_leaves_its_brackets(image: str, expected: str) -> None:
    assert with_assets("s.md", image, Shown) == expected


@pytest.mark.req("G3", "S6")
@pytest.mark.parametrize("piece", ["![a](", "![a][", "<img ", "`"])
def test_hostile_markdown_is_read_in_linear_time(piece: str) -> None:
    short, long = piece * 200, piece * 1_000
    assert with_assets("a.md", long, Shown) == long
    assert calls(lambda: with_assets("a.md", long, Shown)) < 5.1 * calls(lambda: with_assets("a.md", short, Shown))


@pytest.mark.req("G3")
def test_a_percent_sign_in_the_name_of_an_asset_is_read_as_one() -> None:
    shown = with_assets("s.md", "![x](a.png)", lambda _: Shown("plan%20of%20site.png"))
    assert [resolve("s.md", image.target) for image in images(shown)] == ["plan%20of%20site.png"]


@pytest.mark.req("G3")
async def test_a_name_is_one_line_and_stays_in_its_quotes() -> None:
    agency = Agency(answers=["skip"])
    text = "# S\n\n![x](a%0A%0A%23%20Ha%60.png)\n\nText.\n"
    await agency.run([call("read_file", file_name="s.md"), *WRITE], {"s.md": text})
    assert agency.needs[0].references[0].reference == "a\n\n# Ha`.png"
    assert "- `a # Ha'.png` (in `s.md`)" in agency.questions[0]
    assert "> Image not supplied: a # Ha\\`.png\n" in agency.model.prompt_text(1)
    assert with_assets("s.md", text, Shown) == text.replace("a%0A%0A%23%20Ha%60.png", "<a # Ha`.png>")


@pytest.mark.req("G10")
def test_a_question_holds_no_more_bytes_than_an_event_may() -> None:
    missing = [MissingReference(reference=f"{n}" + "\u4e00" * 400, file="s.md") for n in range(100)]
    assert 0 < len(question_about(batch_of(missing)).encode()) < 24_000
