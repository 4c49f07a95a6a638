"""``status``: where a workspace stands, in six steps."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from curator.collection.pools import UNJUDGED, Collection
from curator.engine.gradebook import GraderRecord
from curator.engine.languages import Languages
from curator.engine.languages import languages as languages_of
from curator.engine.opened import OpenWorkspace
from curator.engine.scoring import left_out
from curator.engine.state import State
from curator.errors import ReleaseError
from curator.evaluation.leaderboard import is_judged
from curator.formats.text.notices import counted
from curator.results import Cells, Result, Rows
from curator.store.counts import rows
from grading.ratings import NOT_ASKED, UNREADABLE
from grading.responders import COMPUTED_ENGINES, AskedKind

if TYPE_CHECKING:
    from curator.verbs.releases.release import Drift
from curator.bank.questions import Bank, active


@dataclass(frozen=True)
class GraderState:
    """A grader and how many of the grades it is asked for are known.

    ``unreadable`` are unknown although they were asked: the response states no rating.
    ``engines`` say which clients make it grade here (``grading.registry``); those of
    both where it combines two, its own and the answering grader's where it checks
    answers, () for one that cannot grade. ``out_of_reach`` are grades it cannot
    give here, for want of a text, of an answer key or of an answer. ``source`` is the
    answering grader whose answers it checks, "" for one that checks none. ``by_people``
    says that its grades are people's verdicts, ``learned`` that they follow from checks
    and other graders. ``left_out`` are unknown because a
    grading budget left them out.
    """

    name: str
    kind: str
    item_kind: AskedKind
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
        """How many grades could be asked for and have not been."""
        return self.needed - self.known - self.unreadable - self.out_of_reach

    @property
    def paid(self) -> bool:
        """Whether grading may cost money, so that it is counted before it begins."""
        # Whoever does not ask this has no use for what it imports.
        from grading.registry import is_paid

        return any(map(is_paid, self.engines))

    @property
    def computed(self) -> bool:
        """Whether its grades are computed, in a moment."""
        return not COMPUTED_ENGINES.isdisjoint(self.engines)


@dataclass(frozen=True)
class Step:
    """One of the six steps, its state in words, and the command that does it."""

    name: str
    done: bool
    state: str
    command: str


@dataclass(frozen=True)
class Status(Result[Cells], table="setup.status_table"):
    """A workspace in figures, and what its organizer has set.

    ``releases`` are all of them, the latest first, and what differs from each by now;
    ``notes`` a sentence on each whose labels are not what the grades here say.
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
    subtopic, None where no such judgment is set. To judges who see no judgments
    all that is judged is None.
    """

    queries: int
    ranked_queries: int
    systems: int
    passages_per_ranking: float | None
    queries_with_questions: int
    questions: int
    gold_articles: int
    judged_queries: int | None
    judged_subtopics: int | None
    judged_passages: int | None
    judged_relevant: int | None


def statistics(state: State) -> Statistics:
    """Count what the collection holds; of questions the kept ones.

    Source of the lines: Sander & Dietz 2021, Table 3.
    """
    collection = state.collection
    pools = collection.pools.values()
    kept = Counter(q.query_id for q in state.bank if q.state == "kept")
    lengths = [
        length for pool in pools for length in pool.retrieved(None).tolist() if length
    ]
    judged: dict[str, int | None] = dict.fromkeys(
        ("judged_queries", "judged_subtopics", "judged_passages", "judged_relevant")
    )
    if not (state.viewer.is_judge and collection.blind):
        relevant_from = collection.min_relevance
        judged = {
            "judged_queries": sum(map(is_judged, pools)),
            "judged_subtopics": sum(
                is_judged(subtopic)
                for pool in pools
                for subtopic in pool.subtopics.values()
            ),
            "judged_passages": sum(
                int((pool.judgments != UNJUDGED).sum()) for pool in pools
            ),
            "judged_relevant": None
            if relevant_from is None
            else sum(len(pool.judged_from(relevant_from)) for pool in pools),
        }
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


def graders(state: State) -> Rows[GraderState]:
    """Every grader: name, kind, model, grades known and needed."""
    state = state.with_texts  # numbers are told
    return state.cached(
        ("graders",),
        lambda: Rows(
            (_state(state, record) for record in state.gradebook.records),
            "setup.grader_table",
        ),
    )


def _state(state: State, record: GraderRecord) -> GraderState:
    if record.spec.learned:
        return _learned_state(state, record)
    by_query = state.matrices(record.name, state.bank, state.query_ids())
    matrices = by_query.values()
    return GraderState(
        name=record.name,
        kind=record.spec.reading.kind,
        item_kind=record.spec.reading.item_kind,
        model=record.spec.responder.model,
        known=sum(matrix.known for matrix in matrices),
        needed=sum(matrix.needed for matrix in matrices),
        can_grade=record.can_grade,
        unreadable=sum(
            int((matrix.ratings == UNREADABLE).sum())
            for matrix in matrices
            if matrix.known < matrix.needed
        ),
        engines=engines(record) if record.can_grade else (),
        out_of_reach=_out_of_reach(state, record)
        if record.can_grade or record.parts
        else 0,
        source=record.parts[0].name
        if record.spec.checks_answers and record.parts
        else "",
        by_people=record.by_people,
        left_out=left_out(state, record.name, matrices)[0],
    )


def _learned_state(state: State, record: GraderRecord) -> GraderState:
    """The same of one learned from checks, for which nothing has to be learned."""
    known = [_known_units(state, record, one) for one in state.query_ids()]
    return GraderState(
        name=record.name,
        kind=record.spec.reading.kind,
        item_kind=record.spec.reading.item_kind,
        model="",
        known=sum(int(one.sum()) for one in known),
        needed=sum(one.size for one in known),
        can_grade=record.can_grade,
        engines=engines(record),
        out_of_reach=_out_of_reach(state, record),
        learned=True,
    )


def _known_units(
    state: State, record: GraderRecord, query_id: str
) -> NDArray[np.bool_]:
    """(items, passages that count): where a part knows a grade, or people decided."""
    pool, kind = state.collection.pools[query_id], record.spec.reading.item_kind
    items = active(state.bank.of_query(query_id), kind) if kind != "query" else ()
    covered = np.zeros(
        (1 if kind == "query" else len(items), pool.size), dtype=np.bool_
    )
    for part in record.parts:
        graded = state.matrix(part.name, query_id, state.bank)
        there = graded.ratings >= 0
        if "query" in (kind, part.spec.reading.item_kind):
            covered |= there.any(axis=0)
            continue
        row = {item_id: number for number, item_id in enumerate(graded.item_ids)}
        for number, item in enumerate(items):
            if item.question_id in row:
                covered[number] |= there[row[item.question_id]]
    decided = (
        state.gradebook.learned.decided(query_id) if state.gradebook.learned else {}
    )
    if decided:
        words = [one.text for one in items] if kind != "query" else [None]
        checked = [[(text, p) in decided for p in pool.passage_ids] for text in words]
        # NumPy takes an empty list for numbers, and has no items for it.
        covered |= np.array(checked, dtype=np.bool_).reshape(covered.shape)
    return np.delete(covered, list(pool.aside), axis=1)


def _out_of_reach(state: State, record: GraderRecord) -> int:
    """How many grades it cannot give: of questions without text, or without a key.

    Where it checks the answers of an imported grader, those of which that one has said
    nothing too.
    """
    if record.spec.checks_answers and record.parts and not record.can_grade:
        return _without_answer(state, record)
    kind, checks = record.spec.reading.item_kind, record.spec.reading.checks_keys
    if kind == "query":
        queries = [
            one.query_id for one in state.collection.queries if one.title is None
        ]
    else:
        queries = [
            question.query_id
            for question in active(state.bank, kind)
            if (question.text is None or (checks and not question.answers))
        ]
    return sum(len(state.collection.pools[one].counted) for one in queries)


def _without_answer(state: State, record: GraderRecord) -> int:
    """Grades that miss a key, or an answer that nobody here can give."""
    (source,) = record.parts
    found = 0
    for query_id, matrix in state.matrices(
        record.name, state.bank, state.query_ids()
    ).items():
        questions = state.bank.of_query(query_id)
        keyed = {q.question_id for q in questions if q.text and q.answers}
        answered = state.graded(source, query_id, questions).ratings != NOT_ASKED
        for item_id, ratings, known in zip(
            matrix.item_ids, matrix.ratings, answered, strict=True
        ):
            reachable = known if item_id in keyed else np.zeros_like(known)
            found += int(((ratings == NOT_ASKED) & ~reachable).sum())
    return found


def engines(record: GraderRecord) -> tuple[str, ...]:
    """Which clients make a grader grade here; of those that it rests on too."""
    own = [] if record.spec.combined else [record.spec.engine]  # "": imported
    others = [engine for part in record.parts for engine in engines(part)]
    return tuple(filter(None, dict.fromkeys([*own, *others])))


def status(workspace: OpenWorkspace) -> Status:
    """The six steps with their state, counts by name, and what graders miss."""
    with workspace.snapshot() as state:
        return status_of(state, workspace.path)


def status_of(state: State, path: Path) -> Status:
    """The same of one state; ``path`` is that of its file."""
    collection, bank = state.collection, state.bank
    count = partial(rows, state.connection)
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
        **{one: states[one] for one in ("kept", "proposed", "retired")},
        "queries_done": len({query_id for query_id, _ in bank.done}),
        "events": count("event"),
        "responses": count("response"),
    }
    found = graders(state)
    texts = languages_of(state)
    releases, release_step, sentences = _released(state)
    left_out = [_budget_sentence(g) for g in found if g.left_out]
    return Status(
        path=path,
        title=collection.title,
        blind=collection.blind,
        guidelines=collection.guidelines is not None,
        human_first=collection.human_first,
        languages=texts,
        counts=counts,
        graders=found,
        steps=(*_steps(collection, counts, found), release_step),
        releases=releases,
        notes=(*filter(None, [texts.note]), *sentences, *left_out),
    )


def _budget_sentence(grader: GraderState) -> str:
    missing = counted(grader.needed - grader.known, "missing grade")
    return (
        f"{grader.name}: {grader.left_out:,} of {missing} left out by a grading "
        "budget; `curator grade WORKSPACE --grader NAME` without one asks for all."
    )


def _released(state: State) -> tuple[tuple[Drift, ...], Step, tuple[str, ...]]:
    """Every release, the step that is done with the first, and a sentence a drift."""
    # What this imports, a cold `curator leaderboard` has no use for.
    from curator.verbs.releases.release import drift_sentence, release_drifts

    try:
        found = release_drifts(state)
    except ReleaseError as error:
        return (), Step("release", False, str(error), "curator verify"), ()
    words = "no release yet"
    if found:
        since, latest = "the bank is as it was then", found[0]
        if number := latest.questions:
            differ = "differs" if number == 1 else "differ"
            since = f"{counted(number, 'question')} {differ} from it by now"
        known = counted(len(found), "release")
        words = f"{known}, the latest '{latest.record.name}'; {since}"
    sentences = tuple(drift_sentence(one) for one in found if one.labels)
    return found, Step("release", bool(found), words, "curator release"), sentences


def _steps(
    collection: Collection, counts: dict[str, int], graders: tuple[GraderState, ...]
) -> list[Step]:
    """Import, check, grade, curate and agree, each with its state."""
    done, queries = counts["queries_done"], counts["queries"]
    judged = any(
        (pool.judgments != UNJUDGED).any() for pool in collection.pools.values()
    )
    missing = [name for name in ("queries", "pooled") if not counts[name]]
    if not counts["questions"] + counts["nuggets"]:
        missing.append("questions")
    what = "kept" if counts["nuggets"] else "questions kept"
    complete = [g for g in graders if g.needed and g.known == g.needed]
    imported = (
        f"{counted(queries, 'query', 'queries')}, "
        f"{counted(counts['passages'], 'passage')}, "
        f"{counted(counts['systems'], 'system')}"
    )
    threshold = collection.min_relevance
    if not judged:
        agree = "hidden while judging is blind" if collection.blind else "no judgments"
    elif threshold is None:
        agree = "judgments here, no threshold said (--min-relevance)"
    else:
        agree = f"{counts['judgments']} judgments, relevant from {threshold}"
    nothing = f"nothing yet of: {', '.join(missing)}"
    graded = f"{len(complete)} of {len(graders)} graders complete"
    curated = f"{done} of {queries} queries done, {counts['kept']} {what}"
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


def languages(state: State) -> Languages:
    """The languages of queries and passages, and whether English graders read them."""
    return languages_of(state)


def collection(state: State) -> Collection:
    """Queries, pools, systems, official ranks; the same object until it changes."""
    return state.collection


def bank(state: State) -> Bank:
    """Every question in every state, by query; of votes and verdicts what is seen."""
    return state.seen.bank
