"""Exports are read by autojudge-base with equal content, and what it writes here."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.formats.test_bank_dialects import exported
from tests.samples.files import READERS, as_jsonl, nuggetbank_lines

corpus = pytest.importorskip("nltk.corpus")
corpus.stopwords.words = lambda _: ()  # read on import, from files of their own
tool = pytest.importorskip("autojudge_base.nugget_data")
KINDS = {
    "nuggetbank": (
        tool.load_nugget_banks_from_file,
        tool.write_nugget_banks,
        lambda bank: bank.query_id,
    ),
    "ragtime": (
        tool.load_ragtime26_nugget_banks_from_file,
        tool.write_ragtime26_nugget_banks,
        lambda bank: bank.metadata.topic_id,
    ),
}


def their_questions(bank: Any) -> dict[str, list[str]]:
    """The answers by question, of a bank as their reader returns it."""
    answers = {}
    for nugget in bank.nuggets_as_list():
        if hasattr(nugget, "question"):
            listed = nugget.answers or []
            entries = listed.values() if isinstance(listed, dict) else listed
            answers[nugget.question] = [entry.answer for entry in entries]
    return answers


def our_questions(parsed: Any) -> dict[str, dict[str, list[str]]]:
    by_query: dict[str, dict[str, list[str]]] = {name: {} for name in parsed.queries}
    for question in parsed.questions.values():
        if question.kind == "question":
            by_query[question.query_id][question.text] = list(question.answers)
    return by_query


@pytest.mark.parametrize("kind", KINDS)
def test_a_bank_goes_to_autojudge_base_and_back(kind: str, tmp_path: Path) -> None:
    load, write, id_of = KINDS[kind]
    path = tmp_path / "nuggetbank.jsonl"
    path.write_bytes(as_jsonl(nuggetbank_lines()))
    parsed = READERS["nuggetbank"](path)
    asked = {
        query_id: questions
        for query_id, questions in our_questions(parsed).items()
        if questions
    }
    out = tmp_path / "written.jsonl"
    out.write_bytes(exported(kind, tmp_path, parsed))
    banks = load(out)
    theirs = {id_of(bank): their_questions(bank) for bank in banks.banks.values()}
    assert {name: theirs[name] for name in asked} == asked

    write(banks, tmp_path / "theirs.jsonl")
    again = our_questions(READERS[kind](tmp_path / "theirs.jsonl"))
    assert {name: again[name] for name in asked} == asked


def test_a_bank_made_by_autojudge_base_is_read(tmp_path: Path) -> None:
    bank = tool.NuggetBank(query_id="q1", title_query="tides")
    question = tool.NuggetQuestion.from_lazy("q1", "Why?", ["the moon", "the sun"])
    claim = tool.NuggetClaim.from_lazy("q1", "Tides come twice a day.")
    bank.add_nuggets([question, claim])
    banks = tool.NuggetBanks.from_banks_list([bank])
    tool.write_nugget_banks(banks, tmp_path / "bank.jsonl")
    parsed = READERS["nuggetbank"](tmp_path / "bank.jsonl")
    assert parsed.queries["q1"].title == "tides"
    assert our_questions(parsed) == {"q1": {"Why?": ["the moon", "the sun"]}}
    nuggets = [item.text for item in parsed.questions.values() if item.kind == "nugget"]
    assert nuggets == ["Tides come twice a day."]
