"""The queries of the committed dashboards, as Grafana sends them."""

import json
from collections.abc import Iterator
from dataclasses import dataclass

from metrics_scaling import FOLDER

RANGE = "15m"
"""What the dashboards look back at, for which nothing was there at its beginning."""


@dataclass(frozen=True)
class Query:
    """One query of one panel."""

    panel: str
    legend: str
    expression: str

    @property
    def name(self) -> str:
        """Unlike that of any other."""
        return f"{self.panel}: {self.legend}"

    def sent(self) -> str:
        """With the variables of Grafana filled in."""
        filled = self.expression.replace("$__rate_interval", RANGE).replace("$__range", RANGE)
        assert "$" not in filled
        return filled


def queries() -> Iterator[Query]:
    """Those of all dashboards."""
    for file in sorted((FOLDER / "dashboards").glob("*.json")):
        for panel in json.loads(file.read_text(encoding="utf-8"))["panels"]:
            for target in panel["targets"]:
                yield Query(panel["title"], target["legendFormat"], target["expr"])
