"""Everything that a person or a program is refused has a code of the catalogue, with the parameters of the code."""

import ast
import re
from collections.abc import Iterator

import pytest
from source_tree import PACKAGES, nodes
from stemma_contracts import problems

pytestmark = pytest.mark.req("H4", "R8")
SOURCES = [path for package in PACKAGES for path in package.sources if package.name != "stemma-testkit"]
MADE = re.compile(r"\bProblem\(|\b_problem\(|coded\(|\.of\(\s*\"\w+_\w+\"")
MAKING = [path for path in SOURCES if MADE.search(path.read_text(encoding="utf-8"))]
STORED = {"instructions_repeated"}
"""What events of earlier releases say."""


def coded() -> Iterator[tuple[str, ast.Call]]:
    """Every call that names a code of the catalogue."""
    for path in MAKING:
        for node in nodes(path):
            match node:
                case ast.Call(func=ast.Attribute(attr="of"), args=[ast.Constant(value=str(code)), *_]) if "_" in code:
                    yield code, node
                case ast.Call(func=ast.Name(id="_problem"), args=[ast.Constant(value=str(code)), *_]):
                    yield code, node
                case ast.Call(func=ast.Attribute(attr="coded") | ast.Name(id="coded"), args=args):
                    yield from ((str(arg.value), node) for arg in args[-1:] if isinstance(arg, ast.Constant))


def test_every_problem_is_made_with_a_code_and_its_parameters() -> None:
    found = list(coded())
    assert len(found) > 150
    for code, call in found:
        names = {keyword.arg for keyword in call.keywords}
        known = problems.parameters(code)
        assert names - {None} <= known, code
        assert None in names or names == known, code


def test_no_problem_is_made_of_a_sentence() -> None:
    made = [
        (path, keyword.value)
        for path in MAKING
        for node in nodes(path)
        if isinstance(node, ast.Call) and ast.unparse(node.func) in ("Problem", "answers.Problem")
        for keyword in node.keywords
        if keyword.arg == "message"
    ]
    assert [path for path, value in made if isinstance(value, ast.JoinedStr) or ast.unparse(value).count(" ")] == []


def test_every_code_is_used() -> None:
    words = "\n".join(path.read_text(encoding="utf-8") for path in SOURCES)
    families = ("answer_", "claim_without_", "document_", "proposal_", "section_", "statement_")
    unused = {code for code in problems.codes() if f'"{code}"' not in words and not code.startswith(families)}
    assert unused == STORED
