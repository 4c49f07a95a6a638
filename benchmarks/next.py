"""What following *Next* is worth: judges who know the truth are played.

    python -m benchmarks.next FOLDER [--seeds 10] [--only NAME …]

takes the collections of ``benchmarks.validity``. All judges decide alike, by the
judgments, and err alike; they differ in what they look at next. One takes the first of
``next_steps`` again and again, in a query or in all of them. The others go down the
query's questions and then its passages, as the Passages page opens or under its filter
*uncovered*. Prints Kendall's tau with the official ranks after so many minutes a query,
and what the first is ahead of the others, with intervals over resampled queries and
seeds. docs/curate.md says what is counted as how many seconds.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from benchmarks.checks import PEOPLE
from benchmarks.validity import collections
from curator import Workspace
from curator.bank.edits import Add, Dismiss, Edit, Retire
from curator.bank.questions import Question, active
from curator.evaluation.settings import Settings
from curator.snapshot.scoring import scored_queries
from curator.snapshot.snapshot import Snapshot
from curator.store import collection as store_collection
from curator.verbs.next import NextStep
from curator.verbs.passages.pool_rows import PooledPassage, filter_passages
from curator.verbs.validity.validity import JUDGMENT_REFERENCE
from grading.graders.computed import Encoder, passage_sentences
from grading.models.embedding import EmbeddingModel
from grading.similarity import Vectors, cosines

MINUTES: Final = (0, 1, 3, 5)  # a query
ERRS: Final = 0.1  # how often a judge decides wrongly
DRAWS: Final = 2000  # of queries and seeds, for intervals

READING: Final = 238 / 60  # words a second, silently (Brysbaert 2019)
COMPOSING: Final = 19 / 60  # words a second (Karat, Halverson, Horn & Karat 1999)
DECIDING: Final = 1.35  # seconds of mental preparation (Card, Moran & Newell 1980)
KEY: Final = 0.28  # seconds a key of somebody who is no typist (ibid.)
PAINTED: Final = 0.12  # seconds until a page shows it, the most that is allowed

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Board:
    """A grader's board by a measure of labels by a rule."""

    grader: str | None
    measure: str
    label: str = "max"


FIRST: Final = Board("instant", "nDCG@10", "mean")
BOARDS: Final = (
    FIRST,
    Board("instant", "P(rel=4)@20", "mean"),
    Board("instant", "cover"),
)


@dataclass(frozen=True)
class Game:
    """A collection, whose judgments may be ``hidden`` from the app.

    ``truth`` is the board that its official ranks are of.
    """

    name: str
    collection: str
    truth: Board = Board(None, JUDGMENT_REFERENCE)
    boards: tuple[Board, ...] = BOARDS
    hidden: bool = False


_FLAN = Board("flan", "nDCG@10", "mean")
GAMES: Final = (
    Game("dl19", "dl19", boards=(*BOARDS, _FLAN)),
    Game("dl19-hidden", "dl19", boards=(*BOARDS, _FLAN), hidden=True),
    Game("realsumm", "realsumm", Board(PEOPLE, "cover")),
)


class Remembering:
    """An encoder that encodes a text once, however many plays write it."""

    def __init__(self, encoder: Encoder) -> None:
        self._encoder, self._known = encoder, dict[str, Vectors]()

    def encode(self, texts: Sequence[str]) -> list[Vectors]:
        new = [one for one in dict.fromkeys(texts) if one not in self._known]
        self._known |= dict(zip(new, self._encoder.encode(new), strict=True))
        return [self._known[one] for one in texts]


@dataclass(frozen=True)
class Truth:
    """Which passages are relevant, by query, and what they say; how good systems are.

    ``rows`` (queries, systems) are the scores that the official ``ranks`` are of; NaN
    stands for none.
    """

    relevant: Mapping[str, frozenset[str]]
    texts: Mapping[str, str]
    rows: Floats
    ranks: Floats
    encoder: Encoder


@dataclass
class Sitting:
    """A judge at work: what they did, and how long it took.

    ``seconds`` go up to the last of ``stops``; at each the boards are read.
    """

    workspace: Workspace
    truth: Truth
    game: Game
    seed: int
    stops: tuple[float, ...]
    query_ids: tuple[str, ...]
    seconds: float = 0.0
    read: list[Floats] = field(default_factory=list)
    done: set[str] = field(default_factory=set)

    @property
    def over(self) -> bool:
        """Whether the time is up."""
        return len(self.read) == len(self.stops)

    def spend(self, seconds: float) -> bool:
        """Let the time pass; whether what took it was done before it was up."""
        self.seconds += seconds
        while not self.over and self.seconds > self.stops[len(self.read)]:
            self.read.append(self.boards())
        return not self.over

    def finish(self) -> Floats:
        """(stops, boards, queries, systems), with nothing more done."""
        self.spend(float("inf"))
        return np.array(self.read)

    def boards(self) -> Floats:
        """(boards, queries, systems) now."""
        with self.workspace.snapshot() as snapshot:
            whole = snapshot.full  # a judge in blind mode has systems in another order
            found = [
                [self._row(whole, board, one) for one in self.query_ids]
                for board in self.game.boards
            ]
        return np.array(found)

    def _row(self, snapshot: Snapshot, board: Board, query_id: str) -> Floats:
        settings = chosen(self.workspace, board)
        graded = snapshot.matrix(settings.grader, query_id, snapshot.bank)
        # What was written here an imported grader has not seen.
        for at in reversed(range(len(graded.item_ids))):
            if (graded.ratings[at] < 0).any():
                graded = graded.without(at)
        return snapshot.measure(settings).row(graded).score

    def says(self, about: str, *, truly: bool) -> bool:
        """What the judge decides; every judge errs about the same."""
        drawn = zlib.crc32(f"{self.seed} {about}".encode()) / 2**32
        return truly != (drawn < ERRS)

    def apply(self, *edits: Edit) -> None:
        """Save these."""
        self.workspace.apply(edits, seconds=self.seconds)

    def look_at_question(self, question: Question, why: str = "") -> bool | None:
        """Read it, and what answers it best: whether it is to go.

        None where the time was up before. Of what answers it more has to be judged not
        relevant than relevant.
        """
        self.done.add(question.question_id)
        settings = chosen(self.workspace, FIRST)
        answering = self.workspace.answering(
            question.query_id, question.question_id, settings
        )
        texts = [why, question.title, *(self.truth.texts[p] for p in answering[:1])]
        if not self.spend(reading(*texts) + DECIDING + KEY + PAINTED):
            return None
        relevant = self.truth.relevant[question.query_id]
        hits = sum(one in relevant for one in answering)
        return self.says(question.question_id, truly=2 * hits < len(answering))

    def retire(self, question_id: str) -> None:
        """Retire it, unless it is its query's last."""
        question = self.workspace.bank().question(question_id)
        if len(kept(self.workspace, question.query_id)) > 1:
            self.apply(Retire(question_id, based_on=question.revision))

    def look_at_passage(self, query_id: str, passage_id: str, why: str = "") -> bool:
        """Read it, and write an item of the bank's kind from it if it is relevant.

        Whether that was done before the time was up.
        """
        self.done.add(passage_id)
        text = self.truth.texts[passage_id]
        relevant = self.says(
            f"{query_id} {passage_id}",
            truly=passage_id in self.truth.relevant[query_id],
        )
        seconds = reading(why, text) + DECIDING + KEY + PAINTED
        if relevant:
            seconds += self.words_of_an_item(query_id) / COMPOSING
        in_time = self.spend(seconds)
        if in_time and relevant:
            self.write(query_id, text)
        return in_time

    def words_of_an_item(self, query_id: str) -> float:
        """How long the query's items are."""
        items = kept(self.workspace, query_id)
        return float(np.mean([len(one.title.split()) for one in items]))

    def write(self, query_id: str, text: str) -> None:
        """An item in the words of the sentence that is nearest to the query."""
        asked = self.workspace.current_snapshot().queries[query_id].name
        sentences = passage_sentences(text)
        vectors = self.truth.encoder.encode([asked, *sentences])
        near = cosines(vectors[:1], vectors[1:])[0]
        sentence = sentences[int(near.argmax())]
        items = self.workspace.bank().questions_of(query_id)
        if sentence not in {one.text for one in items}:
            self.apply(Add(query_id, sentence, items[0].kind))
            self.workspace.grade(
                "instant", query_id=query_id, encoder=self.truth.encoder
            )


def reading(*texts: str) -> float:
    """Seconds."""
    return sum(len(one.split()) for one in texts) / READING


def chosen(workspace: Workspace, board: Board) -> Settings:
    """The board's settings."""
    return workspace.settings(
        grader=board.grader, measure=board.measure, label=board.label
    )


def kept(workspace: Workspace, query_id: str) -> tuple[Question, ...]:
    """The query's questions that stand."""
    return active(workspace.bank().questions_of(query_id), "any")


def follow(sitting: Sitting, query_id: str | None) -> None:
    """Always what *Next* says first, in this query until it says done, or in all."""
    settings = chosen(sitting.workspace, FIRST)
    while not sitting.over:
        steps = sitting.workspace.next_steps(settings, query_id=query_id)
        step = next((one for one in steps if one.key not in sitting.done), None)
        if step is None:
            return
        sitting.done.add(step.key)
        take(sitting, step)
        if step.kind == "done" and query_id:
            return


def take(sitting: Sitting, step: NextStep) -> None:
    """Do what a step says, or dismiss it."""
    if step.kind == "done" or not (step.passage_id or step.question_ids):
        if sitting.spend(reading(step.why) + DECIDING + KEY + PAINTED) and step.edits:
            sitting.apply(*step.edits)
        return
    dismiss = Dismiss(step.query_id, step.key, step.state, "seen")
    if step.passage_id:
        if sitting.look_at_passage(step.query_id, step.passage_id, step.why):
            sitting.apply(dismiss)
        return
    question = sitting.workspace.bank().question(step.question_ids[0])
    to_go: bool | None
    if step.kind == "near-duplicate":
        seconds = reading(step.why, question.title) + DECIDING + KEY + PAINTED
        to_go = sitting.says(step.key, truly=True) if sitting.spend(seconds) else None
    else:
        to_go = sitting.look_at_question(question, step.why)
    if to_go:
        sitting.retire(question.question_id)
    elif to_go is not None:
        sitting.apply(dismiss)


def go_down(sitting: Sitting, query_id: str | None, *, filtered: bool) -> None:
    """The questions as they stand, then the passages: all, or those uncovered."""
    for one in kept(sitting.workspace, str(query_id)):
        if sitting.look_at_question(one):
            sitting.retire(one.question_id)
        if sitting.over:
            return
    while not sitting.over:
        passage = next(_passages(sitting, str(query_id), filtered), None)
        if passage is None:
            return
        if filtered or _may_lack_an_item(passage):
            sitting.look_at_passage(passage.query_id, passage.passage_id)
        else:  # the row says that it is answered, or judged not relevant
            sitting.done.add(passage.passage_id)
            sitting.spend(DECIDING + KEY)


def _passages(
    sitting: Sitting, query_id: str, filtered: bool
) -> Iterator[PooledPassage]:
    pool = sitting.workspace.pool(query_id, chosen(sitting.workspace, FIRST))
    listed = filter_passages(pool, "uncovered" if filtered else "all")
    return (one for one in listed if one.passage_id not in sitting.done)


def _may_lack_an_item(passage: PooledPassage) -> bool:
    return not passage.answers and passage.relevant is not False


Judge = Callable[[Sitting, str | None], None]
IN_QUERY: Final[dict[str, Judge]] = {
    "the list, then the pool": lambda s, q: go_down(s, q, filtered=False),
    "the list, then the uncovered": lambda s, q: go_down(s, q, filtered=True),
    "next, in each query": follow,
}
THROUGH: Final = "next, through all queries"
JUDGES: Final = (*IN_QUERY, THROUGH)


def play(path: Path, game: Game, truth: Truth, judge: str, seed: int) -> Floats:
    """(stops, boards, queries, systems): the scores after so many minutes a query.

    Of one judge's work on a copy of this workspace.
    """
    stops = tuple(60.0 * one for one in MINUTES)
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "copy.db"
        shutil.copy(path, copy)
        with Workspace.open(copy) as workspace:
            workspace.set_up(blind=game.hidden)
        with Workspace.open(copy, judge="assessor", as_judge=True) as workspace:
            every = workspace.current_snapshot().query_ids()
            if judge == THROUGH:
                longer = tuple(len(every) * one for one in stops)
                sitting = Sitting(workspace, truth, game, seed, longer, every)
                follow(sitting, None)
                return sitting.finish()
            found = []
            for one in every:
                sitting = Sitting(workspace, truth, game, seed, stops, (one,))
                IN_QUERY[judge](sitting, one)
                found.append(sitting.finish())
            return np.concatenate(found, axis=2)


def truth_of(path: Path, game: Game, encoder: Encoder) -> Truth:
    """What only the judges know."""
    with Workspace.open(path) as workspace, workspace.snapshot() as snapshot:
        collection = snapshot.collection
        least = collection.min_relevance or 1
        pools, texts = collection.pools, dict[str, str]()
        for one in pools:
            ids = pools[one].passage_ids
            texts |= store_collection.passage_texts(snapshot.connection, ids)
        settings = chosen(workspace, game.truth)
        rows = scored_queries(snapshot, settings, snapshot.bank).rows
        ranks, none = collection.official, float("nan")
        return Truth(
            {
                query_id: frozenset(
                    one
                    for one, grade in zip(pool.passage_ids, pool.judgments, strict=True)
                    if grade >= least
                )
                for query_id, pool in pools.items()
            },
            texts,
            np.array([rows[one].score for one in pools]),
            np.array([ranks.get(one, none) for one in collection.systems]),
            encoder,
        )


def with_judgments(path: Path, folder: Path) -> Path:
    """A copy in which responses are judged by how much of the nuggets people found.

    0 to 3, a quarter of the query's responses each; relevant from 2 on.
    """
    copy, qrels = folder / "judged.db", folder / "judged.qrels"
    shutil.copy(path, copy)
    with Workspace.open(copy) as workspace:
        with workspace.snapshot() as snapshot, qrels.open("w") as stream:
            for query_id, pool in snapshot.collection.pools.items():
                found = snapshot.matrix(PEOPLE, query_id, snapshot.bank).ratings == 5
                shares = found.mean(axis=0)
                cuts = np.quantile(shares, (0.25, 0.5, 0.75))
                grades = np.searchsorted(cuts, shares, "right").tolist()
                for one, grade in zip(pool.passage_ids, grades, strict=True):
                    stream.write(f"{query_id} 0 {one} {grade}\n")
        workspace.import_(judgments=qrels, min_relevance=2)
    return copy


def taus(rows: Floats, truth: Floats) -> Floats:
    """(…): Kendall's tau_b of scores (…, systems) with scores or negative ranks.

    Systems without a rank are left out.
    """
    ranked = ~np.isnan(truth).reshape(-1, truth.shape[-1]).any(axis=0)
    first, second = np.triu_indices(int(ranked.sum()), 1)

    def signs(scores: Floats) -> Floats:
        values = scores[..., ranked].round(12)
        return np.sign(values[..., first] - values[..., second])

    ours, theirs = signs(rows), signs(truth)
    pairs = (ours != 0).sum(axis=-1) * (theirs != 0).sum(axis=-1)
    return np.asarray((ours * theirs).sum(axis=-1) / np.sqrt(pairs))


@dataclass(frozen=True)
class Plays:
    """What all judges' boards became: (seeds, stops, boards, queries, systems) each."""

    game: Game
    truth: Truth
    rows: Mapping[str, Floats]

    def tau(self, judge: str, at: int, board: int) -> Floats:
        """(seeds,): with the official ranks."""
        rows = self.rows[judge][:, at, board]
        return taus(rows.mean(axis=1), -self.truth.ranks)

    def ahead(
        self,
        judge: str,
        at: int,
        other: str,
        then: int,
        board: int,
        *,
        officially: bool,
    ) -> tuple[float, float, float]:
        """How far a judge's tau is ahead of another's: all, and 95 % of draws.

        Of queries and of seeds. ``officially``: with the official ranks, else with the
        truth's own board of the queries drawn.
        """
        rng = np.random.default_rng(0)
        both = self.rows[judge][:, at, board], self.rows[other][:, then, board]
        seeds, queries = both[0].shape[:2]
        truth = -self.truth.ranks if officially else self.truth.rows.mean(axis=0)
        truth = np.where(np.isnan(self.truth.ranks), np.nan, truth)
        whole = [taus(one.mean(axis=1), truth).mean() for one in both]
        drawn = []
        for _ in range(DRAWS):
            q = rng.integers(queries, size=queries)
            s = rng.integers(seeds, size=seeds)
            of = truth
            if not officially:
                of = np.where(np.isnan(truth), truth, self.truth.rows[q].mean(axis=0))
            ours, theirs = (taus(one[s][:, q].mean(axis=1), of).mean() for one in both)
            drawn.append(ours - theirs)
        low, high = np.quantile(drawn, (0.025, 0.975))
        return float(whole[0] - whole[1]), float(low), float(high)

    def halved(self, first: int) -> Plays:
        """Every second query alone, with the ranks of the truth's own board."""
        rows = self.truth.rows[first::2]
        score = np.where(np.isnan(self.truth.ranks), np.nan, rows.mean(axis=0))
        truth = replace(self.truth, rows=rows, ranks=-score)
        found = {name: one[:, :, :, first::2] for name, one in self.rows.items()}
        return replace(self, truth=truth, rows=found)


def tables(plays: Plays) -> Iterator[str]:
    """All that is reported, as Markdown."""
    game, rows = plays.game, plays.rows
    seeds = len(rows[JUDGES[0]])
    yield f"\n## {game.name}: {seeds} seeds\n"
    yield f"| board | judge | {' | '.join(f'{one} min' for one in MINUTES)} |"
    yield "|---" * (2 + len(MINUTES)) + "|"
    for number, board in enumerate(game.boards):
        name = f"{board.grader} {board.measure} {board.label}"
        for judge in JUDGES:
            cells = [plays.tau(judge, at, number) for at in range(len(MINUTES))]
            yield (
                f"| {name} | {judge} | "
                + " | ".join(
                    f"{one.mean():.3f} ({one.min():.2f}–{one.max():.2f})"
                    for one in cells
                )
                + " |"
            )
    yield f"\n{FIRST.grader} {FIRST.measure}, what *Next* is ahead:\n"
    yield "| next | minutes | ahead of | minutes | official ranks | judgments' board |"
    yield "|---" * 6 + "|"
    lists = [one for one in IN_QUERY if IN_QUERY[one] is not follow]
    for ours in (one for one in JUDGES if one not in lists):
        for theirs in lists:
            for at, then in ((1, 1), (2, 2), (3, 3), (2, 3)):
                found = " | ".join(
                    "{:+.3f} [{:+.3f}, {:+.3f}]".format(
                        *plays.ahead(ours, at, theirs, then, 0, officially=one)
                    )
                    for one in (True, False)
                )
                asked = f"{ours} | {MINUTES[at]} | {theirs} | {MINUTES[then]}"
                yield f"| {asked} | {found} |"
    for first in range(2):
        half = plays.halved(first)
        said = [
            f"{judge} "
            + " ".join(f"{half.tau(judge, at, 0).mean():.3f}" for at in range(4))
            for judge in JUDGES
        ]
        yield f"\nEvery second query from the {first + 1}.: {'; '.join(said)}"


def main() -> None:
    """Print all tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--only", nargs="*", choices=[one.name for one in GAMES])
    asked = parser.parse_args()
    paths = collections(asked.folder)
    encoder = Remembering(EmbeddingModel())
    for game in GAMES:
        if asked.only and game.name not in asked.only:
            continue
        with tempfile.TemporaryDirectory() as folder:
            path = paths[game.collection]
            if game.truth.measure != JUDGMENT_REFERENCE:
                path = with_judgments(path, Path(folder))
            truth = truth_of(path, game, encoder)
            rows = {
                judge: np.array(
                    [play(path, game, truth, judge, one) for one in range(asked.seeds)]
                )
                for judge in JUDGES
            }
        print("\n".join(tables(Plays(game, truth, rows))), flush=True)


if __name__ == "__main__":
    main()
