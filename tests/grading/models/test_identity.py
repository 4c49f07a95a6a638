"""Which files a model's identity rests on, and how they are read."""

import hashlib
import json

import pytest

from grading.errors import MissingModelError
from grading.models.flan_t5 import flan_t5_identity
from grading.models.identity import file_sha256

FILES = {
    "config.json": b"{}",
    "generation_config.json": b"{}",
    "tokenizer.json": b"{}",
    "tokenizer_config.json": b"{}",
    "special_tokens_map.json": b"{}",
    "model.safetensors": b"weights",
}


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "model"
    folder.mkdir()
    for name, content in FILES.items():
        (folder / name).write_bytes(content)
    return folder


@pytest.mark.parametrize("name", FILES)
def test_each_file_that_a_t5_is_loaded_from_changes_its_identity(folder, name):
    before = flan_t5_identity(str(folder))
    (folder / name).write_bytes(b'{"changed": 1}')
    assert flan_t5_identity(str(folder)) != before


def test_weights_in_parts_count_with_every_part(folder):
    (folder / "model.safetensors").unlink()
    index = {"weight_map": {"a": "model-1.safetensors", "b": "model-2.safetensors"}}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    (folder / "model-1.safetensors").write_bytes(b"one")
    with pytest.raises(MissingModelError, match="weights missing"):
        flan_t5_identity(str(folder))
    (folder / "model-2.safetensors").write_bytes(b"two")
    before = flan_t5_identity(str(folder))
    (folder / "model-2.safetensors").write_bytes(b"three")
    assert flan_t5_identity(str(folder)) != before


def test_a_file_in_the_hubs_cache_is_known_by_its_name(tmp_path):
    # As the hub lays it out: snapshots/<commit>/<file> links to blobs/<sha256>.
    name = "ab" * 32
    blob = tmp_path / "blobs" / name
    blob.parent.mkdir()
    blob.write_bytes(b"never read")
    linked = tmp_path / "snapshots" / "1" / "model.safetensors"
    linked.parent.mkdir(parents=True)
    linked.symlink_to(blob)
    assert file_sha256(linked) == name
    assert file_sha256(blob) == hashlib.sha256(b"never read").hexdigest()
