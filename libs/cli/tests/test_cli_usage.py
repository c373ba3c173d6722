"""What a document has cost is shown with it."""

from typing import Any

import pytest
from stemma_contracts.v1.usage import Usage


async def test_show_says_what_the_model_calls_of_all_sections_cost(
    cli: Any, backstage: Any, document_id: str, requested: Any, drafted: Any
) -> None:
    paid = Usage(calls=3, input_tokens=1200, output_tokens=300, cost=0.25)
    first = drafted("research").model_copy(update={"usage": paid})
    await backstage.append(document_id, requested, first, drafted("solution"))

    shown = await cli("show", document_id)

    assert "model calls: 5, 1210 tokens read, 305 written, 0.25 dollars" in shown.stdout


@pytest.mark.req("L6", "P9")
async def test_a_name_that_is_given_two_values_is_refused_and_none_of_them_is_taken(
    cli: Any, backstage: Any, document_id: str, requested: Any, drafted: Any
) -> None:
    await backstage.append(document_id, requested, drafted("research"))
    for verb, twice, told in (
        (("new", "proposal", "-b", "-"), ("--budget", "cost=2", "--budget", "cost=20"), "--budget: cost"),
        (("ledger", document_id), ("--assign", "R1=a", "--assign", "R1=b"), "--assign: R1"),
        (
            ("import", document_id, __file__),
            ("--comment-as", "c=comment", "--comment-as", "c=nothing"),
            "--comment-as: c",
        ),
        (("answer", document_id, "research", "n1"), ("--skip", "a", "--supply", "a=b"), "--skip, --supply, --use: a"),
        (("keep", document_id), ("research=1", "research=2"), "SECTION=VERSION: research"),
    ):
        done = await cli(*verb, *twice, stdin="Write.")
        assert (done.exit_code, f"{told} is given twice" in " ".join(done.stderr.split())) == (2, True), done.stderr
    assert backstage.received == []
