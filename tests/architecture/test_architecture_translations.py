"""What services write into findings has German on the desk, as far as the words are finite."""

import json

import pytest
from source_tree import ROOT
from stemma_client.findings import Finding
from stemma_gateway.desk.shell import name_of, told
from stemma_validator.report import Rule

pytestmark = pytest.mark.req("H4")
CRITERIA = [
    *ROOT.glob("libs/kinds/src/*/*/criteria/*.json"),
    *ROOT.glob("services/generation-graph/config/evaluation/*.json"),
]


def test_every_rule_of_the_validator_has_a_title_in_german() -> None:
    for rule in Rule:
        [found] = told([Finding("lint", rule.code, rule.issue(0).message)], "de")
        assert found.words, rule
        assert not found.detail, rule


def test_every_rule_of_the_linter_that_is_looked_at_has_a_title_in_german() -> None:
    config = (ROOT / "services/validator/config/rumdl.toml").read_text(encoding="utf-8")
    enabled = {word.strip('", \n') for word in config.partition("enable = [")[2].partition("]")[0].split(",")} - {""}
    assert len(enabled) > 40
    assert [rule for rule in enabled if not told([Finding("lint", rule, "words")], "de")[0].words] == []


def test_every_criterion_of_the_kinds_that_ship_has_a_name_in_german() -> None:
    names = {criterion["id"] for file in CRITERIA for criterion in json.loads(file.read_text(encoding="utf-8"))}
    assert names
    assert [name for name in names if name_of(name, "de") == name_of(name, "en") and name != "limits"] == []
