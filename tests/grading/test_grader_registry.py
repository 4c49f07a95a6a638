"""Graders by name, and nothing heavy before one is used."""

import subprocess
import sys

import pytest

from grading.errors import UnknownGraderError
from grading.registry import grader_names, open_grader


@pytest.mark.parametrize("name", ["embeding", "Embedding", "embedding:", "embeding:x"])
def test_a_wrong_name_is_answered_with_the_near_one_and_all_there_are(name):
    with pytest.raises(UnknownGraderError) as error:
        open_grader(name)
    message = str(error.value)
    assert f"'{name}'" in message
    assert "Did you mean 'embedding'?" in message
    assert all(registered in message for registered in grader_names())
    assert "\n" not in message


def test_importing_grading_and_opening_a_grader_loads_nothing_heavy():
    code = (
        "import sys, grading, grading.models.chat, grading.worker\n"
        "import grading.highlight, grading.answers\n"
        "from grading.registry import open_grader\n"
        "open_grader('embedding')\n"
        "heavy = {'torch', 'transformers', 'sentence_transformers', 'sqlite3',"
        " 'streamlit', 'curator', 'huggingface_hub', 'openai'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
