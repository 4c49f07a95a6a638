"""Runs, judgments and boards as TREC's tracks exchange them."""
