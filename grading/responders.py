"""The two parts of a grader: its responder and its reading.

A *responder* turns (item, passage) into a raw response; a *reading* turns responses
into grades. Responses are stored, so another reading needs no model.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, get_args

from grading.errors import InvalidSpecError
from grading.highlight import LATEST
from grading.items import ItemKind
from grading.keys import content_key

ReadingKind = Literal["rated", "answered", "keyed", "direct"]
GradedKind = ItemKind | Literal["any"]
"""The kind of items that a grader grades; "any": questions and nuggets."""


def shared_kind(first: GradedKind, second: GradedKind) -> GradedKind | None:
    """Return the kind of items that two graders both grade, None if there is none."""
    for kind, other in ((first, second), (second, first)):
        if kind == other or (other == "any" and kind in ("question", "nugget")):
            return kind
    return None


AS_GIVEN = "as given"
"""The parser of imported grades, which are taken from the file unchanged."""

PROBABILITY_AS_GIVEN = "probability as given"
"""The same for imported probabilities."""

Dtype = Literal["bfloat16", "float32", "int8", "ct2-bfloat16"]
DTYPES: tuple[Dtype, ...] = get_args(Dtype)
"""Number formats in graders' names: those of torch, then those of CTranslate2."""

ENGINE = "engine"
"""The option of a responder's decoding that names its client."""

ANSWER_LIMIT = "max answer tokens"
"""The option of a responder's decoding that limits its answers."""

CHOICES = "choices"
"""The option of a responder's decoding that names how its prompt shows choices."""

VECTORS = "vectors"
LEXICAL = "lexical"
INSTANT = "instant"
"""The engines of graders that compute grades; their responders name none."""

WITHOUT_KEYS = ("instant/1", "instant/2")
"""Former readings of the instant grader, which did not look at answer keys."""
COMPUTED = {"cosine": VECTORS, "lexical": LEXICAL, "instant": INSTANT}
"""Engines that compute grades, by the reading's parser without its version."""

COMPUTED_ENGINES = frozenset(COMPUTED.values())

FORMER_SENTENCES = {"cosine/2": "1", "instant/1": "1"}
"""Former versions of sentence splitting, by the parser of a reading."""

LOWER = "lower/1"
"""The parser of the lower of two graders' ratings."""

MEAN = "mean of ranks/1"
"""The parser of the mean of two graders, each on its scale (``grading.ratings``)."""

LEARNED = "checked/1"
"""The parser of grades learned from people's checks of other graders."""


@dataclass(frozen=True)
class Responder:
    """Model, revision, prompt and decoding: all that determines a raw response.

    ``revision`` is a commit or a hash of the weights, "" if unknown. ``prompt`` is the
    prompt's full text, or its published name if only that is known. ``decoding`` holds
    (option, value) pairs.
    """

    model: str
    revision: str
    prompt: str
    decoding: tuple[tuple[str, str], ...] = ()

    @property
    def key(self) -> str:
        """Content key of all fields, with sorted options; see ``keys``."""
        options = sorted(self.decoding)
        return content_key(
            ["responder", self.model, self.revision, self.prompt, options]
        )

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Responder:
        """Return the responder with these fields."""
        decoding = tuple((option, value) for option, value in stored["decoding"])
        return cls(**{**stored, "decoding": decoding})

    @property
    def engine(self) -> str:
        """Name of the client that answers its prompts, such as ``flan-t5``, or ""."""
        return dict(self.decoding).get(ENGINE, "")

    def sentence_responder(self, version: str) -> Responder:
        """Return the responder for single sentences (``grading.highlight``)."""
        return replace(self, decoding=(*self.decoding, ("sentences", version)))

    @property
    def answer_limit(self) -> int | None:
        """Maximum tokens of an answer, None without a limit."""
        limit = dict(self.decoding).get(ANSWER_LIMIT)
        return int(limit) if limit else None

    @property
    def shows_choices(self) -> bool:
        """Return True if the prompt shows a question's choices.

        No published prompt does, despite their names. For grades imported from a file
        this is found in the original options.
        """
        options = dict(self.decoding)
        return CHOICES in options or f'"{CHOICES}"' in options.get("llm_options", "")


@dataclass(frozen=True)
class Reading:
    """Rule by which raw responses become grades, of items of one kind or of any.

    ``kind``: *rated* gives ratings 0-5; *keyed* verifies an answer against the key;
    *answered* means answered or not, unverified; *direct* rates a passage for the
    whole query. ``parser`` is a parser's version, ``AS_GIVEN`` or
    ``PROBABILITY_AS_GIVEN``. ``thresholds`` are the rising lower limits of ratings
    1, 2, ... of a real number. ``answers_of`` is the key of the responder whose answers
    another model checks. ``frequencies`` is the key of the collection's word
    frequencies, for readings that weigh words (``grading.stems``).
    """

    kind: ReadingKind
    item_kind: GradedKind
    parser: str
    thresholds: tuple[float, ...] = ()
    answers_of: str = ""
    frequencies: str = ""

    @property
    def computed_by(self) -> str:
        """Name of the engine that computes its grades, "" if it parses responses."""
        return COMPUTED.get(self.parser.partition("/")[0], "")

    @property
    def reads_answer_keys(self) -> bool:
        """Return True if its grades depend on the questions' answer keys."""
        return (
            self.checks_answer_keys
            or self.computed_by == LEXICAL
            or (self.computed_by == INSTANT and self.parser not in WITHOUT_KEYS)
        )

    @property
    def is_imported(self) -> bool:
        """Return True if its grades come unchanged from a file."""
        return self.parser in (AS_GIVEN, PROBABILITY_AS_GIVEN)

    @property
    def checks_answer_keys(self) -> bool:
        """Return True if answers are compared with the questions' answer keys."""
        return self.kind == "keyed" and not self.is_imported


@dataclass(frozen=True)
class GraderSpec:
    """Description of a grader: its name for users, its responder and its reading."""

    name: str
    responder: Responder
    reading: Reading

    @property
    def key(self) -> str:
        """Content key of responder and reading, without the name."""
        reading = self.reading
        # Empty values are left out, so that keys from before these fields stay valid.
        references = (reading.answers_of, reading.frequencies)
        return content_key(
            [
                "grader",
                self.responder.key,
                reading.kind,
                reading.item_kind,
                reading.parser,
                [float(threshold) for threshold in reading.thresholds],
                *filter(None, references),
            ]
        )

    @property
    def engine(self) -> str:
        """Name of the client that grades, also one that computes, or ""."""
        return self.reading.computed_by or self.responder.engine

    @property
    def computed(self) -> bool:
        """Return True if its grades are computed, without responses."""
        return bool(self.reading.computed_by)

    @property
    def reads_sentences(self) -> bool:
        """Return True if it also uses vectors of passages' sentences."""
        by_vectors = self.reading.computed_by in (VECTORS, INSTANT)
        return by_vectors and not self.reading.thresholds

    @property
    def sentences(self) -> str:
        """The version of sentence splitting."""
        return FORMER_SENTENCES.get(self.reading.parser, LATEST)

    @property
    def responders(self) -> tuple[Responder, ...]:
        """Its responder, and that of sentences if it uses these."""
        if not self.reads_sentences:
            return (self.responder,)
        return (self.responder, self.responder.sentence_responder(self.sentences))

    @property
    def combined(self) -> bool:
        """Return True if its grades are computed from those of other graders."""
        return self.reading.parser in (LOWER, MEAN, LEARNED)

    @property
    def learned(self) -> bool:
        """Return True if it depends on people's checks; such grades are not stored."""
        return self.reading.parser == LEARNED

    @property
    def checks_answers(self) -> bool:
        """Return True if it checks answers of another responder."""
        return bool(self.reading.answers_of)

    @property
    def answers(self) -> bool:
        """Return True if its responder answers questions, which can be checked."""
        return self.reading.kind in ("answered", "keyed") and not (
            self.checks_answers or self.combined
        )

    @property
    def by_kind(self) -> tuple[GraderSpec, ...]:
        """The grader once for each kind of item that it grades."""
        if self.reading.item_kind != "any":
            return (self,)
        kinds: tuple[ItemKind, ...] = ("question", "nugget")
        readings = (replace(self.reading, item_kind=kind) for kind in kinds)
        return tuple(replace(self, reading=reading) for reading in readings)

    def to_json(self) -> dict[str, Any]:
        """Return a JSON object from which ``from_json`` restores an equal grader."""
        fields = asdict(self)
        if not self.reading.frequencies:  # as before this field existed
            del fields["reading"]["frequencies"]
        return fields

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> GraderSpec:
        """Restore the grader that ``to_json`` wrote.

        Raises InvalidSpecError for an object with other fields or kinds.
        """
        try:
            responder = Responder.from_json(stored["responder"])
            reading = dict(stored["reading"])
            reading["thresholds"] = tuple(map(float, reading["thresholds"]))
            if reading["kind"] not in get_args(ReadingKind):
                raise ValueError(f"reading kind '{reading['kind']}'")
            if reading["item_kind"] not in (*get_args(ItemKind), "any"):
                raise ValueError(f"item kind '{reading['item_kind']}'")
            return cls(stored["name"], responder, Reading(**reading))
        except (KeyError, TypeError, ValueError) as error:
            raise InvalidSpecError(
                f"Invalid description of a grader ({error}): expected name, "
                "responder and reading as written by GraderSpec.to_json; "
                "import its grades again"
            ) from error
