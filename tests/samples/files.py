"""Small files by hand, one of each family, and how to write them down."""

import copy
import gzip
import hashlib
import json
from functools import cache
from pathlib import Path

from curator.formats import limits
from curator.formats.autograder.bank import read_bank
from curator.formats.autograder.grades import read_autograder_grades
from curator.formats.gold import read_gold
from curator.formats.nuggets.banks import (
    read_nugget_docs,
    read_nuggetbank,
    read_ragtime,
)
from curator.formats.nuggets.grades import read_nugget_grades
from curator.formats.nuggets.nuggetizer import read_nuggetizer
from curator.formats.passages import read_passages
from curator.formats.queries import read_queries
from curator.formats.reports import read_reports
from curator.formats.tqa import read_tqa
from curator.formats.trec.official_ranks import read_official_ranks
from curator.formats.trec.qrels import read_qrels
from curator.formats.trec.runs import read_runs

READERS = {
    "autograder": read_autograder_grades,
    "bank": read_bank,
    "nuggetbank": read_nuggetbank,
    "nuggetizer": read_nuggetizer,
    "ragtime": read_ragtime,
    "nugget_docs": read_nugget_docs,
    "grades": read_nugget_grades,
    "tqa": read_tqa,
    "queries": read_queries,
    "passages": read_passages,
    "runs": read_runs,
    "reports": read_reports,
    "judgments": read_qrels,
    "gold": read_gold,
    "official": read_official_ranks,
}

SELF_RATED = {
    "prompt_class": "QuestionSelfRated",
    "prompt_style": "Can it be answered?",
    "check_answer_key": False,
    "is_self_rated": True,
}


def lowered(monkeypatch, **most):
    """Limits of files so low that small ones pass them."""
    low = limits.Limits(**most)
    monkeypatch.setattr(limits, "current", lambda: low)


def exam_grade(ratings, *, raws=None, **fields):
    """A self-rated record: correct is rated 1 or more, as published."""
    raws = raws or {item: str(rating) for item, rating in ratings.items()}
    return {
        "correctAnswered": [i for i, r in ratings.items() if r >= 1],
        "wrongAnswered": [i for i, r in ratings.items() if r == 0],
        "answers": [[i, raw] for i, raw in raws.items()],
        "llm": "google/flan-t5-large",
        "llm_options": {"answer_match": "fuzz > 0.8"},
        "exam_ratio": sum(r >= 1 for r in ratings.values()) / max(len(ratings), 1),
        "prompt_info": dict(SELF_RATED),
        "self_ratings": [
            {"question_id": i, "self_rating": r} for i, r in ratings.items()
        ],
    } | fields


def nugget_grade(correct, wrong, answers):
    """A record of a grader that extracts and checks nothing."""
    return {
        "correctAnswered": correct,
        "wrongAnswered": wrong,
        "answers": answers,
        "llm": "google/flan-t5-large",
        "llm_options": {},
        "exam_ratio": len(correct) / (len(correct) + len(wrong)),
        "prompt_info": {"prompt_class": "NuggetExtraction", "is_self_rated": False},
        "prompt_type": "nugget",
    }


def direct_grade(rating, **fields):
    return {
        "correctAnswered": rating >= 1,
        "answer": f"Relevance: {rating}",
        "llm": "flan-t5-large",
        "llm_options": {},
        "prompt_info": {"prompt_class": "labelling", "is_self_rated": True},
        "self_ratings": rating,
        "prompt_type": "direct_grading",
    } | fields


def judgment(passage_id, query_id, relevance, title=None):
    return {
        "paragraphId": passage_id,
        "query": query_id,
        "relevance": relevance,
        "titleQuery": title or query_id,
    }


def ranking(system, passage_id, query_id, rank, score):
    return {
        "method": system,
        "paragraphId": passage_id,
        "queryId": query_id,
        "rank": rank,
        "score": score,
    }


def passage(passage_id, text, *, judgments=(), rankings=(), **fields):
    return {
        "paragraph_id": passage_id,
        "text": text,
        "paragraph": {},
        "paragraph_data": {"judgments": list(judgments), "rankings": list(rankings)},
    } | fields


def graded_lines():
    """Two queries, three passages, two systems (``zero`` counts ranks from 0)."""
    p1 = passage(
        "p1",
        "Tides follow the moon.",
        judgments=[judgment("p1", "q1", 2, "what makes tides")],
        rankings=[
            ranking("zero", "p1", "q1", 0, 9.5),
            ranking("one", "p1", "q1", 2, 1),
        ],
        exam_grades=[
            exam_grade({"q1/a": 5, "q1/b": 0}),
            nugget_grade(["q1/n"], [], [["q1/n", "the moon"]]),
        ],
        grades=[direct_grade(3)],
    )
    p2 = passage(
        "p2",
        "Æbler: 20 % 🍏",
        rankings=[ranking("one", "p2", "q1", 1, 2.5)],
        exam_grades=[exam_grade({"q1/a": 0, "q1/b": 1})],
        grades=[direct_grade(0)],
    )
    p3 = passage(
        "p3",
        "Rain falls.",
        judgments=[judgment("p3", "q2", -1)],
        rankings=[ranking("zero", "p3", "q2", 1, 3.25)],
        exam_grades=[exam_grade({"q2/a": 4})],
    )
    return copy.deepcopy([["q1", [p1, p2]], ["q2", [p3]]])


def bank_lines():
    """One query with two facets, one without; questions, a nugget, a key."""
    return [
        {
            "query_id": "q1",
            "facet_id": "f1",
            "facet_text": "moon",
            "test_collection": "demo",
            "query_text": "tides",
            "info": {"by": "hand"},
            "hash": 7,
            "items": [
                {"query_id": "q1", "question_id": "q1/f1/a", "question_text": "Why?"},
                {
                    "query_id": "q1",
                    "question_id": "q1/f1/b",
                    "question_text": "Which body?",
                    "choices": {"A": "sun", "B": "moon"},
                    "correctKey": "B",
                    "correct": "moon",
                    "info": {"lesson": 3},
                },
            ],
        },
        {
            "query_id": "q1",
            "facet_id": "f2",
            "query_text": "tides",
            "items": [
                {"query_id": "q1", "nugget_id": "q1/f2/n", "nugget_text": "Twice"}
            ],
        },
        {
            "query_id": "q2",
            "query_text": "rain",
            "questions": [
                {
                    "query_id": "q2",
                    "question_id": "q2/a",
                    "question_text": "Where?",
                    "gold_answers": ["in Bergen", "there"],
                    "state": "retired",
                    "provenance": {"model": "m"},
                },
                {"query_id": "q2", "question_id": "q2/b", "question_text": None},
            ],
        },
    ]


def report_lines():
    """Two runs on two topics in three spellings; one response is empty."""
    return [
        {
            "metadata": {"team_id": "t", "run_id": "run a", "topic_id": "q1", "z": [1]},
            "responses": [
                {"text": "Tides follow the moon.", "citations": ["d1"]},
                {"text": "Æbler: 20 % 🍏", "citations": {"d2": 0.5}, "z_entry": None},
            ],
            "documents": {"d1": {"id": "d1", "text": "Moon.", "url": "u"}, "d2": {}},
            "a_line": {"b": 1, "a": 1.50},
        },
        {
            "metadata": {"run_id": "run a", "narrative_id": 2},
            "responses": [{"text": "Rain falls."}],
        },
        {"run_id": "b", "request_id": "q1", "answer": [], "references": ["d1"]},
    ]


def tqa_lessons():
    """Two lessons: a choice by letter, one by words, one without; a diagram's."""
    return [
        {
            "globalID": "L_0001",
            "lessonName": "tides",
            "z_lesson": {"b": [1.50], "a": None},
            "topics": {
                "T_2": {"topicName": "moon", "content": {"text": "Tides follow it."}},
                "T_1": {"topicName": "none", "content": {"text": " ", "figures": []}},
                "T_3": {"topicName": "Æble", "content": {"text": "Twice a day."}},
            },
            "questions": {
                "nonDiagramQuestions": {
                    "NDQ_1": {
                        "beingAsked": {"processedText": "Why?", "rawText": "1. Why?"},
                        "answerChoices": {
                            "a": {"processedText": "sun", "idStructural": "a."},
                            "b": {"processedText": "moon"},
                        },
                        "correctAnswer": {"processedText": "b", "rawText": "b"},
                        "questionType": "Multiple Choice",
                    },
                    "NDQ_2": {
                        "beingAsked": {"processedText": "How often?"},
                        "correctAnswer": {"processedText": "twice a day"},
                    },
                },
                "diagramQuestions": {"DQ_1": {"imagePath": "i.png"}},
            },
        },
        {
            "globalID": "tqa2:L_0002",
            "lessonName": "rain",
            "questions": {
                "nonDiagramQuestions": {
                    "NDQ_3": {"beingAsked": {"processedText": "Where?"}}
                }
            },
        },
    ]


def md5(text):
    return hashlib.md5(text.encode()).hexdigest()


def ragtime_lines():
    """Two topics; answers all needed and any; references both ways; unknown fields."""
    return [
        {
            "metadata": {
                "team_id": "lab",
                "topic_id": "r1",
                "run_id": "lab-nuggets",
                "run_desc": "Æbler 🍏",
                "z_run": [1],
            },
            "nugget_bank": [
                {
                    "question": "Which metals?",
                    "aggregator_type": "AND",
                    "answers": [
                        {"answer": "zinc", "references": ["d2", "d1"]},
                        {"answer": "copper", "references": [{"doc_id": "d3"}], "z": 0},
                    ],
                    "importance": "vital",
                },
                {"question": "Who?", "aggregator_type": "OR", "answers": []},
                {"question": "Alone?", "aggregator_type": None, "importance": 3},
            ],
        },
        {
            "nugget_bank": [
                {
                    "z_item": {"b": 1, "a": None},
                    "question": "When?",
                    "answers": [{"answer": "in May"}],
                    "metadata": {"facet_id": "r2/time", "choices": {"A": "in May"}},
                }
            ],
            "metadata": {"topic_id": "r2"},
        },
    ]


def nugget_grade_lines():
    """A response that two runs share, a document in parts; one grade is otherwise."""
    asked = {"query_id": "g1", "nugget_id": md5("Why?"), "question": "Why?"}
    said = {"passage": "So it is. 🍏", "doc_id": None, "paragraph_idx": None}
    part = {"passage": "Part.", "doc_id": "doc-1", "paragraph_idx": 0}
    own = {
        "query_id": "g1",
        "nugget_id": "Æ, which part?",
        "question": "Æ, which part?",
    }
    return [
        {"run_id": "one"}
        | asked
        | said
        | {"grade": 4, "reasoning": "It says so.", "confidence": 0.9},
        {"run_id": "two"}
        | asked
        | said
        | {"grade": 3, "reasoning": "Nearly.", "confidence": 1},
        {"run_id": "one"} | own | said | {"grade": 0, "addressed_quote": None},
        {"z": {"b": 1, "a": 2}, "run_id": "two"}
        | asked
        | part
        | {"grade": 5, "reasoning": None, "grader": "other judge"},
    ]


def nugget_docs():
    """Two topics, one of whose nuggets needs two answers; one is open."""
    return {
        "d1": {
            "Which metals?": ["AND", {"zinc": ["x1"], "copper": []}],
            "Who?": ["OR", {"OPEN_ENDED_ANSWER": ["x2", "x1"]}],
        },
        "d2": {"When? é": ["NOT", {"in May": ["x9"]}, {"z": 1}]},
    }


def nuggetbank_lines():
    """Two queries that ask the same; a claim; unknown fields at every level."""
    where = "Where does rain fall?"
    return [
        {
            "format_version": "v3",
            "query_id": "q1",
            "title_query": "tides",
            "full_query": "What makes tides? Æbler 🍏",
            "test_collection": "demo",
            "z_line": {"b": 1, "a": [None, "é"]},
            "nugget_bank": {
                where: {
                    "z_item": {"y": 0, "x": 1},
                    "question": where,
                    "question_id": md5(where),
                    "query_id": "q1",
                    "answers": {
                        "in Bergen": {
                            "answer": "in Bergen",
                            "references": [{"doc_id": "d1", "z_reference": 1}],
                            "z_answer": {"k": "v"},
                        },
                        "à Paris": {"answer": "à Paris"},
                    },
                    "sub_nuggets": [{"question": "When?", "query_id": "q1"}],
                    "aggregator_type": "AND",
                    "importance": "vital",
                    "quality": 2,
                    "creator": [
                        {
                            "is_human": True,
                            "assessor_id": "ann",
                            "creation_date": "2025-05-01",
                            "z_creator": 3,
                        },
                        {"is_human": False, "llm_model": "m", "llm_prompt": ["Ask."]},
                    ],
                    "metadata": {"lesson": 3},
                },
                "Why?": {"question": "Why?", "question_id": "7", "importance": 1},
            },
            "claim_bank": {
                "Twice a day": {
                    "claim": "Twice a day",
                    "query_id": "q1",
                    "importance": "okay",
                    "creator": [{"is_human": False, "llm_model": "m"}],
                }
            },
        },
        {
            "query_id": "q2",
            "title_query": "rain",
            "format_version": "v3",
            "nugget_bank": {
                where: {"question": where, "question_id": md5(where), "query_id": "q2"}
            },
        },
    ]


def nuggetizer_lines():
    """A query with the lines of two responses, and one as it is written here."""
    return [
        {
            "z_line": [1],
            "query": "tides",
            "qid": 1,
            "run_id": "sys",
            "nuggets": [
                {
                    "text": "The moon pulls 🌕",
                    "importance": "vital",
                    "assignment": "support",
                    "z_nugget": {"b": 1, "a": 2},
                },
                {"text": "Twice a day", "importance": "failed", "assignment": None},
            ],
        },
        {
            "query": "rain",
            "qid": "q2",
            "nuggets": [{"text": "The moon pulls 🌕", "importance": "okay"}],
        },
        {
            "query": "tides",
            "qid": 1,
            "run_id": "other",
            "nuggets": [
                {
                    "text": "The moon pulls 🌕",
                    "importance": "vital",
                    "assignment": "not_support",
                },
                {"text": "Once a year"},
            ],
        },
    ]


RUN = b"q1 Q0 p1 1 2.5 sys\nq1 Q0 p2 2 1.5 sys\nq2\tQ0\tp3\t1\t-1e3\tsys\n"
QRELS = b"q1 0 p1 2\nq1 0 p2 0\nq2 0 p3 -1\n"
QUERIES = b'{"query_id": "q1", "text": "tides"}\n{"id": "q2", "title": "rain"}\n'
PASSAGES = (
    b'{"passage_id": "p1", "text": "Tides"}\n{"docid": "p2", "contents": "Rain"}\n'
)
GOLD = (
    b'{"query_id": "q1", "passage_id": "g1", "text": "Tides"}\n'
    b'{"query_id": "q2", "text": "Rain.\\n\\nIt falls."}\n'
)
OFFICIAL = b'{\n "sys": 1,\n "other": 2.5\n}\n'


def as_jsonl(values) -> bytes:
    return "".join(json.dumps(value) + "\n" for value in values).encode()


@cache
def sample(family: str) -> bytes:
    """A valid file of the family."""
    return {
        "autograder": as_jsonl(graded_lines()),
        "bank": as_jsonl(bank_lines()),
        "nuggetbank": as_jsonl(nuggetbank_lines()),
        "nuggetizer": as_jsonl(nuggetizer_lines()),
        "ragtime": as_jsonl(ragtime_lines()),
        "grades": as_jsonl(nugget_grade_lines()),
        "nugget_docs": json.dumps(nugget_docs(), indent=4).encode(),
        "tqa": json.dumps(tqa_lessons(), indent=1).encode(),
        "reports": as_jsonl(report_lines()),
        "queries": QUERIES,
        "passages": PASSAGES,
        "runs": RUN,
        "judgments": QRELS,
        "gold": GOLD,
        "official": OFFICIAL,
    }[family]


def written(folder: Path, content: bytes, name: str = "input.txt") -> Path:
    path = folder / name
    path.write_bytes(content)
    return path


def gzipped(content: bytes) -> bytes:
    return gzip.compress(content, mtime=0)


def content_of(parsed):
    """An ParsedImport without its source and notices, to compare."""
    fields = dict(vars(parsed))
    for name in ("source", "taken_for", "notices"):
        del fields[name]
    return fields
