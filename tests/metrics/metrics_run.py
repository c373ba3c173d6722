"""A run of which all numbers are known, and what each query of the dashboards has to return for it."""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager

import httpx
from faults_here import asked
from metrics_faults import TENANT, TRIED_AGAIN, poison, tried_again
from metrics_plant import JOBS, MODEL, MOST_STORED, MOST_STREAMS, SERVICES, Plant
from stemma_client import Client
from stemma_client.bearer import bearer_of
from stemma_client.settings import ServerAddress, client_user
from stemma_contracts import subjects
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.exports import ExportFormat
from stemma_contracts.v1.requests import AcceptEdit
from stemma_contracts.v1.review import ReviewMode
from stemma_testkit.driving import approve_all, wait_for
from stemma_testkit.servers import eventually

Number = float | Callable[[float], bool]
MEASURED_WITHIN_S = 60.0
CONVERTED = subjects.job(subjects.CONVERTER, "convert-document")
BEGUN = (
    'gen_ai_client_operation_duration_seconds_count{error_type!=""}',
    f'messaging_process_duration_seconds_count{{stemma_verdict="Ack",messaging_destination_template="{CONVERTED}"}}',
    'http_server_request_duration_seconds_count{http_route="/kinds"}',
)
REPLACED = "# Research\n\n## Findings\n\nA person wrote that there are two libraries.\n"
Expected = Mapping[tuple[str, ...], Number]
"""By the values of the labels, in the order of their names."""


def some(value: float) -> bool:
    """More than nothing, as much as it may be."""
    return value > 0


def known(value: float) -> bool:
    """A number, which may be 0."""
    return value >= 0


@asynccontextmanager
async def a_run(plant: Plant) -> AsyncIterator[None]:
    """Two reviews and a proposed edit decided, a section stale, one that waits, two that failed, and two exports.

    One job is dead because nobody can read it. Others fail again and again until they are dead too, and so is what
    tells of each of them, because there is no such document. Somebody reads events over HTTP, and nobody else may.
    """
    async with poison(plant), tried_again(plant), over_http(plant) as http, http.stream("GET", "/events"):
        document_id = await asked(plant.client, ReviewMode.HUMAN, "written", "solution")
        await approve_all(plant.client, document_id)
        await edited(plant.client, document_id)
        waiting = await asked(plant.client, ReviewMode.HUMAN, "waiting")
        await wait_for(plant.client, waiting, lambda event: isinstance(event, e.SectionReviewRequested))
        plant.model.broken = True
        for number in range(2):  # of what happens once there is no rate
            await plant.client.export(document_id, ExportFormat.MD)
            assert [(await http.get(path)).status_code for path in ("/events", "/kinds")] == [503, 200]
            failing = await asked(plant.client, ReviewMode.NONE, f"failing-{number}")
            await wait_for(plant.client, failing, lambda event: isinstance(event, e.SectionFailure))
            await eventually(lambda: measured(plant), MEASURED_WITHIN_S)
        yield


def over_http(plant: Plant) -> httpx.AsyncClient:
    """A program of the tenant at the gateway."""
    user = client_user(TENANT)
    token = bearer_of(ServerAddress(plant.stemma.url, TENANT, user, plant.stemma.password(user)))
    headers = {"Authorization": f"Bearer {token}"}
    return httpx.AsyncClient(base_url=plant.stemma.gateway_url, headers=headers, timeout=MEASURED_WITHIN_S)


async def measured(plant: Plant) -> bool:
    """Whether Prometheus has all that began in the run."""
    return all([await plant.prometheus.query(one) for one in BEGUN])


async def edited(client: Client, document_id: str) -> None:
    """The first section is edited as a model proposed it, and written anew, which makes the other one stale."""
    await client.edit(document_id, "research", 1, instruction="Say that the survey is repeated in spring.")
    *_, proposed = await wait_for(client, document_id, lambda event: isinstance(event, e.SectionEditProposed))
    assert isinstance(proposed.contract, e.SectionEditProposed)
    await client.request(
        AcceptEdit(document_id=document_id, section_id="research", version=1, proposal_id=proposed.contract.proposal_id)
    )
    await client.edit(document_id, "research", 2, text=REPLACED)
    await wait_for(client, document_id, lambda event: isinstance(event, e.SectionChecked) and event.version == 3)


QUEUED: Expected = {
    (subjects.CONVERTER, subjects.CONVERTER, subjects.JOBS): 0.0,
    (subjects.requests_consumer(TENANT), subjects.ORCHESTRATOR, subjects.REQUESTS): 0.0,
    (subjects.NOTIFIER, subjects.NOTIFIER, subjects.NOTICES): 0.0,
}
STREAMS: Expected = {
    (subjects.EVENTS,): some,
    (subjects.DEAD,): some,
    (f"OBJ_{subjects.artifacts_bucket(TENANT)}",): known,
}

SHOWN: Mapping[str, Expected] = {
    "Documents: {{stemma_tenant}}: {{stemma_document_status}}": {("failed", TENANT): 2, ("running", TENANT): 2},
    "Waiting for a person: {{stemma_tenant}}: {{stemma_waits_for}}": {(TENANT, "review"): 1},
    "Longest wait: {{stemma_tenant}}: {{stemma_waits_for}}": {(TENANT, "review"): some},
    "Decisions: {{stemma_tenant}}: {{stemma_waits_for}}": {(TENANT, "proposal"): 1, (TENANT, "review"): 2},
    "Human waiting time: {{stemma_waits_for}}": {("proposal",): some, ("review",): some},
    "Stale sections: {{stemma_tenant}}": {(TENANT,): 1},
    "Failed sections: {{stemma_tenant}}": {(TENANT,): 2},
    "Tokens: {{stemma_tenant}}: {{gen_ai_token_type}}": {("input", TENANT): some, ("output", TENANT): some},
    "Cost: {{stemma_tenant}}: {{gen_ai_request_model}}": {(MODEL, TENANT): some},
    "Model calls: {{gen_ai_request_model}}": {(MODEL,): some},
    "Model time: {{gen_ai_request_model}}": {(MODEL,): some},
    "Failed model calls: {{gen_ai_request_model}}: {{error_type}}": {("ModelUnavailableError", MODEL): some},
    "Processes: {{job}}": {(job,): 1 for job in JOBS},
    "What is missing: {{job}}: {{stemma_missing}}": {
        **{(job, "server"): 0 for job in JOBS},
        **{(job, what): 0 for job in SERVICES for what in ("consumer", "writing")},
    },
    "Lag: {{stemma_stream}}: {{messaging_consumer_group_name}}": QUEUED,
    "In hand: {{stemma_stream}}: {{messaging_consumer_group_name}}": QUEUED,
    "Messages: {{messaging_destination_template}}": {(CONVERTED,): some},
    "Job time: {{messaging_destination_template}}": {(CONVERTED,): some},
    "What became of messages: {{stemma_verdict}}": {
        ("Ack",): some,
        ("DeadLetter",): 1 + 2 * TRIED_AGAIN,
        ("RetryLater",): some,
    },
    "Redeliveries: {{job}}": {(subjects.GENERATION,): some},
    "Dead letters: {{stemma_service}}: {{stemma_message}}": {
        ("convert-document", subjects.CONVERTER): 1,
        ("generate-section", subjects.GENERATION): TRIED_AGAIN,
    },
    "Dead letters: new: {{stemma_dead_reason}}": {("invalid",): 1, ("exhausted",): TRIED_AGAIN},
    "Streams: {{stemma_stream}}": STREAMS,
    "Messages in streams: {{stemma_stream}}": STREAMS,
    "Tenants: {{stemma_tenant}}": {(TENANT,): known},
    "Tenants: limit": {(): MOST_STORED},
    "Consumers' deliveries: {{stemma_stream}}: {{messaging_consumer_group_name}}": {
        (subjects.CONVERTER, subjects.JOBS): some
    },
    "CPU: {{job}}": {(job,): some for job in SERVICES},
    "Memory: {{job}}": {(job,): some for job in SERVICES},
    "Event loop: {{job}}": {(job,): known for job in SERVICES},
    "HTTP requests: {{http_response_status_code}}": {("200",): some, ("503",): some},
    "HTTP time: {{http_route}}": {("/kinds",): some},
    "Event streams and limits: open": {(): MOST_STREAMS},
    "Event streams and limits: {{stemma_http_limit}}": {("streams",): some},
}
"""By panel and legend."""

NOTHING = {
    "Checks by agents: issues": "no agent wrote anything in the run",
    "Checks by agents: rollbacks": "no agent wrote anything in the run",
}
"""Queries that return nothing, and why."""
