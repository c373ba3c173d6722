"""Days as a form wants them written."""

from __future__ import annotations

import re
from datetime import date

_PART = re.compile(r"yyyy|yy|MM|M|dd|d|'[^']*'|[^yMd']+")


def shown_date(day: date, form: str) -> str:
    """A day in the format of a control, such as dd.MM.yyyy; as ISO 8601 has it if the format has names of months."""
    if not form or re.search(r"MMM|ddd", form):
        return day.isoformat()
    parts = {
        "yyyy": f"{day.year:04}",
        "yy": f"{day.year % 100:02}",
        "MM": f"{day.month:02}",
        "M": str(day.month),
        "dd": f"{day.day:02}",
        "d": str(day.day),
    }
    return "".join(parts.get(part, part.strip("'")) for part in _PART.findall(form))
