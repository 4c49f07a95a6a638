"""The report, one page to publish; `verbs/files/report/` makes it."""

from __future__ import annotations

from curator.formats.codec import ALL, EVERYTHING, Codec, Exports

CODECS = (
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
