"""Who answers, and how the answers are read: the two halves of a grader.

A *responder* turns (item, passage) into a raw response; a *reading* turns responses
into grades. Responses are kept, so another reading costs no model time.
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
AskedKind = ItemKind | Literal["any"]
"""The kind of items that a grader is asked about; "any": questions and nuggets."""


def shared_kind(one: AskedKind, other: AskedKind) -> AskedKind | None:
    """The kind of items that two graders are both asked about; None where none is."""
    for kind, of_other in ((one, other), (other, one)):
        if kind == of_other or (of_other == "any" and kind in ("question", "nugget")):
            return kind
    return None


AS_GIVEN = "as given"
"""The parser of imported grades: they are taken as the file states them."""

PROBABILITY_AS_GIVEN = "probability as given"
"""The same, where the file states probabilities."""

Dtype = Literal["bfloat16", "float32", "int8", "ct2-bfloat16"]
DTYPES: tuple[Dtype, ...] = get_args(Dtype)
"""Number formats that a grader's name may end in: torch's, and then CTranslate2's."""

ENGINE = "engine"
"""The option of a responder's decoding that says which client makes it answer."""

ANSWER_LIMIT = "max answer tokens"
"""The option of a responder's decoding that limits its answers, where there is one."""

CHOICES = "choices"
"""The option of a responder's decoding that says how its prompt shows choices."""

VECTORS = "vectors"
LEXICAL = "lexical"
INSTANT = "instant"
"""The engines of graders whose grades are computed; their responders name none."""

COMPUTED = {"cosine": VECTORS, "lexical": LEXICAL, "instant": INSTANT}
"""Which engine computes the grades of a reading, by its parser without version."""

COMPUTED_ENGINES = frozenset(COMPUTED.values())

SENTENCES_BEFORE = {"cosine/2": "1", "instant/1": "1"}
"""Of readings that cut texts into sentences by an earlier version, that version."""

LOWER = "lower/1"
"""The parser of two graders agreeing: the lower of their ratings."""

MEAN = "mean of ranks/1"
"""The parser of the mean of two graders, each on the scale that ``scales`` makes."""

LEARNED = "checked/1"
"""The parser of what people would say, learned from their checks of other graders."""


@dataclass(frozen=True)
class Responder:
    """Model, revision, prompt and decoding: all that decides a raw response.

    ``revision`` is a commit or a hash of the weights, "" where it is not known.
    ``prompt`` is the prompt's full text, or its published name where only that is
    known. ``decoding`` holds (option, value) pairs.
    """

    model: str
    revision: str
    prompt: str
    decoding: tuple[tuple[str, str], ...] = ()

    @property
    def key(self) -> str:
        """Content key of all its parts, the options in any order; see ``keys``."""
        options = sorted(self.decoding)
        return content_key(
            ["responder", self.model, self.revision, self.prompt, options]
        )

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Responder:
        """The responder whose fields these are."""
        decoding = tuple((option, value) for option, value in stored["decoding"])
        return cls(**{**stored, "decoding": decoding})

    @property
    def engine(self) -> str:
        """Which client makes it answer prompts, such as ``flan-t5``; "" for none."""
        return dict(self.decoding).get(ENGINE, "")

    def sentence_responder(self, version: str) -> Responder:
        """The same, reading a text sentence by sentence (``grading.highlight``)."""
        return replace(self, decoding=(*self.decoding, ("sentences", version)))

    @property
    def answer_limit(self) -> int | None:
        """Most tokens that an answer may take; None where there is no limit."""
        limit = dict(self.decoding).get(ANSWER_LIMIT)
        return int(limit) if limit else None

    @property
    def shows_choices(self) -> bool:
        """Whether a question's choices stand in what it is asked.

        No published prompt shows any, whatever its name says. One of ours is known
        when its grades come back from a file, which holds the options as they were.
        """
        options = dict(self.decoding)
        return CHOICES in options or f'"{CHOICES}"' in options.get("llm_options", "")


@dataclass(frozen=True)
class Reading:
    """How raw responses become grades of items of one kind, or of any.

    ``kind``: *rated* gives ratings 0-5; *keyed* verifies an answer against the key;
    *answered* says answered or not, unverified; *direct* rates a query's passage as a
    whole. ``parser`` is a parser's version, ``AS_GIVEN`` or
    ``PROBABILITY_AS_GIVEN``. ``thresholds`` are the
    rising lower edges of ratings 1, 2, ... where a real number is cut into ratings.
    ``answers_of`` is the key of the responder whose answers are checked, where one
    model checks what another answered. ``frequencies`` is the key of the collection's
    word frequencies, where words are weighed by them (``grading.frequencies``).
    """

    kind: ReadingKind
    item_kind: AskedKind
    parser: str
    thresholds: tuple[float, ...] = ()
    answers_of: str = ""
    frequencies: str = ""

    @property
    def computed_by(self) -> str:
        """The engine that computes its grades; "" where responses are read."""
        return COMPUTED.get(self.parser.partition("/")[0], "")

    @property
    def reads_answer_keys(self) -> bool:
        """Whether its grades can change with the questions' answer keys."""
        return self.checks_answer_keys or self.computed_by == LEXICAL

    @property
    def is_imported(self) -> bool:
        """Whether its grades are taken as a file stated them."""
        return self.parser in (AS_GIVEN, PROBABILITY_AS_GIVEN)

    @property
    def checks_answer_keys(self) -> bool:
        """Whether answers are compared with the questions' answer keys here."""
        return self.kind == "keyed" and not self.is_imported


@dataclass(frozen=True)
class GraderSpec:
    """A grader as a value: its name for people, its responder and its reading."""

    name: str
    responder: Responder
    reading: Reading

    @property
    def key(self) -> str:
        """Content key of responder and reading; the name is for people, not in it."""
        reading = self.reading
        # Left out where it is empty, as it was before there were readings with it.
        more = [one for one in (reading.answers_of, reading.frequencies) if one]
        return content_key(
            [
                "grader",
                self.responder.key,
                reading.kind,
                reading.item_kind,
                reading.parser,
                [float(threshold) for threshold in reading.thresholds],
                *more,
            ]
        )

    @property
    def engine(self) -> str:
        """Which client makes it grade here, also one that computes; "" for none."""
        return self.reading.computed_by or self.responder.engine

    @property
    def computed(self) -> bool:
        """Whether its grades are computed, in a moment; it has no responses then."""
        return bool(self.reading.computed_by)

    @property
    def reads_sentences(self) -> bool:
        """Whether it computes from the vectors of passages' sentences, too."""
        by_vectors = self.reading.computed_by in (VECTORS, INSTANT)
        return by_vectors and not self.reading.thresholds

    @property
    def sentences(self) -> str:
        """The version by which it cuts texts into sentences."""
        return SENTENCES_BEFORE.get(self.reading.parser, LATEST)

    @property
    def responders(self) -> tuple[Responder, ...]:
        """Its responder, and the one of sentences where it reads these."""
        if not self.reads_sentences:
            return (self.responder,)
        return (self.responder, self.responder.sentence_responder(self.sentences))

    @property
    def combined(self) -> bool:
        """Whether it follows from other graders, and asks nobody itself."""
        return self.reading.parser in (LOWER, MEAN, LEARNED)

    @property
    def learned(self) -> bool:
        """Whether it follows from people's checks, too; it is in no table then."""
        return self.reading.parser == LEARNED

    @property
    def checks_answers(self) -> bool:
        """Whether it checks answers that another responder gave."""
        return bool(self.reading.answers_of)

    @property
    def answers(self) -> bool:
        """Whether its responder answers questions in words, which can be checked."""
        return self.reading.kind in ("answered", "keyed") and not (
            self.checks_answers or self.combined
        )

    @property
    def by_kind(self) -> tuple[GraderSpec, ...]:
        """The grader once for each kind of item that it is asked about."""
        if self.reading.item_kind != "any":
            return (self,)
        kinds: tuple[ItemKind, ...] = ("question", "nugget")
        readings = (replace(self.reading, item_kind=kind) for kind in kinds)
        return tuple(replace(self, reading=one) for one in readings)

    def to_json(self) -> dict[str, Any]:
        """The grader as a JSON object that ``from_json`` reads back to an equal one."""
        found = asdict(self)
        if not self.reading.frequencies:  # as before there were readings with them
            del found["reading"]["frequencies"]
        return found

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> GraderSpec:
        """The grader that ``to_json`` wrote.

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
                f"Grader description not understood ({error}): expected name, "
                "responder and reading as GraderSpec.to_json writes them; "
                "import its grades again"
            ) from error
