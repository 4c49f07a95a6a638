"""The words of the pages, a sentence each, as the list of keys explains them."""

from curator.edit_words import RESTORE, RETIRE

TERMS = (
    (
        "workspace",
        "One file with a test collection, its questions, their grades and the history "
        "of every edit.",
    ),
    (
        "query, subtopic",
        "What somebody wants to know, and a part of it.",
    ),
    (
        "passage, pool",
        "A text the length of a paragraph; the pool is all passages of one query.",
    ),
    (
        "system, ranking, run",
        "A participant, the passages it returned for a query in its order, and the "
        "file that holds its rankings.",
    ),
    (
        "question, nugget",
        "What a good passage lets a reader answer, or a key fact that it holds; the "
        "questions of all queries are the bank.",
    ),
    (
        f"kept, proposed, {RETIRE.past}",
        f"Kept questions count; a proposed one waits for somebody to keep it; a "
        f"{RETIRE.past} one counts no more and can be {RESTORE.past}.",
    ),
    (
        "grade, label",
        "A grade says how well a passage answers a question, 0 to 5; the label is the "
        "relevance that a passage gets from its grades.",
    ),
    (
        "label rule",
        "How a label follows from the grades: their best, their mean, the mean of the "
        "three best, or how many questions are answered.",
    ),
    (
        "grader, responder",
        "A responder is a model with its exact question; read in a certain way its "
        "responses make a grader.",
    ),
    (
        "measure, board",
        "A measure gives every system a number; the board is the systems in the order "
        "of it.",
    ),
    (
        "settings",
        "Grader, measure, threshold and label rule under which every number on the "
        "page stands.",
    ),
    (
        "edit, event, batch",
        "A change that you make, its line in the history, and the changes that undo "
        "takes back together.",
    ),
    (
        "impact",
        "Which labels, scores and ranks an edit changes under one grader.",
    ),
    (
        "influence",
        "How far the scores would move without a question.",
    ),
    (
        "judge, organizer, viewer",
        "Who edits questions; who sets up, freezes and hands out; who only looks.",
    ),
    ("done", "Your mark that you have finished a query."),
    (
        "vote",
        "How important a judge finds a question: vital or okay.",
    ),
    (
        "check",
        "What a person says of one pair: does this passage answer this question?",
    ),
    (
        "certificate",
        "What a number of checks says of a grader: at most so many labels are wrong.",
    ),
    ("job", "Work that goes on beside the pages, such as grading."),
    (
        "release",
        "The bank frozen with its labels and settings, under a hash.",
    ),
    ("state", "The workspace at one moment; everything on a page is of one state."),
)
