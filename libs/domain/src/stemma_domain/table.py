"""The table of features, in the order in which they are asked. A new feature is a file and its line here."""

from typing import Any

from .features import (
    assignment,
    budget,
    checks,
    choosing,
    comments,
    cycles,
    documents,
    editing,
    erasure,
    exports,
    forms,
    generation,
    needs,
    proposals,
    returns,
    review,
    several,
)
from .features.inputs import feature as inputs
from .features.ledger import feature as ledger
from .features.library import feature as library
from .hooks import Feature

FEATURES: tuple[Feature[Any], ...] = (
    documents.FEATURE,
    inputs.FEATURE,
    generation.FEATURE,
    needs.FEATURE,
    review.FEATURE,
    cycles.FEATURE,
    editing.FEATURE,
    several.FEATURE,
    proposals.FEATURE,
    checks.FEATURE,
    exports.FEATURE,
    ledger.FEATURE,
    forms.FEATURE,
    returns.FEATURE,
    comments.FEATURE,
    choosing.FEATURE,
    assignment.FEATURE,
    budget.FEATURE,
    library.FEATURE,
    erasure.FEATURE,
)
