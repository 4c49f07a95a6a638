import io

from curator.formats.trec.leaderboard_tsv import (
    OVERALL,
    BoardColumn,
    write_leaderboard,
)

GOLDEN = (
    "method\texam\t+/-\texam-std\tn-exam\t+/-\tn-exam-std\torig_TREC_leaderboard_rank\n"
    "_overall_\t0.9000\t+/-\t0.0100\t1.0000\t+/-\t0.0000\t\n"
    "'=sys\t0.5000\t+/-\t0.0250\t\t+/-\t\t2.5\n"
    "spearman\t0.9640\t\t\t\t\t\t\n"
    "kendall\t0.8520\t\t\t\t\t\t\n"
)


def leaderboard():
    stream = io.StringIO()
    exam = BoardColumn(
        "cover",
        {OVERALL: (0.9, 0.01), "=sys": (0.5, 0.025)},
        {"spearman": 0.964, "kendall": 0.852},
    )
    n_exam = BoardColumn("n-exam", {OVERALL: (1.0, 0.0)})
    write_leaderboard(stream, [OVERALL, "=sys"], [exam, n_exam], {"=sys": 2.5})
    return stream.getvalue()


def test_the_leaderboard_has_the_workbenchs_columns():
    assert leaderboard() == GOLDEN
