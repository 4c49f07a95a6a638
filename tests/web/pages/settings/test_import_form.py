"""The import of files: their table, boxes for some kinds of files, and the import."""

from __future__ import annotations

import json
from pathlib import Path

from streamlit.testing.v1 import AppTest

from curator.workspace import Workspace
from tests.web.conftest import page_html

BANK = {
    "query_id": "q1",
    "items": [
        {
            "query_id": "q1",
            "question_id": "q1/a",
            "question_text": "Why is it?",
            "gold_answers": ["the Rhine"],
        }
    ],
}


def form() -> None:
    """A page that is the form alone."""
    from curator.web.pages.settings.import_form import import_form

    import_form()


def upload(**files: bytes) -> AppTest:
    """Give the form these files; ``__`` in a name is a dot."""
    app = AppTest.from_function(form).run()
    values = [
        (name.replace("__", "."), data, "text/plain") for name, data in files.items()
    ]
    app.file_uploader(key="files_0").set_value(values).run()
    assert not app.exception
    return app


def import_files(app: AppTest) -> None:
    """Press the button."""
    app.button(key="import_files").click().run()
    assert not app.exception


def boxes(app: AppTest) -> list[str]:
    return [str(one.key) for one in app.checkbox]


def test_a_banks_other_key_stays_until_its_box_is_ticked(judging: Path) -> None:
    def key() -> tuple[str, ...]:
        with Workspace.open(judging) as workspace:
            (one,) = (q for q in workspace.bank() if q.question_id == "q1/a")
            return one.answers

    app = upload(bank__jsonl=json.dumps(BANK).encode())
    assert boxes(app) == ["take_keys", "add_queries"]
    import_files(app)
    assert key() == ()
    app = upload(bank__jsonl=json.dumps(BANK).encode())
    app.checkbox(key="take_keys").check().run()
    import_files(app)
    assert key() == ("the Rhine",)


def test_a_models_qrels_become_a_grader_of_the_name_that_is_typed(
    judging: Path,
) -> None:
    app = upload(umbrela__qrels=b"q1 0 p1 3\n")
    app.selectbox(key="kind_0_umbrela.qrels").set_value("labels").run()
    assert app.text_input(key="grader_0_umbrela.qrels").value == "umbrela"
    app.text_input(key="grader_0_umbrela.qrels").set_value("judge").run()
    import_files(app)
    with Workspace.open(judging) as workspace:
        assert "judge" in [one.name for one in workspace.graders()]


def test_only_files_of_unsure_kind_have_a_choice_and_wrong_ones_are_left_out(
    judging: Path,
) -> None:
    app = upload(
        new__qrels=b"q1 0 p1 3\n",
        topics__tsv=b"q1\tHow does bread rise?\n",
        x__run=b"q1 Q0 p1 1 1.0 one\n",
        slides__pdf=b"%PDF-1.4\x00",
    )
    options = {box.label: box.options for box in app.selectbox}
    assert options.keys() == {"new.qrels", "topics.tsv", "slides.pdf"}
    assert len(options["new.qrels"]) == 2
    assert options["slides.pdf"][0] == "left out"
    html = page_html(app)
    for text in ("1 judgment", "1 query", "1 system", "q1 · How does bread rise?"):
        assert text in html
    assert "This is a PDF" in html
    assert app.button(key="import_files").label == "Import 3 files"
