"""``status``: progress of a workspace, in six steps."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from curator.collection.pools import UNJUDGED, Collection
from curator.errors import ReleaseError
from curator.evaluation.leaderboard import is_judged
from curator.formats.text.notices import counted
from curator.results import Cells, Result, Rows
from curator.snapshot.gradebook import GraderRecord
from curator.snapshot.languages import Languages
from curator.snapshot.languages import languages as languages_of
from curator.snapshot.opened import OpenWorkspace
from curator.snapshot.scoring import count_left_out
from curator.snapshot.snapshot import Snapshot
from curator.store.counts import count_rows
from grading.ratings import NOT_ASKED, UNREADABLE
from grading.responders import COMPUTED_ENGINES, GradedKind

if TYPE_CHECKING:
    from curator.verbs.releases import Drift
from curator.bank.questions import Bank, active


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
class Status(Result[Cells], table="setup.status_table"):
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
class Statistics(Result[Cells], table="setup.statistics_table"):
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
            "judged_passages": sum(
                int((pool.judgments != UNJUDGED).sum()) for pool in pools
            ),
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
    return snapshot.cached(
        ("graders",),
        lambda: Rows(
            (_state(snapshot, record) for record in snapshot.gradebook.records),
            GraderState,
        ),
    )


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
            if item.question_id in rows:
                covered[row] |= rows[item.question_id]
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
