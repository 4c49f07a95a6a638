"""In blind mode no page and no file that judges are given names a system."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path

import pytest

from curator.bank.edits import Retire
from curator.formats.registry import exports
from curator.web.components import session
from curator.web.components.places import PLACES
from curator.web.components.view import View
from curator.web.pages.releases import export_file
from curator.web.pages.releases.releases import canonical_form
from curator.workspace import Workspace
from tests.samples.hand_made import hand_made_workspace
from tests.samples.noted_tasks import finished
from tests.samples.workspaces import write_lines
from tests.web.conftest import OpenApp, page_html
from tests.web.test_every_page_opens import turned

SYSTEMS = ("zz-bm25-zz", "zz-colbert-zz")


@pytest.fixture
def blind(tmp_path: Path) -> Path:
    """A collection in blind mode whose systems have names to look for."""
    path = hand_made_workspace(tmp_path / "files")
    runs = tmp_path / "more"
    runs.mkdir()
    for name in SYSTEMS:
        (runs / f"{name}.run").write_text(f"q1 Q0 p1 1 1.0 {name}\n")
    official = tmp_path / "official.json"
    official.write_text(json.dumps({name: at for at, name in enumerate(SYSTEMS, 3)}))
    said = [{"text": "It is because of the tides."}]
    reports = [
        {"metadata": {"run_id": f"{name}-says", "topic_id": "q1"}, "responses": said}
        for name in SYSTEMS
    ]
    with Workspace.open(path, judge="ann") as workspace:
        workspace.import_(
            runs=runs,
            official=official,
            reports=write_lines(tmp_path / "reports.jsonl", reports),
        )
        workspace.release("v1", allow_partial=True)  # the reports are not graded
        workspace.apply(Retire("q1/a"))
        workspace.set_up(blind=True)
    return path


def test_no_page_names_a_system_or_tells_a_judgment(
    open_app: OpenApp, blind: Path, at_once: None
) -> None:
    chosen = {"judge": "ann", "query": "q1", "question": "q1/c", "passage": "p1"}
    app = open_app(blind, **chosen)
    html = {}
    for place in PLACES.values():
        parts = turned(app, place.script, **chosen).get("bidi_component")
        html[place.script] = page_html(app)
        drawn = html[place.script] + "".join(one.proto.json for one in parts)
        assert not [name for name in SYSTEMS if name in drawn], place.script
    assert re.search(r"System \d at 1", html["judge/page.py"])
    assert "official 2" not in html["judge/page.py"]
    assert "System 1" in html["results/page.py"]
    assert "Spearman" not in html["results/validity/page.py"]


def test_no_file_names_a_system(open_app: OpenApp, blind: Path) -> None:
    app = open_app(blind, "releases/page.py", release="v1")
    app.checkbox[0].check().run()
    for one in exports().values():
        app.session_state[session.KEY].view = View(file=one.kind, release="v1")
        app.run()
        assert not app.exception, one.kind
        html = page_html(app)
        if one.tells_systems and f'data-pick="file:{one.kind}" aria-current' in html:
            assert "only organizers can export it" in html
            assert "download_file" not in [
                one.key for one in app.get("download_button")
            ]
        for file in app.session_state[session.KEY].files.folder.rglob("*"):
            if file.is_file():
                data = file.read_bytes()
                assert not any(name.encode() in data for name in SYSTEMS), file
    app.session_state[session.KEY].view = View(file="passages")
    app.run()
    app.button(key="make_file").click().run()
    finished(session.service())
    (large,) = export_file.large_files().folder.rglob("*.gz")
    text = gzip.decompress(large.read_bytes()).decode()
    assert "because of the tides" in text
    assert not any(name in text for name in SYSTEMS)
    data = canonical_form(blind, "ann", "v1")
    assert not any(name.encode() in data for name in SYSTEMS)
