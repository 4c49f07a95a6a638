"""The schema this program reads and writes.

Kept apart from the steps so that opening an up-to-date file, which every command
does, need not import the migration library.
"""

SCHEMA_VERSION = 7
APPLICATION_ID = (
    0x43555241  # "CURA": how a workspace is told from any other SQLite file
)
