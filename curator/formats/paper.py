"""A paper's kit, LaTeX made of a release; `verbs/files/paper/` makes it."""

from __future__ import annotations

from curator.formats.codec import ALL, EVERYTHING, Codec, Exports

CODECS = (
    Codec(
        "paper",
        exports=Exports(
            target="FOLDER",
            label="Paper kit",
            what="LaTeX of a release: methods, tables, figures and references.",
            group=ALL,
            forms=(("ZIP", ".zip"),),
            carries=EVERYTHING,  # for people: nothing of it is read again
            large=True,
            tells_systems=True,
            of_a_release=True,
            only_released=True,
        ),
    ),
)
