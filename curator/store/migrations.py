"""The schema, as numbered migrations to which later ones are only appended.

Rating vectors are derived from the stored responses. Tables are STRICT; CHECKs enforce
what docstrings promise. Each migration and the record that it ran are one transaction,
so one that fails leaves the file unchanged.
"""

from __future__ import annotations

from sqlite_utils import Database
from sqlite_utils.migrations import Migrations

from curator.errors import WorkspaceError
from curator.store import digests
from curator.store.connection import SCHEMA_VERSION
from curator.store.texts import letters_of

migrations = Migrations("curator")

_COLLECTION = """
CREATE TABLE setting (
    key TEXT PRIMARY KEY CHECK (key IN ('title', 'min_relevance')),
    value TEXT NOT NULL
) STRICT;
-- Every text once, whatever it is the text of; sha256 is its content key.
CREATE TABLE text (
    text_id INTEGER PRIMARY KEY,
    sha256 TEXT NOT NULL UNIQUE,
    body TEXT NOT NULL
) STRICT;
CREATE TABLE query (
    query_id TEXT PRIMARY KEY CHECK (query_id <> ''),
    position INTEGER NOT NULL UNIQUE,
    title TEXT,       -- NULL: only the id is known
    background TEXT
) STRICT;
CREATE TABLE subtopic (
    query_id TEXT NOT NULL REFERENCES query,
    subtopic_id TEXT NOT NULL CHECK (subtopic_id <> ''),
    position INTEGER NOT NULL,
    text TEXT,        -- NULL: only the id is known
    PRIMARY KEY (query_id, subtopic_id)
) STRICT;
CREATE TABLE passage (
    number INTEGER PRIMARY KEY,
    passage_id TEXT NOT NULL UNIQUE CHECK (passage_id <> ''),
    text_id INTEGER REFERENCES text   -- NULL: its text was not to be had
) STRICT;
CREATE TABLE pool (
    query_id TEXT NOT NULL REFERENCES query,
    position INTEGER NOT NULL CHECK (position >= 0),
    passage INTEGER NOT NULL REFERENCES passage,
    PRIMARY KEY (query_id, position),
    UNIQUE (query_id, passage)
) STRICT, WITHOUT ROWID;
CREATE TABLE system (
    number INTEGER PRIMARY KEY,
    system TEXT NOT NULL UNIQUE CHECK (system <> '')
) STRICT;
-- By rank: passages int32, 0 where nothing stands, -number where a passage is
-- listed again; scores float64, NaN where nothing stands.
CREATE TABLE ranking (
    system INTEGER NOT NULL REFERENCES system,
    query_id TEXT NOT NULL REFERENCES query,
    passages BLOB NOT NULL CHECK (length(passages) % 4 = 0),
    scores BLOB NOT NULL CHECK (length(scores) = 2 * length(passages)),
    PRIMARY KEY (system, query_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE judgment (
    query_id TEXT NOT NULL REFERENCES query,
    passage INTEGER NOT NULL REFERENCES passage,
    grade INTEGER NOT NULL CHECK (grade BETWEEN -30000 AND 30000),
    PRIMARY KEY (query_id, passage)
) STRICT, WITHOUT ROWID;
CREATE TABLE official (
    system TEXT PRIMARY KEY,
    rank REAL NOT NULL CHECK (rank > 0)
) STRICT;
CREATE TABLE extra (
    entity TEXT NOT NULL,
    key TEXT NOT NULL,
    format TEXT NOT NULL,
    json TEXT NOT NULL CHECK (json_valid(json)),
    PRIMARY KEY (entity, key, format)
) STRICT, WITHOUT ROWID;
CREATE TABLE clock (
    scope TEXT PRIMARY KEY,
    value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
"""

_BANK = """
CREATE TABLE item (
    item_id INTEGER PRIMARY KEY,
    sha256 TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL CHECK (kind IN ('question', 'nugget', 'query', 'candidate')),
    text_id INTEGER REFERENCES text,  -- NULL: text not published, known by public_id
    public_id TEXT,
    choices TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(choices)),
    candidate TEXT,
    CHECK (text_id IS NOT NULL OR public_id IS NOT NULL)
) STRICT;
CREATE TABLE answer_key (
    key_id INTEGER PRIMARY KEY,       -- 0: no answer key
    sha256 TEXT NOT NULL UNIQUE,
    answers TEXT NOT NULL CHECK (json_valid(answers))
) STRICT;
INSERT INTO answer_key VALUES (0, '', '[]');
CREATE TABLE question (
    number INTEGER PRIMARY KEY,       -- of the event that first brought it
    question_id TEXT NOT NULL UNIQUE CHECK (question_id <> ''),
    query_id TEXT NOT NULL REFERENCES query,
    subtopic_id TEXT,
    text_id INTEGER REFERENCES text,  -- as typed; the item holds it stripped
    item_id INTEGER NOT NULL REFERENCES item,
    key_id INTEGER NOT NULL DEFAULT 0 REFERENCES answer_key,
    state TEXT NOT NULL CHECK (state IN ('proposed', 'kept', 'retired')),
    provenance TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(provenance)),
    revision INTEGER NOT NULL CHECK (revision >= 1)
) STRICT;
CREATE INDEX question_by_query ON question (query_id, number);
CREATE TABLE done (
    query_id TEXT NOT NULL REFERENCES query,
    judge TEXT NOT NULL,
    at TEXT NOT NULL,
    PRIMARY KEY (query_id, judge)
) STRICT, WITHOUT ROWID;
CREATE TABLE batch (
    batch_id INTEGER PRIMARY KEY,
    at TEXT NOT NULL,
    by TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('import', 'edit', 'undo', 'redo')),
    inverse_of INTEGER REFERENCES batch,
    shown TEXT,                       -- what the judge could see; NULL: not recorded
    CHECK ((inverse_of IS NULL) = (kind IN ('import', 'edit')))
) STRICT;
CREATE TABLE event (
    event_id INTEGER PRIMARY KEY,
    batch_id INTEGER NOT NULL REFERENCES batch,
    query_id TEXT NOT NULL REFERENCES query,
    question_id TEXT,                 -- NULL: a mark on the query
    kind TEXT NOT NULL,
    before TEXT CHECK (before IS NULL OR json_valid(before)),
    after TEXT CHECK (after IS NULL OR json_valid(after)),
    reason TEXT
) STRICT;
CREATE INDEX event_by_batch ON event (batch_id);
CREATE INDEX event_by_query ON event (query_id, event_id);
CREATE INDEX event_by_question ON event (question_id, event_id);
"""

_GRADES = """
CREATE TABLE responder (
    responder_id INTEGER PRIMARY KEY,
    sha256 TEXT NOT NULL UNIQUE,
    spec TEXT NOT NULL CHECK (json_valid(spec))
) STRICT;
CREATE TABLE response (
    responder_id INTEGER NOT NULL REFERENCES responder,
    item_id INTEGER NOT NULL REFERENCES item,
    key_id INTEGER NOT NULL REFERENCES answer_key,  -- 0 unless the model saw the key
    text_id INTEGER NOT NULL REFERENCES text,
    raw TEXT,                         -- NULL: the file has no words
    answer TEXT,                      -- NULL: not an answering responder
    given_rating INTEGER CHECK (given_rating BETWEEN -2 AND 5), -- NULL: none given
    PRIMARY KEY (responder_id, item_id, key_id, text_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE grader (
    grader_id INTEGER PRIMARY KEY,
    sha256 TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL UNIQUE,
    responder_id INTEGER NOT NULL REFERENCES responder,
    spec TEXT NOT NULL CHECK (json_valid(spec))
) STRICT;
-- int8 by pool position: 0-5, -1 not asked, -2 unreadable. Shorter than the pool
-- where the pool has grown since.
CREATE TABLE rating_vector (
    grader_id INTEGER NOT NULL REFERENCES grader,
    query_id TEXT NOT NULL REFERENCES query,
    item_id INTEGER NOT NULL REFERENCES item,
    key_id INTEGER NOT NULL DEFAULT 0 REFERENCES answer_key,
    ratings BLOB NOT NULL,
    PRIMARY KEY (grader_id, query_id, item_id, key_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE embedding (
    responder_id INTEGER NOT NULL REFERENCES responder,
    text_id INTEGER NOT NULL REFERENCES text,
    dimensions INTEGER NOT NULL CHECK (dimensions > 0),
    vectors BLOB NOT NULL CHECK (length(vectors) % (2 * dimensions) = 0),
    PRIMARY KEY (responder_id, text_id)
) STRICT, WITHOUT ROWID;
"""

# Work that goes on beside the app. Every start of its process is a run of its own: a
# process whose run is not the job's any more has been replaced, and ends.
_JOB = """
CREATE TABLE {table} (
    job_id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL CHECK (kind IN ({kinds})),
    spec TEXT NOT NULL CHECK (json_valid(spec)),
    state TEXT NOT NULL
        CHECK (state IN ({states})),
    by TEXT NOT NULL,
    started_at TEXT NOT NULL,         -- of the first run; ISO 8601, UTC
    run INTEGER NOT NULL DEFAULT 1 CHECK (run >= 1),
    run_began REAL NOT NULL,          -- seconds since 1970
    run_done INTEGER NOT NULL DEFAULT 0 CHECK (run_done >= 0),
    host TEXT,                        -- NULL: its process has not said so yet
    pid INTEGER,                      -- NULL: its process has not said so yet
    heartbeat REAL NOT NULL,          -- seconds since 1970
    done INTEGER NOT NULL DEFAULT 0 CHECK (done >= run_done),
    total INTEGER NOT NULL CHECK (total >= done),
    error TEXT,                       -- NULL unless it failed
    {asked}CHECK ((error IS NOT NULL) = (state = 'failed'))
) STRICT;
"""
_JOB_ASKED = """-- What its model was asked, over all runs: prompts, those whose
    -- passage was cut, unreadable responses, and tokens where the model counts them.
    prompts INTEGER NOT NULL DEFAULT 0 CHECK (prompts >= 0),
    cut INTEGER NOT NULL DEFAULT 0 CHECK (cut BETWEEN 0 AND prompts),
    unreadable INTEGER NOT NULL DEFAULT 0 CHECK (unreadable BETWEEN 0 AND prompts),
    tokens_in INTEGER NOT NULL DEFAULT 0 CHECK (tokens_in >= 0),
    tokens_out INTEGER NOT NULL DEFAULT 0 CHECK (tokens_out >= 0),
    """
# A CHECK cannot be altered, so a table is made anew.
_SETTING = """
CREATE TABLE setting_now (
    key TEXT PRIMARY KEY CHECK (key IN ({keys})),
    value TEXT NOT NULL
) STRICT;
INSERT INTO setting_now SELECT key, value FROM setting;
DROP TABLE setting;
ALTER TABLE setting_now RENAME TO setting;
"""

_NONCES_SETTINGS_JOBS = """
-- The page's own name for a save: one sent twice is found by it. NULL: none given.
ALTER TABLE batch ADD COLUMN nonce TEXT CHECK (nonce <> '');
CREATE UNIQUE INDEX batch_by_nonce ON batch (nonce) WHERE nonce IS NOT NULL;
"""
_NONCES_SETTINGS_JOBS += _SETTING.format(
    keys="'title', 'min_relevance', 'guidelines', 'blind'"
) + _JOB.format(
    table="job",
    kinds="'grade'",
    states="'running', 'paused', 'done', 'failed'",
    asked="",
)

_CLAIMS_AND_STOPPED_JOBS = """
-- Who is asking a responder about a pair now. The holder asks until its lease ends.
CREATE TABLE claim (
    responder_id INTEGER NOT NULL REFERENCES responder,
    item_id INTEGER NOT NULL REFERENCES item,
    text_id INTEGER NOT NULL REFERENCES text,
    holder TEXT NOT NULL CHECK (holder <> ''),
    until REAL NOT NULL,              -- seconds since 1970
    PRIMARY KEY (responder_id, item_id, text_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX claim_by_holder ON claim (holder);
"""
_CLAIMS_AND_STOPPED_JOBS += _JOB.format(
    table="job_now",
    kinds="'grade'",
    states="'running', 'paused', 'stopped', 'done', 'failed'",
    asked=_JOB_ASKED,
)
_CLAIMS_AND_STOPPED_JOBS += """
INSERT INTO job_now (job_id, kind, spec, state, by, started_at, run, run_began,
    run_done, host, pid, heartbeat, done, total, error)
    SELECT job_id, kind, spec, state, by, started_at, run, run_began, run_done, host,
    pid, heartbeat, done, total, error FROM job;
DROP TABLE job;
ALTER TABLE job_now RENAME TO job;
"""

_PROPOSALS = """
-- How long the judge looked before this batch. NULL: not recorded.
ALTER TABLE batch ADD COLUMN seconds REAL CHECK (seconds >= 0);
-- One asking of a model for questions. Its proposals name it in their provenance.
CREATE TABLE generation (
    generation_id INTEGER PRIMARY KEY,
    query_id TEXT NOT NULL REFERENCES query,
    subtopic_id TEXT,                 -- NULL: about the query as a whole
    passage INTEGER REFERENCES passage, -- NULL: not about a passage
    sha256 TEXT NOT NULL,             -- of all that was asked but the bank as it was
    prompt TEXT NOT NULL CHECK (prompt <> ''),
    kind TEXT NOT NULL CHECK (kind IN ('question', 'nugget')),
    text_id INTEGER NOT NULL REFERENCES text, -- the prompt as it was sent
    model TEXT NOT NULL CHECK (model <> ''),
    parameters TEXT NOT NULL CHECK (json_valid(parameters)),
    by TEXT NOT NULL,
    at TEXT NOT NULL,                 -- ISO 8601, UTC
    state TEXT NOT NULL CHECK (state IN ('asking', 'whole', 'broken')),
    raw TEXT NOT NULL DEFAULT '',     -- what has arrived of the response
    error TEXT,                       -- why it broke off; NULL: it did not
    found INTEGER NOT NULL DEFAULT 0 CHECK (found >= 0),
    proposed INTEGER NOT NULL DEFAULT 0 CHECK (proposed BETWEEN 0 AND found),
    tokens_in INTEGER NOT NULL DEFAULT 0 CHECK (tokens_in >= 0),
    tokens_out INTEGER NOT NULL DEFAULT 0 CHECK (tokens_out >= 0),
    holder TEXT,                      -- who is asking; NULL: nobody any more
    CHECK ((holder IS NOT NULL) = (state = 'asking'))
) STRICT;
CREATE INDEX generation_by_query ON generation (query_id);
CREATE INDEX generation_by_key ON generation (sha256);
CREATE INDEX generation_asking ON generation (holder) WHERE holder IS NOT NULL;
"""
_PROPOSALS += _SETTING.format(
    keys="'title', 'min_relevance', 'guidelines', 'blind', 'human_first', 'generation'"
) + _JOB.format(
    table="job_now",
    kinds="'grade', 'generate'",
    states="'running', 'paused', 'stopped', 'done', 'failed'",
    asked=_JOB_ASKED,
)
_PROPOSALS += """
INSERT INTO job_now SELECT * FROM job;
DROP TABLE job;
ALTER TABLE job_now RENAME TO job;
"""


_MARKS_AND_GOLD = """
-- How many characters are not white space.
ALTER TABLE text ADD COLUMN letters INTEGER NOT NULL DEFAULT 0 CHECK (letters >= 0);
UPDATE text SET letters = letters_of(body);
-- The vote that stands; the history has every vote.
CREATE TABLE vote (
    question_id TEXT NOT NULL REFERENCES question (question_id),
    judge TEXT NOT NULL,
    value TEXT NOT NULL CHECK (value IN ('vital', 'okay')),
    at TEXT NOT NULL,                 -- ISO 8601, UTC
    PRIMARY KEY (question_id, judge)
) STRICT, WITHOUT ROWID;
-- What people marked as ideal answers: a passage, or characters of its text.
CREATE TABLE ideal (
    query_id TEXT NOT NULL REFERENCES query,
    passage INTEGER NOT NULL REFERENCES passage,
    start INTEGER NOT NULL CHECK (start >= 0),
    end INTEGER NOT NULL CHECK (end = -1 OR end > start), -- -1: to the text's end
    by TEXT NOT NULL,
    at TEXT NOT NULL,                 -- ISO 8601, UTC
    PRIMARY KEY (query_id, passage, start, end)
) STRICT, WITHOUT ROWID;
-- The passages of a query's gold article, in its order. They are in the pool too.
CREATE TABLE gold (
    query_id TEXT NOT NULL REFERENCES query,
    position INTEGER NOT NULL CHECK (position >= 0),
    passage INTEGER NOT NULL REFERENCES passage,
    PRIMARY KEY (query_id, position),
    UNIQUE (query_id, passage)
) STRICT, WITHOUT ROWID;
"""

_VERDICTS = """
-- The verdict that stands: what a judge says of an answer to a question, by the words
-- of both. It stays when the question is reworded, or taken out by an undo.
CREATE TABLE verdict (
    query_id TEXT NOT NULL REFERENCES query,
    question INTEGER NOT NULL REFERENCES text,
    answer INTEGER NOT NULL REFERENCES text,
    judge TEXT NOT NULL,
    question_id TEXT NOT NULL,        -- the question that had these words then
    value TEXT NOT NULL CHECK (value IN ('right', 'wrong')),
    at TEXT NOT NULL,                 -- ISO 8601, UTC
    PRIMARY KEY (query_id, question, answer, judge)
) STRICT, WITHOUT ROWID;
"""

_RELEASES = """
-- A bank, its settings and its grades as they stood. Never changed.
CREATE TABLE release (
    release_id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE CHECK (name <> ''),
    at TEXT NOT NULL,                 -- ISO 8601, UTC
    by TEXT NOT NULL,
    why TEXT NOT NULL,                -- '': nobody said
    event_id INTEGER NOT NULL CHECK (event_id >= 0), -- the latest in it; 0: none
    sha256 TEXT NOT NULL,             -- of body
    grader TEXT NOT NULL,
    measure TEXT NOT NULL,
    min_rating INTEGER NOT NULL CHECK (min_rating BETWEEN 0 AND 5),
    k INTEGER NOT NULL CHECK (k >= 1),
    questions INTEGER NOT NULL CHECK (questions >= 0),
    labels INTEGER NOT NULL CHECK (labels >= 0),
    needed INTEGER NOT NULL CHECK (needed >= 0),
    known INTEGER NOT NULL CHECK (known BETWEEN 0 AND needed),
    body TEXT NOT NULL CHECK (json_valid(body)),   -- the canonical form
    board TEXT NOT NULL CHECK (json_valid(board))  -- [[system, rank, score, stderr]]
) STRICT;
-- Numbers that the bundle this workspace was rebuilt from holds, to be computed again.
CREATE TABLE published (
    path TEXT PRIMARY KEY CHECK (path <> ''),      -- inside the bundle
    manifest TEXT NOT NULL CHECK (json_valid(manifest)),
    body TEXT NOT NULL
) STRICT;
"""

_BUDGETS = """
-- Which passages of a query a grader was asked about last. No row: all of them.
CREATE TABLE budget (
    grader_id INTEGER NOT NULL REFERENCES grader,
    query_id TEXT NOT NULL REFERENCES query,
    depth INTEGER CHECK (depth >= 1),   -- NULL: not by rank
    sample INTEGER CHECK (sample >= 1), -- NULL: none drawn
    seed INTEGER,
    PRIMARY KEY (grader_id, query_id),
    CHECK (depth IS NOT NULL OR sample IS NOT NULL),
    CHECK ((seed IS NULL) = (sample IS NULL))
) STRICT, WITHOUT ROWID;
"""

_BUDGETS_WITHOUT_JUDGED = """
-- Whether judged passages are within the depth.
ALTER TABLE budget ADD COLUMN judged INTEGER NOT NULL DEFAULT 1
    CHECK (judged IN (0, 1));
"""

# A primary key cannot be altered, so the table is made anew.
_GRADED_IDEALS = """
CREATE TABLE ideal_now (
    query_id TEXT NOT NULL REFERENCES query,
    passage INTEGER NOT NULL REFERENCES passage,
    start INTEGER NOT NULL CHECK (start >= 0),
    end INTEGER NOT NULL CHECK (end = -1 OR end > start), -- -1: to the end of the text
    -- Whose highlight it is; '': a mark of the bank.
    judge TEXT NOT NULL DEFAULT '' CHECK (judge IN ('', by)),
    grade INTEGER CHECK (grade >= 1), -- NULL: nobody graded it
    by TEXT NOT NULL,
    at TEXT NOT NULL,                 -- ISO 8601, UTC
    PRIMARY KEY (query_id, passage, start, end, judge)
) STRICT, WITHOUT ROWID;
INSERT INTO ideal_now (query_id, passage, start, end, by, at)
    SELECT query_id, passage, start, end, by, at FROM ideal;
DROP TABLE ideal;
ALTER TABLE ideal_now RENAME TO ideal;
"""

_OF_SUBTOPICS = """
-- A system's ranks for a subtopic, as the ranking table keeps them.
CREATE TABLE subtopic_ranking (
    system INTEGER NOT NULL REFERENCES system,
    query_id TEXT NOT NULL,
    subtopic_id TEXT NOT NULL,
    passages BLOB NOT NULL CHECK (length(passages) % 4 = 0),
    scores BLOB NOT NULL CHECK (length(scores) = 2 * length(passages)),
    PRIMARY KEY (system, query_id, subtopic_id),
    FOREIGN KEY (query_id, subtopic_id) REFERENCES subtopic
) STRICT, WITHOUT ROWID;
CREATE TABLE subtopic_judgment (
    query_id TEXT NOT NULL,
    subtopic_id TEXT NOT NULL,
    passage INTEGER NOT NULL REFERENCES passage,
    grade INTEGER NOT NULL CHECK (grade BETWEEN -30000 AND 30000),
    PRIMARY KEY (query_id, subtopic_id, passage),
    FOREIGN KEY (query_id, subtopic_id) REFERENCES subtopic
) STRICT, WITHOUT ROWID;
"""

_SEGMENTS = """
-- What a document is cut into; both are passages with a text.
CREATE TABLE segment (
    document INTEGER NOT NULL REFERENCES passage,
    position INTEGER NOT NULL CHECK (position >= 1),
    passage INTEGER NOT NULL UNIQUE REFERENCES passage CHECK (passage <> document),
    PRIMARY KEY (document, position)
) STRICT, WITHOUT ROWID;
"""

_RELEASED_LABELS = """
-- How many items a relevant passage answers; all releases so far are by one.
ALTER TABLE release
    ADD COLUMN min_answered INTEGER NOT NULL DEFAULT 1 CHECK (min_answered >= 1);
"""

_PROBABILITIES = """
-- float32 by pool position, little-endian: in [0, 1], -1 not asked, -2 unreadable.
-- NULL: the grader gives ratings alone; else ratings are the fifths reached.
ALTER TABLE rating_vector
    ADD COLUMN probability BLOB
    CHECK (probability IS NULL OR length(probability) = 4 * length(ratings));
-- What a file states, as float32 keeps it; given_rating follows from it.
ALTER TABLE response
    ADD COLUMN given_probability REAL CHECK (given_probability BETWEEN 0 AND 1);
"""

_FREQUENCIES = """
-- In how many texts of the collection each stem stood when a grader that weighs words
-- was made; sha256 is the content key of all counts. Never changes: a grader that is
-- to weigh by other counts is another grader.
CREATE TABLE frequencies (
    sha256 TEXT PRIMARY KEY,
    texts INTEGER NOT NULL CHECK (texts >= 0),
    by_stem TEXT NOT NULL CHECK (json_valid(by_stem))  -- {stem: texts that hold it}
) STRICT, WITHOUT ROWID;
"""

_RULES_OF_RELEASED_LABELS = """
-- How ratings made the labels; in all releases so far the best one did.
ALTER TABLE release ADD COLUMN label TEXT NOT NULL DEFAULT 'max'
    CHECK (label IN ('max', 'mean', 'top3', 'answered'));
"""

_CHECKS = """
-- The check that stands: what a judge says of a passage, asked a question by its words.
CREATE TABLE checked (
    query_id TEXT NOT NULL REFERENCES query,
    item TEXT NOT NULL,               -- the question's text; '': how relevant it is
    passage INTEGER NOT NULL REFERENCES passage,
    judge TEXT NOT NULL,
    answer TEXT NOT NULL CHECK (
        CASE WHEN item <> '' THEN answer IN ('yes', 'no', 'unsure')
        ELSE answer = 'unsure' OR (answer = CAST(CAST(answer AS INTEGER) AS TEXT)
            AND CAST(answer AS INTEGER) BETWEEN 0 AND 30000) END
    ),
    probability REAL CHECK (probability > 0 AND probability <= 1), -- NULL: chosen
    drawn INTEGER NOT NULL CHECK (drawn >= 0), -- together with it; 0: chosen
    seconds REAL CHECK (seconds >= 0), -- the judge looked; NULL: not known
    at TEXT NOT NULL,                 -- first answered, ISO 8601, UTC
    CHECK ((probability IS NULL) = (drawn = 0)),
    PRIMARY KEY (query_id, item, passage, judge)
) STRICT, WITHOUT ROWID;
"""


_CERTIFICATES = """
-- What people's checks say of the labels; NULL: no pair had been drawn and checked.
-- {"of", "min_label", "checks", "wrong", "upper", "confidence"}. Outside the hash.
ALTER TABLE release
    ADD COLUMN certificate TEXT CHECK (certificate IS NULL OR json_valid(certificate));
"""

_TO_CHECK = """
-- The pairs that a judge was drawn last, answered or not: a page that is opened again
-- goes on with them. The next draw takes their place; what was answered is in checked.
CREATE TABLE to_check (
    judge TEXT NOT NULL,
    of TEXT NOT NULL CHECK (of IN ('pairs', 'passages', 'opinions')),
    place INTEGER NOT NULL CHECK (place >= 0),
    at TEXT NOT NULL,                 -- when it was drawn, ISO 8601, UTC; one for all
    query_id TEXT NOT NULL REFERENCES query,
    question_id TEXT,                 -- NULL: how relevant the passage is
    item TEXT,                        -- the question's text then
    passage INTEGER NOT NULL REFERENCES passage,
    probability REAL CHECK (probability > 0 AND probability <= 1), -- NULL: not drawn
    drawn INTEGER NOT NULL CHECK (drawn >= 0), -- together with it; 0: others chose it
    reason TEXT NOT NULL,             -- why it is asked, in words
    CHECK ((question_id IS NULL) = (item IS NULL)),
    CHECK ((probability IS NULL) = (drawn = 0)),
    PRIMARY KEY (judge, of, place)
) STRICT, WITHOUT ROWID;
"""

_DISMISSALS = """
-- The next steps that somebody left alone: not offered while their state is this one.
CREATE TABLE dismissal (
    query_id TEXT NOT NULL REFERENCES query,
    key TEXT NOT NULL CHECK (key <> ''), -- the step's kind, and what it is about
    state TEXT NOT NULL,              -- names what it rested on
    reason TEXT NOT NULL CHECK (reason <> ''),
    judge TEXT NOT NULL,
    at TEXT NOT NULL,                 -- ISO 8601, UTC
    PRIMARY KEY (query_id, key)
) STRICT, WITHOUT ROWID;
"""

_NOTES = """
-- The note that stands: a judge's own words on a question. It stays when the question
-- is taken out by an undo.
CREATE TABLE note (
    query_id TEXT NOT NULL REFERENCES query,
    question_id TEXT NOT NULL,
    judge TEXT NOT NULL,
    text TEXT NOT NULL,               -- '': a flag alone
    flagged INTEGER NOT NULL CHECK (flagged IN (0, 1)),
    at TEXT NOT NULL,                 -- ISO 8601, UTC
    CHECK (text <> '' OR flagged),
    PRIMARY KEY (query_id, question_id, judge)
) STRICT, WITHOUT ROWID;
"""

_STABILITY = """
-- How stable the board was if other questions had been asked, as evaluation.stability
-- has its Figures; NULL: nothing could be said, or nobody did yet. Outside the hash.
ALTER TABLE release
    ADD COLUMN stability TEXT CHECK (stability IS NULL OR json_valid(stability));
"""

_DECISIONS = """
-- What was decided where judges differ: it holds while their words are this state.
CREATE TABLE decision (
    query_id TEXT NOT NULL REFERENCES query,
    key TEXT NOT NULL CHECK (key <> ''), -- the place: its kind, and what it is about
    value TEXT NOT NULL CHECK (value <> ''),
    state TEXT NOT NULL,              -- names what everybody said
    reason TEXT NOT NULL,             -- '' for none
    judge TEXT NOT NULL,
    at TEXT NOT NULL,                 -- ISO 8601, UTC
    PRIMARY KEY (query_id, key)
) STRICT, WITHOUT ROWID;
"""

_ASSIGNMENTS = """
-- What is whose to do; how far it is done follows from the marks.
CREATE TABLE assignment (
    work TEXT NOT NULL CHECK (work IN ('curate', 'votes', 'checks')),
    query_id TEXT NOT NULL REFERENCES query,
    judge TEXT NOT NULL CHECK (judge <> ''),
    wanted INTEGER NOT NULL CHECK (wanted BETWEEN 0 AND 100000), -- checks; 0 of others
    at TEXT NOT NULL,
    by TEXT NOT NULL,
    PRIMARY KEY (work, query_id, judge),
    CHECK ((work = 'checks') = (wanted > 0))
) STRICT;
"""

_HANDED = """
-- Every time that work changed hands; what is whose now is in assignment.
CREATE TABLE handed (
    number INTEGER PRIMARY KEY,
    at TEXT NOT NULL,
    by TEXT NOT NULL,
    work TEXT NOT NULL CHECK (work IN ('curate', 'votes', 'checks')),
    query_id TEXT NOT NULL REFERENCES query,
    taken_from TEXT,                  -- NULL: nobody had it
    given_to TEXT,                    -- NULL: nobody has it
    CHECK (taken_from IS NOT NULL OR given_to IS NOT NULL)
) STRICT;
ALTER TABLE to_check RENAME TO drawn_before;
""" + (
    _TO_CHECK.replace("'opinions'", "'opinions', 'assigned'")
    + """
INSERT INTO to_check SELECT * FROM drawn_before;
DROP TABLE drawn_before;
"""
)

_PEOPLE = """
-- Nobody: whoever reaches the app may do everything there.
CREATE TABLE person (
    name TEXT NOT NULL PRIMARY KEY CHECK (name <> ''),
    role TEXT NOT NULL CHECK (role IN ('organizer', 'judge', 'viewer')),
    added_at TEXT NOT NULL,
    added_by TEXT NOT NULL
) STRICT;
"""

_NORMING = """
-- What everybody answers blind, then sees and discusses; the texts are those of then.
CREATE TABLE norming_round (
    round_id INTEGER PRIMARY KEY,
    asks TEXT NOT NULL CHECK (asks IN ('pairs', 'passages', 'votes')),
    highest INTEGER NOT NULL CHECK (highest BETWEEN 0 AND 30000), -- grade of a passage
    seed INTEGER,                     -- NULL: its items were given
    opened_at TEXT NOT NULL,          -- ISO 8601, UTC, as all times here
    opened_by TEXT NOT NULL,
    revealed_at TEXT,                 -- NULL: nobody sees another's answers
    revealed_by TEXT,
    closed_at TEXT,                   -- NULL: it can be answered
    closed_by TEXT,
    nonce TEXT UNIQUE,
    CHECK ((revealed_at IS NULL) = (revealed_by IS NULL)),
    CHECK ((closed_at IS NULL) = (closed_by IS NULL))
) STRICT;
CREATE TABLE norming_item (
    round_id INTEGER NOT NULL REFERENCES norming_round,
    place INTEGER NOT NULL CHECK (place >= 0),
    query_id TEXT NOT NULL,
    question_id TEXT,                 -- NULL: how relevant the passage is
    passage_id TEXT,                  -- NULL: how important the question is
    query TEXT NOT NULL,
    question TEXT CHECK (question <> ''),
    passage TEXT CHECK (passage <> ''),
    CHECK ((question_id IS NULL) = (question IS NULL)),
    CHECK ((passage_id IS NULL) = (passage IS NULL)),
    PRIMARY KEY (round_id, place)
) STRICT, WITHOUT ROWID;
CREATE TABLE norming_answer (
    answer_id INTEGER PRIMARY KEY,    -- the last of a judge on an item counts
    round_id INTEGER NOT NULL,
    place INTEGER NOT NULL,
    judge TEXT NOT NULL,
    answer TEXT,                      -- NULL: the one before is taken back
    blind INTEGER NOT NULL CHECK (blind IN (0, 1)), -- before the reveal
    at TEXT NOT NULL,
    nonce TEXT UNIQUE,
    FOREIGN KEY (round_id, place) REFERENCES norming_item
) STRICT;
CREATE TABLE norming_comment (
    comment_id INTEGER PRIMARY KEY,
    round_id INTEGER NOT NULL,
    place INTEGER NOT NULL,
    judge TEXT NOT NULL,
    text TEXT NOT NULL CHECK (text <> ''),
    at TEXT NOT NULL,
    nonce TEXT UNIQUE,
    FOREIGN KEY (round_id, place) REFERENCES norming_item
) STRICT;
"""

_DIGESTS = """
-- What each portion of a table's rows comes to: see store/digests.py.
CREATE TABLE digest (
    of TEXT NOT NULL,                 -- the table
    part TEXT NOT NULL,               -- the portion; '': all of it
    value INTEGER NOT NULL,           -- the exclusive or of 64 bits of each row
    PRIMARY KEY (of, part)
) STRICT, WITHOUT ROWID;
"""

_RESTRICTIONS = """
-- Every time that a query's texts were kept from all but organizers, or shown again:
-- the last one counts.
CREATE TABLE restriction (
    number INTEGER PRIMARY KEY,
    at TEXT NOT NULL,                 -- ISO 8601, UTC
    by TEXT NOT NULL CHECK (by <> ''),
    query_id TEXT NOT NULL REFERENCES query,
    lifted INTEGER NOT NULL CHECK (lifted IN (0, 1))
) STRICT;
CREATE INDEX restriction_by_query ON restriction (query_id, number);
"""


_LONG_HISTORIES = """
CREATE INDEX batch_by_inverse ON batch (inverse_of) WHERE inverse_of IS NOT NULL;
CREATE INDEX batch_of_import ON batch (kind) WHERE kind = 'import';
CREATE INDEX event_first ON event (query_id, event_id) WHERE before IS NULL;
"""

# Tokens were 0 where the server did not report them. ``unfinished`` counts answers cut
# off at the limit of tokens, ``refused`` those that were refused.
_UNKNOWN_TOKENS = """
ALTER TABLE job ADD COLUMN unfinished INTEGER NOT NULL DEFAULT 0
    CHECK (unfinished >= 0);
ALTER TABLE job ADD COLUMN refused INTEGER NOT NULL DEFAULT 0 CHECK (refused >= 0);
ALTER TABLE job ADD COLUMN uncounted INTEGER NOT NULL DEFAULT 0 CHECK (uncounted >= 0);
ALTER TABLE job ADD COLUMN warning TEXT NOT NULL DEFAULT '';
UPDATE job SET uncounted = prompts WHERE tokens_out = 0;
ALTER TABLE generation ADD COLUMN uncounted INTEGER NOT NULL DEFAULT 0
    CHECK (uncounted IN (0, 1));
UPDATE generation SET uncounted = 1 WHERE tokens_out = 0 AND raw <> '';
"""


@migrations()
def m001_collection_bank_and_grades(db: Database) -> None:
    """Tables of the first version."""
    _run(db, _COLLECTION + _BANK + _GRADES, version=1)


@migrations()
def m002_nonces_settings_jobs(db: Database) -> None:
    """Nonces of saves, the organizer's settings, and background jobs."""
    _run(db, _NONCES_SETTINGS_JOBS, version=2)


@migrations()
def m003_claims_and_stopped_jobs(db: Database) -> None:
    """Claims on pairs, stopped jobs, and counters of a job's prompts."""
    _run(db, _CLAIMS_AND_STOPPED_JOBS, version=3)


@migrations()
def m004_proposals(db: Database) -> None:
    """Proposals of models, and the time that judges take."""
    _run(db, _PROPOSALS, version=4)


@migrations()
def m005_marks_and_gold(db: Database) -> None:
    """Votes, ideal answers, gold articles, and the length of each text."""
    db.register_function(letters_of)
    _run(db, _MARKS_AND_GOLD, version=5)


@migrations()
def m006_verdicts(db: Database) -> None:
    """Judges' verdicts on answers."""
    _run(db, _VERDICTS, version=6)


@migrations()
def m007_releases(db: Database) -> None:
    """Releases, and published files of bundles."""
    _run(db, _RELEASES, version=7)


@migrations()
def m008_budgets(db: Database) -> None:
    """Budgets of graders."""
    _run(db, _BUDGETS, version=8)


@migrations()
def m009_ranks_and_judgments_of_subtopics(db: Database) -> None:
    """Rankings and judgments of a query's subtopic."""
    _run(db, _OF_SUBTOPICS, version=9)


@migrations()
def m010_segments(db: Database) -> None:
    """Documents graded by their segments."""
    _run(db, _SEGMENTS, version=10)


@migrations()
def m011_labels_of_releases(db: Database) -> None:
    """Labels of releases from more than one item."""
    _run(db, _RELEASED_LABELS, version=11)


@migrations()
def m012_probabilities(db: Database) -> None:
    """Grades that are probabilities."""
    _run(db, _PROBABILITIES, version=12)


@migrations()
def m013_frequencies(db: Database) -> None:
    """Word frequencies for graders that weight words."""
    _run(db, _FREQUENCIES, version=13)


@migrations()
def m014_rules_of_released_labels(db: Database) -> None:
    """Labels of releases by other rules than the best rating."""
    _run(db, _RULES_OF_RELEASED_LABELS, version=14)


@migrations()
def m015_checks(db: Database) -> None:
    """Checks: judges' answers to whether a passage answers a question."""
    _run(db, _CHECKS, version=15)


@migrations()
def m016_certificates(db: Database) -> None:
    """Certificates: quality of a release's labels by checks."""
    _run(db, _CERTIFICATES, version=16)


@migrations()
def m017_pairs_to_check(db: Database) -> None:
    """Pairs drawn for each judge."""
    _run(db, _TO_CHECK, version=17)


@migrations()
def m018_dismissed_next_steps(db: Database) -> None:
    """Dismissed next steps."""
    _run(db, _DISMISSALS, version=18)


@migrations()
def m019_notes(db: Database) -> None:
    """Judges' notes on questions."""
    _run(db, _NOTES, version=19)


@migrations()
def m020_stability_of_releases(db: Database) -> None:
    """Stability of a release's board."""
    _run(db, _STABILITY, version=20)


@migrations()
def m021_decisions(db: Database) -> None:
    """Decisions where judges differ."""
    _run(db, _DECISIONS, version=21)


@migrations()
def m022_norming_rounds(db: Database) -> None:
    """Norming rounds: items that every judge answers, with comments."""
    _run(db, _NORMING, version=22)


@migrations()
def m023_people(db: Database) -> None:
    """People of the workspace and their roles."""
    _run(db, _PEOPLE, version=23)


@migrations()
def m024_assignments(db: Database) -> None:
    """Assignments of work to judges."""
    _run(db, _ASSIGNMENTS, version=24)


@migrations()
def m025_work_that_changed_hands(db: Database) -> None:
    """Changes of assignments, and the rows of checks drawn for them."""
    _run(db, _HANDED, version=25)


@migrations()
def m026_digests(db: Database) -> None:
    """Digests that reveal changed rows; ``migrate`` fills them."""
    _run(db, _DIGESTS, version=26)


@migrations()
def m027_restrictions(db: Database) -> None:
    """Queries whose texts are restricted to organizers."""
    _run(db, _RESTRICTIONS, version=27)


@migrations()
def m028_long_histories(db: Database) -> None:
    """Indexes of the history for edits and pages."""
    _run(db, _LONG_HISTORIES, version=28)


@migrations()
def m029_unknown_tokens(db: Database) -> None:
    """Uncounted tokens, and warnings of jobs."""
    _run(db, _UNKNOWN_TOKENS, version=29)


@migrations()
def m030_budgets_without_judged(db: Database) -> None:
    """Budgets that leave out judged passages."""
    _run(db, _BUDGETS_WITHOUT_JUDGED, version=30)


@migrations()
def m031_graded_ideals(db: Database) -> None:
    """Ideal answers of several annotators, with grades."""
    _run(db, _GRADED_IDEALS, version=31)


def _run(db: Database, script: str, *, version: int) -> None:
    # executescript() would commit the step's transaction, so one by one.
    for statement in statements(script):
        db.execute(statement)
    db.execute(f"PRAGMA user_version = {version}")


def statements(script: str) -> list[str]:
    """Return the SQL statements of a script without triggers, in order."""
    lines = (line.partition("--")[0] for line in script.splitlines())
    return [part.strip() for part in "\n".join(lines).split(";") if part.strip()]


def migrate(database: Database) -> None:
    """Migrate the file to SCHEMA_VERSION; do nothing if it is current.

    Raises WorkspaceError if the file's version does not match its migrations.
    """
    (before,) = database.execute("PRAGMA user_version").fetchone()
    names = [step.name for step in migrations.pending(database)]
    if before + len(names) != SCHEMA_VERSION:
        raise WorkspaceError(
            f"The workspace is damaged: its schema version {before} does not match "
            f"its migrations, of which {len(names)} are pending. `curator restore` "
            "restores a backup."
        )
    migrations.apply(database)
    # A step may have changed any row.
    digests.recompute_digests(database.conn)
