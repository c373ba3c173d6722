import json
from collections.abc import Iterator, Sequence

import pytest
from generation_workshop import ANNALS, Workshop, evaluation
from stemma_generation_graph.evaluating import bearing_on
from stemma_generation_graph.passages import Corpus, Passage, read_source, size_of
from stemma_models.prompting import parse_blocks
from stemma_testkit.driving import sample_folder

pytestmark = pytest.mark.req("M2")

SAID = {
    "Three couriers who work part-time cost 59,200 euros in a year.": "What the pilot costs",
    "The foundation in Fernhill wants to stand on the crates and not on the couriers.": "Fernhill Foundation",
    "Eastgate, which lets 640 flats, wants its caretakers to be trained.": "Housing association Eastgate",
    "In rented rooms Millbrook would cost 230,000 euros each year.": "What it would cost otherwise",
    "Bicycles need 9 minutes to Millbrook, since vans may not cross Mill Bridge.": "The ground",
    "A crate of the couriers weighs 99 kilograms.": "",
}
"""What a draft says in its own words, true and false, and the heading of the sample's passage that decides it."""


@pytest.fixture(scope="module")
def sample() -> Corpus:
    files = sorted((sample_folder() / "inputs").glob("*.md"))
    return Corpus([read_source(file.name, file.read_text("utf-8")) for file in files], [])


def _headings(passages: Sequence[Passage]) -> Iterator[str]:
    return (passage.heading for passage in passages)


def test_what_a_statement_can_rest_on_is_found_by_its_words_and_figures(sample: Corpus) -> None:
    for statement, heading in SAID.items():
        found = sample.bearing_on(statement)
        assert heading in {"", *_headings(found)}, statement
        assert 0 < len(found) <= 4


def test_a_draft_in_a_language_of_no_input_may_rest_on_all_of_them(sample: Corpus) -> None:
    draft = "# Kosten\n\nDie Kuriere kosten 59.200 Euro.\n"
    assert bearing_on(draft, sample, "de") == sample.passages
    assert size_of(bearing_on(draft.replace("Die Kuriere kosten", "Couriers cost"), sample, "en")) < sample.size / 4


@pytest.mark.parametrize(("title", "said"), [("approach", "built in 1720"), ("timeline", "not built in any year")])
async def test_a_judge_is_given_of_long_inputs_what_the_draft_can_rest_on(
    workshop: Workshop, title: str, said: str
) -> None:
    files = {**ANNALS, "quay.md": "# Quay\n\nThe quay was built in 1720 of oak."}
    job = await workshop.job(title, files=files)
    _, model = await workshop.run(job, [f"# {title}\n\nThe quay was {said}.\n", evaluation(title)])
    given, judged = (
        [one.text for one in parse_blocks(str(prompt[-1].text)) if one.tag == "evidence"] for prompt in model.prompts
    )
    assert "The quay was built in 1720 of oak." in judged[-1]
    assert sum(map(len, judged)) < sum(map(len, given)) / 2


async def test_a_writer_is_told_of_tools_where_it_has_some(workshop: Workshop) -> None:
    research = json.dumps({"summary": "Forty.", "findings": [], "open_questions": []})
    for files, script in (({"a.md": "A quay."}, []), (ANNALS, ["ready"])):
        job = await workshop.job("research", files=files)
        _, model = await workshop.run(job, [*script, research, evaluation("research")])
        assert ("answer `ready`" in model.prompt_text(0)) == bool(script)
        assert ("A quay." in model.prompt_text(1)) == (not script), "a judge is given all of short inputs"
