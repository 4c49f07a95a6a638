"""Languages of texts, told over many of them."""

from __future__ import annotations

import pytest

from grading.graders import embedding, instant, lexical
from grading.languages import (
    can_grade_languages,
    can_read_languages,
    describe_shares,
    language_shares,
)
from grading.responders import GraderSpec, Reading, Responder

SAMPLES = {
    "Arabic": ["ما هي عاصمة فرنسا؟"],
    "Russian in Cyrillic script": ["Какая столица Франции и когда она была построена?"],
    "Chinese": ["法国的首都是哪里？它是什么时候建成的？"],
    "Japanese": ["フランスの首都はどこですか？"],
    "Greek": ["Ποια είναι η πρωτεύουσα της Γαλλίας;"],
    "Hindi in Devanagari script": ["फ्रांस की राजधानी क्या है?"],
    "German": [
        "Was ist die Hauptstadt von Frankreich?",
        "Warum werden Blätter im Herbst gelb und rot?",
    ],
    "Spanish": [
        "¿Cuál es la capital de Francia?",
        "¿Por qué las hojas se ponen amarillas en otoño?",
    ],
}


@pytest.mark.parametrize("language", SAMPLES)
def test_a_language_is_told_with_its_script_and_is_no_english(language: str) -> None:
    shares = language_shares(SAMPLES[language])
    assert shares == {language: 1}
    assert describe_shares(shares) == language
    assert not can_read_languages(shares)


def test_several_languages_have_their_shares_and_few_texts_are_left_out() -> None:
    english = ["Why do the leaves of a tree turn yellow and red in autumn?"]
    arabic = SAMPLES["Arabic"]
    assert describe_shares(language_shares(english * 60 + arabic * 40)) == (
        "English 60%, Arabic 40%"
    )
    assert describe_shares(language_shares(english * 97 + arabic * 3)) == "English"
    for others, read in ((4, True), (20, False)):
        assert (
            can_read_languages(language_shares(english * 100 + arabic * others)) == read
        )


def test_languages_of_graders() -> None:
    arabic, french, english = {"Arabic": 1.0}, {"French": 1.0}, {"English": 1.0}
    flan = Responder("google/flan-t5-large", "", "")
    spec = GraderSpec("flan-t5-large", flan, Reading("rated", "any", "1"))
    assert can_grade_languages(spec, french)
    assert not can_grade_languages(spec, arabic)
    for own in (embedding.spec(), instant.spec(), lexical.spec()):
        assert can_grade_languages(own, english)
        assert not can_grade_languages(own, french)
    another = Responder("intfloat/multilingual-e5-small", "", "")
    for other in (
        GraderSpec("embedding:e5", another, embedding.LATEST_READING),
        GraderSpec("chat:gpt", Responder("gpt", "", ""), Reading("rated", "any", "1")),
    ):
        assert can_grade_languages(other, arabic)
