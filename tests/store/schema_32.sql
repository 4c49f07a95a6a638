-- The rows that the version with schema 32 added to the workspace of schema_31.sql.
BEGIN;
INSERT INTO "norming_answer" VALUES(1,1,0,'ann','yes',1,'2026-11-28T07:09:50.805+00:00','a1');
INSERT INTO "norming_answer" VALUES(2,1,0,'ann','no',1,'2026-11-28T07:09:50.805+00:00',NULL);
INSERT INTO "norming_answer" VALUES(3,1,1,'ann','yes',1,'2026-11-28T07:09:50.805+00:00',NULL);
INSERT INTO "norming_answer" VALUES(4,1,1,'ann',NULL,1,'2026-11-28T07:09:50.805+00:00',NULL);
INSERT INTO "norming_answer" VALUES(5,1,0,'ben','unsure',1,'2026-11-28T07:09:50.807+00:00',NULL);
INSERT INTO "norming_answer" VALUES(6,1,0,'ben','no',0,'2026-11-28T07:09:50.809+00:00',NULL);
INSERT INTO "norming_answer" VALUES(7,1,1,'ben','yes',0,'2026-11-28T07:09:50.809+00:00',NULL);
INSERT INTO "norming_answer" VALUES(8,1,1,'ben','no',0,'2026-11-28T07:09:50.809+00:00',NULL);
INSERT INTO "norming_answer" VALUES(9,2,0,'ben','3',1,'2026-11-28T07:09:50.810+00:00',NULL);
INSERT INTO "norming_comment" VALUES(1,1,0,'ben','Why “no”?','2026-11-28T07:09:50.809+00:00','c1');
INSERT INTO "norming_comment" VALUES(2,1,0,'ben','I see.','2026-11-28T07:09:50.809+00:00',NULL);
INSERT INTO "norming_item" VALUES(1,0,'q1','q1/a','p1','What is it?','Why is it?','Because. <script>window.hurt=1</script><img src=x onerror="window.hurt=1"> **bold** :red[r] {{x}} %s ${x}');
INSERT INTO "norming_item" VALUES(1,1,'q1','q1/c','p2','What is it?','When is it?','Text of p2.');
INSERT INTO "norming_item" VALUES(2,0,'q1',NULL,'p1','What is it?',NULL,'Because. <script>window.hurt=1</script><img src=x onerror="window.hurt=1"> **bold** :red[r] {{x}} %s ${x}');
INSERT INTO "norming_round" VALUES(1,'pairs',3,NULL,'2026-11-28T07:09:50.803+00:00','ann','2026-11-28T07:09:50.808+00:00','ben','2026-11-28T07:09:50.809+00:00','ben','n1');
INSERT INTO "norming_round" VALUES(2,'passages',3,NULL,'2026-11-28T07:09:50.810+00:00','ben',NULL,NULL,NULL,NULL,NULL);
COMMIT;
