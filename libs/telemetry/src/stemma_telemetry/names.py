"""Every span, attribute, metric and log event that libraries and services share is spelled here.

Spans and metrics are named by destination template, never by a concrete subject. GenAI and messaging names are
those of the OpenTelemetry semantic conventions.
"""

from enum import StrEnum


class Span(StrEnum):
    """Names of spans, or the verb that a span's name begins with."""

    SEND = "send"
    PROCESS = "process"
    CHAT = "chat"
    EMBEDDINGS = "embeddings"
    INVOKE_WORKFLOW = "invoke_workflow"
    INVOKE_AGENT = "invoke_agent"
    NODE = "node"
    EXECUTE_TOOL = "execute_tool"


class Attr(StrEnum):
    """Keys of span attributes."""

    SERVICE = "stemma.service"
    TENANT = "stemma.tenant"
    DOCUMENT = "stemma.document_id"
    SECTION = "stemma.section_id"
    SESSION = "stemma.session_id"
    JOB = "stemma.job_id"
    REQUEST = "stemma.request_id"
    VERDICT = "stemma.verdict"
    MESSAGING_SYSTEM = "messaging.system"
    MESSAGING_OPERATION = "messaging.operation.type"
    MESSAGING_OPERATION_NAME = "messaging.operation.name"
    MESSAGING_DESTINATION = "messaging.destination.template"
    MESSAGING_MESSAGE_ID = "messaging.message.id"
    MESSAGING_CONSUMER = "messaging.consumer.group.name"
    MESSAGING_DELIVERIES = "stemma.deliveries"
    ERROR_TYPE = "error.type"
    GEN_AI_OPERATION = "gen_ai.operation.name"
    GEN_AI_PROVIDER = "gen_ai.provider.name"
    GEN_AI_MODEL = "gen_ai.request.model"
    GEN_AI_INPUT_TOKENS = "gen_ai.usage.input_tokens"
    GEN_AI_OUTPUT_TOKENS = "gen_ai.usage.output_tokens"
    GEN_AI_INPUT_MESSAGES = "gen_ai.input.messages"
    GEN_AI_OUTPUT_MESSAGES = "gen_ai.output.messages"
    GEN_AI_CONVERSATION = "gen_ai.conversation.id"
    GEN_AI_WORKFLOW = "gen_ai.workflow.name"
    GEN_AI_AGENT = "gen_ai.agent.name"
    GEN_AI_TOOL = "gen_ai.tool.name"
    GEN_AI_TOKEN_TYPE = "gen_ai.token.type"
    NODE = "stemma.node"
    DEAD_REASON = "stemma.dead.reason"
    MISSING = "stemma.missing"
    STREAM = "stemma.stream"
    STATUS = "stemma.document.status"
    WAITS_FOR = "stemma.waits_for"
    MESSAGE = "stemma.message"
    HTTP_METHOD = "http.request.method"
    HTTP_ROUTE = "http.route"
    HTTP_STATUS = "http.response.status_code"
    HTTP_LIMIT = "stemma.http.limit"


class SpanEvent(StrEnum):
    """What may happen in the course of a span."""

    RETRY = "retry"


class Metric(StrEnum):
    """Names of metrics. What each counts, and in which unit, stands in `stemma_telemetry.metrics`."""

    PROCESS_DURATION = "messaging.process.duration"
    REDELIVERED = "stemma.messages.redelivered"
    DEAD = "stemma.messages.dead"
    MISSING = "stemma.service.missing"
    LOOP_LAG = "stemma.loop.lag"
    HTTP_DURATION = "http.server.request.duration"
    HTTP_STREAMS = "stemma.http.streams"
    HTTP_LIMITED = "stemma.http.limited"
    TOKEN_USAGE = "gen_ai.client.token.usage"
    MODEL_DURATION = "gen_ai.client.operation.duration"
    MODEL_COST = "stemma.model.cost"
    VALIDATION_FAILED = "validation_failed"
    ROLLBACK_PERFORMED = "rollback_performed"
    CONSUMER_PENDING = "stemma.consumer.pending"
    CONSUMER_UNACKNOWLEDGED = "stemma.consumer.unacknowledged"
    CONSUMER_DELIVERED = "stemma.consumer.delivered"
    STREAM_SIZE = "stemma.stream.size"
    STREAM_MESSAGES = "stemma.stream.messages"
    COPY_LACKING = "stemma.copy.lacking"
    TENANT_LIMIT = "stemma.tenant.stored.limit"
    DEAD_LETTERS = "stemma.dead_letters"
    DOCUMENTS = "stemma.documents"
    STALE_SECTIONS = "stemma.sections.stale"
    FAILED_SECTIONS = "stemma.sections.failed"
    WAITING = "stemma.waiting"
    WAITING_LONGEST = "stemma.waiting.longest"
    WAITED = "stemma.waited"


class Log(StrEnum):
    """Names of log events."""

    SERVICE_READY = "service_ready"
    SERVICE_STOPPED = "service_stopped"
    SERVICE_FAILED = "service_failed"
    MESSAGE_HANDLED = "message_handled"
    HTTP_HANDLED = "http_handled"
    MESSAGE_UNSETTLED = "message_unsettled"
    EVENT_SKIPPED = "event_skipped"
    DOCUMENT_NOT_REPAIRED = "document_not_repaired"
    PUBLISH_RETRIED = "publish_retried"
    PULL_FAILED = "pull_failed"
    OUTAGE = "outage"
    LOST_FOUND = "lost_message_found"
    SWEEP_FAILED = "sweep_failed"
    OBSERVING_FAILED = "observing_failed"
    SERVER_UNREACHABLE = "server_unreachable"
    CONNECTION_LOST = "connection_lost"
    CONNECTION_RESTORED = "connection_restored"
    PERMISSION_DENIED = "permission_denied"
    LIBRARY = "library_log"
    VALIDATION_RAN = "validation_ran"
    CHECKPOINT_SAVED = "checkpoint_saved"
    ROLLBACK_PERFORMED = "rollback_performed"
    ROLLBACK_SKIPPED = "rollback_skipped"


CONTEXT_ATTRIBUTES: dict[str, Attr] = {
    "service": Attr.SERVICE,
    "tenant": Attr.TENANT,
    "document_id": Attr.DOCUMENT,
    "section_id": Attr.SECTION,
    "session_id": Attr.SESSION,
    "job_id": Attr.JOB,
    "request_id": Attr.REQUEST,
}
"""What is annotated under these keys stands on the current span as well."""
INHERITED_ATTRIBUTES = {key: attr for key, attr in CONTEXT_ATTRIBUTES.items() if key not in ("job_id", "request_id")}
"""What is bound under these keys stands on every span; ids of a message stand where it is handled, once a trace."""
