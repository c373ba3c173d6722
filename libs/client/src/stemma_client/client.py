"""The client: publish a request, follow a document from any point, get its artifacts."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager, suppress
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import IO, TYPE_CHECKING, TypeVar

from nats.errors import Error as NatsError
from pydantic import BaseModel, ValidationError
from stemma_contracts import subjects, v1
from stemma_contracts.envelope import place
from stemma_contracts.misfits import encoded_size

from . import inputs as input_files
from .computing import Compute, in_a_thread
from .connection import Connection, Told, connect
from .deciding import Decisions
from .errors import DocumentNotFoundError, ExportFailedError, InvalidInputError
from .overviews import Listed, Listing, Overview, Sections, follow_listing, read_ids, read_listing, read_overview
from .own_values import Filters, SignedOut, Viewed
from .presence import Presence, follow_presence, tell_presence
from .recorded import Genuine, RecordedEvent, read_whole
from .requests import Rights, answered, encode, publish, read_answer, with_request_id
from .settings import ServerAddress, find_server

if TYPE_CHECKING:
    from stemma_artifacts.store import ArtifactStore
    from stemma_artifacts.uploads import Progress, ResumableUploads
    from stemma_contracts.v1.answers import RequestAccepted
    from stemma_contracts.v1.budgets import Budget
    from stemma_contracts.v1.capabilities import DocumentKind
    from stemma_contracts.v1.comments import NewComment
    from stemma_contracts.v1.exports import Cover, ExportFormat, VersionPair
    from stemma_contracts.v1.grounding import GroundingReport
    from stemma_contracts.v1.outline import OutlineSection
    from stemma_contracts.v1.references import ArtifactRef, UploadRef, UploadRole
    from stemma_contracts.v1.requests import Request
    from stemma_contracts.v1.review import ReviewMode, ReviewPolicy
    from stemma_contracts.v1.summary import DocumentSummary
    from stemma_contracts.v1.views import DocumentView, SectionView, VersionView

    from .comments import ReadThread
    from .ledgers import RequirementLedger
    from .notifications import Notifications
    from .reading import Documents
    from .recipes import Recipes

M = TypeVar("M", bound=BaseModel)
E = TypeVar("E", bound="v1.events.DocumentExported | v1.events.FormExported")
ANSWER_TIMEOUT_S = 30.0
READ_TIMEOUT_S = 10.0
MAX_TEXT_BYTES = 32 * 1024
"""What a text may take in the body of a request; a longer one is sent as an upload."""
MOST_LIVE = 1000
"""Pieces of live text that wait for who reads them."""


@dataclass(frozen=True)
class LiveText:
    """A piece of a section's text as it is generated; never stored, and no part of any state.

    ``at`` is how many characters of the text came before it, if that is told: a text that begins anew is at 0 again.
    Without words it says that a model is called.
    """

    section_id: str
    text: str
    at: int | None = None


def _ignore(line: str) -> None:
    """Who does not listen is told nothing."""


class Client(Decisions):
    """A caller of Stemma; made by `Client.connect`.

    Every method that talks to the server raises `ServerUnreachableError` when it does not answer and
    `AccessDeniedError` when it refuses.
    """

    def __init__(self, connection: Connection, actor: str = "unknown") -> None:
        self._connection = connection
        self.tenant, self.url = connection.address.tenant, connection.address.url
        self.viewed, self.signed_out = Viewed(connection), SignedOut(connection)
        self.filters, self.sections = Filters(connection), Sections(connection)
        login = connection.address.login
        self.actor = login.person if login else actor
        self.role = login.role if login else ""
        self.rights = Rights(connection)
        self._key = ""
        self.compute: Compute = in_a_thread

    def computing(self, compute: Compute) -> Client:
        """The same caller, whose long work on texts is done elsewhere."""
        same = copy(self)
        same.compute = compute
        return same

    def repeatable(self, key: str) -> Client:
        """The same caller, whose requests may be sent again: what is asked twice under one key is done once."""
        same = copy(self)
        same._key = key  # noqa: SLF001 - our own
        return same

    @classmethod
    @asynccontextmanager
    async def connect(
        cls,
        url: str | None = None,
        *,
        tenant: str | None = None,
        user: str | None = None,
        password: str | None = None,
        login: Path | None = None,
        actor: str = "unknown",
        told: Told = _ignore,
    ) -> AsyncIterator[Client]:
        """A connected client.

        What is not given comes from ``STEMMA_NATS_URL``, ``STEMMA_NATS_USER``, ``STEMMA_NATS_PASSWORD`` and
        ``STEMMA_TENANT``, else from the login of this person and the state file of ``stemma up``. ``login`` is the
        file of another. ``actor`` names whom a program decides for, which the log tells as claimed; a person who is
        logged in is always that person. ``told`` is called with a line when the server is lost and when it is back;
        in between the client waits for it. Raises `InvalidAddressError`, `InvalidLoginError`, and `InvalidToken`.
        """
        address = find_server(url, tenant=tenant, user=user, password=password, login=login)
        async with cls.connect_to(address, actor=actor, told=told) as client:
            yield client

    @classmethod
    @asynccontextmanager
    async def connect_to(
        cls, address: ServerAddress, *, actor: str = "unknown", told: Told = _ignore
    ) -> AsyncIterator[Client]:
        """A client of whoever an address is for; nothing is looked up in the surroundings."""
        async with connect(address, told) as connection:
            yield cls(connection, actor)

    @cached_property
    def _artifacts(self) -> ArtifactStore:
        from stemma_artifacts.jetstream import JetStreamArtifactStore

        return JetStreamArtifactStore(self._connection.jetstream)

    @property
    def notifications(self) -> Notifications:
        """The rules by which whoever is connected is notified."""
        from .notifications import Notifications

        return Notifications(self._connection)

    @property
    def is_connected(self) -> bool:
        """Whether the server is there for this client now; it waits for one that is lost."""
        return self._connection.nats.is_connected

    async def request(self, request: Request, *, wait_s: float = ANSWER_TIMEOUT_S) -> RequestAccepted:
        """Publish a request and wait for its answer, at most ``wait_s`` seconds.

        An absent ``request_id`` and ``actor`` are filled in; the same id with the same content gets the old answer.
        A long brief or text is sent as an upload. Raises `RequestRejectedError`, `RequestTooLargeError` and
        `AnswerTimeoutError`; after the last one `answer` asks again.
        """
        request = await self._completed(request)
        return await answered(self._connection, request, encode(request), wait_s)

    async def send(self, request: Request) -> str:
        """Publish a request and wait for no answer; the id by which `answer` asks for it.

        Raises as `request` does, but for the answer.
        """
        request = await self._completed(request)
        await publish(self._connection, request, encoded := encode(request))
        return encoded.request_id

    async def _completed(self, request: Request) -> Request:
        self.rights.check(request)
        if self._connection.address.login is None and "actor" not in request.model_fields_set:
            request = request.model_copy(update={"actor": self.actor})
        return await self._with_short_text(with_request_id(request, self._key))

    async def _with_short_text(self, request: Request) -> Request:
        """The request with a long text as an upload, so that the message is not too large."""
        match request:
            case v1.requests.CreateDocument(brief=str(text)) if encoded_size(text) > MAX_TEXT_BYTES:
                upload = await self.upload(text.encode(), name="brief.md")
                return request.model_copy(update={"brief": None, "brief_upload": upload})
            case v1.requests.EditSection(text=str(text)) if encoded_size(text) > MAX_TEXT_BYTES:
                upload = await self.upload(text.encode(), name="draft.md")
                return request.model_copy(update={"text": None, "text_upload": upload})
            case v1.requests.PlanChange(planned=v1.requests.EditSection() as planned):
                short = await self._with_short_text(planned)
                return request.model_copy(update={"body": v1.requests.body_to_plan(short)})
            case _:
                return request

    async def answer(self, request_id: str, *, wait_s: float = ANSWER_TIMEOUT_S) -> RequestAccepted:
        """The answer to a request that was published earlier, by this or another process."""
        return await read_answer(self._connection, request_id, digest=None, wait_s=wait_s)

    async def upload(self, source: Path | str | bytes | IO[bytes], *, name: str | None = None) -> UploadRef:
        """Put a file or bytes where a request can refer to it; ``name`` is required for bytes and open files.

        A file is never in memory as a whole. Raises `InvalidInputError` for one that cannot be read or is too large.
        """
        if not isinstance(source, (Path, str)):
            return await self._upload(source, name)
        with input_files.opened(Path(source)) as file:
            return await self._upload(file, name or Path(source).name)

    async def _upload(self, content: bytes | IO[bytes], name: str | None) -> UploadRef:
        from stemma_artifacts.uploads import UploadStore

        if not name:
            raise InvalidInputError("bytes need a name")
        store = UploadStore(await self._connection.asking(), self.tenant)
        return await self._connection.call(store.put(content, name=name, media_type=input_files.media_type_of(name)))

    async def upload_progress(self, upload_id: str) -> Progress:
        return await self._connection.call((await self._in_pieces()).progress(upload_id))

    async def upload_piece(
        self, upload_id: str, offset: int, pieces: AsyncIterator[bytes], *, complete: bool = False
    ) -> Progress:
        """Add to an upload; raises `WrongOffset` where it does not end at ``offset``."""
        uploads = await self._in_pieces()
        return await self._connection.call(uploads.append(upload_id, offset, pieces, complete=complete))

    async def uploaded(self, upload_id: str, *, name: str) -> UploadRef:
        """The reference of an upload whose pieces are all there; raises `Incomplete`."""
        uploads = await self._in_pieces()
        return await self._connection.call(uploads.finished(upload_id, name, input_files.media_type_of(name)))

    async def _in_pieces(self) -> ResumableUploads:
        from stemma_artifacts.uploads import ResumableUploads

        return ResumableUploads(await self._connection.asking(), self.tenant)

    async def create_document(
        self,
        kind: str,
        *,
        brief: str | Path | UploadRef,
        inputs: Iterable[Path | str | UploadRef] = (),
        roles: Mapping[UploadRole, Iterable[Path | str]] = MappingProxyType({}),
        title: str = "",
        review: ReviewPolicy | ReviewMode | None = None,
        language: str | None = None,
        outline: Sequence[OutlineSection] | None = None,
        budget: Budget | None = None,
        request_id: str | None = None,
        wait_s: float = ANSWER_TIMEOUT_S,
    ) -> RequestAccepted:
        """Ask for a new document from a brief, in words or as a file of any format, and files, folders or uploads.

        Of ``roles`` each file has the role that it stands under. ``inputs`` are evidence, unless their names or texts
        propose another role: mails are internal.
        Without ``title`` it has the heading that the brief begins with, or the title in its front matter; a file gives
        its first heading, or the title among its properties, and its name until it is read.
        It is in ``language``, a tag such as ``de``, else in that of the brief. Its sections are those of ``outline``,
        and its ``budget`` the one given, else those of its kind.
        Of a folder every file is sent that is not hidden, under its path inside the folder. Raises
        `InvalidInputError` for what must not or cannot be sent, before anything is.
        """
        from stemma_contracts.v1.references import UploadRef
        from stemma_contracts.v1.review import ReviewMode, ReviewPolicy

        given = list(inputs)
        files = input_files.collect_by_role([one for one in given if not isinstance(one, UploadRef)], roles)
        uploads = [one for one in given if isinstance(one, UploadRef)]
        uploads += [await self._uploaded_for(role, file) for role, file in files]
        return await self.request(
            v1.requests.CreateDocument(
                request_id=request_id,
                kind=kind,
                title=title or input_files.title_of(brief),
                brief=brief if isinstance(brief, str) else None,
                brief_upload=None if isinstance(brief, str) else await self._uploaded_as(brief, None),
                inputs=tuple(uploads),
                review=ReviewPolicy(mode=review) if isinstance(review, ReviewMode) else review,
                language=language,
                outline=tuple(outline) if outline is not None else None,
                budget=budget,
            ),
            wait_s=wait_s,
        )

    async def _uploaded_for(self, role: UploadRole, file: input_files.InputPath) -> UploadRef:
        upload = await self.upload(file.path, name=file.name)
        return upload.model_copy(update={"role": role, "role_confirmed": role != "evidence"})

    async def export(
        self,
        document_id: str,
        format: ExportFormat,
        *,
        redline: Iterable[VersionPair] = (),
        citations: bool = False,
        matrix: bool = False,
        cover: Cover | None = None,
    ) -> v1.events.DocumentExported:
        """The document in a format, finished or not; raises `ExportFailedError`.

        With ``redline`` only the sections that it names, as DOCX with what changed between two versions of each as
        tracked changes. With ``citations`` footnotes say on which places of the inputs each sentence rests.
        With ``matrix`` an appendix says which section answers each demand of the requirement ledger.
        """
        request = v1.requests.ExportDocument(
            document_id=document_id,
            format=format,
            redline=tuple(redline),
            citations=citations,
            matrix=matrix,
            cover=cover,
        )
        accepted = await self.request(request)
        return await self.exported(document_id, str(accepted.export_id))

    async def exported(self, document_id: str, export_id: str) -> v1.events.DocumentExported:
        """Wait until an export that was asked for is there; raises `ExportFailedError`."""
        return await self._exported(v1.events.DocumentExported, document_id, export_id)

    async def _exported(self, done: type[E], document_id: str, export_id: str) -> E:
        async with aclosing(self.follow(document_id)) as recorded_events:
            async for event in recorded_events:
                match event.contract:
                    case done(export_id=found) as exported if found == export_id:
                        return exported
                    case v1.events.ExportFailed() | v1.events.ExportJobDead() as failed if (
                        failed.export_id == export_id
                    ):
                        raise ExportFailedError(export_id, failed.detail)
                    case v1.events.FormExportFailed(export_id=found, reasons=reasons) if found == export_id:
                        raise ExportFailedError(export_id, "\n".join(reasons))
        raise ExportFailedError(export_id, "the connection was closed")

    async def export_form(self, document_id: str, input_id: str) -> v1.events.FormExported:
        """A form of the buyer with the approved answers of its section in it; raises `ExportFailedError`."""
        request = v1.requests.ExportForm(document_id=document_id, input_id=input_id)
        accepted = await self.request(request)
        return await self.form_exported(document_id, str(accepted.export_id))

    async def form_exported(self, document_id: str, export_id: str) -> v1.events.FormExported:
        """Wait until a form that was asked for is there; raises `ExportFailedError` with every reason."""
        return await self._exported(v1.events.FormExported, document_id, export_id)

    def follow(self, document_id: str, *, from_sequence: int = 0) -> AsyncGenerator[RecordedEvent, None]:
        """The events of a document, those stored at ``from_sequence`` or later and those to come, without end.

        Each event comes once and in order, also when the server restarts meanwhile. What the copy of the log lacks
        after a server of several was lost is told of, if all is followed; `history` has it once the copy was made anew.
        Close the iterator (``contextlib.aclosing``) when it is left early.
        """
        genuine = Genuine(whole=not from_sequence)
        return self._follow_log(subjects.event(self.tenant, document_id, subjects.ANY), from_sequence, genuine)

    def follow_all(self, *, name: str | None = None, from_sequence: int = 0) -> AsyncGenerator[RecordedEvent, None]:
        """The events of all documents of the tenant; ``name`` limits them to one type (``section-drafted``)."""
        genuine = Genuine(whole=not (name or from_sequence))
        return self._follow_log(subjects.event(self.tenant, subjects.ANY, name or subjects.ANY), from_sequence, genuine)

    async def _follow_log(
        self, subject: str, from_sequence: int, genuine: Genuine
    ) -> AsyncGenerator[RecordedEvent, None]:
        """Events, each as soon as it is known whether another one lies behind it.

        The copy that is read may be behind the log for a moment; what it lacks is pending all the same. What lies
        behind an event and is none is not: an event is held back until what is stored behind it was seen, or until
        the copy has no more.
        """
        last = await self._connection.last_sequence(subjects.EVENTS, subject)
        held, reached = None, 0
        async with aclosing(self._connection.follow_and_rest(subjects.EVENTS, subject, from_sequence)) as messages:
            async for message in messages:
                reached = message.metadata.sequence.stream if message else reached
                if message and (event := genuine.read_or_tell(message, self._connection.tell)):
                    if genuine.hole:
                        self._connection.tell(str(genuine.hole))
                    if held:
                        yield held
                    held = event
                if held and not (message and message.metadata.num_pending):
                    yield replace(held, pending=int(reached < last))
                    held = None

    async def follow_live(self, document_id: str) -> AsyncGenerator[LiveText, None]:
        """Text of a document as it is generated, from now on; what was missed does not come again.

        Who reads too slowly misses some. Raises `AccessDeniedError` once the caller is not admitted any more, and
        `ServerUnreachableError` if the server ended the connection for good.
        """
        subject = subjects.live(self.tenant, document_id, subjects.ANY)
        subscription = await self._connection.nats.subscribe(subject, pending_msgs_limit=MOST_LIVE)
        try:
            async for message in subscription.messages:
                text, at = message.data.decode("utf-8", "replace"), place(message.headers)
                yield LiveText(message.subject.rsplit(".", 1)[-1], text, at)
        finally:
            with suppress(NatsError):
                await subscription.unsubscribe()
        self._connection.raise_if_lost()

    async def tell_presence(self, document_id: str, section_id: str, *, here: bool) -> None:
        """Tell the others that one has the editor of a section open, again every few seconds, or has closed it."""
        await tell_presence(self._connection, document_id, section_id, here=here)

    def follow_presence(self, document_id: str) -> AsyncGenerator[Presence, None]:
        """Who has editors of a document open, as they tell it, from now on; a person who only reads is told of none."""
        return follow_presence(self._connection, document_id)

    async def position(self, document_id: str | None = None) -> int:
        """Where the last event of a document, or of all of them, lies in the log; 0 if there is none."""
        subject = subjects.event(self.tenant, document_id or subjects.ANY, subjects.ANY)
        return await self._connection.last_sequence(subjects.EVENTS, subject)

    async def history(self, document_id: str, *, at_least: int = 0) -> list[RecordedEvent]:
        """All events of a document so far, that at the sequence ``at_least`` among them.

        Raises `DocumentNotFoundError`, `CopyIncompleteError` if the copy that is read lacks some of them,
        `UnreadableEventError` if some cannot be read, and `ServerUnreachableError` if that event does not come.
        """
        subject = subjects.event(self.tenant, document_id, subjects.ANY)
        async with aclosing(self._connection.snapshot(subjects.EVENTS, subject, at_least=at_least)) as messages:
            if events := [event async for event in read_whole(messages, Genuine(), self._connection.tell)]:
                return events
        raise DocumentNotFoundError.of("document_unknown", document_id=document_id)

    async def document(self, document_id: str, *, at_least: int = 0) -> DocumentView:
        """A document as its events tell it now; raises `DocumentNotFoundError`.

        With ``at_least``, the ``sequence`` of an answer, what was asked for has its effect there.
        """
        from .reading import read_document  # with all events, and the fold of a document

        return read_document(document_id, await self.history(document_id, at_least=at_least))

    def rereading(self, *, most_events: int) -> Documents:
        """The same for documents that are looked at again and again, of which so many events are remembered."""
        from .reading import Documents

        return Documents(self._connection, most_events)

    async def recipes(self) -> Recipes:
        """What drafts would be made with now; `stemma_client.recipes.outdated_recipe` compares a section with it."""
        from .recipes import read_recipes

        return await self._connection.call(read_recipes(self._connection.jetstream))

    async def kinds(self) -> tuple[DocumentKind, ...]:
        """The document kinds that can be asked for, with their sections and who settles each."""
        from .recipes import read_kinds

        return await self._connection.call(read_kinds(self._connection.jetstream))

    async def documents(self, *, warns: bool = True) -> list[DocumentSummary]:
        """All documents of the tenant, newest first, from the read model, which follows the log.

        A summary that cannot be read is left out, with a warning unless ``warns`` is false.
        """
        return (await read_listing(self._connection, self.tenant, warns=warns)).documents

    async def listing(self) -> Listing:
        """The same with the place in the read model that they were read to, from which `follow_listing` goes on."""
        return await read_listing(self._connection, self.tenant)

    def follow_listing(self, *, from_sequence: int = 0) -> AsyncGenerator[Listed, None]:
        """The documents whose summaries changed at a place in the read model or later, and those to come, without end.

        A document whose summary changed several times meanwhile comes once, as it is then.
        """
        return follow_listing(self._connection, self.tenant, from_sequence)

    async def document_ids(self) -> list[str]:
        """The ids of all documents of the tenant; no summary is read."""
        return await read_ids(self._connection, self.tenant)

    async def overview(self, document_id: str, *, at_least: int = 0, wait_s: float = READ_TIMEOUT_S) -> Overview:
        """A document and its sections from the read model, which follows the log.

        With ``at_least``, the ``sequence`` of an answer, it is read once it knows of that; raises `NotReadYetError` if
        it does not within ``wait_s`` seconds, and `DocumentNotFoundError`.
        """
        return await read_overview(self._connection, self.tenant, document_id, at_least, wait_s)

    async def grounding(self, document_id: str, section_id: str) -> GroundingReport | None:
        """Where each claim of the current version of a section stands; None if it was not looked up.

        Raises `KeyError` for a section that the document does not have.
        """
        from stemma_contracts.v1.grounding import GroundingReport

        validation = (await self.document(document_id)).sections[section_id].validation
        if validation is None or validation.grounding is None:
            return None
        return GroundingReport.model_validate_json(await self.artifact(document_id, validation.grounding))

    async def artifact(self, document_id: str, ref: ArtifactRef) -> bytes:
        """The content behind a reference; raises `ArtifactMissing` or `ArtifactCorrupt` of `stemma_artifacts`."""
        return await self._connection.call(self._artifacts.get(self.tenant, document_id, ref))

    async def artifact_pieces(self, document_id: str, ref: ArtifactRef) -> AsyncGenerator[bytes, None]:
        """The same as it comes, never in memory as a whole; see `ArtifactStore.pieces` of `stemma_artifacts`."""
        async with aclosing(self._artifacts.pieces(self.tenant, document_id, ref)) as pieces:
            async for piece in self._connection.each(pieces):
                yield piece

    async def text(self, document_id: str, ref: ArtifactRef | None) -> str:
        """The words behind a reference; nothing if there is none. Raises as `artifact` does."""
        return "" if ref is None else (await self.artifact(document_id, ref)).decode("utf-8", "replace")

    async def stored_text(self, document_id: str, ref: ArtifactRef | None) -> str | None:
        """The words behind a reference; None where they are not stored any more."""
        from stemma_artifacts.store import ArtifactMissing

        try:
            return await self.text(document_id, ref)
        except ArtifactMissing:
            return None

    async def stored(self, document_id: str, ref: ArtifactRef | None, model: type[M]) -> M | None:
        """What a reference names, by its contract; None where that is not stored any more, or does not fit it."""
        from stemma_artifacts.store import ArtifactMissing

        try:
            return model.model_validate_json(await self.artifact(document_id, ref)) if ref else None
        except (ArtifactMissing, ValidationError):
            return None

    async def anchored(
        self, document_id: str, section_id: str, version: int, comments: Iterable[NewComment]
    ) -> tuple[NewComment, ...]:
        """Comments with the blocks that they are about, as far as these are known.

        Raises `InvalidInputError` for a quotation that does not stand in that version.
        """
        from .comments import anchored  # with what reads Markdown

        return await anchored(self, document_id, section_id, version, comments)

    async def threads(
        self, document_id: str, section: SectionView, version: VersionView | None = None
    ) -> tuple[ReadThread, ...]:
        """The threads of a section with their words and places in a version, in the order in which they began."""
        from .comments import threads

        return await threads(self, document_id, section, version) if section.threads else ()

    async def read_requirements(
        self,
        document_id: str,
        *,
        sources: Iterable[str] = (),
        without_brief: bool = False,
        second_opinion: bool = False,
    ) -> RequirementLedger:
        """Have the demands of the brief and of inputs read, and wait for the ledger.

        With a second opinion a model is asked, too, and waited for; that it failed is said in the view of the ledger.
        Raises `LedgerFailedError` if the demands cannot be read or the document is cancelled meanwhile, and
        `OpinionSupersededError` if they are read again without a second opinion before there is one.
        """
        from .ledgers import read_requirements

        request = v1.requests.ReadRequirements(
            document_id=document_id,
            sources=tuple(sources),
            without_brief=without_brief,
            second_opinion=second_opinion,
        )
        return await read_requirements(self, request)

    async def requirements_after(self, document_id: str, sequence: int) -> RequirementLedger:
        """The ledger once the reading is done that an event at a sequence caused; a reading is asked for if it did not.

        Raises as `read_requirements` does.
        """
        from .ledgers import read_after

        return await read_after(self, document_id, sequence)

    async def ledger(self, document_id: str, *, at_least: int = 0) -> RequirementLedger:
        """The ledger as it is; raises `LedgerFailedError` if nothing was read into it yet."""
        return await self.ledger_of(await self.document(document_id, at_least=at_least))

    async def ledger_of(self, document: DocumentView) -> RequirementLedger:
        """The ledger of a document that was read; raises `LedgerFailedError` if nothing was read into it yet."""
        from .ledgers import ledger_of

        return await ledger_of(self, document)
