"""``judge_boards`` and ``pyramid_curves``: what it matters whose votes count.

Source: Lin & Demner-Fushman 2006, tables 2 to 4, figures 2 and 3.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from curator.engine.scoring import board
from curator.engine.settings import Chosen, Options, settings_from
from curator.engine.state import State
from curator.errors import EvaluationError, UnknownNameError
from curator.evaluation.correlation import kendall_tau_b
from curator.evaluation.leaderboard import Leaderboard
from curator.evaluation.measures.pyramid import (
    BETA,
    NOBODY_HAS_VOTED,
    measure_name,
    queries_words,
)
from curator.evaluation.pyramid_curves import (
    PyramidSize,
    VoteMatrix,
    pyramid_sizes,
    vote_matrix_of,
    zero_medians,
)
from curator.evaluation.pyramid_tests import (
    SAMPLES,
    PyramidTest,
    drawn_queries,
    left_out_tests,
    size_tests,
)
from curator.evaluation.settings import Settings
from curator.results import Result
from curator.verbs.judges.agreement import only_imported, vote_sources

MOST_SAMPLES = 100_000
FEW = 10  # queries, below which a bootstrap says more of itself than of judges
ONE_JUDGE = "One judge alone has voted; how judges differ shows from two on."


@dataclass(frozen=True)
class JudgeBoard:
    """One judge's classic board, as if nobody else had voted.

    ``tau`` is Kendall's τ_b with the pyramid's board, ``with_others`` that with each
    other judge's classic board, by name; None where a board has all systems tied.
    Of the queries that anybody voted on, the judge voted in ``queries`` and called
    something vital in ``queries_with_vital``; in the others every system scores 0.
    ``one_vital`` and ``two_vital`` are those in which the judge calls just one item,
    or two, vital (table 2).
    ``zero_medians`` is in how many the median over systems is 0.
    """

    judge: str
    board: Leaderboard
    tau: float | None
    with_others: tuple[tuple[str, float | None], ...]
    queries: int
    queries_with_vital: int
    zero_medians: int
    one_vital: int = 0
    two_vital: int = 0

    @property
    def mean_with_others(self) -> float | None:
        """The mean of the τ with the others' boards that there are."""
        known = [tau for _, tau in self.with_others if tau is not None]
        return sum(known) / len(known) if known else None


@dataclass(frozen=True)
class JudgeBoards(Result[JudgeBoard], table="judges.judge_board_table"):
    """Every judge's board beside the pyramid of all.

    ``settings`` are those of the pyramid's board, ``queries`` how many anybody voted
    on, ``zero_medians`` in how many of these the median score over systems is 0 under
    the pyramid. ``sources`` are the importances that came with a bank, as boards of
    their own: they weigh in the pyramid unless left out, and are compared with it and
    with the judges' boards, but no judge is with theirs. ``notes`` are sentences on
    what there is not.
    """

    settings: Settings
    pyramid: Leaderboard
    judges: tuple[JudgeBoard, ...]
    queries: int
    zero_medians: int
    notes: tuple[str, ...] = ()
    sources: tuple[JudgeBoard, ...] = ()

    @property
    def mean_tau(self) -> float | None:
        """The mean of the judges' τ with the pyramid that there are."""
        known = [one.tau for one in self.judges if one.tau is not None]
        return sum(known) / len(known) if known else None


@dataclass(frozen=True)
class PyramidCurves(Result[PyramidSize], table="judges.curve_table"):
    """The two curves over the number of judges, one point a size.

    Importances that came with a bank are no judge's, and in no pyramid here.
    Empty, with a note that says why, where there is nothing to draw.
    """

    settings: Settings
    judges: tuple[str, ...]
    queries: int
    sizes: tuple[PyramidSize, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class PyramidTests(Result[PyramidTest], table="judges.pyramid_test_tables"):
    """Whether more judges make a difference, under ``samples`` draws of the queries.

    ``sizes`` are pyramids of 2, 3, … ``judges`` against those of one less, ``left_out``
    the pyramid of all against that without each judge or source of importances.
    """

    settings: Settings
    judges: tuple[str, ...]
    queries: int
    samples: int
    seed: int
    sizes: tuple[PyramidTest, ...]
    left_out: tuple[PyramidTest, ...]
    notes: tuple[str, ...] = ()


def judge_boards(
    state: State,
    /,
    settings: Chosen | None = None,
    *,
    without: Iterable[str] = (),
    **options: Options,
) -> JudgeBoards:
    """Each judge's own board beside the nugget pyramid of all, with their τ.

    Of ``settings`` grader, min_rating and k count, and beta and who is left out where
    the measure says so. Those in ``without``, judges or sources of importances, are as
    if they had not voted. Raises EvaluationError under a direct relevance grader,
    UnknownNameError for somebody to leave out who has not voted.
    """
    state = state.seen
    chosen = _pyramid(state, settings_from(state, options, settings), without)
    return state.cached(("judge boards", chosen), lambda: _judge_boards(state, chosen))


def pyramid_curves(
    state: State,
    /,
    settings: Chosen | None = None,
    *,
    without: Iterable[str] = (),
    **options: Options,
) -> PyramidCurves:
    """What another judge adds to the pyramid: one point for 1, 2, … judges.

    Of ``settings`` and ``without`` the same count as for ``judge_boards``.
    """
    state = state.seen
    chosen = _pyramid(state, settings_from(state, options, settings), without)
    return state.cached(("pyramid curves", chosen), lambda: _curves(state, chosen))


def pyramid_tests(
    state: State,
    /,
    settings: Chosen | None = None,
    *,
    without: Iterable[str] = (),
    samples: int = SAMPLES,
    seed: int = 0,
    last: bool = False,
    **options: Options,
) -> PyramidTests:
    """Whether more judges make a difference, by a bootstrap of the queries voted on.

    Of ``settings`` and ``without`` the same count as for ``judge_boards``. ``last``:
    only whether the last judge does. Raises EvaluationError for fewer than 1 sample.
    """
    if not 1 <= samples <= MOST_SAMPLES:
        raise EvaluationError(
            f"samples is {samples}; expected 1 to {MOST_SAMPLES}, such as {SAMPLES}."
        )
    state = state.seen
    chosen = _pyramid(state, settings_from(state, options, settings), without)
    return state.cached(
        ("pyramid tests", chosen, samples, seed, last),
        lambda: _pyramid_tests(state, chosen, samples, seed, last=last),
    )


def _pyramid_tests(
    state: State, pyramid: Settings, samples: int, seed: int, *, last: bool
) -> PyramidTests:
    matrix, beta = _votes(state, pyramid, vote_sources(state))
    queries = len(matrix.query_ids)
    drawn = drawn_queries(queries, samples=samples, seed=seed)
    sizes = size_tests(matrix, drawn, beta=beta, last=last)
    left_out: tuple[PyramidTest, ...] = ()
    if not last:
        everybody, _ = _votes(state, pyramid)
        rows = [everybody.judges.index(judge) for judge in matrix.judges]
        drawn = drawn_queries(len(everybody.query_ids), samples=samples, seed=seed)
        left_out = left_out_tests(everybody, drawn, beta=beta, judges=rows)
    notes = _notes(state, matrix)
    if matrix.judges and queries < FEW:
        notes.append(
            f"{queries_words(queries)} voted on: too few for a test to rest on."
        )
    return PyramidTests(
        pyramid, matrix.judges, queries, samples, seed, sizes, left_out, tuple(notes)
    )


def _judge_boards(state: State, pyramid: Settings) -> JudgeBoards:
    matrix, beta = _votes(state, pyramid)
    sources = vote_sources(state)
    summed = board(state, pyramid)
    found = {
        judge: board(
            state, replace(pyramid, measure=measure_name("vital-f", judge, beta))
        )
        for judge in matrix.judges
    }
    systems = state.collection.systems
    scores = {
        judge: [one.scores()[system] for system in systems]
        for judge, one in found.items()
    }
    middle = [summed.scores()[system] for system in systems if summed.standings]
    everybody = range(len(matrix.judges))
    queries = _queries_voted_on(matrix)
    boards = [
        JudgeBoard(
            judge=judge,
            board=found[judge],
            tau=kendall_tau_b(scores[judge], middle) if middle else None,
            with_others=tuple(
                (other, kendall_tau_b(scores[judge], scores[other]))
                for other in matrix.judges
                if other != judge and other not in sources
            ),
            queries=queries[judge],
            queries_with_vital=int(matrix.counted([[at]]).sum()),
            zero_medians=int(zero_medians(matrix.scores([[at]], beta)).sum()),
            one_vital=int((matrix.vital[at] == 1).sum()),
            two_vital=int((matrix.vital[at] == 2).sum()),
        )
        for at, judge in enumerate(matrix.judges)
    ]
    return JudgeBoards(
        pyramid,
        summed,
        tuple(one for one in boards if one.judge not in sources),
        queries=len(matrix.query_ids),
        zero_medians=int(zero_medians(matrix.scores([everybody], beta)).sum()),
        notes=tuple(dict.fromkeys([*_notes(state, matrix), *summed.notes])),
        sources=tuple(one for one in boards if one.judge in sources),
    )


def _curves(state: State, pyramid: Settings) -> PyramidCurves:
    matrix, beta = _votes(state, pyramid, vote_sources(state))
    return PyramidCurves(
        pyramid,
        matrix.judges,
        len(matrix.query_ids),
        pyramid_sizes(matrix, beta=beta),
        tuple(_notes(state, matrix)),
    )


def _pyramid(state: State, settings: Settings, without: Iterable[str]) -> Settings:
    """The settings of the F board of everybody's pyramid but of those left out.

    With the beta of the measure that the settings name, 3 for one without. Raises
    UnknownNameError for somebody to leave out who has not voted.
    """
    measure = state.measure(settings)
    left_out = {*without, *measure.without}
    if left_out:
        voters = {judge for one in state.bank for judge, _ in one.votes}
        for judge in sorted(left_out - voters):
            raise UnknownNameError(
                f"Nobody called '{judge}' has voted here, so that cannot be left out; "
                f"those who have: {', '.join(sorted(voters)) or 'nobody'}."
            )
    beta = float(getattr(measure, "beta", BETA))
    return replace(
        settings, measure=measure_name("nugget-f", beta=beta, without=left_out)
    )


def _votes(
    state: State, pyramid: Settings, sources: frozenset[str] = frozenset()
) -> tuple[VoteMatrix, float]:
    """Votes and matched items of every query voted on, and the pyramid's beta.

    Without those whom the pyramid leaves out, and without ``sources``.
    """
    measure = state.measure(pyramid)
    threshold = state.threshold(pyramid)
    left_out = frozenset(measure.without) | sources

    def matrix() -> VoteMatrix:
        found = state.matrices(pyramid.grader, state.bank, state.query_ids())
        return vote_matrix_of(
            list(found.values()),
            threshold=threshold,
            depth=pyramid.k,
            systems=len(state.collection.systems),
            without=left_out,
        )

    key = ("votes", pyramid.grader, threshold, pyramid.k, left_out)
    return state.cached(key, matrix), float(getattr(measure, "beta", BETA))


def _queries_voted_on(matrix: VoteMatrix) -> dict[str, int]:
    """In how many of the matrix's queries each judge has a vote that counts."""
    return dict(zip(matrix.judges, matrix.voted.sum(axis=1).tolist(), strict=True))


def _notes(state: State, matrix: VoteMatrix) -> list[str]:
    notes = []
    sources = vote_sources(state)
    judges = [judge for judge in matrix.judges if judge not in sources]
    voters = {judge for one in state.bank for judge, _ in one.votes}
    if not judges and voters - sources:
        notes.append("Every judge who has voted is left out.")
    elif not judges:
        notes.append(only_imported(sorted(voters)) if voters else NOBODY_HAS_VOTED)
    elif len(judges) == 1:
        notes.append(ONE_JUDGE)
    if not state.collection.systems:
        notes.append("No runs imported, so there is no board to compare.")
    for judge, queries in _queries_voted_on(matrix).items():
        missing = len(matrix.query_ids) - queries
        if missing:
            notes.append(
                f"{judge} has no vote in {queries_words(missing)} that others voted "
                "on: every system scores 0 there on that judge's board."
            )
    return notes
