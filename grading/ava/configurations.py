"""Configurations of AVA transformers: texts read together, and training settings.

A configuration goes by the paper's name. A part is a pair (a, a') for one encoder
instance, each of a and a' one of the letters q, r, t or a concatenation of two.
Source: Vu & Moschitti 2020, section 4.2, Table 5.

    a0:q,r   a0:r,t   a0:q,t      one pair
    a0       all three, their representations concatenated
    a1:q,rt  a1:r,qt  a1:t,qr     one text against the other two
    a1:q,rt+t,qr ...              two of these
    a1       all three
    a2:r,qt+t,qr ...              two, each read a second time with the other
"""

from dataclasses import asdict, dataclass
from difflib import get_close_matches

from grading.ava.model import Triple
from grading.errors import InvalidSpecError, TrainingError

LINEAR = "linear"
BEST = "a2:r,qt+t,qr"  # the paper's best, and its choice for system-wise evaluation
MOST_SEED = 2**63 - 1  # the maximum of torch, and of a card's reader
READING_VERSION = "pairs/1"  # bump when a triple would be read differently

TextsRead = tuple[tuple[str, str], ...]
"""The sentence pair of each part of a configuration."""


@dataclass(frozen=True)
class Configuration:
    """The parts that are read, and if each is read again with its peer."""

    name: str
    parts: tuple[tuple[str, str], ...]
    peer_attention: bool = False


def _configuration(name: str) -> Configuration:
    all_three = {"a0": "q,r+r,t+q,t", "a1": "q,rt+r,qt+t,qr"}
    family, _, parts = name.partition(":")
    pairs = (part.split(",") for part in (parts or all_three[family]).split("+"))
    return Configuration(
        name, tuple((first, second) for first, second in pairs), family == "a2"
    )


CONFIGURATIONS = {
    name: _configuration(name)
    for name in (  # in the order of Table 6
        "a0:q,r",
        "a0:r,t",
        "a0:q,t",
        "a0",
        "a1:q,rt",
        "a1:r,qt",
        "a1:t,qr",
        "a1:q,rt+t,qr",
        "a1:r,qt+t,qr",
        "a1:r,qt+q,rt",
        "a1",
        "a2:q,rt+t,qr",
        BEST,
        "a2:r,qt+q,rt",
    )
}


def configuration_named(name: str) -> Configuration:
    """Return the configuration with this name; ``a2`` alone is the paper's best.

    Raises InvalidSpecError with the nearest name and all available ones.
    """
    configuration = CONFIGURATIONS.get(BEST if name == "a2" else name.replace(" ", ""))
    if configuration is None:
        similar = get_close_matches(name.lower(), (LINEAR, *CONFIGURATIONS), 1)
        hint = f" Did you mean '{similar[0]}'?" if similar else ""
        raise InvalidSpecError(
            f"Unknown configuration '{name}'.{hint} Available: {LINEAR}, "
            f"{', '.join(CONFIGURATIONS)}"
        )
    return configuration


def texts_read(configuration: Configuration, triple: Triple) -> TextsRead:
    """Return the sentence pair of each part, in order.

    Two texts are concatenated with a blank, as in the paper. Half a surrogate pair is
    read as "?". The short answer is not used.
    """
    texts = {"q": triple.question, "r": triple.reference, "t": triple.candidate}

    def joined(letters: str) -> str:
        text = " ".join(texts[letter] for letter in letters)
        return text.encode("utf-8", "replace").decode()

    return tuple(
        (joined(first), joined(second)) for first, second in configuration.parts
    )


@dataclass(frozen=True)
class TrainingSettings:
    """Training settings of a model; the defaults are the paper's if it has any.

    The paper's: AdamW, ``learning_rate``, ``max_tokens`` of a pair, two ``epochs``,
    and early stopping on dev F1 after the first. Ours: ``batch_size`` (fixed in the
    paper, but not named), stopping after ``patience`` epochs that were no better than
    the best, and the seed.

    A point of the curve is noted every ``point_every`` steps, and a checkpoint written
    every ``checkpoint_every``; both also after each epoch.

    Raises TrainingError for a value that cannot be.

    Args:
        learning_rate (X): Learning rate of AdamW.
        max_tokens (N): Longest input of a transformer, two texts together.
        epochs (N): Passes of a transformer over the training pairs.
        batch_size (N): Pairs per step.
        seed (N): Random seed.
        checkpoint_every (STEPS): Steps between checkpoints.
    """

    learning_rate: float = 1e-6
    max_tokens: int = 128
    epochs: int = 2
    batch_size: int = 32
    patience: int = 1
    seed: int = 0
    point_every: int = 50
    checkpoint_every: int = 250

    def __post_init__(self) -> None:
        least = {"max_tokens": 8, "seed": 0}
        for name, value in asdict(self).items():
            if name != "learning_rate" and value < least.get(name, 1):
                minimum = least.get(name, 1)
                raise TrainingError(f"{name} is {value}; it must be at least {minimum}")
        if not 0 < self.learning_rate < float("inf"):
            raise TrainingError(
                f"learning_rate is {self.learning_rate}; it must be above 0"
            )
        if self.seed > MOST_SEED:
            raise TrainingError(f"seed is {self.seed}; it must be at most {MOST_SEED}")
