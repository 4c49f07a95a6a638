"""Figures are valid, the same every time, and show untrusted names as they are."""

from __future__ import annotations

from collections.abc import Callable
from xml.etree import ElementTree

import pytest

from curator.figures import (
    Drawing,
    bar_chart,
    box_plot,
    bump_chart,
    intervals,
    line_plot,
    matrix,
    ranges,
    scatter,
)
from curator.figures.drawing import rank_ticks

DUBLIN_CORE = "{http://purl.org/dc/elements/1.1/}"
HOSTILE = r"$x^2$ & <script>1</script> \alpha ]]> _a"

Make = Callable[[str], Drawing]
KINDS: dict[str, Make] = {
    "lines": lambda name: line_plot(
        name, "rating", "tau", {name: [(1, 0.5), (2, 0.25)]}
    ),
    "bumps": lambda name: bump_chart(
        "Ranks", ["cover", name], {name: [1, 2], "b": [2, None], "c": [2, 1]}
    ),
    "matrix": lambda name: matrix("Alike", ["cover", name], [[1.0, None], [-0.5, 1.0]]),
    "points": lambda name: scatter(
        "Scores", "rank", "cover", {name: (1, 0.5), "b": (2, 0.25)}
    ),
    "topics": lambda name: ranges(
        name, "cover", {"q1": (0, 0.2, 1, 0.5), name: (0.1, 0.3, 0.9, None)}
    ),
    "bars": lambda name: bar_chart("Queries", name, {1: 3, 4: 2}),
    "boxes": lambda name: box_plot(
        name, "grade", "rouge", {name: (0, 0.1, 0.2, 0.4, 1), "b": [0.5] * 5}
    ),
    "intervals": lambda name: intervals(
        "Alike",
        {
            "P@20": {
                (name, "max"): (0.5, 0.25, 0.75),
                (name, "mean"): (0.5, None, None),
            },
            "cover": {(name, ""): (-1, -1, 1)},
        },
        [name, "b"],
        ["max", "mean"],
    ),
}


def texts(svg: bytes) -> list[str]:
    """Every text in the SVG, as a reader of XML gives it."""
    root = ElementTree.fromstring(svg)
    return [
        "".join(element.itertext()).strip("\N{ZERO WIDTH SPACE}")
        for element in root.iter("{http://www.w3.org/2000/svg}text")
    ]


@pytest.mark.parametrize("kind", KINDS)
def test_a_figure_is_the_same_bytes_each_time_and_another_on_dark(kind: str) -> None:
    light, again = KINDS[kind]("a"), KINDS[kind]("a")
    dark = KINDS[kind]("a").styled(dark=True)
    svg = light.svg()
    assert svg == again.svg()
    assert light.digest == again.digest != dark.digest
    assert b"#141518" in dark.svg()
    assert b"#141518" not in svg


@pytest.mark.parametrize("kind", KINDS)
def test_a_name_is_text_in_the_svg_and_nothing_else(kind: str) -> None:
    svg = KINDS[kind](HOSTILE).svg()
    assert b"<script" not in svg
    cut = HOSTILE[:17]  # the shortest to which names are cut in any kind
    assert any(cut in one for one in texts(svg))


def test_a_png_is_a_png_and_leaves_the_svg_as_it_was() -> None:
    drawing = KINDS["points"]("a")
    svg = drawing.svg()
    png = drawing.png()
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    assert png == KINDS["points"]("a").png()
    assert drawing.svg() == svg


def test_a_pdf_embeds_its_font_and_tells_no_time() -> None:
    pdf = KINDS["points"]("a").pdf()
    assert pdf.startswith(b"%PDF-")
    assert pdf == KINDS["points"]("a").pdf()
    assert b"/FontFile2" in pdf
    assert b"Date" not in pdf


@pytest.mark.parametrize(
    "empty",
    [
        line_plot("t", "x", "y", {}),
        line_plot("t", "x", "y", {"a": [(1, float("nan"))]}),
        bump_chart("t", [], {}),
        bump_chart("t", ["cover"], {"a": [None]}),
        matrix("t", [], []),
        scatter("t", "x", "y", {"a": (1, float("inf"))}),
        ranges("t", "y", {}),
        intervals("t", {}, [], []),
        intervals("t", {"cover": {}}, ["a"], ["max"]),
    ],
)
def test_a_figure_of_nothing_says_so(empty: Drawing) -> None:
    assert "Nothing to draw." in texts(empty.svg())


def test_settings_stand_beneath_a_figure_and_in_the_files_own_description() -> None:
    said = "P@20 · fake-llm · rating ≥ 4"
    drawing = scatter("Scores", "rank", "P@20", {"a": (1, 0.5)}).styled(about=said)
    svg = drawing.svg()
    assert said in texts(svg)
    described = ElementTree.fromstring(svg).iter(f"{DUBLIN_CORE}description")
    assert [element.text for element in described] == [said]
    assert said.encode() in drawing.png()
    assert drawing.digest != scatter("Scores", "rank", "P@20", {"a": (1, 0.5)}).digest


def test_an_axis_of_ranks_has_whole_ranks_from_the_first() -> None:
    found = texts(scatter("t", "", "", {"a": (1, 0.5), "b": (3, 0.5)}).svg())
    assert {"1", "2", "3"} <= set(found)
    assert not {"1.5", "2.5"} & set(found)
    assert rank_ticks(36) == [1, 5, 10, 15, 20, 25, 30, 35]


def test_characters_that_xml_has_no_place_for_are_left_out() -> None:
    svg = scatter("a\x00b\ud800\u202ec", "x", "y", {"é漢": (1, 1)}).svg()
    assert {"a b c", "é漢"} <= set(texts(svg))


def test_every_name_stands_at_both_ends_of_a_bump_chart_where_ranks_tie() -> None:
    found = texts(bump_chart("t", ["x", "y"], {"a": [1, 1], "b": [1, 2]}).svg())
    assert {"a  1", "b  1", "1  a", "2  b"} <= set(found)


def test_provisional_ranks_of_a_bump_chart_have_hollow_markers() -> None:
    ranks = {"a": [1, 1], "b": [2, 2]}
    certain = bump_chart("t", ["x", "y"], ranks)
    provisional = bump_chart("t", ["x", "y"], ranks, provisional={("b", 0)})
    hollow = b"fill: #ffffff; stroke: #b03a12"
    assert (certain.svg().count(hollow), provisional.svg().count(hollow)) == (0, 1)


def test_a_bump_chart_comes_no_wider_than_asked_and_turns_headings_that_meet() -> None:
    ranks = {"a": [1] * 7, "b": [2] * 7}
    names = [f"a-long-measure-{i}" for i in range(7)]
    free = bump_chart("t", names, ranks)
    close = bump_chart("t", names, ranks, max_width=7.4)
    assert (free.width > 7.4, close.width) == (True, 7.4)
    assert b"rotate(-40" in close.svg()
    assert (
        b"rotate(-40" not in bump_chart("t", [*"abcdefg"], ranks, max_width=7.4).svg()
    )


def test_series_are_named_where_there_are_several_and_rows_once() -> None:
    panels = {
        "P@20": {("a", "max"): (0.5, 0.2, 0.6), ("a", "mean"): (0.6, 0.3, 0.7)},
        "cover": {("a", ""): (0.4, None, None)},
    }
    said = texts(intervals("Alike", panels, ["a"], ["max", "mean"]).svg())
    assert {"max", "mean", "P@20", "cover"} <= {*said}
    assert said.count("a") == 1
    alone = intervals("Alike", {"cover": panels["cover"]}, ["a"], ["max"])
    assert "max" not in texts(alone.svg())
