-- A journal as version 0.2.0 wrote it: a finished game of Fifteen, and a game of All Fives just begun, in which a word
-- was added by a correction; one reader board, a player, a good night.
PRAGMA application_id = 1667330660;
PRAGMA user_version = 8;
BEGIN TRANSACTION;
CREATE TABLE action (
            game INTEGER NOT NULL REFERENCES game,
            n INTEGER NOT NULL,
            action TEXT NOT NULL,
            time REAL NOT NULL,
            PRIMARY KEY (game, n)
        ) STRICT, WITHOUT ROWID
        ;
INSERT INTO "action" VALUES(1,0,'{"do":"cut","seat":0,"card":"8H"}',1795324110.5);
INSERT INTO "action" VALUES(1,1,'{"do":"cut","seat":1,"card":"6S"}',1795324111.0);
INSERT INTO "action" VALUES(1,2,'{"do":"turn","card":"JS"}',1795324111.5);
INSERT INTO "action" VALUES(1,3,'{"do":"say","seat":1,"word":"beg"}',1795324112.0);
INSERT INTO "action" VALUES(1,4,'{"do":"give","seat":0,"card":"10H"}',1795324112.5);
INSERT INTO "action" VALUES(1,5,'{"do":"play","seat":0,"card":"JS"}',1795324113.0);
INSERT INTO "action" VALUES(1,6,'{"do":"play","seat":1,"card":"4S"}',1795324113.5);
INSERT INTO "action" VALUES(1,7,'{"do":"gather","seat":0}',1795324114.0);
INSERT INTO "action" VALUES(1,8,'{"do":"play","seat":0,"card":"10S"}',1795324114.5);
INSERT INTO "action" VALUES(1,9,'{"do":"play","seat":1,"card":"QS"}',1795324115.0);
INSERT INTO "action" VALUES(1,10,'{"do":"gather","seat":1}',1795324115.5);
INSERT INTO "action" VALUES(1,11,'{"do":"play","seat":1,"card":"AH"}',1795324116.0);
INSERT INTO "action" VALUES(1,12,'{"do":"play","seat":0,"card":"JH"}',1795324116.5);
INSERT INTO "action" VALUES(1,13,'{"do":"gather","seat":1}',1795324117.0);
INSERT INTO "action" VALUES(1,14,'{"do":"play","seat":1,"card":"9C"}',1795324117.5);
INSERT INTO "action" VALUES(1,15,'{"do":"play","seat":0,"card":"7C"}',1795324118.0);
INSERT INTO "action" VALUES(1,16,'{"do":"gather","seat":1}',1795324118.5);
INSERT INTO "action" VALUES(1,17,'{"do":"play","seat":1,"card":"9D"}',1795324119.0);
INSERT INTO "action" VALUES(1,18,'{"do":"play","seat":0,"card":"8C"}',1795324119.5);
INSERT INTO "action" VALUES(1,19,'{"do":"gather","seat":1}',1795324120.0);
INSERT INTO "action" VALUES(1,20,'{"do":"show","seat":"crib","cards":["2C","2S","9H","8H"]}',1795324120.5);
INSERT INTO "action" VALUES(1,21,'{"do":"turn","card":"KH"}',1795324121.0);
INSERT INTO "action" VALUES(1,22,'{"do":"say","seat":0,"word":"beg"}',1795324121.5);
INSERT INTO "action" VALUES(1,23,'{"do":"give","seat":1,"card":"QC"}',1795324122.0);
INSERT INTO "action" VALUES(1,24,'{"do":"play","seat":1,"card":"4S"}',1795324122.5);
INSERT INTO "action" VALUES(1,25,'{"do":"play","seat":0,"card":"5C"}',1795324123.0);
INSERT INTO "action" VALUES(1,26,'{"do":"gather","seat":0}',1795324123.5);
INSERT INTO "action" VALUES(1,27,'{"do":"play","seat":0,"card":"10D"}',1795324124.0);
INSERT INTO "action" VALUES(1,28,'{"do":"play","seat":1,"card":"6D"}',1795324124.5);
INSERT INTO "action" VALUES(1,29,'{"do":"gather","seat":0}',1795324125.0);
INSERT INTO "action" VALUES(1,30,'{"do":"play","seat":0,"card":"9C"}',1795324125.5);
INSERT INTO "action" VALUES(1,31,'{"do":"play","seat":1,"card":"KH"}',1795324126.0);
INSERT INTO "action" VALUES(1,32,'{"do":"gather","seat":0}',1795324126.5);
INSERT INTO "action" VALUES(1,33,'{"do":"play","seat":0,"card":"2H"}',1795324127.0);
INSERT INTO "action" VALUES(1,34,'{"do":"play","seat":1,"card":"QH"}',1795324127.5);
INSERT INTO "action" VALUES(1,35,'{"do":"gather","seat":1}',1795324128.0);
INSERT INTO "action" VALUES(1,36,'{"do":"play","seat":1,"card":"9D"}',1795324128.5);
INSERT INTO "action" VALUES(1,37,'{"do":"play","seat":0,"card":"3C"}',1795324129.0);
INSERT INTO "action" VALUES(1,38,'{"do":"gather","seat":0}',1795324129.5);
INSERT INTO "action" VALUES(1,39,'{"do":"show","seat":"crib","cards":["2S","JH","JD","3S"]}',1795324130.0);
INSERT INTO "action" VALUES(1,40,'{"do":"turn","card":"AD"}',1795324130.5);
INSERT INTO "action" VALUES(1,41,'{"do":"say","seat":1,"word":"beg"}',1795324131.0);
INSERT INTO "action" VALUES(1,42,'{"do":"give","seat":0,"card":"10C"}',1795324131.5);
INSERT INTO "action" VALUES(1,43,'{"do":"play","seat":0,"card":"AD"}',1795324132.0);
INSERT INTO "action" VALUES(1,44,'{"do":"play","seat":1,"card":"KH"}',1795324132.5);
INSERT INTO "action" VALUES(1,45,'{"do":"gather","seat":0}',1795324133.0);
INSERT INTO "action" VALUES(1,46,'{"do":"play","seat":0,"card":"2C"}',1795324133.5);
INSERT INTO "action" VALUES(1,47,'{"do":"play","seat":1,"card":"8C"}',1795324134.0);
INSERT INTO "action" VALUES(1,48,'{"do":"gather","seat":1}',1795324134.5);
INSERT INTO "action" VALUES(1,49,'{"do":"play","seat":1,"card":"8H"}',1795324135.0);
INSERT INTO "action" VALUES(1,50,'{"do":"play","seat":0,"card":"10D"}',1795324135.5);
INSERT INTO "action" VALUES(1,51,'{"do":"gather","seat":1}',1795324136.0);
INSERT INTO "action" VALUES(1,52,'{"do":"play","seat":1,"card":"8S"}',1795324136.5);
INSERT INTO "action" VALUES(1,53,'{"do":"play","seat":0,"card":"JS"}',1795324137.0);
INSERT INTO "action" VALUES(1,54,'{"do":"gather","seat":0}',1795324137.5);
INSERT INTO "action" VALUES(1,55,'{"do":"play","seat":0,"card":"QS"}',1795324138.0);
INSERT INTO "action" VALUES(1,56,'{"do":"play","seat":1,"card":"4S"}',1795324138.5);
INSERT INTO "action" VALUES(1,57,'{"do":"gather","seat":0}',1795324139.0);
INSERT INTO "action" VALUES(1,58,'{"do":"show","seat":"crib","cards":["AC","7S","QD","6S"]}',1795324139.5);
INSERT INTO "action" VALUES(1,59,'{"do":"turn","card":"10C"}',1795324140.0);
INSERT INTO "action" VALUES(1,60,'{"do":"say","seat":0,"word":"beg"}',1795324140.5);
INSERT INTO "action" VALUES(1,61,'{"do":"say","seat":1,"word":"take-one"}',1795324141.0);
INSERT INTO "action" VALUES(1,62,'{"do":"play","seat":1,"card":"2H"}',1795324141.5);
INSERT INTO "action" VALUES(1,63,'{"do":"play","seat":0,"card":"4H"}',1795324142.0);
INSERT INTO "action" VALUES(1,64,'{"do":"gather","seat":0}',1795324142.5);
INSERT INTO "action" VALUES(1,65,'{"do":"play","seat":0,"card":"AD"}',1795324143.0);
INSERT INTO "action" VALUES(1,66,'{"do":"play","seat":1,"card":"8D"}',1795324143.5);
INSERT INTO "action" VALUES(1,67,'{"do":"gather","seat":0}',1795324144.0);
INSERT INTO "action" VALUES(1,68,'{"do":"play","seat":0,"card":"KS"}',1795324144.5);
INSERT INTO "action" VALUES(1,69,'{"do":"play","seat":1,"card":"4S"}',1795324145.0);
INSERT INTO "action" VALUES(1,70,'{"do":"gather","seat":0}',1795324145.5);
INSERT INTO "action" VALUES(1,71,'{"do":"play","seat":0,"card":"2S"}',1795324146.0);
INSERT INTO "action" VALUES(1,72,'{"do":"play","seat":1,"card":"4D"}',1795324146.5);
INSERT INTO "action" VALUES(1,73,'{"do":"gather","seat":0}',1795324147.0);
INSERT INTO "action" VALUES(1,74,'{"do":"play","seat":0,"card":"9C"}',1795324147.5);
INSERT INTO "action" VALUES(1,75,'{"do":"play","seat":1,"card":"6H"}',1795324148.0);
INSERT INTO "action" VALUES(1,76,'{"do":"gather","seat":0}',1795324148.5);
INSERT INTO "action" VALUES(1,77,'{"do":"show","seat":"crib","cards":["7D","3C","3S","AS"]}',1795324149.0);
INSERT INTO "action" VALUES(1,78,'{"do":"turn","card":"AH"}',1795324149.5);
INSERT INTO "action" VALUES(1,79,'{"do":"say","seat":1,"word":"accept"}',1795324150.0);
INSERT INTO "action" VALUES(1,80,'{"do":"play","seat":1,"card":"AS"}',1795324150.5);
INSERT INTO "action" VALUES(1,81,'{"do":"play","seat":0,"card":"4S"}',1795324151.0);
INSERT INTO "action" VALUES(1,82,'{"do":"gather","seat":1}',1795324151.5);
INSERT INTO "action" VALUES(1,83,'{"do":"play","seat":1,"card":"3H"}',1795324152.0);
INSERT INTO "action" VALUES(1,84,'{"do":"play","seat":0,"card":"9H"}',1795324152.5);
INSERT INTO "action" VALUES(1,85,'{"do":"gather","seat":0}',1795324153.0);
INSERT INTO "action" VALUES(1,86,'{"do":"play","seat":0,"card":"4D"}',1795324153.5);
INSERT INTO "action" VALUES(1,87,'{"do":"play","seat":1,"card":"AC"}',1795324154.0);
INSERT INTO "action" VALUES(1,88,'{"do":"gather","seat":0}',1795324154.5);
INSERT INTO "action" VALUES(1,89,'{"do":"play","seat":0,"card":"7C"}',1795324155.0);
INSERT INTO "action" VALUES(1,90,'{"do":"play","seat":1,"card":"JH"}',1795324155.5);
INSERT INTO "action" VALUES(1,91,'{"do":"gather","seat":1}',1795324156.0);
INSERT INTO "action" VALUES(1,92,'{"do":"play","seat":1,"card":"KS"}',1795324156.5);
INSERT INTO "action" VALUES(1,93,'{"do":"play","seat":0,"card":"6H"}',1795324157.0);
INSERT INTO "action" VALUES(1,94,'{"do":"gather","seat":0}',1795324157.5);
INSERT INTO "action" VALUES(1,95,'{"do":"show","seat":"crib","cards":["QD","6C","10C","AD"]}',1795324158.0);
INSERT INTO "action" VALUES(1,96,'{"do":"turn","card":"9D"}',1795324158.5);
INSERT INTO "action" VALUES(1,97,'{"do":"say","seat":0,"word":"accept"}',1795324159.0);
INSERT INTO "action" VALUES(1,98,'{"do":"play","seat":0,"card":"AD"}',1795324159.5);
INSERT INTO "action" VALUES(1,99,'{"do":"play","seat":1,"card":"3D"}',1795324160.0);
INSERT INTO "action" VALUES(1,100,'{"do":"gather","seat":0}',1795324160.5);
INSERT INTO "action" VALUES(1,101,'{"do":"play","seat":0,"card":"QS"}',1795324161.0);
INSERT INTO "action" VALUES(1,102,'{"do":"play","seat":1,"card":"KS"}',1795324161.5);
INSERT INTO "action" VALUES(1,103,'{"do":"gather","seat":1}',1795324162.0);
INSERT INTO "action" VALUES(1,104,'{"do":"play","seat":1,"card":"6H"}',1795324162.5);
INSERT INTO "action" VALUES(1,105,'{"do":"play","seat":0,"card":"10S"}',1795324163.0);
INSERT INTO "action" VALUES(1,106,'{"do":"gather","seat":1}',1795324163.5);
INSERT INTO "action" VALUES(1,107,'{"do":"play","seat":1,"card":"KC"}',1795324164.0);
INSERT INTO "action" VALUES(1,108,'{"do":"play","seat":0,"card":"QD"}',1795324164.5);
INSERT INTO "action" VALUES(1,109,'{"do":"gather","seat":0}',1795324165.0);
INSERT INTO "action" VALUES(1,110,'{"do":"play","seat":0,"card":"5D"}',1795324165.5);
INSERT INTO "action" VALUES(1,111,'{"do":"play","seat":1,"card":"9C"}',1795324166.0);
INSERT INTO "action" VALUES(2,0,'{"do":"turn","card":"4H"}',1795324167.0);
INSERT INTO "action" VALUES(2,1,'{"do":"say","seat":1,"word":"beg"}',1795324167.5);
INSERT INTO "action" VALUES(2,2,'{"do":"undo"}',1795324168.0);
INSERT INTO "action" VALUES(2,3,'{"do":"say","seat":1,"word":"stand"}',1795324168.5);
CREATE TABLE checksum (
            game INTEGER PRIMARY KEY REFERENCES game,
            actions INTEGER NOT NULL,
            value INTEGER NOT NULL
        ) STRICT
        ;
INSERT INTO "checksum" VALUES(1,112,3621295359);
INSERT INTO "checksum" VALUES(2,4,3086940859);
CREATE TABLE correction (
            id INTEGER PRIMARY KEY,
            game INTEGER NOT NULL REFERENCES game,
            n INTEGER NOT NULL,
            who TEXT NOT NULL,
            time REAL NOT NULL,
            what TEXT NOT NULL
        ) STRICT
        ;
INSERT INTO "correction" VALUES(1,2,3,'board',1795324168.5,'{"kind":"add","action":{"do":"say","seat":1,"word":"stand"}}');
CREATE TABLE game (
            id INTEGER PRIMARY KEY,
            header TEXT NOT NULL,
            started REAL NOT NULL,
            over INTEGER NOT NULL DEFAULT 0
        ) STRICT
        ;
INSERT INTO "game" VALUES(1,'{"record":1,"game":"fifteen","players":["Ann","Bo"]}',1795324110.0,1);
INSERT INTO "game" VALUES(2,'{"record":1,"game":"all-fives","players":["Ann","Bö"],"dealer":0}',1795324166.5,0);
CREATE TABLE good_night (time REAL PRIMARY KEY) STRICT, WITHOUT ROWID;
INSERT INTO "good_night" VALUES(1795324300.0);
CREATE TABLE heard (
            source TEXT PRIMARY KEY,
            boot INTEGER NOT NULL,
            next INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID
        ;
INSERT INTO "heard" VALUES('readers',7,5);
CREATE TABLE player (
            name TEXT PRIMARY KEY,
            last REAL NOT NULL
        ) STRICT, WITHOUT ROWID
        ;
INSERT INTO "player" VALUES('Ann',1795324200.0);
CREATE TABLE seat (
        game INTEGER NOT NULL REFERENCES game,
        seat INTEGER NOT NULL,
        player TEXT NOT NULL,
        side INTEGER NOT NULL,
        score INTEGER NOT NULL,
        won INTEGER NOT NULL,
        shared INTEGER NOT NULL,
        revokes INTEGER NOT NULL,
        PRIMARY KEY (game, seat)
    ) STRICT, WITHOUT ROWID;
INSERT INTO "seat" VALUES(1,0,'Ann',0,18,1,0,0);
INSERT INTO "seat" VALUES(1,1,'Bo',1,10,0,0,0);
INSERT INTO "seat" VALUES(2,0,'Ann',0,0,0,0,0);
INSERT INTO "seat" VALUES(2,1,'Bö',1,0,0,0,0);
CREATE TABLE setting (
            name TEXT PRIMARY KEY,
            value TEXT NOT NULL
        ) STRICT, WITHOUT ROWID
        ;
CREATE TABLE summary (
        game INTEGER PRIMARY KEY REFERENCES game,
        name TEXT NOT NULL,
        actions INTEGER NOT NULL,
        ended REAL,
        over INTEGER NOT NULL,
        value TEXT NOT NULL
    ) STRICT;
INSERT INTO "summary" VALUES(1,'fifteen',112,1795324166.0,1,'[[18,10],[0],[]]');
INSERT INTO "summary" VALUES(2,'all-fives',4,1795324168.5,0,'[[0,0],[],[]]');
CREATE INDEX correction_of_game ON correction (game);
CREATE INDEX seat_of_player ON seat (player, game);
COMMIT;
