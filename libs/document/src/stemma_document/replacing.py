"""Another state with a few other fields.

`dataclasses.replace` reads every field and calls ``__init__`` with all of them, which sets each anew. A document has 30
fields, and each event changes three of them, nine times: a quarter of what it took to fold an event was that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from dataclasses import replace as replace  # so that fields are checked
else:
    T = TypeVar("T")

    def replace(before: T, /, **changes: Any) -> T:
        """The same dataclass with these fields; for those without slots and ``__post_init__``, as all states are."""
        after = object.__new__(type(before))
        after.__dict__.update(before.__dict__, **changes)
        return after
