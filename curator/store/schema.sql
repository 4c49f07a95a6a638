-- The schema of a workspace. Tables are STRICT; CHECKs enforce what docstrings promise.
-- Rating vectors are derived from the stored responses.

-- Every text once, whatever it is the text of; sha256 is its content key.
CREATE TABLE text (
    text_id INTEGER PRIMARY KEY,
    sha256 TEXT NOT NULL UNIQUE,
    body TEXT NOT NULL,
    letters INTEGER NOT NULL DEFAULT 0 CHECK (letters >= 0) -- without white space
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

CREATE TABLE batch (
    batch_id INTEGER PRIMARY KEY,
    at TEXT NOT NULL,
    by TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('import', 'edit', 'undo', 'redo')),
    inverse_of INTEGER REFERENCES batch,
    shown TEXT,                       -- what the judge could see; NULL: not recorded
    nonce TEXT CHECK (nonce <> ''),   -- the page's name for a save; NULL: none
    seconds REAL CHECK (seconds >= 0), -- the judge looked; NULL: not recorded
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
    given_probability REAL CHECK (given_probability BETWEEN 0 AND 1),
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
    -- float32 by pool position, little-endian: in [0, 1], -1 not asked, -2 unreadable.
    -- NULL: the grader gives ratings alone; else ratings are the fifths reached.
    probability BLOB
        CHECK (probability IS NULL OR length(probability) = 4 * length(ratings)),
    PRIMARY KEY (grader_id, query_id, item_id, key_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE embedding (
    responder_id INTEGER NOT NULL REFERENCES responder,
    text_id INTEGER NOT NULL REFERENCES text,
    dimensions INTEGER NOT NULL CHECK (dimensions > 0),
    vectors BLOB NOT NULL CHECK (length(vectors) % (2 * dimensions) = 0),
    PRIMARY KEY (responder_id, text_id)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX batch_by_nonce ON batch (nonce) WHERE nonce IS NOT NULL;

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
    uncounted INTEGER NOT NULL DEFAULT 0 CHECK (uncounted IN (0, 1)),
    CHECK ((holder IS NOT NULL) = (state = 'asking'))
) STRICT;

CREATE INDEX generation_by_query ON generation (query_id);

CREATE INDEX generation_by_key ON generation (sha256);

CREATE INDEX generation_asking ON generation (holder) WHERE holder IS NOT NULL;

CREATE TABLE setting (
    key TEXT PRIMARY KEY CHECK (
        key IN ('title', 'min_relevance', 'guidelines', 'blind', 'human_first', 'generation')
    ),
    value TEXT NOT NULL
) STRICT;

CREATE TABLE job (
    job_id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL CHECK (kind IN ('grade', 'generate')),
    spec TEXT NOT NULL CHECK (json_valid(spec)),
    state TEXT NOT NULL
        CHECK (state IN ('running', 'paused', 'stopped', 'done', 'failed')),
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
    -- What its model was asked, over all runs: prompts, those whose passage was cut,
    -- unreadable responses, and tokens where the model counts them; answers cut off at
    -- the limit of tokens, answers refused, and prompts whose tokens nobody counted.
    prompts INTEGER NOT NULL DEFAULT 0 CHECK (prompts >= 0),
    cut INTEGER NOT NULL DEFAULT 0 CHECK (cut BETWEEN 0 AND prompts),
    unreadable INTEGER NOT NULL DEFAULT 0 CHECK (unreadable BETWEEN 0 AND prompts),
    tokens_in INTEGER NOT NULL DEFAULT 0 CHECK (tokens_in >= 0),
    tokens_out INTEGER NOT NULL DEFAULT 0 CHECK (tokens_out >= 0),
    unfinished INTEGER NOT NULL DEFAULT 0 CHECK (unfinished >= 0),
    refused INTEGER NOT NULL DEFAULT 0 CHECK (refused >= 0),
    uncounted INTEGER NOT NULL DEFAULT 0 CHECK (uncounted >= 0),
    warning TEXT NOT NULL DEFAULT '',
    CHECK ((error IS NOT NULL) = (state = 'failed'))
) STRICT;

-- The passages of a query's gold article, in its order. They are in the pool too.
CREATE TABLE gold (
    query_id TEXT NOT NULL REFERENCES query,
    position INTEGER NOT NULL CHECK (position >= 0),
    passage INTEGER NOT NULL REFERENCES passage,
    PRIMARY KEY (query_id, position),
    UNIQUE (query_id, passage)
) STRICT, WITHOUT ROWID;

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
    board TEXT NOT NULL CHECK (json_valid(board)), -- [[system, rank, score, stderr]]
    min_answered INTEGER NOT NULL DEFAULT 1 CHECK (min_answered >= 1),
    label TEXT NOT NULL DEFAULT 'max'
        CHECK (label IN ('max', 'mean', 'top3', 'answered')),
    -- Outside the hash; NULL: nothing could be said.
    certificate TEXT CHECK (certificate IS NULL OR json_valid(certificate)),
    stability TEXT CHECK (stability IS NULL OR json_valid(stability))
) STRICT;

-- Numbers that the bundle this workspace was rebuilt from holds, to be computed again.
CREATE TABLE published (
    path TEXT PRIMARY KEY CHECK (path <> ''),      -- inside the bundle
    manifest TEXT NOT NULL CHECK (json_valid(manifest)),
    body TEXT NOT NULL
) STRICT;

-- Which passages of a query a grader was asked about last. No row: all of them.
CREATE TABLE budget (
    grader_id INTEGER NOT NULL REFERENCES grader,
    query_id TEXT NOT NULL REFERENCES query,
    depth INTEGER CHECK (depth >= 1),   -- NULL: not by rank
    sample INTEGER CHECK (sample >= 1), -- NULL: none drawn
    seed INTEGER,
    judged INTEGER NOT NULL DEFAULT 1 CHECK (judged IN (0, 1)), -- whatever their rank
    PRIMARY KEY (grader_id, query_id),
    CHECK (depth IS NOT NULL OR sample IS NOT NULL),
    CHECK ((seed IS NULL) = (sample IS NULL))
) STRICT, WITHOUT ROWID;

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

-- What a document is cut into; both are passages with a text.
CREATE TABLE segment (
    document INTEGER NOT NULL REFERENCES passage,
    position INTEGER NOT NULL CHECK (position >= 1),
    passage INTEGER NOT NULL UNIQUE REFERENCES passage CHECK (passage <> document),
    PRIMARY KEY (document, position)
) STRICT, WITHOUT ROWID;

-- In how many texts of the collection each stem stood when a grader that weighs words
-- was made; sha256 is the content key of all counts. Never changes: a grader that is
-- to weigh by other counts is another grader.
CREATE TABLE frequencies (
    sha256 TEXT PRIMARY KEY,
    texts INTEGER NOT NULL CHECK (texts >= 0),
    by_stem TEXT NOT NULL CHECK (json_valid(by_stem))  -- {stem: texts that hold it}
) STRICT, WITHOUT ROWID;

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

-- Nobody: whoever reaches the app may do everything there.
CREATE TABLE person (
    name TEXT NOT NULL PRIMARY KEY CHECK (name <> ''),
    role TEXT NOT NULL CHECK (role IN ('organizer', 'judge', 'viewer')),
    added_at TEXT NOT NULL,
    added_by TEXT NOT NULL
) STRICT;

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

-- The pairs that a judge was drawn last, answered or not: a page that is opened again
-- goes on with them. The next draw takes their place; what was answered is in mark.
CREATE TABLE to_check (
    judge TEXT NOT NULL,
    of TEXT NOT NULL CHECK (of IN ('pairs', 'passages', 'opinions', 'assigned')),
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

CREATE INDEX batch_by_inverse ON batch (inverse_of) WHERE inverse_of IS NOT NULL;

CREATE INDEX batch_of_import ON batch (kind) WHERE kind = 'import';

CREATE INDEX event_first ON event (query_id, event_id) WHERE before IS NULL;

-- What judges say now, a row a mark; the kind says what target and value hold, see
-- bank/marks/. judge '': the mark is the bank's.
CREATE TABLE mark (
    query_id TEXT NOT NULL REFERENCES query,
    kind TEXT NOT NULL CHECK (kind <> ''),
    target TEXT NOT NULL CHECK (json_valid(target)),
    judge TEXT NOT NULL,
    value TEXT NOT NULL CHECK (json_valid(value)),
    at TEXT NOT NULL,                 -- ISO 8601, UTC
    PRIMARY KEY (query_id, kind, target, judge)
) STRICT, WITHOUT ROWID;
