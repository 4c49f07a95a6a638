"""What a bundle says of itself, to somebody who unpacks it without Curator."""

README = """\
This is a Curator bundle: a bank of exam questions with everything that its numbers
rest on.

To check it without Curator, unpack it and run

    sha256sum -c SHA256SUMS

To rebuild the workspace, compute every number again and compare:

    pip install exam-curator
    curator import NEW.db --bundle THIS.zip
    curator verify NEW.db

Files to be read. Each stands here only if there is something to put into it.

    bank.jsonl            the kept questions, in Autograder's form
    questions.csv         the same as a spreadsheet
    history.jsonl         every change to the bank, one a line: who, when, before,
                          after, why
    grades/GRADER.jsonl   every grade, one a line: query, question, passage, rating,
                          and the model's own words where it answered in words
    collection/           queries, passages, official judgments and ranks, gold
                          articles; runs/ has a TREC run for each system
    qrels/GRADER.qrels    the labels that follow from the grades, for trec_eval
    boards/GRADER-MEASURE.tsv
                          a leaderboard
    releases/NAME.*       a frozen bank in its canonical form (the SHA-256 of this file
                          is the release's hash), its labels and its board

Files to rebuild from.

    tables/TABLE.jsonl    the rows of one table of the workspace; blobs as base64
    manifest.json         versions, when and by whom, and for every other file its
                          size, its SHA-256, and the settings of its numbers
    SHA256SUMS            the same hashes, as sha256sum reads them

Not in here: jobs, and what a model was being asked at that moment; the secret that
masks the names of systems in blind mode, of which a rebuilt workspace gets its own.
"""
