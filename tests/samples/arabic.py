"""A collection in Arabic, with Arabic words wherever somebody can write any."""

from __future__ import annotations

from pathlib import Path

from curator.bank.edits import (
    Add,
    CheckPair,
    Decide,
    Dismiss,
    JudgeAnswer,
    MarkIdeal,
    Propose,
    Retire,
    Reword,
    Vote,
    WriteNote,
)
from curator.bank.marks import Ideal
from curator.workspace import Workspace
from tests.samples.workspaces import (
    graded_file,
    graded_passage,
    question_bank,
    run_file,
    write_lines,
)

QUESTIONS = {
    "leaves": {
        "leaves/a": "ما هي المادة التي تجعل الأوراق خضراء؟",
        "leaves/b": "كيف يعمل المصطلح pigment في النبات؟",
        "leaves/c": "لماذا تتساقط الأوراق في الخريف؟",
    },
    "heart": {"heart/d": "كيف يعمل جهاز تنظيم ضربات القلب؟"},
}
PASSAGES = {
    "p1": "الكلوروفيل هو المادة التي تجعل الأوراق خضراء. يتحلل في الخريف، فتصفر.",
    "p2": "هل تتساقط الأوراق؟ نعم، لأن الشجرة توفر الماء في الشتاء.",
    "p3": "جهاز تنظيم ضربات القلب يرسل نبضات كهربائية إلى القلب (pacemaker).",
}
JUDGE = "ليلى"
SYSTEMS = {"أول": ["p1", "p2"], "ثان": ["p2", "p1"]}


def arabic_files(folder: Path) -> dict[str, Path]:
    """Queries, passages, a bank and two runs, by import option."""
    titles = {"leaves": "لماذا تتغير ألوان الأوراق؟", "heart": "تنظيم ضربات القلب"}
    background = "يريد القارئ أن يفهم ما يحدث في الطبيعة."
    runs = folder / "runs"
    runs.mkdir()
    for number, (system, passages) in enumerate(SYSTEMS.items()):
        ranked = {"leaves": passages, "heart": ["p3"]}
        run_file(runs / f"{number}.run", ranked, system)
    return {
        "queries": write_lines(
            folder / "queries.jsonl",
            [
                {"query_id": query_id, "text": text, "background": background}
                for query_id, text in titles.items()
            ],
        ),
        "passages": write_lines(
            folder / "passages.jsonl",
            [{"passage_id": name, "text": text} for name, text in PASSAGES.items()],
        ),
        "bank": question_bank(
            folder / "bank.jsonl", QUESTIONS, answers={"leaves/a": ["الكلوروفيل"]}
        ),
        "runs": runs,
    }


def arabic_workspace(folder: Path) -> Path:
    """The workspace's path; an imported grader has graded, and people have worked."""
    folder.mkdir(exist_ok=True)
    files = arabic_files(folder)
    of_leaves = {"leaves/a": 5, "leaves/b": 0, "leaves/c": 4}
    raws = {"leaves/a": "الكلوروفيل", "leaves/c": "توفر الماء"}
    graded = graded_file(
        folder / "graded.jsonl",
        {
            "leaves": [
                graded_passage(
                    name, "leaves", of_leaves, text=PASSAGES[name], raws=raws
                )
                for name in ("p1", "p2")
            ],
            "heart": [
                graded_passage("p3", "heart", {"heart/d": 5}, text=PASSAGES["p3"])
            ],
        },
    )
    qrels = folder / "judgments.qrels"
    qrels.write_text("leaves 0 p1 2\nleaves 0 p2 0\n")
    path = folder / "arabic.db"
    with Workspace.open(path, create=True, judge=JUDGE) as workspace:
        workspace.import_(
            **files,
            autograder=graded,
            judgments=qrels,
            min_relevance=2,
            title="مجموعة الاختبار",
        )
        workspace.set_up(
            guidelines="اكتب أسئلة قصيرة وواضحة.\n\n- سؤال واحد في كل مرة."
        )
        workspace.add_people(["سامي"])
        workspace.assign(["سامي", JUDGE], ["leaves"])
        workspace.apply(
            [
                Vote("leaves/a", "vital"),
                JudgeAnswer("leaves/a", "الكلوروفيل", "right"),
                CheckPair("leaves", "leaves/a", "p1", "yes"),
                WriteNote("leaves/a", "راجع هذا السؤال.", flagged=True),
                MarkIdeal("leaves", Ideal("p1", 0, 20)),
                Propose("heart", "متى يحتاج المريض إلى الجهاز؟", '{"generation": 1}'),
                Dismiss("leaves", "no-answer leaves/b", "0", "كما يجب أن يكون"),
            ]
        )
        workspace.apply(Retire("leaves/b", "سؤال صعب جدا"))
        workspace.apply(Reword("leaves/c", "لماذا تسقط الأوراق في الخريف؟"))
        workspace.apply(Add("leaves", "متى يبدأ الخريف؟"))
        workspace.apply(
            [Vote("leaves/a", "okay"), Vote("leaves/c", "vital")], by="سامي"
        )
        workspace.apply(
            Decide("leaves", "vote leaves/a", "vital", "1", "كما في الدليل")
        )
        workspace.open_norming("votes", count=2, seed=1)
        workspace.release("الإصدار الأول", allow_partial=True, why="للنشر")
    return path
