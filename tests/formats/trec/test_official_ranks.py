from curator.formats.trec.official_ranks import read_official_ranks
from tests.samples.files import OFFICIAL, written


def test_ranks_are_read_by_system_fractions_and_all(tmp_path):
    parsed = read_official_ranks(written(tmp_path, OFFICIAL))
    assert parsed.official == {"sys": 1.0, "other": 2.5}


def test_a_system_may_have_a_blank_in_its_name(tmp_path):
    path = written(tmp_path, b'{"BM25 + RM3": 1}')
    assert read_official_ranks(path).official == {"BM25 + RM3": 1.0}
