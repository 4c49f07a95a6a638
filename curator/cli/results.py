"""Commands that print boards, and how far they agree with others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from curator.cli.program import FORMATS, add_verb, command, verbs

if TYPE_CHECKING:
    from curator.workspace import Workspace


add_verb(
    verbs.overview,
    "Show the state of queries, judges and graders, and what to do next.",
    "overview demo.db",
)


@command(verb=verbs.leaderboard, more=["questions"])
def leaderboard(workspace: Workspace, **options: Any) -> Any:
    """Print every system's score, standard error and rank.

    Also says how far checks show that the board can be trusted (`curator trust`). For a
    grader learned from checks (--grader checked), prints 95 % intervals of scores and
    ranks, and how much of the order is certain.

    Example:
      curator leaderboard demo.db --measure P@10
    """
    from curator.snapshot.learned import PREFIX
    from curator.tables.leaderboard import leaderboard_table
    from curator.verbs.checks.trust import board_trust

    board, drawn, trust = workspace.leaderboard(**options), None, None
    if not options.keys() & {"query_id", "subtopic_id"}:
        with workspace.snapshot() as snapshot:
            trust = board_trust(snapshot, board.settings)
        if board.settings.grader.startswith(PREFIX):
            drawn = workspace.drawn_board(board.settings)
    return leaderboard_table(board, drawn=drawn, trust=trust)


add_verb(
    verbs.scores,
    "Print one line per system and query, means last.",
    "scores demo.db --measure P@10 --system bm25 --format trec_eval",
    more=["questions"],
    formats=[*FORMATS, "trec_eval", "tot", "ir_measures"],
)

add_verb(
    verbs.correlations,
    "Correlate boards with references: Spearman, Kendall and tau AP.",
    "correlate demo.db -m cover -m P@10 --against official --also tau_gap",
    more=["questions"],
)


@command(
    verb=verbs.agreement,
    excludes={"against": "by min_relevance query_id subtopic_id"},
)
def agreement(
    workspace: Workspace,
    *,
    tables: bool = False,
    against: str | None = None,
    **options: Any,
) -> Any:
    """Compare labels with official judgments: a 2x2 table and Cohen's kappa.

    --tables prints the tables of Farzi & Dietz 2024. --against GRADER compares all
    graders, or that of --grader, with another one: their grades of every pair of
    question and passage, and the labels made from them.

    Example:
      curator agreement demo.db --tables

    Args:
        tables: Print all labels by all judgments, then with lenient (1 or more) and
            strict (4 or more) relevance.
        against (GRADER): Compare with the grades of this grader, such as people,
            instead of judgments.
    """
    from curator.tables.agreement import agreement_tables, rating_tables

    if against is not None:
        pairs = workspace.grader_agreement(against, **options)
        return [pairs, *(rating_tables(pairs) if tables else [])]
    compared = workspace.agreement(**options)
    return agreement_tables(compared) if tables else compared


add_verb(
    verbs.sweep,
    "Correlate board and reference at every minimum rating, 1 to 5.",
    "sweep demo.db --measure cover --measure P@10",
)

add_verb(
    verbs.compare,
    "Compare measures: scores, ranks and correlations of their boards.",
    "compare demo.db -m cover -m P@20 -m nDCG@10 --tests",
)

add_verb(
    verbs.topics,
    "Compare one system's score in every query with the range of all systems.",
    "topics demo.db bm25 --measure P@10",
)

add_verb(
    verbs.validity,
    "Compare measures, label rules and graders with known rankings.",
    "validity demo.db --measure nDCG@10 --measure cover",
)

add_verb(
    verbs.stability,
    "Estimate how stable the ranks are under other questions.",
    "stability demo.db --measure cover --more 1",
    more=["questions"],
)

add_verb(
    verbs.trust,
    "Estimate from people's checks how far a board can be trusted.",
    "trust demo.db --measure cover",
)

add_verb(
    verbs.trust,
    "Exit with 0 if the board is trusted, 1 if not, 2 if unknown, 3 after an error.",
    "gate demo.db --tau .6 --format json",
    failed=lambda trust: trust.exit_code,
)
