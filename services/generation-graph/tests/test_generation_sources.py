import pytest
from generation_workshop import HEAD, Workshop
from hypothesis import given
from hypothesis import strategies as st
from stemma_contracts.v1.inputs import Anchor, Anchors
from stemma_contracts.v1.ledger import LedgerRows
from stemma_contracts.v1.references import InputFile
from stemma_contracts.v1.section import Collected
from stemma_generation_graph.passages import PASSAGE_CHARS, Corpus, Image, is_contents, read_source, resolve
from stemma_generation_graph.sources import Library
from stemma_generation_graph.tools import SearchInputs
from stemma_models.prompting import parse_blocks


def corpus(**texts: str) -> Corpus:
    return Corpus([read_source(f"{name}.md", text) for name, text in texts.items()], ["media/plan.png", "x/map.png"])


@pytest.mark.req("S6")
def test_a_long_heading_is_not_repeated_with_each_of_its_passages_and_images() -> None:
    title, paragraph = "Quay " * 4_000, "The quay is 40 m long. " * 30
    document = read_source("a.md", f"# {title}\n\n" + f"{paragraph}\n\n![](plan.png)\n\n" * 300)
    assert len(document.passages) > 300
    assert title.strip() in document.passages[0].text
    assert {passage.heading for passage in document.passages} == {image.alt for image in document.images}
    repeated = sum(len(passage.heading) for passage in document.passages)
    assert repeated + sum(len(image.alt) for image in document.images) < 300_000


@given(st.text(alphabet=st.sampled_from("ab #\n|-`>*[]()!<"), max_size=300))
def test_no_line_with_words_is_lost(text: str) -> None:
    kept = "\n".join(passage.text for passage in read_source("a.md", text).passages)
    definitions = "[" in text
    for line in text.split("\n"):
        if {"a", "b"} & set(line) and not definitions:
            assert line.strip() in kept


def test_finds_the_passage_that_has_the_words_whatever_the_query_holds() -> None:
    found = corpus(a="# Harbour\n\nThe quay is long.", b="# Money\n\nThe grant is small.").search
    assert {p.source for p in found('grants" OR quay* NEAR( --')} == {"a.md", "b.md"}
    assert [p.source for p in found("GRANTS")] == ["b.md"]
    assert found("nothing here fits") == found("") == found("!?") == []


def test_selects_what_matters_in_reading_order_when_not_all_fits() -> None:
    paragraph = "Filler words without meaning. " * 20
    text = "\n\n".join(f"# Part {n}\n\n{'The deadline is May.' if n in (3, 17) else paragraph}" for n in range(20))
    chosen = corpus(a=text).select(["deadline"], 1500)
    assert [p.heading for p in chosen if "deadline" in p.text] == ["Part 3", "Part 17"]
    every = corpus(a="One.", b="Two.")
    assert every.select(["nothing"], 100) == every.passages, "everything when it fits"
    assert chosen == sorted(chosen, key=lambda p: p.position)
    assert sum(len(p.text) for p in chosen) <= 1500


@pytest.mark.req("B1")
def test_a_long_request_leaves_room_for_what_is_ours() -> None:
    texts = {"rfp.md": "\n\n".join(["# Demand\n\nThe quay must be long."] * 90), "own.md": "# Ours\n\nWe build."}
    documents = [read_source(name, text) for name, text in texts.items()]
    inputs = Corpus(documents, (), {"rfp.md": "request"})
    chosen = inputs.select(["quay"], 1000)
    assert {inputs.tag_of(passage) for passage in chosen} == {"request", "evidence"}
    assert 900 < sum(len(passage.text) for passage in chosen) <= 1000


@pytest.mark.req("B1")
async def test_a_search_tells_the_words_of_the_buyer_apart() -> None:
    texts = {"rfp.md": "# Demand\n\nThe quay must be long.", "own.md": "# Ours\n\nOur quay is long."}
    documents = [read_source(name, text) for name, text in texts.items()]
    found = parse_blocks(await SearchInputs(query="quay").run(Corpus(documents, (), {"rfp.md": "request"})))
    assert {(one.tag, one.attributes["name"]) for one in found} == {("request", "rfp.md"), ("evidence", "own.md")}


def test_knows_the_images_that_the_inputs_show_and_that_were_supplied() -> None:
    inputs = corpus(
        a="![The plan](media/plan.png) ![Gone](gone.png) ![Web](https://a.example/media/plan.png)",
        b='<p align="center"><img src="./x/map.png" alt="A\nmap"></p>\n\n`![code](media/plan.png)`',
    )
    assert inputs.images == (Image("media/plan.png", "The plan"), Image("x/map.png", "A map"))
    bare = corpus(a="# Site\n\nText.\n\n## The quay\n\n![](media/plan.png)")
    assert bare.images == (Image("media/plan.png", "The quay"),), "described by the heading above it"
    texts = {"rfp.md": "![Theirs](a.png)", "own.md": "![Ours](b.png)"}
    documents = [read_source(name, text) for name, text in texts.items()]
    assert Corpus(documents, ("a.png", "b.png"), {"rfp.md": "request"}).images == (Image("b.png", "Ours"),)


@pytest.mark.parametrize(
    ("document", "reference", "name"),
    [
        ("a.md", "./media/plan.png", "media/plan.png"),
        ("docs/a.md", "../media/my%20plan.png?raw=1#top", "media/my plan.png"),
        ("docs/a.md", "%7B%7B site.baseurl %7D%7D/media/plan.png", "media/plan.png"),
        ("a.md", "//host/plan.png", ""),
        ("a.md", "data:image/png;base64,AA", ""),
        ("a.md", "http://[broken/plan.png", ""),
    ],
)
def test_an_image_reference_is_a_path_inside_the_input_folder_or_nothing(
    document: str, reference: str, name: str
) -> None:
    assert resolve(document, reference) == name


async def test_the_corpus_of_a_document_is_built_once_and_of_text_only(workshop: Workshop) -> None:
    files: dict[str, str | bytes] = {
        "a.md": "\ufeff# Harbour\r\n\r\nQuay.",
        "media/plan.png": b"\x89PNG",
        "plan.pdf": b"%PDF-",
    }
    inputs = await workshop.inputs(files)
    library = Library(workshop.artifacts)
    first = await library.corpus(HEAD, inputs)
    assert first is await library.corpus(HEAD, inputs)
    assert [p.text for p in first.passages] == ["# Harbour\n\nQuay."]


async def test_the_brief_and_the_ledger_of_a_document_are_read_once_for_all_its_sections(workshop: Workshop) -> None:
    text = "# Harbour\n\nThe quay is 40 m long."
    pages = Anchors(anchors=(Anchor(offset=0, kind="page", label="p. 1"),)).model_dump_json()
    brief, anchors = await workshop.store(text), await workshop.store(pages, "anchors.json", "application/json")
    ledger = await workshop.store(LedgerRows(rows=()).model_dump_json(), "requirements.json", "application/json")
    library, file = Library(workshop.artifacts), InputFile(name="rfp.pdf", artifact=brief, anchors=anchors)
    assert await library.ledger(HEAD, ledger) is await library.ledger(HEAD, ledger)
    first = await library.brief(HEAD, text, file)
    assert first is await library.brief(HEAD, text, file)
    assert [(passage.place, passage.text) for passage in first] == [("p. 1", text)]
    assert await library.brief(HEAD, text[:9], file) != first


async def test_a_corpus_that_could_not_be_built_is_tried_again(workshop: Workshop) -> None:
    later = b"# Late"
    [there] = await Workshop().inputs({"a.md": later})
    library = Library(workshop.artifacts)
    with pytest.raises(LookupError):
        await library.corpus(HEAD, (there,))
    await workshop.store(later)
    assert (await library.corpus(HEAD, (there,))).size == len(later)


ROWS = "| Item | Price |\n| --- | --- |\n" + "\n".join(f"| Part {n} | {n} EUR |" for n in range(100))
CONTENTS = "\n".join(f"{n}. The quay {'.' * 20} {n}" for n in range(1, 30))


@pytest.mark.req("M2")
def test_a_piece_of_a_long_table_brings_its_headings_and_the_head_of_its_table() -> None:
    [*_, last] = corpus(a=f"# Offer\n\n## Costs\n\n{ROWS}").search("part 99")[:1]
    assert (last.path, last.head) == (("Offer", "Costs"), "| Item | Price |\n| --- | --- |")
    assert last.text.endswith("| Part 99 | 99 EUR |")
    assert "".join(one.text for one in corpus(a=ROWS).passages).count("Price") == 1
    assert any(ROWS in passage.text for passage in read_source("a.md", f"# Costs\n\n{ROWS}\n\nAfter.\n").passages)
    empty = corpus(a="```\na | b\n|-|-|\n" + "\n" * 5000 + "end\n```\n").passages
    assert max(len(one.text) for one in empty) <= PASSAGE_CHARS, "however many of its rows are empty"


@pytest.mark.req("M2")
def test_a_table_of_contents_is_no_passage_for_a_section() -> None:
    inputs = corpus(a=f"# Contents\n\n{CONTENTS}\n\n# Rules\n\n" + "Nothing is said here. " * 40)
    assert [one.heading for one in inputs.select(["quay"], 1300)] == ["Rules"]
    assert not is_contents("\n".join([f"Name {'.' * 299}", f"{' ' * 299}x"] * 3000)), "read in linear time"


@pytest.mark.req("M2")
def test_dates_and_amounts_are_chosen_for_sections_that_collect_them() -> None:
    paragraphs = [f"# Part {n}\n\n{'The harbour is old and deep. ' * 8}" for n in range(60)]
    paragraphs[40] += "It opens on 3 May 2027."
    paragraphs[50] += "The fee is EUR 4,250."
    inputs = corpus(a="\n\n".join(paragraphs))
    wished: tuple[tuple[Collected, str], ...] = (("dates", "3 May 2027"), ("amounts", "EUR 4,250"))
    for kind, wanted in wished:
        assert wanted in "".join(one.text for one in inputs.select(["harbour"], 600, collects=[kind]))


@pytest.mark.req("M2")
def test_words_are_found_across_inflection_and_where_no_spaces_stand() -> None:
    inputs = corpus(a="Die Fristen enden im Mai und sind von allen einzuhalten.", b="提出期限は五月です。")
    assert [one.source for one in inputs.search("Frist")] == ["a.md"]
    assert [one.source for one in inputs.search("期限")] == ["b.md"]
