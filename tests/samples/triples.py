"""Triples in the few words that the tests' encoders know."""

from grading.ava.model import Triple
from tests.samples.tiny_encoder import Kind

KINDS: tuple[Kind, ...] = ("roberta", "bert")
WORDS = (
    *("who", "beat", "whom", "?", "Ada", "Ben", "Cleo"),
    *("in", "May", "it", "was", ",", "well"),
)
TRIPLES = [
    Triple("who beat Ben ?", "Ada beat Ben", "it was Ada"),
    Triple("who ?", "Ada", "well , it was Cleo in May , Ada in May , and Ben in May"),
    Triple("who beat whom in May ?", "it was Ben who beat Ada in May", "Ben"),
    Triple("who beat Ben ?", "Ada beat Ben", "Cleo"),
]
