"""The id of one execution of a graph, which caller and worker derive from the same job."""

from uuid import UUID, uuid5

_NAMESPACE = UUID("5f3c1c1e-8a52-5d0b-9a31-6f1a4be0c6d7")


def graph_execution_id(job_id: str) -> str:
    """A UUID that is the same each time a job runs, and another for every other job."""
    return str(uuid5(_NAMESPACE, job_id))
