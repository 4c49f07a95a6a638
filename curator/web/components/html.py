"""Escaped HTML for lists and tables. Every text in a workspace is untrusted."""

from __future__ import annotations

from urllib.parse import quote

from markupsafe import Markup

from curator.results import Tabular
from curator.tables.table import html_of
from curator.web.components.places import COMMANDS, label
from curator.web.components.words import DOWN, UP, Part, Sentence


def text(value: str) -> str:
    """The text as HTML that shows it and does nothing else."""
    return str(Markup.escape(value))


def encoded(value: str) -> str:
    """The text percent-encoded, for an attribute from which a script reads it back.

    Written as it is, Streamlit drops an attribute with ``-->``, ``]>`` or ``</script``
    in it, and the browser turns CR LF into LF.
    """
    return quote(value, safe=" ")


def coded(value: str) -> Markup:
    """The text with what stands between backticks as code; safe as :func:`text`.

    A command to be given for any workspace becomes a button: the page that does it.
    """
    pieces = value.split("`")
    if len(pieces) % 2 == 0:
        return Markup.escape(value)  # one of them has no other
    return Markup("").join(
        _code(piece) if number % 2 else piece for number, piece in enumerate(pieces)
    )


def _code(piece: str) -> Markup:
    program, verb, target, *_ = [*piece.split(), "", "", ""]
    if program == "curator" and verb in COMMANDS and not target.endswith(".db"):
        button = '<button type="button" class="c-act" data-pick="goto:{}">{}</button>'
        return Markup(button).format(COMMANDS[verb], label(COMMANDS[verb]))
    return Markup('<code class="c-inline">{}</code>').format(piece)


def part(value: Part) -> Markup:
    """A part in its tone; a triangle is drawn, and read as "up" or "down"."""
    text, tone = value.text, value.tone
    if tone == "strong":
        return Markup("<b>{}</b>").format(text)
    if not tone:
        return Markup.escape(text)
    triangle = ""
    if text[:1] in (UP, DOWN):
        triangle = Markup('<i role="img" aria-label="{}">{}</i>').format(tone, text[0])
        text = text[1:]
    return Markup('<span class="c-{}">{}{}</span>').format(tone, triangle, text)


def sentence(parts: Sentence) -> Markup:
    """The parts one after the other."""
    return Markup("").join(map(part, parts))


def table_html(result: Tabular, name: str = "", about: str = "") -> Markup:
    """Draw a table under its name and a description; nothing without rows."""
    table, *_ = result.to_tables()
    if not table.rows:
        return Markup()
    title = Markup("<b>{}</b>").format(name) if name else ""
    drawn = html_of(table, "v-table", Markup("{}{}").format(title, about))
    return Markup('<div class="m-scroll a-scroll" tabindex="0">{}</div>').format(drawn)
