PRAGMA application_id = 1129665089;
PRAGMA user_version = 31;
BEGIN TRANSACTION;
CREATE TABLE answer_key (
    key_id INTEGER PRIMARY KEY,       
    sha256 TEXT NOT NULL UNIQUE,
    answers TEXT NOT NULL CHECK (json_valid(answers))
) STRICT;
INSERT INTO "answer_key" VALUES(0,'','[]');
CREATE TABLE assignment (
    work TEXT NOT NULL CHECK (work IN ('curate', 'votes', 'checks')),
    query_id TEXT NOT NULL REFERENCES query,
    judge TEXT NOT NULL CHECK (judge <> ''),
    wanted INTEGER NOT NULL CHECK (wanted BETWEEN 0 AND 100000), 
    at TEXT NOT NULL,
    by TEXT NOT NULL,
    PRIMARY KEY (work, query_id, judge),
    CHECK ((work = 'checks') = (wanted > 0))
) STRICT;
CREATE TABLE batch (
    batch_id INTEGER PRIMARY KEY,
    at TEXT NOT NULL,
    by TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('import', 'edit', 'undo', 'redo')),
    inverse_of INTEGER REFERENCES batch,
    shown TEXT, nonce TEXT CHECK (nonce <> ''), seconds REAL CHECK (seconds >= 0),                       
    CHECK ((inverse_of IS NULL) = (kind IN ('import', 'edit')))
) STRICT;
INSERT INTO "batch" VALUES(1,'2026-11-28T03:31:55.109+00:00','ann','import',NULL,NULL,NULL,NULL);
INSERT INTO "batch" VALUES(2,'2026-11-28T03:31:55.221+00:00','ann','edit',NULL,NULL,NULL,NULL);
INSERT INTO "batch" VALUES(3,'2026-11-28T03:31:55.235+00:00','ann','edit',NULL,NULL,NULL,NULL);
INSERT INTO "batch" VALUES(4,'2026-11-28T03:31:55.236+00:00','ann','edit',NULL,NULL,NULL,NULL);
INSERT INTO "batch" VALUES(5,'2026-11-28T03:31:55.255+00:00','ann','edit',NULL,NULL,NULL,NULL);
INSERT INTO "batch" VALUES(6,'2026-11-28T03:31:55.277+00:00','ann','edit',NULL,NULL,NULL,NULL);
INSERT INTO "batch" VALUES(7,'2026-11-28T03:31:55.309+00:00','ben','edit',NULL,NULL,NULL,NULL);
INSERT INTO "batch" VALUES(8,'2026-11-28T03:31:55.324+00:00','ben','edit',NULL,NULL,NULL,NULL);
INSERT INTO "batch" VALUES(9,'2026-11-28T03:31:55.325+00:00','ben','edit',NULL,NULL,NULL,NULL);
INSERT INTO "batch" VALUES(10,'2026-11-28T03:31:55.326+00:00','ben','undo',9,NULL,NULL,NULL);
CREATE TABLE budget (
    grader_id INTEGER NOT NULL REFERENCES grader,
    query_id TEXT NOT NULL REFERENCES query,
    depth INTEGER CHECK (depth >= 1),   
    sample INTEGER CHECK (sample >= 1), 
    seed INTEGER, judged INTEGER NOT NULL DEFAULT 1
    CHECK (judged IN (0, 1)),
    PRIMARY KEY (grader_id, query_id),
    CHECK (depth IS NOT NULL OR sample IS NOT NULL),
    CHECK ((seed IS NULL) = (sample IS NULL))
) STRICT, WITHOUT ROWID;
CREATE TABLE checked (
    query_id TEXT NOT NULL REFERENCES query,
    item TEXT NOT NULL,               
    passage INTEGER NOT NULL REFERENCES passage,
    judge TEXT NOT NULL,
    answer TEXT NOT NULL CHECK (
        CASE WHEN item <> '' THEN answer IN ('yes', 'no', 'unsure')
        ELSE answer = 'unsure' OR (answer = CAST(CAST(answer AS INTEGER) AS TEXT)
            AND CAST(answer AS INTEGER) BETWEEN 0 AND 30000) END
    ),
    probability REAL CHECK (probability > 0 AND probability <= 1), 
    drawn INTEGER NOT NULL CHECK (drawn >= 0), 
    seconds REAL CHECK (seconds >= 0), 
    at TEXT NOT NULL,                 
    CHECK ((probability IS NULL) = (drawn = 0)),
    PRIMARY KEY (query_id, item, passage, judge)
) STRICT, WITHOUT ROWID;
INSERT INTO "checked" VALUES('q1','',1,'ann','2',NULL,0,NULL,'2026-11-28T03:31:55.219224+00:00');
INSERT INTO "checked" VALUES('q1','Why is it?',1,'ann','yes',0.1,7,2.5,'2026-11-28T03:31:55.219199+00:00');
CREATE TABLE claim (
    responder_id INTEGER NOT NULL REFERENCES responder,
    item_id INTEGER NOT NULL REFERENCES item,
    text_id INTEGER NOT NULL REFERENCES text,
    holder TEXT NOT NULL CHECK (holder <> ''),
    until REAL NOT NULL,              
    PRIMARY KEY (responder_id, item_id, text_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE clock (
    scope TEXT PRIMARY KEY,
    value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO "clock" VALUES('bank/q1',3606320590286911504);
INSERT INTO "clock" VALUES('bank/q2',2536575812985897681);
INSERT INTO "clock" VALUES('collection',5417780029331624460);
INSERT INTO "clock" VALUES('graders',4247471431847073266);
INSERT INTO "clock" VALUES('grades/1/q1',6629904069713054388);
INSERT INTO "clock" VALUES('grades/1/q2',2527258082835207815);
CREATE TABLE decision (
    query_id TEXT NOT NULL REFERENCES query,
    key TEXT NOT NULL CHECK (key <> ''), 
    value TEXT NOT NULL CHECK (value <> ''),
    state TEXT NOT NULL,              
    reason TEXT NOT NULL,             
    judge TEXT NOT NULL,
    at TEXT NOT NULL,                 
    PRIMARY KEY (query_id, key)
) STRICT, WITHOUT ROWID;
INSERT INTO "decision" VALUES('q1','vote q1/a','vital','s','','ben','2026-11-28T03:31:55.324+00:00');
CREATE TABLE digest (
    of TEXT NOT NULL,                 
    part TEXT NOT NULL,               
    value INTEGER NOT NULL,           
    PRIMARY KEY (of, part)
) STRICT, WITHOUT ROWID;
INSERT INTO "digest" VALUES('answer_key','',-6026863009570826576);
INSERT INTO "digest" VALUES('batch','',-4250571682776960950);
INSERT INTO "digest" VALUES('checked','q1',-1713910721183654766);
INSERT INTO "digest" VALUES('decision','q1',2073044165349374720);
INSERT INTO "digest" VALUES('dismissal','q1',6781534783386914753);
INSERT INTO "digest" VALUES('done','q2',-7221474795181215440);
INSERT INTO "digest" VALUES('event','q1',2734488836815790469);
INSERT INTO "digest" VALUES('event','q2',5430283370160861510);
INSERT INTO "digest" VALUES('grader','',-8675221767645161375);
INSERT INTO "digest" VALUES('ideal','q1',480157786882618170);
INSERT INTO "digest" VALUES('item','',822617094893760399);
INSERT INTO "digest" VALUES('judgment','q1',3990301623615278594);
INSERT INTO "digest" VALUES('note','q1',6460129562814743751);
INSERT INTO "digest" VALUES('official','',-7503297536932098688);
INSERT INTO "digest" VALUES('passage','',1414899976797479172);
INSERT INTO "digest" VALUES('pool','q1',4865885106082435947);
INSERT INTO "digest" VALUES('pool','q2',1717756644952928142);
INSERT INTO "digest" VALUES('query','q1',4779608608716342503);
INSERT INTO "digest" VALUES('query','q2',-4845072828661846333);
INSERT INTO "digest" VALUES('question','q1',-5043184010211269889);
INSERT INTO "digest" VALUES('question','q2',5319719773332210068);
INSERT INTO "digest" VALUES('ranking','q1',7997565450320023503);
INSERT INTO "digest" VALUES('ranking','q2',-6407040079043560773);
INSERT INTO "digest" VALUES('rating_vector','1/q1',8473100496080913712);
INSERT INTO "digest" VALUES('rating_vector','1/q2',2946462997803731549);
INSERT INTO "digest" VALUES('responder','',-5342199802612800728);
INSERT INTO "digest" VALUES('response','1/1',2467981302480955994);
INSERT INTO "digest" VALUES('response','1/2',-5704142699866849986);
INSERT INTO "digest" VALUES('response','1/3',4931676474726479887);
INSERT INTO "digest" VALUES('response','1/4',2095357557393934032);
INSERT INTO "digest" VALUES('setting','',-1683703430303550246);
INSERT INTO "digest" VALUES('system','',7508141954560087019);
INSERT INTO "digest" VALUES('text','',-4098452136393282438);
INSERT INTO "digest" VALUES('verdict','q1',950470680014396738);
INSERT INTO "digest" VALUES('vote','',5688217837964563898);
CREATE TABLE dismissal (
    query_id TEXT NOT NULL REFERENCES query,
    key TEXT NOT NULL CHECK (key <> ''), 
    state TEXT NOT NULL,              
    reason TEXT NOT NULL CHECK (reason <> ''),
    judge TEXT NOT NULL,
    at TEXT NOT NULL,                 
    PRIMARY KEY (query_id, key)
) STRICT, WITHOUT ROWID;
INSERT INTO "dismissal" VALUES('q1','unanswerable q1/a','s','It is fine.','ann','2026-11-28T03:31:55.236+00:00');
CREATE TABLE done (
    query_id TEXT NOT NULL REFERENCES query,
    judge TEXT NOT NULL,
    at TEXT NOT NULL,
    PRIMARY KEY (query_id, judge)
) STRICT, WITHOUT ROWID;
INSERT INTO "done" VALUES('q2','ann','2026-11-28T03:31:55.236+00:00');
CREATE TABLE embedding (
    responder_id INTEGER NOT NULL REFERENCES responder,
    text_id INTEGER NOT NULL REFERENCES text,
    dimensions INTEGER NOT NULL CHECK (dimensions > 0),
    vectors BLOB NOT NULL CHECK (length(vectors) % (2 * dimensions) = 0),
    PRIMARY KEY (responder_id, text_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE event (
    event_id INTEGER PRIMARY KEY,
    batch_id INTEGER NOT NULL REFERENCES batch,
    query_id TEXT NOT NULL REFERENCES query,
    question_id TEXT,                 
    kind TEXT NOT NULL,
    before TEXT CHECK (before IS NULL OR json_valid(before)),
    after TEXT CHECK (after IS NULL OR json_valid(after)),
    reason TEXT
) STRICT;
INSERT INTO "event" VALUES(1,1,'q1','q1/a','import',NULL,'{"question_id": "q1/a", "query_id": "q1", "text": "Why is it?", "kind": "question", "state": "kept", "subtopic_id": null, "choices": [], "answers": [], "provenance": "{}", "revision": 1}',NULL);
INSERT INTO "event" VALUES(2,1,'q1','q1/b','import',NULL,'{"question_id": "q1/b", "query_id": "q1", "text": "Is <script>window.hurt=1</script><img src=x onerror=\"window.hurt=1\"> **bold** :red[r] {{x}} %s ${x} a question?", "kind": "question", "state": "kept", "subtopic_id": null, "choices": [], "answers": [], "provenance": "{}", "revision": 1}',NULL);
INSERT INTO "event" VALUES(3,1,'q1','q1/c','import',NULL,'{"question_id": "q1/c", "query_id": "q1", "text": "When is it?", "kind": "question", "state": "kept", "subtopic_id": null, "choices": [], "answers": [], "provenance": "{}", "revision": 1}',NULL);
INSERT INTO "event" VALUES(4,1,'q2','q2/d','import',NULL,'{"question_id": "q2/d", "query_id": "q2", "text": "Who is it?", "kind": "question", "state": "kept", "subtopic_id": null, "choices": [], "answers": [], "provenance": "{}", "revision": 1}',NULL);
INSERT INTO "event" VALUES(5,2,'q1',NULL,'vote','{"question_id": "q1/a", "vote": null}','{"question_id": "q1/a", "vote": "vital"}',NULL);
INSERT INTO "event" VALUES(6,2,'q1',NULL,'verdict','{"question_id": "q1/a", "question": "Why is it?", "answer": "so", "verdict": null}','{"question_id": "q1/a", "question": "Why is it?", "answer": "so", "verdict": "right"}',NULL);
INSERT INTO "event" VALUES(7,2,'q1',NULL,'check','{"question_id": "q1/a", "item": "Why is it?", "passage_id": "p1", "check": null}','{"question_id": "q1/a", "item": "Why is it?", "passage_id": "p1", "check": {"answer": "yes", "probability": 0.1, "drawn": 7, "seconds": 2.5, "at": "2026-11-28T03:31:55.219199+00:00"}}',NULL);
INSERT INTO "event" VALUES(8,2,'q1',NULL,'check','{"question_id": null, "item": null, "passage_id": "p1", "check": null}','{"question_id": null, "item": null, "passage_id": "p1", "check": {"answer": "2", "probability": null, "drawn": 0, "seconds": null, "at": "2026-11-28T03:31:55.219224+00:00"}}',NULL);
INSERT INTO "event" VALUES(9,3,'q1',NULL,'ideal','{"passage_id": "p1", "start": 0, "end": null, "ideal": false}','{"passage_id": "p1", "start": 0, "end": null, "ideal": true}',NULL);
INSERT INTO "event" VALUES(10,3,'q1',NULL,'ideal','{"passage_id": "p1", "start": 0, "end": 3, "judge": "ann", "grade": 2, "ideal": false}','{"passage_id": "p1", "start": 0, "end": 3, "judge": "ann", "grade": 2, "ideal": true}',NULL);
INSERT INTO "event" VALUES(11,4,'q1',NULL,'note','{"question_id": "q1/a", "note": null}','{"question_id": "q1/a", "note": {"text": "Too easy? “Why”", "flagged": true}}',NULL);
INSERT INTO "event" VALUES(12,4,'q2',NULL,'done',NULL,NULL,NULL);
INSERT INTO "event" VALUES(13,4,'q1',NULL,'dismiss','{"key": "unanswerable q1/a", "dismissal": null}','{"key": "unanswerable q1/a", "dismissal": {"key": "unanswerable q1/a", "state": "s", "reason": "It is fine.", "judge": "ann"}}',NULL);
INSERT INTO "event" VALUES(14,5,'q1','q1/480f0182c97f0d400d310cb9315b1e42','add',NULL,'{"question_id": "q1/480f0182c97f0d400d310cb9315b1e42", "query_id": "q1", "text": "Where is it?", "kind": "question", "state": "kept", "subtopic_id": null, "choices": [], "answers": [], "provenance": "{}", "revision": 1}',NULL);
INSERT INTO "event" VALUES(15,6,'q1',NULL,'vote','{"question_id": "q1/480f0182c97f0d400d310cb9315b1e42", "vote": null}','{"question_id": "q1/480f0182c97f0d400d310cb9315b1e42", "vote": "okay"}',NULL);
INSERT INTO "event" VALUES(16,7,'q1',NULL,'vote','{"question_id": "q1/a", "vote": null}','{"question_id": "q1/a", "vote": "okay"}',NULL);
INSERT INTO "event" VALUES(17,8,'q1',NULL,'decide','{"key": "vote q1/a", "decision": null}','{"key": "vote q1/a", "decision": {"key": "vote q1/a", "value": "vital", "state": "s", "reason": "", "judge": "ben"}}',NULL);
INSERT INTO "event" VALUES(18,9,'q1',NULL,'vote','{"question_id": "q1/b", "vote": null}','{"question_id": "q1/b", "vote": "okay"}',NULL);
INSERT INTO "event" VALUES(19,10,'q1',NULL,'undo vote','{"question_id": "q1/b", "vote": "okay"}','{"question_id": "q1/b", "vote": null}',NULL);
CREATE TABLE extra (
    entity TEXT NOT NULL,
    key TEXT NOT NULL,
    format TEXT NOT NULL,
    json TEXT NOT NULL CHECK (json_valid(json)),
    PRIMARY KEY (entity, key, format)
) STRICT, WITHOUT ROWID;
CREATE TABLE frequencies (
    sha256 TEXT PRIMARY KEY,
    texts INTEGER NOT NULL CHECK (texts >= 0),
    by_stem TEXT NOT NULL CHECK (json_valid(by_stem))  
) STRICT, WITHOUT ROWID;
CREATE TABLE generation (
    generation_id INTEGER PRIMARY KEY,
    query_id TEXT NOT NULL REFERENCES query,
    subtopic_id TEXT,                 
    passage INTEGER REFERENCES passage, 
    sha256 TEXT NOT NULL,             
    prompt TEXT NOT NULL CHECK (prompt <> ''),
    kind TEXT NOT NULL CHECK (kind IN ('question', 'nugget')),
    text_id INTEGER NOT NULL REFERENCES text, 
    model TEXT NOT NULL CHECK (model <> ''),
    parameters TEXT NOT NULL CHECK (json_valid(parameters)),
    by TEXT NOT NULL,
    at TEXT NOT NULL,                 
    state TEXT NOT NULL CHECK (state IN ('asking', 'whole', 'broken')),
    raw TEXT NOT NULL DEFAULT '',     
    error TEXT,                       
    found INTEGER NOT NULL DEFAULT 0 CHECK (found >= 0),
    proposed INTEGER NOT NULL DEFAULT 0 CHECK (proposed BETWEEN 0 AND found),
    tokens_in INTEGER NOT NULL DEFAULT 0 CHECK (tokens_in >= 0),
    tokens_out INTEGER NOT NULL DEFAULT 0 CHECK (tokens_out >= 0),
    holder TEXT, uncounted INTEGER NOT NULL DEFAULT 0
    CHECK (uncounted IN (0, 1)),                      
    CHECK ((holder IS NOT NULL) = (state = 'asking'))
) STRICT;
CREATE TABLE gold (
    query_id TEXT NOT NULL REFERENCES query,
    position INTEGER NOT NULL CHECK (position >= 0),
    passage INTEGER NOT NULL REFERENCES passage,
    PRIMARY KEY (query_id, position),
    UNIQUE (query_id, passage)
) STRICT, WITHOUT ROWID;
CREATE TABLE grader (
    grader_id INTEGER PRIMARY KEY,
    sha256 TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL UNIQUE,
    responder_id INTEGER NOT NULL REFERENCES responder,
    spec TEXT NOT NULL CHECK (json_valid(spec))
) STRICT;
INSERT INTO "grader" VALUES(1,'g1:f2a0f5e7e89f3ef99256020690008119ed979bc3da9183b1f6649e0d76257f99','fake-llm/Rated',1,'{"name": "fake-llm/Rated", "responder": {"model": "fake-llm", "revision": "", "prompt": "Rated", "decoding": [["llm_options", "{}"], ["prompt_info", "{\"is_self_rated\":true,\"prompt_class\":\"Rated\"}"]]}, "reading": {"kind": "rated", "item_kind": "question", "parser": "as given", "thresholds": [], "answers_of": ""}}');
CREATE TABLE handed (
    number INTEGER PRIMARY KEY,
    at TEXT NOT NULL,
    by TEXT NOT NULL,
    work TEXT NOT NULL CHECK (work IN ('curate', 'votes', 'checks')),
    query_id TEXT NOT NULL REFERENCES query,
    taken_from TEXT,                  
    given_to TEXT,                    
    CHECK (taken_from IS NOT NULL OR given_to IS NOT NULL)
) STRICT;
CREATE TABLE "ideal" (
    query_id TEXT NOT NULL REFERENCES query,
    passage INTEGER NOT NULL REFERENCES passage,
    start INTEGER NOT NULL CHECK (start >= 0),
    end INTEGER NOT NULL CHECK (end = -1 OR end > start), 
    
    judge TEXT NOT NULL DEFAULT '' CHECK (judge IN ('', by)),
    grade INTEGER CHECK (grade >= 1), 
    by TEXT NOT NULL,
    at TEXT NOT NULL,                 
    PRIMARY KEY (query_id, passage, start, end, judge)
) STRICT, WITHOUT ROWID;
INSERT INTO "ideal" VALUES('q1',1,0,-1,'',NULL,'ann','2026-11-28T03:31:55.235+00:00');
INSERT INTO "ideal" VALUES('q1',1,0,3,'ann',2,'ann','2026-11-28T03:31:55.235+00:00');
CREATE TABLE item (
    item_id INTEGER PRIMARY KEY,
    sha256 TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL CHECK (kind IN ('question', 'nugget', 'query', 'candidate')),
    text_id INTEGER REFERENCES text,  
    public_id TEXT,
    choices TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(choices)),
    candidate TEXT,
    CHECK (text_id IS NOT NULL OR public_id IS NOT NULL)
) STRICT;
INSERT INTO "item" VALUES(1,'g1:17a5068d92a1ece0bb3717571f4427e09eba946c588041b1744b5a31fa8e2418','question',2,NULL,'[]',NULL);
INSERT INTO "item" VALUES(2,'g1:9dd898ebfdf862b12d3c1c027ea87355854c94a30f69d4dbca7bc42ce3d19d67','question',3,NULL,'[]',NULL);
INSERT INTO "item" VALUES(3,'g1:4f75dd0d7507b915516da53fe72263a534720416e18b2bd7e51d08f8d1eef561','question',4,NULL,'[]',NULL);
INSERT INTO "item" VALUES(4,'g1:5c19a9c8b284f47a5a1db990542ff964baced7e1f02d09f3027f87e80c3bfb31','question',1,NULL,'[]',NULL);
INSERT INTO "item" VALUES(5,'g1:1d69a000ded969fa2bc6998360a41d5b5a44b7ec689ca43ff88f1fb6ec4e95e0','question',9,NULL,'[]',NULL);
CREATE TABLE "job" (
    job_id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL CHECK (kind IN ('grade', 'generate')),
    spec TEXT NOT NULL CHECK (json_valid(spec)),
    state TEXT NOT NULL
        CHECK (state IN ('running', 'paused', 'stopped', 'done', 'failed')),
    by TEXT NOT NULL,
    started_at TEXT NOT NULL,         
    run INTEGER NOT NULL DEFAULT 1 CHECK (run >= 1),
    run_began REAL NOT NULL,          
    run_done INTEGER NOT NULL DEFAULT 0 CHECK (run_done >= 0),
    host TEXT,                        
    pid INTEGER,                      
    heartbeat REAL NOT NULL,          
    done INTEGER NOT NULL DEFAULT 0 CHECK (done >= run_done),
    total INTEGER NOT NULL CHECK (total >= done),
    error TEXT,                       
    
    
    prompts INTEGER NOT NULL DEFAULT 0 CHECK (prompts >= 0),
    cut INTEGER NOT NULL DEFAULT 0 CHECK (cut BETWEEN 0 AND prompts),
    unreadable INTEGER NOT NULL DEFAULT 0 CHECK (unreadable BETWEEN 0 AND prompts),
    tokens_in INTEGER NOT NULL DEFAULT 0 CHECK (tokens_in >= 0),
    tokens_out INTEGER NOT NULL DEFAULT 0 CHECK (tokens_out >= 0), unfinished INTEGER NOT NULL DEFAULT 0
    CHECK (unfinished >= 0), refused INTEGER NOT NULL DEFAULT 0 CHECK (refused >= 0), uncounted INTEGER NOT NULL DEFAULT 0 CHECK (uncounted >= 0), warning TEXT NOT NULL DEFAULT '',
    CHECK ((error IS NOT NULL) = (state = 'failed'))
) STRICT;
CREATE TABLE judgment (
    query_id TEXT NOT NULL REFERENCES query,
    passage INTEGER NOT NULL REFERENCES passage,
    grade INTEGER NOT NULL CHECK (grade BETWEEN -30000 AND 30000),
    PRIMARY KEY (query_id, passage)
) STRICT, WITHOUT ROWID;
INSERT INTO "judgment" VALUES('q1',1,2);
INSERT INTO "judgment" VALUES('q1',2,0);
CREATE TABLE norming_answer (
    answer_id INTEGER PRIMARY KEY,    
    round_id INTEGER NOT NULL,
    place INTEGER NOT NULL,
    judge TEXT NOT NULL,
    answer TEXT,                      
    blind INTEGER NOT NULL CHECK (blind IN (0, 1)), 
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
CREATE TABLE norming_item (
    round_id INTEGER NOT NULL REFERENCES norming_round,
    place INTEGER NOT NULL CHECK (place >= 0),
    query_id TEXT NOT NULL,
    question_id TEXT,                 
    passage_id TEXT,                  
    query TEXT NOT NULL,
    question TEXT CHECK (question <> ''),
    passage TEXT CHECK (passage <> ''),
    CHECK ((question_id IS NULL) = (question IS NULL)),
    CHECK ((passage_id IS NULL) = (passage IS NULL)),
    PRIMARY KEY (round_id, place)
) STRICT, WITHOUT ROWID;
CREATE TABLE norming_round (
    round_id INTEGER PRIMARY KEY,
    asks TEXT NOT NULL CHECK (asks IN ('pairs', 'passages', 'votes')),
    highest INTEGER NOT NULL CHECK (highest BETWEEN 0 AND 30000), 
    seed INTEGER,                     
    opened_at TEXT NOT NULL,          
    opened_by TEXT NOT NULL,
    revealed_at TEXT,                 
    revealed_by TEXT,
    closed_at TEXT,                   
    closed_by TEXT,
    nonce TEXT UNIQUE,
    CHECK ((revealed_at IS NULL) = (revealed_by IS NULL)),
    CHECK ((closed_at IS NULL) = (closed_by IS NULL))
) STRICT;
CREATE TABLE note (
    query_id TEXT NOT NULL REFERENCES query,
    question_id TEXT NOT NULL,
    judge TEXT NOT NULL,
    text TEXT NOT NULL,               
    flagged INTEGER NOT NULL CHECK (flagged IN (0, 1)),
    at TEXT NOT NULL,                 
    CHECK (text <> '' OR flagged),
    PRIMARY KEY (query_id, question_id, judge)
) STRICT, WITHOUT ROWID;
INSERT INTO "note" VALUES('q1','q1/a','ann','Too easy? “Why”',1,'2026-11-28T03:31:55.236+00:00');
CREATE TABLE official (
    system TEXT PRIMARY KEY,
    rank REAL NOT NULL CHECK (rank > 0)
) STRICT;
INSERT INTO "official" VALUES('one',1.0);
INSERT INTO "official" VALUES('two',2.0);
CREATE TABLE passage (
    number INTEGER PRIMARY KEY,
    passage_id TEXT NOT NULL UNIQUE CHECK (passage_id <> ''),
    text_id INTEGER REFERENCES text   
) STRICT;
INSERT INTO "passage" VALUES(1,'p1',5);
INSERT INTO "passage" VALUES(2,'p2',6);
INSERT INTO "passage" VALUES(3,'p3',7);
CREATE TABLE person (
    name TEXT NOT NULL PRIMARY KEY CHECK (name <> ''),
    role TEXT NOT NULL CHECK (role IN ('organizer', 'judge', 'viewer')),
    added_at TEXT NOT NULL,
    added_by TEXT NOT NULL
) STRICT;
CREATE TABLE pool (
    query_id TEXT NOT NULL REFERENCES query,
    position INTEGER NOT NULL CHECK (position >= 0),
    passage INTEGER NOT NULL REFERENCES passage,
    PRIMARY KEY (query_id, position),
    UNIQUE (query_id, passage)
) STRICT, WITHOUT ROWID;
INSERT INTO "pool" VALUES('q1',0,1);
INSERT INTO "pool" VALUES('q1',1,2);
INSERT INTO "pool" VALUES('q2',0,3);
CREATE TABLE published (
    path TEXT PRIMARY KEY CHECK (path <> ''),      
    manifest TEXT NOT NULL CHECK (json_valid(manifest)),
    body TEXT NOT NULL
) STRICT;
CREATE TABLE query (
    query_id TEXT PRIMARY KEY CHECK (query_id <> ''),
    position INTEGER NOT NULL UNIQUE,
    title TEXT,       
    background TEXT
) STRICT;
INSERT INTO "query" VALUES('q1',1,'What is it?',NULL);
INSERT INTO "query" VALUES('q2',2,'Who?',NULL);
CREATE TABLE question (
    number INTEGER PRIMARY KEY,       
    question_id TEXT NOT NULL UNIQUE CHECK (question_id <> ''),
    query_id TEXT NOT NULL REFERENCES query,
    subtopic_id TEXT,
    text_id INTEGER REFERENCES text,  
    item_id INTEGER NOT NULL REFERENCES item,
    key_id INTEGER NOT NULL DEFAULT 0 REFERENCES answer_key,
    state TEXT NOT NULL CHECK (state IN ('proposed', 'kept', 'retired')),
    provenance TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(provenance)),
    revision INTEGER NOT NULL CHECK (revision >= 1)
) STRICT;
INSERT INTO "question" VALUES(1,'q1/a','q1',NULL,2,1,0,'kept','{}',1);
INSERT INTO "question" VALUES(2,'q1/b','q1',NULL,3,2,0,'kept','{}',1);
INSERT INTO "question" VALUES(3,'q1/c','q1',NULL,4,3,0,'kept','{}',1);
INSERT INTO "question" VALUES(4,'q2/d','q2',NULL,1,4,0,'kept','{}',1);
INSERT INTO "question" VALUES(14,'q1/480f0182c97f0d400d310cb9315b1e42','q1',NULL,9,5,0,'kept','{}',1);
CREATE TABLE ranking (
    system INTEGER NOT NULL REFERENCES system,
    query_id TEXT NOT NULL REFERENCES query,
    passages BLOB NOT NULL CHECK (length(passages) % 4 = 0),
    scores BLOB NOT NULL CHECK (length(scores) = 2 * length(passages)),
    PRIMARY KEY (system, query_id)
) STRICT, WITHOUT ROWID;
INSERT INTO "ranking" VALUES(1,'q1',X'01000000',X'000000000000F03F');
INSERT INTO "ranking" VALUES(1,'q2',X'03000000',X'000000000000F03F');
INSERT INTO "ranking" VALUES(2,'q1',X'02000000',X'000000000000F03F');
INSERT INTO "ranking" VALUES(2,'q2',X'03000000',X'000000000000F03F');
CREATE TABLE rating_vector (
    grader_id INTEGER NOT NULL REFERENCES grader,
    query_id TEXT NOT NULL REFERENCES query,
    item_id INTEGER NOT NULL REFERENCES item,
    key_id INTEGER NOT NULL DEFAULT 0 REFERENCES answer_key,
    ratings BLOB NOT NULL, probability BLOB
    CHECK (probability IS NULL OR length(probability) = 4 * length(ratings)),
    PRIMARY KEY (grader_id, query_id, item_id, key_id)
) STRICT, WITHOUT ROWID;
INSERT INTO "rating_vector" VALUES(1,'q1',1,0,X'0500',NULL);
INSERT INTO "rating_vector" VALUES(1,'q1',2,0,X'0400',NULL);
INSERT INTO "rating_vector" VALUES(1,'q1',3,0,X'0005',NULL);
INSERT INTO "rating_vector" VALUES(1,'q2',4,0,X'00',NULL);
CREATE TABLE release (
    release_id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE CHECK (name <> ''),
    at TEXT NOT NULL,                 
    by TEXT NOT NULL,
    why TEXT NOT NULL,                
    event_id INTEGER NOT NULL CHECK (event_id >= 0), 
    sha256 TEXT NOT NULL,             
    grader TEXT NOT NULL,
    measure TEXT NOT NULL,
    min_rating INTEGER NOT NULL CHECK (min_rating BETWEEN 0 AND 5),
    k INTEGER NOT NULL CHECK (k >= 1),
    questions INTEGER NOT NULL CHECK (questions >= 0),
    labels INTEGER NOT NULL CHECK (labels >= 0),
    needed INTEGER NOT NULL CHECK (needed >= 0),
    known INTEGER NOT NULL CHECK (known BETWEEN 0 AND needed),
    body TEXT NOT NULL CHECK (json_valid(body)),   
    board TEXT NOT NULL CHECK (json_valid(board))  
, min_answered INTEGER NOT NULL DEFAULT 1 CHECK (min_answered >= 1), label TEXT NOT NULL DEFAULT 'max'
    CHECK (label IN ('max', 'mean', 'top3', 'answered')), certificate TEXT CHECK (certificate IS NULL OR json_valid(certificate)), stability TEXT CHECK (stability IS NULL OR json_valid(stability))) STRICT;
CREATE TABLE responder (
    responder_id INTEGER PRIMARY KEY,
    sha256 TEXT NOT NULL UNIQUE,
    spec TEXT NOT NULL CHECK (json_valid(spec))
) STRICT;
INSERT INTO "responder" VALUES(1,'g1:4e398fba1538c1f867f410fbd8bb3f93b1ebac9c05fb7763dce83db330c3b6a2','{"model": "fake-llm", "revision": "", "prompt": "Rated", "decoding": [["llm_options", "{}"], ["prompt_info", "{\"is_self_rated\":true,\"prompt_class\":\"Rated\"}"]]}');
CREATE TABLE response (
    responder_id INTEGER NOT NULL REFERENCES responder,
    item_id INTEGER NOT NULL REFERENCES item,
    key_id INTEGER NOT NULL REFERENCES answer_key,  
    text_id INTEGER NOT NULL REFERENCES text,
    raw TEXT,                         
    answer TEXT,                      
    given_rating INTEGER CHECK (given_rating BETWEEN -2 AND 5), given_probability REAL CHECK (given_probability BETWEEN 0 AND 1), 
    PRIMARY KEY (responder_id, item_id, key_id, text_id)
) STRICT, WITHOUT ROWID;
INSERT INTO "response" VALUES(1,1,0,5,'5',NULL,5,NULL);
INSERT INTO "response" VALUES(1,1,0,6,'0',NULL,0,NULL);
INSERT INTO "response" VALUES(1,2,0,5,'4',NULL,4,NULL);
INSERT INTO "response" VALUES(1,2,0,6,'0',NULL,0,NULL);
INSERT INTO "response" VALUES(1,3,0,5,'0',NULL,0,NULL);
INSERT INTO "response" VALUES(1,3,0,6,'5',NULL,5,NULL);
INSERT INTO "response" VALUES(1,4,0,7,'0',NULL,0,NULL);
CREATE TABLE restriction (
    number INTEGER PRIMARY KEY,
    at TEXT NOT NULL,                 
    by TEXT NOT NULL CHECK (by <> ''),
    query_id TEXT NOT NULL REFERENCES query,
    lifted INTEGER NOT NULL CHECK (lifted IN (0, 1))
) STRICT;
CREATE TABLE segment (
    document INTEGER NOT NULL REFERENCES passage,
    position INTEGER NOT NULL CHECK (position >= 1),
    passage INTEGER NOT NULL UNIQUE REFERENCES passage CHECK (passage <> document),
    PRIMARY KEY (document, position)
) STRICT, WITHOUT ROWID;
CREATE TABLE "setting" (
    key TEXT PRIMARY KEY CHECK (key IN ('title', 'min_relevance', 'guidelines', 'blind', 'human_first', 'generation')),
    value TEXT NOT NULL
) STRICT;
INSERT INTO "setting" VALUES('min_relevance','2');
INSERT INTO "setting" VALUES('title','Hand-made');
CREATE TABLE subtopic (
    query_id TEXT NOT NULL REFERENCES query,
    subtopic_id TEXT NOT NULL CHECK (subtopic_id <> ''),
    position INTEGER NOT NULL,
    text TEXT,        
    PRIMARY KEY (query_id, subtopic_id)
) STRICT;
CREATE TABLE subtopic_judgment (
    query_id TEXT NOT NULL,
    subtopic_id TEXT NOT NULL,
    passage INTEGER NOT NULL REFERENCES passage,
    grade INTEGER NOT NULL CHECK (grade BETWEEN -30000 AND 30000),
    PRIMARY KEY (query_id, subtopic_id, passage),
    FOREIGN KEY (query_id, subtopic_id) REFERENCES subtopic
) STRICT, WITHOUT ROWID;
CREATE TABLE subtopic_ranking (
    system INTEGER NOT NULL REFERENCES system,
    query_id TEXT NOT NULL,
    subtopic_id TEXT NOT NULL,
    passages BLOB NOT NULL CHECK (length(passages) % 4 = 0),
    scores BLOB NOT NULL CHECK (length(scores) = 2 * length(passages)),
    PRIMARY KEY (system, query_id, subtopic_id),
    FOREIGN KEY (query_id, subtopic_id) REFERENCES subtopic
) STRICT, WITHOUT ROWID;
CREATE TABLE system (
    number INTEGER PRIMARY KEY,
    system TEXT NOT NULL UNIQUE CHECK (system <> '')
) STRICT;
INSERT INTO "system" VALUES(1,'one');
INSERT INTO "system" VALUES(2,'two');
CREATE TABLE text (
    text_id INTEGER PRIMARY KEY,
    sha256 TEXT NOT NULL UNIQUE,
    body TEXT NOT NULL
, letters INTEGER NOT NULL DEFAULT 0 CHECK (letters >= 0)) STRICT;
INSERT INTO "text" VALUES(1,'g1:299f409c9da76eec791ec0ae3a5c28352863f5d936328d24d2816d46e01a6dd2','Who is it?',8);
INSERT INTO "text" VALUES(2,'g1:99e69649fd5be157a62ee7186adb34831252d221b201ed0aed0ef63b547cca19','Why is it?',8);
INSERT INTO "text" VALUES(3,'g1:c9d23005559a318335b842cc271ef3dfe85cd191f352eeae1b8a088f6686d31f','Is <script>window.hurt=1</script><img src=x onerror="window.hurt=1"> **bold** :red[r] {{x}} %s ${x} a question?',101);
INSERT INTO "text" VALUES(4,'g1:e36739fc31cfa7bc8d65d9c55cffb70cef49e554f9c4e768e9ec9eac294e2cc5','When is it?',9);
INSERT INTO "text" VALUES(5,'g1:415a0ea4c60d05507b494c1b5c425b75450aa4726bc7f3711f1a0c1fe8ad6fb2','Because. <script>window.hurt=1</script><img src=x onerror="window.hurt=1"> **bold** :red[r] {{x}} %s ${x}',97);
INSERT INTO "text" VALUES(6,'g1:95c79286bc846f42c3d05ad0dc277e5f22d766be3e861b47ab4862fc878d4d87','Text of p2.',9);
INSERT INTO "text" VALUES(7,'g1:08dc9ebc8337fe8d70147632655d5d87b5c3d292139436f2b0ce2fea15c38bc4','Text of p3.',9);
INSERT INTO "text" VALUES(8,'g1:0c5713f6567fec27424dd5e7b8027db64eaa0e7e3c016a23d921db4581da010d','so',2);
INSERT INTO "text" VALUES(9,'g1:4bddb5b6f9f8193129fe1de2566d73644678c05755b011622475402740d68c28','Where is it?',10);
CREATE TABLE to_check (
    judge TEXT NOT NULL,
    of TEXT NOT NULL CHECK (of IN ('pairs', 'passages', 'opinions', 'assigned')),
    place INTEGER NOT NULL CHECK (place >= 0),
    at TEXT NOT NULL,                 
    query_id TEXT NOT NULL REFERENCES query,
    question_id TEXT,                 
    item TEXT,                        
    passage INTEGER NOT NULL REFERENCES passage,
    probability REAL CHECK (probability > 0 AND probability <= 1), 
    drawn INTEGER NOT NULL CHECK (drawn >= 0), 
    reason TEXT NOT NULL,             
    CHECK ((question_id IS NULL) = (item IS NULL)),
    CHECK ((probability IS NULL) = (drawn = 0)),
    PRIMARY KEY (judge, of, place)
) STRICT, WITHOUT ROWID;
CREATE TABLE verdict (
    query_id TEXT NOT NULL REFERENCES query,
    question INTEGER NOT NULL REFERENCES text,
    answer INTEGER NOT NULL REFERENCES text,
    judge TEXT NOT NULL,
    question_id TEXT NOT NULL,        
    value TEXT NOT NULL CHECK (value IN ('right', 'wrong')),
    at TEXT NOT NULL,                 
    PRIMARY KEY (query_id, question, answer, judge)
) STRICT, WITHOUT ROWID;
INSERT INTO "verdict" VALUES('q1',2,8,'ann','q1/a','right','2026-11-28T03:31:55.221+00:00');
CREATE TABLE vote (
    question_id TEXT NOT NULL REFERENCES question (question_id),
    judge TEXT NOT NULL,
    value TEXT NOT NULL CHECK (value IN ('vital', 'okay')),
    at TEXT NOT NULL,                 
    PRIMARY KEY (question_id, judge)
) STRICT, WITHOUT ROWID;
INSERT INTO "vote" VALUES('q1/480f0182c97f0d400d310cb9315b1e42','ann','okay','2026-11-28T03:31:55.277+00:00');
INSERT INTO "vote" VALUES('q1/a','ann','vital','2026-11-28T03:31:55.221+00:00');
INSERT INTO "vote" VALUES('q1/a','ben','okay','2026-11-28T03:31:55.309+00:00');
CREATE INDEX question_by_query ON question (query_id, number);
CREATE INDEX event_by_batch ON event (batch_id);
CREATE INDEX event_by_query ON event (query_id, event_id);
CREATE INDEX event_by_question ON event (question_id, event_id);
CREATE UNIQUE INDEX batch_by_nonce ON batch (nonce) WHERE nonce IS NOT NULL;
CREATE INDEX claim_by_holder ON claim (holder);
CREATE INDEX generation_by_query ON generation (query_id);
CREATE INDEX generation_by_key ON generation (sha256);
CREATE INDEX generation_asking ON generation (holder) WHERE holder IS NOT NULL;
CREATE INDEX restriction_by_query ON restriction (query_id, number);
CREATE INDEX batch_by_inverse ON batch (inverse_of) WHERE inverse_of IS NOT NULL;
CREATE INDEX batch_of_import ON batch (kind) WHERE kind = 'import';
CREATE INDEX event_first ON event (query_id, event_id) WHERE before IS NULL;
COMMIT;
