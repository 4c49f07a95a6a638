"""``setup``, ``restrict``, ``status`` and ``endpoint test``.

What the organizer decides for all judges, and the progress of a workspace in six steps.
"""

from __future__ import annotations

import json
import secrets
import sqlite3
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from curator.bank.questions import Bank, active
from curator.bank.wording import without_controls
from curator.collection.pools import UNJUDGED, Collection
from curator.errors import EditError, ReleaseError, RoleError, SettingError
from curator.evaluation.leaderboard import is_judged
from curator.formats.text.notices import counted
from curator.results import Cells, Result, Rows
from curator.snapshot.gradebook import GraderRecord
from curator.snapshot.languages import Languages
from curator.snapshot.languages import languages as languages_of
from curator.snapshot.opened import OpenWorkspace
from curator.snapshot.scoring import count_left_out
from curator.snapshot.snapshot import Snapshot
from curator.store.collection import SettingKey, read_settings, write_setting
from curator.store.connection import write_transaction
from curator.store.counts import count_rows
from curator.store.history import now
from curator.store.restricted import Restriction, read_restrictions, write_restrictions
from curator.verbs.proposals.request import GenerationRequest, check_address
from grading.ratings import NOT_ASKED, UNREADABLE
from grading.responders import COMPUTED_ENGINES, GradedKind

if TYPE_CHECKING:
    from curator.verbs.releases import Drift
    from grading.models.endpoint import EndpointCheck


@dataclass(frozen=True)
class GraderState:
    """A grader with the number of its known and needed grades.

    ``unreadable`` are unknown although the grader was asked: the response states no
    rating. ``engines`` are the clients that make it grade here (``grading.registry``);
    those of both for a combination of two, its own and the answering grader's where it
    checks answers, () for one that cannot grade. ``out_of_reach`` are grades it cannot
    give, because a text, an answer key or an answer is missing. ``source`` is the
    answering grader whose answers it checks, "" without one. ``by_people`` is True if
    its grades are people's verdicts, ``learned`` if they follow from checks and other
    graders. ``left_out`` are unknown because of a grading budget.
    """

    columns: ClassVar = "name kind item_kind model known needed can_grade"

    name: str
    kind: str
    item_kind: GradedKind
    model: str
    known: int
    needed: int
    can_grade: bool
    unreadable: int = 0
    engines: tuple[str, ...] = ()
    out_of_reach: int = 0
    source: str = ""
    by_people: bool = False
    learned: bool = False
    left_out: int = 0

    @property
    def unasked(self) -> int:
        """Number of grades that could be asked for and have not been."""
        return self.needed - self.known - self.unreadable - self.out_of_reach

    @property
    def paid(self) -> bool:
        """True if grading may cost money, so that a dry run counts it first."""
        # Imported on use, since the import is slow.
        from grading.registry import is_paid

        return any(map(is_paid, self.engines))

    @property
    def computed(self) -> bool:
        return not COMPUTED_ENGINES.isdisjoint(self.engines)


@dataclass(frozen=True)
class Step:
    """A step of the six, with its state in words and its command."""

    name: str
    done: bool
    state: str
    command: str


@dataclass(frozen=True)
class Status(Result[Cells], table="overview.status_table"):
    """A workspace in figures, with its settings.

    ``releases`` are all of them, the latest first, with their changes since;
    ``notes`` includes a sentence on each whose labels would change today.
    """

    path: Path
    title: str
    blind: bool
    guidelines: bool
    human_first: int
    languages: Languages
    counts: dict[str, int]
    graders: tuple[GraderState, ...]
    steps: tuple[Step, ...]
    releases: tuple[Drift, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Statistics(Result[Cells], table="overview.statistics_table"):
    """Sizes of the collection, as papers print them.

    ``passages_per_ranking`` is the mean over systems and the queries they rank, None
    without rankings. ``judged_relevant`` counts the passages judged relevant in any
    subtopic, None without a minimum relevance. All ``judged`` fields are None for
    judges in blind mode.
    """

    queries: int
    ranked_queries: int
    systems: int
    passages_per_ranking: float | None
    queries_with_questions: int
    questions: int
    gold_articles: int
    judged_queries: int | None = None
    judged_subtopics: int | None = None
    judged_passages: int | None = None
    judged_relevant: int | None = None


def statistics(snapshot: Snapshot) -> Statistics:
    """Count the contents of the collection; of questions only kept ones.

    Source of the lines: Sander & Dietz 2021, Table 3.
    """
    collection = snapshot.collection
    pools = collection.pools.values()
    kept = Counter(q.query_id for q in snapshot.bank if q.state == "kept")
    lengths = [n for pool in pools for n in pool.retrieved(None).tolist() if n]
    judged: dict[str, int] = {}
    if not (snapshot.viewer.is_judge and collection.blind):
        subtopics = [part for pool in pools for part in pool.subtopics.values()]
        judged = {
            "judged_queries": sum(map(is_judged, pools)),
            "judged_subtopics": sum(map(is_judged, subtopics)),
            "judged_passages": sum(int((p.judgments != UNJUDGED).sum()) for p in pools),
        }
        if (lowest := collection.min_relevance) is not None:
            relevant = sum(len(pool.judged_from(lowest)) for pool in pools)
            judged["judged_relevant"] = relevant
    return Statistics(
        queries=len(collection.queries),
        ranked_queries=sum(bool(pool.retrieved(None).any()) for pool in pools),
        systems=len(collection.systems),
        passages_per_ranking=sum(lengths) / len(lengths) if lengths else None,
        queries_with_questions=len(kept),
        questions=kept.total(),
        gold_articles=sum(bool(pool.gold) for pool in pools),
        **judged,
    )


def graders(snapshot: Snapshot) -> Rows[GraderState]:
    """Return every grader with its kind, model, and known and needed grades."""
    snapshot = snapshot.with_texts  # only numbers are returned
    records = snapshot.gradebook.records

    def states() -> Rows[GraderState]:
        return Rows((_state(snapshot, record) for record in records), GraderState)

    return snapshot.cached(("graders",), states)


def _state(snapshot: Snapshot, record: GraderRecord) -> GraderState:
    spec = record.spec
    model, unreadable, left_out = "", 0, 0
    if spec.learned:  # counted without learning it
        units = [_known_units(snapshot, record, name) for name in snapshot.query_ids()]
        grades = sum(int(part.sum()) for part in units)
        needed = sum(part.size for part in units)
    else:
        by_query = snapshot.matrices(record.name, snapshot.bank, snapshot.query_ids())
        matrices, model = by_query.values(), spec.responder.model
        grades = sum(matrix.known for matrix in matrices)
        needed = sum(matrix.needed for matrix in matrices)
        incomplete = (m.ratings for m in matrices if m.known < m.needed)
        unreadable = sum(int((part == UNREADABLE).sum()) for part in incomplete)
        left_out = count_left_out(snapshot, record.name, matrices)[0]
    can_ask = record.can_grade or spec.learned
    return GraderState(
        name=record.name,
        kind=spec.reading.kind,
        item_kind=spec.reading.item_kind,
        model=model,
        known=grades,
        needed=needed,
        can_grade=record.can_grade,
        unreadable=unreadable,
        engines=engines(record) if can_ask else (),
        out_of_reach=_out_of_reach(snapshot, record) if can_ask or record.parts else 0,
        source=record.parts[0].name if spec.checks_answers and record.parts else "",
        by_people=record.by_people and not spec.learned,
        learned=spec.learned,
        left_out=left_out,
    )


def _known_units(
    snapshot: Snapshot, record: GraderRecord, query_id: str
) -> NDArray[np.bool_]:
    """(items, counted passages): True where a part has a grade, or people decided."""
    pool, kind = snapshot.collection.pools[query_id], record.spec.reading.item_kind
    questions = snapshot.bank.questions_of(query_id)
    items = () if kind == "query" else active(questions, kind)
    texts = [None] if kind == "query" else [item.text for item in items]
    covered = np.zeros((len(texts), pool.size), dtype=np.bool_)
    for part in record.parts:
        graded = snapshot.matrix(part.name, query_id, snapshot.bank)
        has_grade = graded.ratings >= 0
        if "query" in (kind, part.spec.reading.item_kind):
            covered |= has_grade.any(axis=0)
            continue
        rows = dict(zip(graded.item_ids, has_grade, strict=True))
        for row, item in enumerate(items):
            covered[row] |= rows.get(item.question_id, False)
    learned = snapshot.gradebook.learned
    decided = learned.decided(query_id) if learned else {}
    for row, text in enumerate(texts if decided else ()):
        covered[row] |= [(text, name) in decided for name in pool.passage_ids]
    return np.delete(covered, list(pool.uncounted), axis=1)


def _out_of_reach(snapshot: Snapshot, record: GraderRecord) -> int:
    """Number of grades that the grader cannot give: text or answer key is missing.

    Also counts missing answers where it checks the answers of an imported grader.
    """
    if record.spec.checks_answers and record.parts and not record.can_grade:
        return _without_answer(snapshot, record)
    kind, checks = record.spec.reading.item_kind, record.spec.reading.checks_answer_keys
    if kind == "query":
        items = snapshot.collection.queries
        queries = [query.query_id for query in items if query.title is None]
    else:
        queries = [
            question.query_id
            for question in active(snapshot.bank, kind)
            if question.text is None or (checks and not question.answers)
        ]
    return sum(len(snapshot.collection.pools[query_id].counted) for query_id in queries)


def _without_answer(snapshot: Snapshot, record: GraderRecord) -> int:
    (source,) = record.parts
    count = 0
    matrices = snapshot.matrices(record.name, snapshot.bank, snapshot.query_ids())
    for query_id, matrix in matrices.items():
        questions = snapshot.bank.questions_of(query_id)
        keyed = {q.question_id for q in questions if q.text and q.answers}
        answered = snapshot.graded(source, query_id, questions).ratings != NOT_ASKED
        answered[[item_id not in keyed for item_id in matrix.item_ids]] = False
        count += int(((matrix.ratings == NOT_ASKED) & ~answered).sum())
    return count


def engines(record: GraderRecord) -> tuple[str, ...]:
    """Return the clients that a grader and its parts use to grade."""
    # The engine of an imported grader is "".
    engine_names = [] if record.spec.combined else [record.spec.engine]
    part_engines = [engine for part in record.parts for engine in engines(part)]
    return tuple(filter(None, dict.fromkeys([*engine_names, *part_engines])))


def status(workspace: OpenWorkspace) -> Status:
    """Return the six steps with their state, counts by name, and missing grades."""
    with workspace.snapshot() as snapshot:
        return status_of(snapshot, workspace.path)


def status_of(snapshot: Snapshot, path: Path) -> Status:
    """Return the status of one snapshot; ``path`` is that of its file."""
    collection, bank = snapshot.collection, snapshot.bank
    count = partial(count_rows, snapshot.connection)
    states = Counter(question.state for question in bank)
    kinds = Counter(question.kind for question in bank)
    segments, restricted = count("segment"), len(collection.restricted)
    counts = {
        "queries": len(collection.queries),
        **({"restricted_queries": restricted} if restricted else {}),
        "subtopics": sum(len(query.subtopics) for query in collection.queries),
        "passages": count("passage", "text_id IS NOT NULL") - segments,
        **({"segments": segments} if segments else {}),
        "passages_without_text": count("passage", "text_id IS NULL"),
        "pooled": sum(len(pool.counted) for pool in collection.pools.values()),
        "gold_articles": sum(bool(pool.gold) for pool in collection.pools.values()),
        "systems": len(collection.systems),
        "rankings": count("ranking") + count("subtopic_ranking"),
        "judgments": count("judgment") + count("subtopic_judgment"),
        "official_ranks": len(collection.official),
        "questions": kinds["question"],
        "nuggets": kinds["nugget"],
        **{name: states[name] for name in ("kept", "proposed", "retired")},
        "queries_done": len({query_id for query_id, _ in bank.done}),
        "events": count("event"),
        "responses": count("response"),
    }
    grader_states = graders(snapshot)
    texts = languages_of(snapshot)
    releases, release_step, sentences = _released(snapshot)
    left_out = [
        f"{grader.name}: {grader.left_out:,} of "
        f"{counted(grader.needed - grader.known, 'missing grade')} left out by a "
        "grading budget; `curator grade WORKSPACE --grader NAME` without one asks for "
        "all."
        for grader in grader_states
        if grader.left_out
    ]
    return Status(
        path=path,
        title=collection.title,
        blind=collection.blind,
        guidelines=collection.guidelines is not None,
        human_first=collection.human_first,
        languages=texts,
        counts=counts,
        graders=grader_states,
        steps=(*_steps(collection, counts, grader_states), release_step),
        releases=releases,
        notes=(*filter(None, [texts.note]), *sentences, *left_out),
    )


def _released(snapshot: Snapshot) -> tuple[tuple[Drift, ...], Step, tuple[str, ...]]:
    # Imported on use, to keep the start of `curator leaderboard` fast.
    from curator.verbs.releases import drift_sentence, release_drifts

    try:
        drifts = release_drifts(snapshot)
    except ReleaseError as error:
        return (), Step("release", False, str(error), "curator verify"), ()
    words = "no release yet"
    if drifts:
        latest, number = drifts[0].record.name, drifts[0].questions
        differ = counted(number, "question differs", "questions differ")
        since = f"{differ} from it" if number else "the bank is as it was then"
        words = f"{counted(len(drifts), 'release')}, the latest '{latest}'; {since}"
    sentences = tuple(drift_sentence(drift) for drift in drifts if drift.labels)
    return drifts, Step("release", bool(drifts), words, "curator release"), sentences


def _steps(
    collection: Collection, counts: dict[str, int], graders: tuple[GraderState, ...]
) -> list[Step]:
    done, queries = counts["queries_done"], counts["queries"]
    judged = any(map(is_judged, collection.pools.values()))
    missing = [name for name in ("queries", "pooled") if not counts[name]]
    if not counts["questions"] + counts["nuggets"]:
        missing.append("questions")
    kept_words = "kept" if counts["nuggets"] else "questions kept"
    complete = [g for g in graders if g.needed and g.known == g.needed]
    passages, systems = counts["passages"], counts["systems"]
    imported = (
        f"{counted(queries, 'query', 'queries')}, {counted(passages, 'passage')}, "
        f"{counted(systems, 'system')}"
    )
    threshold = collection.min_relevance
    if not judged:
        agree = "hidden while judging is blind" if collection.blind else "no judgments"
    elif threshold is None:
        agree = "judgments, no minimum relevance (--min-relevance)"
    else:
        agree = f"{counts['judgments']} judgments, relevant from {threshold}"
    nothing = f"missing: {', '.join(missing)}"
    graded = f"{len(complete)} of {len(graders)} graders complete"
    curated = f"{done} of {queries} queries done, {counts['kept']} {kept_words}"
    steps = (
        ("import", queries and counts["pooled"], imported, "import"),
        ("check", not missing, nothing if missing else "all there", "verify"),
        ("grade", complete, graded if graders else "no grades yet", "grade"),
        ("curate", queries and done == queries, curated, "serve"),
        ("agree", judged and threshold is not None, agree, "agreement"),
    )
    return [
        Step(name, bool(is_done), words, f"curator {command}")
        for name, is_done, words, command in steps
    ]


def languages(snapshot: Snapshot) -> Languages:
    """Return the languages of queries and passages, with a note on English graders."""
    return languages_of(snapshot)


def collection(snapshot: Snapshot) -> Collection:
    """Return queries, pools, systems and official ranks; cached until it changes."""
    return snapshot.collection


def bank(snapshot: Snapshot) -> Bank:
    """Return every question in every state, with the visible votes and verdicts."""
    return snapshot.bank


MAX_GUIDELINES = 20_000  # characters, about eight printed pages
MAX_TITLE = 200  # characters
MAX_HUMAN_FIRST = 20  # questions that a judge writes before seeing a proposal
SALT_BYTES = 16


@dataclass(frozen=True)
class Setup(Result[tuple[str, object]], table="overview.setup_table"):
    """Settings of a workspace; ``guidelines`` and ``min_relevance`` None if not set.

    ``human_first`` is the number of questions that a judge writes in a query before
    seeing its proposals, ``generation`` the default request to models.
    """

    title: str
    guidelines: str | None
    blind: bool
    min_relevance: int | None
    human_first: int = 0
    generation: GenerationRequest | None = None


def set_up(
    workspace: OpenWorkspace,
    *,
    title: str | None = None,
    guidelines: str | None = None,
    blind: bool | None = None,
    min_relevance: int | None = None,
    human_first: int | None = None,
    generation: GenerationRequest | None = None,
) -> Setup:
    """Change settings and return all; None leaves a setting unchanged.

    ``guidelines`` is Markdown for the judges, "" removes it; ``generation`` the default
    request to models: graders use its endpoint, too, and it may lack a model. Enabling
    blind mode creates a new secret for masking system names, so masks are stable while
    it is on and unrelated to earlier ones. Raises SettingError for a title or
    guidelines that are too long or not Unicode, and for ``human_first`` out of range;
    PromptError for an invalid ``generation``.

    Args:
        title (TEXT): Title of the collection.
        blind: Hide system names, judgments and official ranks from judges.
        human_first (N): Number of questions a judge must write in a query before seeing
            proposals; 0 for none.
    """
    connection = workspace.connection
    new: dict[SettingKey, str] = {}
    if title is not None:
        new["title"] = " ".join(_cleaned("title", title, MAX_TITLE).split())
    if guidelines is not None:
        new["guidelines"] = _cleaned("guidelines", guidelines, MAX_GUIDELINES)
    if blind is not None:
        new["blind"] = secrets.token_hex(SALT_BYTES) if blind else ""
    if min_relevance is not None:
        new["min_relevance"] = str(min_relevance)
    if human_first is not None:
        if not 0 <= human_first <= MAX_HUMAN_FIRST:
            raise SettingError(
                f"A judge writes between 0 and {MAX_HUMAN_FIRST} questions first, not "
                f"{human_first}."
            )
        new["human_first"] = str(human_first) if human_first else ""
    if generation is not None:
        is_complete = generation.model.strip() or not generation.endpoint
        (generation if is_complete else replace(generation, model="any")).check()
        new["generation"] = json.dumps(generation.spec())
    if new:
        with write_transaction(connection):
            if blind and (salt := read_settings(connection).get("blind")):
                new["blind"] = salt  # judges know the systems by masks made from it
            for key, value in new.items():
                write_setting(connection, key, value)
    return setup(connection)


def setup(connection: sqlite3.Connection) -> Setup:
    """Return the settings of a workspace."""
    settings = read_settings(connection)
    min_relevance = settings.get("min_relevance")
    return Setup(
        title=settings.get("title", ""),
        guidelines=settings.get("guidelines"),
        blind="blind" in settings,
        min_relevance=None if min_relevance is None else int(min_relevance),
        human_first=int(settings.get("human_first", 0)),
        generation=default_request(settings),
    )


def default_request(settings: Mapping[str, str]) -> GenerationRequest | None:
    saved = settings.get("generation")
    return None if saved is None else GenerationRequest.from_spec(json.loads(saved))


def saved_endpoint(connection: sqlite3.Connection) -> str:
    """Return the address of chat models, "" to use the environment's."""
    request = default_request(read_settings(connection))
    return request.endpoint if request else ""


def _cleaned(name: str, text: str, longest: int) -> str:
    try:
        text = without_controls(text)
    except EditError as error:
        raise SettingError(f"The {name} cannot be saved: {error}") from None
    if len(text) > longest:
        raise SettingError(
            f"The {name} can have {longest:,} characters, not {len(text):,}."
        )
    return text


def restrictions(snapshot: Snapshot) -> Rows[Restriction]:
    """Return every restriction of queries and every lift, the earliest first."""
    entries = read_restrictions(snapshot.connection)
    notes = [] if entries else ["No query has been restricted."]
    return Rows(entries, Restriction, notes)


def restrict(
    workspace: OpenWorkspace, query_ids: str | Iterable[str], *, lift: bool = False
) -> Rows[Restriction]:
    """Hide the texts of queries from everyone but organizers, or ``lift`` that.

    Queries in the requested state stay unchanged. Grades, labels and boards are not
    affected. Raises UnknownNameError for an unknown query, RoleError in the app for
    anyone not listed as an organizer.
    """
    ids = [query_ids] if isinstance(query_ids, str) else list(query_ids)
    with write_transaction(workspace.connection):
        workspace.require("restrict")
        if workspace.as_judge and workspace.standing().role != "organizer":
            raise RoleError(
                "Only organizers can restrict queries, and there is none yet: list "
                "people first, in the app under Settings › People."
            )
        by, at = workspace.judge, now()
        write_restrictions(workspace.connection, ids, lifted=lift, by=by, at=at)
    return restrictions(workspace.current_snapshot())


@dataclass(frozen=True)
class EndpointTrial(Result[tuple[str, object]], table="grading.trial_table"):
    """Result of an endpoint test, and the source of its address."""

    check: EndpointCheck
    source: Literal["given", "settings", "environment"]


def try_endpoint(
    workspace: OpenWorkspace, model: str = "", *, url: str | None = None
) -> EndpointTrial:
    """Send one test prompt to the workspace's model and endpoint, or to another.

    ``url`` is another address, "" for the environment's. Raises PromptError for an
    invalid address, MissingModelError where no client is installed, and as
    ``grading.endpoint_check.check_endpoint``.
    """
    saved = default_request(read_settings(workspace.connection))
    endpoint = saved.endpoint if saved else ""
    model = model or (saved.model if saved else "")
    return trial(model, url, endpoint=endpoint)


def trial(model: str, url: str | None, *, endpoint: str = "") -> EndpointTrial:
    """Test the address ``url``, else ``endpoint``, else the environment's."""
    from grading.endpoint_check import check_endpoint

    if url is None and endpoint:
        return EndpointTrial(check_endpoint(model, endpoint), "settings")
    if url:
        check_address(url)
    source: Literal["given", "environment"] = "given" if url else "environment"
    return EndpointTrial(check_endpoint(model, url or ""), source)
