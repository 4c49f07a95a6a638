import ir_measures
import pytest

from curator.collection.rankings import Slot
from curator.errors import InputFileError
from curator.formats.recognition import option_for
from curator.formats.trec.runs import read_runs
from tests.samples.files import RUN, gzipped, written


def slots(parsed):
    return {(r.system, r.query_id): r.slots for r in parsed.rankings}


def test_a_run_reads_as_ir_measures_reads_it(tmp_path):
    path = written(tmp_path, RUN)
    theirs = [tuple(line) for line in ir_measures.read_trec_run(str(path))]
    ours = [
        (ranking.query_id, slot.passage_id, slot.score)
        for ranking in read_runs(path).rankings
        for slot in ranking.slots
        if slot
    ]
    assert ours == theirs


def test_a_directory_holds_a_run_a_file(tmp_path):
    written(tmp_path, RUN, "a.txt")
    written(tmp_path, gzipped(RUN.replace(b"sys", b"other")), "b.gz")
    for name in (".DS_Store", "._a.txt", "Thumbs.db", "Desktop.ini"):
        written(tmp_path, b"not a run", name)
    (tmp_path / "old").mkdir()
    (tmp_path / "__MACOSX").mkdir()
    seen = []
    parsed = read_runs(tmp_path, progress=lambda *state: seen.append(state))
    assert {r.system for r in parsed.rankings} == {"sys", "other"}
    assert parsed.notices == [
        "Skipped, as they are not files: old.",
        "Files of the operating system, left out: .DS_Store, ._a.txt, Desktop.ini, "
        "Thumbs.db, __MACOSX.",
    ]
    assert option_for(tmp_path) == "runs"
    total = sum((tmp_path / name).stat().st_size for name in ("a.txt", "b.gz"))
    assert seen[-1] == (total, total)


def test_what_is_odd_about_ranks_is_counted(tmp_path):
    content = (
        b"q Q0 p1 0 9 zero\nq Q0 p2 1 8 zero\n"  # counts from 0
        b"r Q0 p1 1 9 zero\n"  # rank 0 is empty here
        b"q Q0 p1 1 5 up\nq Q0 p2 2 6 up\n"  # score rises
        b"q Q0 p1 1 5 tie\nq Q0 p2 1 6 tie\n"  # one rank for two
        b"q Q0 p1 1 5 again\nq Q0 p1 2 4 again\n"  # one passage twice
    )
    parsed = read_runs(written(tmp_path, content))
    assert slots(parsed)["tie", "q"] == (Slot("p2", 6.0), Slot("p1", 5.0))
    assert parsed.notices == [
        "1 system counts ranks from 0, shifted by one: zero.",
        "1 rank without a passage (the run names none): each keeps its place and "
        "answers nothing.",
        "1 entry of a passage listed before: its best rank counts, the later one stays "
        "empty.",
        "1 entry at a rank taken already: ordered by score, those below moved down.",
        "1 of 5 rankings would be ordered differently by trec_eval, which goes by "
        "score; here ranks count.",
    ]


def test_ranks_that_would_fill_the_memory_with_gaps_are_refused(tmp_path):
    lines = (f"q{n} Q0 p 1000000 1 s\n" for n in range(51))
    path = written(tmp_path, "".join(lines).encode())
    with pytest.raises(InputFileError, match="leave more than 50,000,000 places empty"):
        read_runs(path)
