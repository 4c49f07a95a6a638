"""``judges``: votes and their agreement; ``pyramid``: effect of judges on boards.

Source: Lin & Demner-Fushman 2006, section 4 (*vital* or *okay*), tables 2 to 4, figures
2 and 3.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

from curator.bank.edits import Edit, JudgeAnswer, Vote
from curator.bank.marks import Importance, Votes
from curator.bank.marks.vote import vote_of
from curator.bank.opinions import opinions
from curator.bank.questions import Bank, Question, active
from curator.errors import EvaluationError, UnknownNameError
from curator.evaluation.agreement import (
    JudgeAgreement,
    PairAgreement,
    judge_agreement,
    pair_agreement,
)
from curator.evaluation.comparison import RESAMPLES, drawn_queries
from curator.evaluation.correlation import kendall_tau_b
from curator.evaluation.leaderboard import Leaderboard
from curator.evaluation.measures.pyramid import (
    BETA,
    NO_VOTES,
    measure_name,
    queries_words,
)
from curator.evaluation.pyramid_curves import (
    PyramidSize,
    PyramidTest,
    VoteMatrix,
    left_out_tests,
    pyramid_sizes,
    size_tests,
    vote_matrix_of,
    zero_medians,
)
from curator.evaluation.settings import DEFAULT_K, DEFAULT_MEASURE, Settings
from curator.formats.nuggets import items, nuggetizer
from curator.formats.text.records import Record
from curator.formats.text.rows import Source, read_rows, required_text
from curator.results import HIDDEN, IF_ANY, Result, column, computed, to_json
from curator.snapshot.opened import OpenWorkspace
from curator.snapshot.scoring import board
from curator.snapshot.settings import BoardChoice, OptionValue, settings_from
from curator.snapshot.snapshot import Snapshot, cached_in_snapshot
from curator.store.connection import write_transaction
from curator.store.export import creators
from curator.verbs.curate.edits import Recorded, record_edits


@dataclass(frozen=True, slots=True)
class QueryVotes:
    """A judge's vote counts for a query; ``questions`` counts its kept questions."""

    query_id: str
    questions: int
    vital: int
    okay: int

    @property
    def voted(self) -> int:
        return self.vital + self.okay


@dataclass(frozen=True, slots=True)
class JudgeProgress:
    """A judge's votes; ``queries`` lists all queries with a kept question, in order.

    ``questions`` are kept in all, ``vital`` and ``okay`` count the judge's votes.
    """

    judge: str
    queries: tuple[QueryVotes, ...]
    questions: int = field(metadata=HIDDEN)
    vital: int
    okay: int

    @property
    def voted(self) -> int:
        return self.vital + self.okay


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A question whose votes differ, with the judges on each side."""

    question: Question
    vital: tuple[str, ...]
    okay: tuple[str, ...]


@dataclass(frozen=True)
class Judges(Result[JudgeProgress], table="judges.judge_tables"):
    """Progress of all judges, their agreement and their disagreements.

    ``questions`` counts the kept questions and nuggets, ``voted`` those with a judge's
    vote. ``judges`` are sorted by name; ``disagreements`` by the most even split, then
    by query. ``sources`` are the importances that were imported with a bank (see
    ``vote_sources``); they count only in ``with_sources``, which pairs each judge with
    each source. ``notes`` are sentences about missing data.
    """

    questions: int
    voted: int
    judges: tuple[JudgeProgress, ...]
    agreement: JudgeAgreement
    disagreements: tuple[Disagreement, ...]
    notes: tuple[str, ...] = ()
    sources: tuple[JudgeProgress, ...] = ()
    with_sources: tuple[PairAgreement, ...] = ()


def vote_sources(snapshot: Snapshot) -> frozenset[str]:
    """Names under which imported importances are stored, as opposed to judges.

    These are nuggetizer, NuggetBank items without a creator, and the models that a
    NuggetBank names as creators.
    """

    def computed() -> frozenset[str]:
        connection = snapshot.full.connection  # the cache is shared by all judges
        machines = items.machines(map(json.loads, creators(connection)))
        return machines | {items.NOBODY, nuggetizer.JUDGE}

    return snapshot.caches.vote_sources.get("", (), computed)


@cached_in_snapshot
def judges(snapshot: Snapshot) -> Judges:
    """Return the progress of all judges, their agreement and their disagreements.

    Counts kept questions and nuggets, with the votes visible to the current judge.
    """
    kept = [question for question in snapshot.bank if question.state == "kept"]
    imported = vote_sources(snapshot)
    progress = _progress(snapshot, kept)
    judge_progress = tuple(judge for judge in progress if judge.judge not in imported)
    sources = tuple(judge for judge in progress if judge.judge in imported)
    notes: tuple[str, ...] = () if judge_progress else (NO_VOTES,)
    if sources and not judge_progress:
        notes = (imported_votes_note(source.judge for source in sources),)
    judged = kept
    if sources:
        judged = []
        for question in kept:
            votes = tuple(vote for vote in question.votes if vote[0] not in imported)
            judged.append(replace(question, votes=votes))
    if not kept:
        notes = ("No kept question in the bank, so there is nothing to vote on.",)
    return Judges(
        questions=len(kept),
        voted=sum(bool(question.votes) for question in judged),
        judges=judge_progress,
        agreement=judge_agreement(_votes_by_question(judged), order=VALUES),
        disagreements=_disagreements(snapshot, judged),
        notes=notes,
        sources=sources,
        with_sources=_with_sources(kept, judge_progress, sources) if sources else (),
    )


def imported_votes_note(sources: Iterable[str]) -> str:
    """Note that all importances were imported and no judge has voted."""
    return (
        "No judge has voted: all importances here came with a bank "
        f"({', '.join(sources)}). Vote on Judge, or by `curator edit "
        "WORKSPACE vote ID vital`."
    )


def _with_sources(
    questions: Sequence[Question],
    judges: Sequence[JudgeProgress],
    sources: Sequence[JudgeProgress],
) -> tuple[PairAgreement, ...]:
    pairs = [(judge.judge, source.judge) for judge in judges for source in sources]
    pairs += combinations([source.judge for source in sources], 2)
    votes = _votes_by_question(questions)
    return tuple(pair_agreement(votes, *pair, VALUES) for pair in pairs)


VALUES = ("okay", "vital")


def _votes_by_question(questions: Sequence[Question]) -> list[Mapping[str, str]]:
    return [*opinions("vote", questions).values()]


def _disagreements(
    snapshot: Snapshot, questions: Sequence[Question]
) -> tuple[Disagreement, ...]:
    positions = {id_: position for position, id_ in enumerate(snapshot.query_ids())}

    def order(disagreement: Disagreement) -> tuple[float, int]:
        sides = len(disagreement.vital), len(disagreement.okay)
        return -min(sides) / sum(sides), positions[disagreement.question.query_id]

    disagreements = []
    for question in questions:
        vital, okay = (
            tuple(judge for judge, vote in question.votes if vote == side)
            for side in ("vital", "okay")
        )
        if vital and okay:
            disagreements.append(Disagreement(question, vital, okay))
    return tuple(sorted(disagreements, key=order))


def _progress(
    snapshot: Snapshot, questions: Sequence[Question]
) -> tuple[JudgeProgress, ...]:
    question_counts = Counter(question.query_id for question in questions)
    vote_counts: dict[str, Counter[tuple[str, str]]] = defaultdict(Counter)
    for question in questions:
        for judge, vote in question.votes:
            # The key "" counts all queries.
            vote_counts[judge].update([(question.query_id, vote), ("", vote)])
    queries = [(id_, n) for id_ in snapshot.query_ids() if (n := question_counts[id_])]
    progress = []
    for judge, votes in sorted(vote_counts.items()):
        by_query = tuple(
            QueryVotes(id_, number, votes[id_, "vital"], votes[id_, "okay"])
            for id_, number in queries
        )
        vital, okay = votes["", "vital"], votes["", "okay"]
        progress.append(JudgeProgress(judge, by_query, len(questions), vital, okay))
    return tuple(progress)


@dataclass(frozen=True, slots=True)
class Ballot:
    """A kept question with the votes that one judge may see.

    ``others`` are the other judges' votes, empty as long as ``mine`` is None.
    """

    question: Question
    mine: Importance | None
    others: Votes = ()

    @property
    def disputed(self) -> bool:
        return any(vote != self.mine for _, vote in self.others)


def ballots(bank: Bank, query_id: str, judge: str) -> tuple[Ballot, ...]:
    """Return ballots for the query's kept questions and nuggets, in bank order."""
    query_ballots = []
    for question in active(bank.questions_of(query_id), "any"):
        mine = vote_of(question, judge)
        others = tuple(vote for vote in question.votes if vote[0] != judge)
        if mine is None:
            question, others = replace(question, votes=()), ()
        query_ballots.append(Ballot(question, mine, others))
    return tuple(query_ballots)


EXPECTED = (
    "rows of question_id, judge and vote (vital or okay), or of question_id, judge, "
    "answer and verdict (right or wrong)"
)


def record_votes(workspace: OpenWorkspace, votes: Source) -> Recorded:
    """Save the votes and verdicts of a file or of records in one transaction.

    Each judge's edits form one batch, which is undone as a unit. A vote that differs
    from the judge's earlier vote replaces it. Rows without ``judge`` are attributed to
    the judge who opened the workspace. Raises InputFileError, which names the line,
    also for a listed viewer unless ``refuse_viewers`` is False.
    """
    rows = read_rows(votes, name="vote", expected=EXPECTED)
    edits_read: dict[tuple[str, str, str | None], Edit] = {}

    def edits_of(_: Bank, row: Record, judge: str) -> list[Edit]:
        edit = _edit(row)
        target = judge, edit.question_id, getattr(edit, "answer", None)
        if edits_read.setdefault(target, edit) != edit:
            raise row.error(
                f"{judge} gives '{edit.question_id}' two different marks; expected one."
            )
        return [edit]

    with write_transaction(workspace.connection):
        bank = workspace.current_snapshot().full.bank
        named = ((row.place, row.get("judge"), row) for row in rows)
        return record_edits(workspace, bank, named, edits_of)


def _edit(row: Record) -> Vote | JudgeAnswer:
    names = [name for name in ("question_id", "item_id", "id") if name in row]
    question_id = required_text(row, names[0] if names else "question_id")
    if "verdict" in row:
        verdict = required_text(row, "verdict").lower()
        return JudgeAnswer(question_id, required_text(row, "answer"), verdict)  # type: ignore[arg-type]
    return Vote(question_id, required_text(row, "vote").lower())  # type: ignore[arg-type]


MAX_SAMPLES = 100_000
FEW_QUERIES = 10  # below this number of queries a bootstrap is too noisy
ONE_JUDGE = "Only one judge has voted; a comparison of judges needs two."


@dataclass(frozen=True)
class JudgeBoard:
    """The classic board computed from one judge's votes alone.

    ``tau`` is Kendall's τ_b with the pyramid's board, ``with_others`` that with each
    other judge's classic board, by name; None where a board has all systems tied.
    ``queries`` counts the queries with a vote of the judge, ``queries_with_vital``
    those with a vital vote; in all other queries every system scores 0.
    ``one_vital`` and ``two_vital`` count the queries in which the judge calls exactly
    one item, or two, vital (table 2). ``zero_medians`` counts the queries whose median
    score over systems is 0.
    """

    judge: str
    board: Leaderboard = field(
        metadata=column(json="systems", to_json=lambda board: to_json(board.standings))
    )
    tau: float | None
    with_others: tuple[tuple[str, float | None], ...] = field(
        metadata=column(to_json=dict)
    )
    queries: int
    queries_with_vital: int
    zero_medians: int
    one_vital: int = 0
    two_vital: int = 0

    @property
    @computed()
    def mean_with_others(self) -> float | None:
        """Mean τ with the other judges' boards; None if there is none."""
        taus = [tau for _, tau in self.with_others if tau is not None]
        return sum(taus) / len(taus) if taus else None


@dataclass(frozen=True)
class PyramidTests:
    """Bootstrap tests of pyramids of different judges, over ``samples`` draws.

    ``sizes`` compares pyramids of 2, 3, … judges with those of one judge less,
    ``left_out`` the full pyramid with the one without each judge or source. ``queries``
    counts the queries with votes of judges.
    """

    queries: int
    samples: int
    seed: int
    sizes: tuple[PyramidTest, ...]
    left_out: tuple[PyramidTest, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Pyramid(Result[JudgeBoard], table="judges.pyramid_tables"):
    """The board of the nugget pyramid, all judges' boards, and fewer judges.

    ``settings`` are those of the pyramid's board, ``queries`` counts the queries that
    have votes, ``judged_queries`` those with votes of judges, ``zero_medians`` those
    whose median score over systems is 0 under the pyramid. ``sources`` are the boards
    of imported importances: these weigh in the pyramid unless left out, and are
    compared with it and with the judges' boards; the judges' ``with_others`` and the
    ``curves`` over the number of judges exclude them. ``notes`` are sentences about
    missing data.
    """

    settings: Settings
    pyramid: Leaderboard = field(metadata=HIDDEN)
    judges: tuple[JudgeBoard, ...]
    queries: int
    judged_queries: int = field(metadata=HIDDEN)
    zero_medians: int
    sources: tuple[JudgeBoard, ...]
    curves: tuple[PyramidSize, ...]
    notes: tuple[str, ...]
    tests: PyramidTests | None = field(default=None, metadata=IF_ANY)

    @property
    @computed()
    def mean_tau(self) -> float | None:
        """Mean τ of the judges' boards with the pyramid's; None if there is none."""
        taus = [judge.tau for judge in self.judges if judge.tau is not None]
        return sum(taus) / len(taus) if taus else None


def pyramid(
    snapshot: Snapshot,
    /,
    settings: BoardChoice | None = None,
    *,
    without: Iterable[str] = (),
    test: bool = False,
    samples: int = RESAMPLES,
    seed: int = 0,
    last: bool = False,
    **options: OptionValue,
) -> Pyramid:
    """Return each judge's board, the nugget pyramid's, and pyramids of fewer judges.

    Uses grader, min_rating and k of ``settings``, and beta and left-out judges where
    the measure names them. The votes of judges or sources in ``without`` are ignored.
    With ``test`` a bootstrap of queries tests if additional judges change the scores,
    with ``last`` only the last judge. Raises EvaluationError under a direct relevance
    grader and for fewer than 1 sample, UnknownNameError if a name in ``without`` has no
    votes.
    """
    if not 1 <= samples <= MAX_SAMPLES:
        raise EvaluationError(
            f"samples is {samples}; expected 1 to {MAX_SAMPLES}, such as {RESAMPLES}."
        )
    snapshot = snapshot.with_visible_marks_only
    chosen = _pyramid_settings(snapshot, options, settings, without)
    result = _pyramid(snapshot, chosen)
    if not test:
        return result
    return replace(result, tests=_tests(snapshot, chosen, samples, seed, last))


@cached_in_snapshot
def _tests(
    snapshot: Snapshot, pyramid: Settings, samples: int, seed: int, last: bool
) -> PyramidTests:
    matrix, beta = _votes(snapshot, pyramid, vote_sources(snapshot))
    queries = len(matrix.query_ids)
    drawn = drawn_queries(queries, samples=samples, seed=seed)
    sizes = size_tests(matrix, drawn, beta=beta, last=last)
    left_out: tuple[PyramidTest, ...] = ()
    if not last:
        all_votes, _ = _votes(snapshot, pyramid)
        rows = [all_votes.judges.index(judge) for judge in matrix.judges]
        drawn = drawn_queries(len(all_votes.query_ids), samples=samples, seed=seed)
        left_out = left_out_tests(all_votes, drawn, beta=beta, judges=rows)
    notes = _notes(snapshot, matrix)
    if matrix.judges and queries < FEW_QUERIES:
        notes.append(
            f"Votes in only {queries_words(queries)}: too few for a reliable test."
        )
    return PyramidTests(queries, samples, seed, sizes, left_out, tuple(notes))


@cached_in_snapshot
def _pyramid(snapshot: Snapshot, pyramid: Settings) -> Pyramid:
    matrix, beta = _votes(snapshot, pyramid)
    sources = vote_sources(snapshot)
    judged, _ = _votes(snapshot, pyramid, sources)
    pyramid_board = board(snapshot, pyramid)
    systems, boards_by_judge = snapshot.collection.systems, {}
    scores: dict[str, list[float]] = {}
    for judge in matrix.judges:
        settings = replace(pyramid, measure=measure_name("vital-f", judge, beta))
        boards_by_judge[judge] = judge_board = board(snapshot, settings)
        scores[judge] = [judge_board.scores()[system] for system in systems]
    reference: list[float] = []
    if pyramid_board.standings:
        reference = [pyramid_board.scores()[system] for system in systems]
    all_judges = range(len(matrix.judges))
    queries = matrix.voted.sum(axis=1)
    boards = [
        JudgeBoard(
            judge=judge,
            board=boards_by_judge[judge],
            tau=kendall_tau_b(scores[judge], reference) if reference else None,
            with_others=tuple(
                (other, kendall_tau_b(scores[judge], scores[other]))
                for other in matrix.judges
                if other != judge and other not in sources
            ),
            queries=int(queries[index]),
            queries_with_vital=int(matrix.counted([[index]]).sum()),
            zero_medians=int(zero_medians(matrix.scores([[index]], beta)).sum()),
            one_vital=int((matrix.vital[index] == 1).sum()),
            two_vital=int((matrix.vital[index] == 2).sum()),
        )
        for index, judge in enumerate(matrix.judges)
    ]
    notes = [*_notes(snapshot, matrix), *pyramid_board.notes, *_notes(snapshot, judged)]
    return Pyramid(
        pyramid,
        pyramid_board,
        tuple(row for row in boards if row.judge not in sources),
        queries=len(matrix.query_ids),
        judged_queries=len(judged.query_ids),
        zero_medians=int(zero_medians(matrix.scores([all_judges], beta)).sum()),
        sources=tuple(row for row in boards if row.judge in sources),
        curves=pyramid_sizes(judged, beta=beta),
        notes=tuple(dict.fromkeys(notes)),
    )


def _pyramid_settings(
    snapshot: Snapshot,
    options: Mapping[str, OptionValue],
    chosen: BoardChoice | None,
    without: Iterable[str],
) -> Settings:
    """Settings of the F board of the pyramid without the judges left out.

    Takes beta from the chosen measure, or 3, and k if that measure uses k, or 20.
    Raises UnknownNameError if a judge to leave out has no votes.
    """
    if chosen is None:
        options = {**options, "measure": options.get("measure") or DEFAULT_MEASURE}
    settings = settings_from(snapshot, options, chosen)
    measure = snapshot.measure(settings)
    left_out = {*without, *measure.without}
    if left_out:
        voters = {judge for question in snapshot.bank for judge, _ in question.votes}
        for judge in sorted(left_out - voters):
            raise UnknownNameError(
                f"'{judge}' has no votes here, so there is nothing to leave out. "
                f"Judges with votes: {', '.join(sorted(voters)) or 'none'}."
            )
    beta = float(getattr(measure, "beta", BETA))
    return replace(
        settings,
        measure=measure_name("nugget-f", beta=beta, without=left_out),
        k=settings.k if measure.cut_off == "settings" else DEFAULT_K,
    )


@cached_in_snapshot
def _votes(
    snapshot: Snapshot, pyramid: Settings, sources: frozenset[str] = frozenset()
) -> tuple[VoteMatrix, float]:
    """Votes and matched items of every query that has votes, and the pyramid's beta.

    Without the judges whom the pyramid leaves out, and without ``sources``.
    """
    measure, queries = snapshot.measure(pyramid), snapshot.query_ids()
    matrices = snapshot.matrices(pyramid.grader, snapshot.bank, queries)
    votes = vote_matrix_of(
        list(matrices.values()),
        threshold=snapshot.threshold(pyramid),
        depth=pyramid.k,
        systems=len(snapshot.collection.systems),
        without=frozenset(measure.without) | sources,
    )
    return votes, float(getattr(measure, "beta", BETA))


def _notes(snapshot: Snapshot, matrix: VoteMatrix) -> list[str]:
    notes = []
    sources = vote_sources(snapshot)
    judges = [judge for judge in matrix.judges if judge not in sources]
    voters = {judge for question in snapshot.bank for judge, _ in question.votes}
    if not judges and voters - sources:
        notes.append("Every judge who has voted is left out.")
    elif not judges:
        notes.append(imported_votes_note(sorted(voters)) if voters else NO_VOTES)
    elif len(judges) == 1:
        notes.append(ONE_JUDGE)
    if not snapshot.collection.systems:
        notes.append("No runs are imported, so there is no board to compare.")
    for judge, voted in zip(matrix.judges, matrix.voted, strict=True):
        missing = len(matrix.query_ids) - int(voted.sum())
        if missing:
            notes.append(
                f"{judge} has no vote in {queries_words(missing)} that others voted "
                "on: every system scores 0 there on that judge's board."
            )
    return notes
