"""``python -m curator``: the command line."""

from curator.cli import main

main(prog_name="curator")
