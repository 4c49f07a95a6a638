"""A collection in Arabic, with Arabic words wherever somebody can write any."""

from __future__ import annotations

from pathlib import Path

from tests.samples.workspaces import collection_files

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
    return collection_files(
        folder,
        queries=[
            {"query_id": query_id, "text": text, "background": background}
            for query_id, text in titles.items()
        ],
        passages=PASSAGES,
        questions=QUESTIONS,
        answers={"leaves/a": ["الكلوروفيل"]},
        runs={
            system: {"leaves": passages, "heart": ["p3"]}
            for system, passages in SYSTEMS.items()
        },
    )
