"""What a node of any graph may fail by, so that the graph goes on without what the node was to make."""

from stemma_artifacts.store import ArtifactCorrupt, ArtifactMissing
from stemma_models import ModelError

FAILURES = (ModelError, ArtifactMissing, ArtifactCorrupt, LookupError, ValueError, TypeError, ArithmeticError)
"""All else, such as a store that does not answer, ends the job, which is delivered again: it costs no other step."""
