"""What a label means inside one file, a document of several files says without it."""

import pytest
from stemma_generation_graph.graphs.document_agent.images import without_labels


@pytest.mark.req("T1", "G12")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("See [BEM][bem] and [bem].\n\n[bem]: https://bem.info\n", "See [BEM](https://bem.info) and [bem](https://bem.info).\n\n\n"),
        ("[a][] b\n\n[a]: https://x.org/(y) 'T \"q\"'\n\nc\n", '[a](<https://x.org/(y)> "T \\"q\\"") b\n\n\n\nc\n'),
        ("[in](https://x.org) `[a]` [none][n]\n", "[in](https://x.org) `[a]` [none][n]\n"),
        ("[**b** c][l]\n\n[l]: x.md\n", "[**b** c](x.md)\n\n\n"),
        ("[a\nb][c\nd] e\n\n[c d]: https://x.org\n", "[a\nb](https://x.org)\n e\n\n\n"),
        ("[a][l]\n\n[l]: <x\\>.md> 'T\\\\'\n", '[a](x%3E.md "T\\\\")\n\n\n'),
        ("One.[^1]\n\n[^1]: Where.\n", "One.[^guides-apis-1]\n\n[^guides-apis-1]: Where.\n"),
    ],
)  # fmt: skip
def test_links_have_their_addresses_and_footnotes_the_name_of_their_file(text: str, expected: str) -> None:
    assert without_labels("guides/apis.md", text) == expected
    assert text.count("\n") == expected.count("\n")
