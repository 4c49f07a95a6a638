"""The report and a paper's kit, made to be read: `verbs/files/{report,paper}/`."""

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
    Codec(
        "report",
        exports=Exports(
            label="Report",
            what="One page to publish: collection, bank, boards, agreement and method.",
            group=ALL,
            forms=(("HTML", ".html"),),
            carries=EVERYTHING,  # for people: nothing of it is read again
            large=True,
            tells_systems=True,
            under_settings=True,
            not_released="A report is of the workspace as it is and lists its releases",
        ),
    ),
)
