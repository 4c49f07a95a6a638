"""Whatever two judges say in whatever order: what stands is what each said last."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

from curator.bank.marks import Check
from curator.bank.opinions import opinions
from curator.workspace import Workspace
from tests.samples.hand_made import hand_made_workspace

WORDS = {"q1/a": "Why is it?", "q1/c": "When is it?", None: None}
lines = st.fixed_dictionaries(
    {
        "query_id": st.just("q1"),
        "item_id": st.sampled_from(("q1/a", "q1/c")),
        "passage_id": st.sampled_from(("p1", "p2")),
        "answer": st.sampled_from(("yes", "no", "unsure")),
    }
) | st.fixed_dictionaries(
    {
        "query_id": st.just("q1"),
        "item_id": st.none(),
        "passage_id": st.just("p1"),
        "answer": st.sampled_from((0, 3, "unsure")),
    }
)
said = st.tuples(lines, st.sampled_from(("ann", "ben")), st.none() | st.just(0.5))


def standing(workspace: Workspace) -> tuple[Check, ...]:
    return workspace.bank().checks_of("q1")


@settings(max_examples=6)
@given(st.lists(said, min_size=1, max_size=6))
def test_what_is_recorded_undone_redone_and_bundled_is_the_same(many) -> None:
    expected: dict[tuple[str | None, str, str], tuple[str, float | None]] = {}
    saved: list[str] = []
    with TemporaryDirectory() as name:
        folder = Path(name)
        path = hand_made_workspace(folder / "here")
        with Workspace.open(path, judge="ann") as ann:
            states = [standing(ann)]
            for line, judge, probability in many:
                drawn = {} if probability is None else {"probability": probability}
                done = ann.record_checks([line | drawn], judge=judge)
                place = (WORDS[line["item_id"]], line["passage_id"], judge)
                before = expected.get(place)
                kept = probability or (before and before[1])
                expected[place] = (str(line["answer"]), kept)
                assert done.recorded == (before != expected[place])
                if done.recorded:
                    saved.append(judge)
                    states.append(standing(ann))
            found = {
                (one.item, one.passage_id, one.judge): (one.answer, one.probability)
                for one in standing(ann)
            }
            assert found == expected
            assert len(standing(ann)) == len(expected)  # one a judge and pair
            ann.export("bundle", folder / "all.zip", allow_partial=True)
            with Workspace.open(path, judge="ben") as ben:
                by = {"ann": ann, "ben": ben}
                for at in range(len(saved) - 1, -1, -1):
                    by[saved[at]].undo()
                    assert standing(ann) == states[at]
                for at, judge in enumerate(saved, 1):
                    by[judge].redo()
                    assert standing(ann) == states[at]
            edits = [one for one in ann.history() if one.batch_kind == "edit"]
            for event, state in zip(reversed(edits), states[1:], strict=True):
                assert ann.bank_at(event.event_id).checks_of("q1") == state
        with Workspace.open(folder / "new.db", create=True) as rebuilt:
            rebuilt.import_bundle(folder / "all.zip")
            assert standing(rebuilt) == states[-1]
            assert rebuilt.verify().problems == ()
            assert opinions("check", standing(rebuilt)) == opinions("check", states[-1])
