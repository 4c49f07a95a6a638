"""A figure in the page, and the buttons that save figures and tables as files."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import streamlit as st

from curator.figures.drawing import Drawing
from curator.results import Tabular
from curator.tables.table import text_of
from curator.web.components import html, session

SVG, PNG = "image/svg+xml", "image/png"
PIXELS_PER_INCH = 96  # at which nine points are as tall as the page's text


def figure(key: str, file_stem: str, drawing: Drawing) -> None:
    """Show a figure in the page's light or dark, with buttons for it as SVG and PNG.

    Files are on white, for print. Draw the page's numbers first: a server's first
    figure waits for the plotting library.
    """
    themed = drawing.styled(dark=st.context.theme.type == "dark")
    st.html(image_html(themed, data_url(themed.digest, themed)))
    with st.container(key=f"{key}_files", horizontal=True, gap="small"):
        st.html('<span class="c-files">Figure</span>', width="content")
        for form, mime in (("SVG", SVG), ("PNG", PNG)):
            name = f"{file_stem}.{form.lower()}"
            write = drawing.svg if form == "SVG" else drawing.png
            save_button(key, form, name, mime, f"This figure as {form}", write)


def save_button(
    key: str, form: str, name: str, mime: str, about: str, write: Callable[[], bytes]
) -> None:
    """Show a button that writes a file when it is clicked."""
    st.download_button(
        form,
        data=write,
        file_name=name,
        mime=mime,
        key=f"{key}_{form.lower()}",
        on_click="ignore",
        help=about,
    )


@st.cache_data(max_entries=64, show_spinner=False)
def data_url(digest: str, _drawing: Drawing) -> str:
    """Return the SVG as a data URL, drawn once for each digest."""
    plotting_library()
    return _drawing.data_url()


def image_html(drawing: Drawing, address: str) -> str:
    """Return the image, whose letters are no larger than the page's.

    Streamlit takes plain SVG out of a page.
    """
    alt = html.text(". ".join(filter(None, (drawing.title, drawing.about))))
    style = f"max-width:{round(PIXELS_PER_INCH * drawing.width)}px"
    return f'<img class="c-figure" alt="{alt}" style="{style}" src="{address}">'


@st.cache_resource(show_spinner=False)
def plotting_library() -> bool:
    """Import the plotting library, and freeze its objects."""
    Drawing("", 1, 1, lambda axes, look: False).svg()
    session.freeze()
    return True


FORMS = {
    "TSV": (".tsv", "text/tab-separated-values", "For a spreadsheet or a script"),
    "LaTeX": (".tex", "application/x-tex", "A tabular for the booktabs package"),
    "Markdown": (".md", "text/markdown", "A table with pipes"),
}
MakeTable = Callable[[], Tabular]


def table_download(
    key: str, file_stem: str, make: MakeTable, *, label: str = "Table"
) -> None:
    """Show a button each for TSV, LaTeX and Markdown, behind ``label``.

    On a click ``make`` runs outside the session: it must open no workspace.
    """
    with st.container(key=f"{key}_tables", horizontal=True, gap="small"):
        st.html(f'<span class="c-files">{html.text(label)}</span>', width="content")
        for form, (ending, mime, about) in FORMS.items():
            write = partial(written, make, form)
            save_button(key, form, file_stem + ending, mime, about, write)


def written(make: MakeTable, form: str) -> bytes:
    """Return the table as a file."""
    return text_of(make(), "spreadsheet" if form == "TSV" else form.lower()).encode()
