from curator.formats.trec.official_ranks import read_official_ranks
from tests.samples.files import OFFICIAL, written


def test_ranks_are_read_by_system_fractions_and_all(tmp_path):
    parsed = read_official_ranks(written(tmp_path, OFFICIAL))
    assert parsed.official == {"sys": 1.0, "other": 2.5}
