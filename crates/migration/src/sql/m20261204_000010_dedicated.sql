-- Cards that a phone has for itself (dedicated: the card's overcommit flag is off), and the phones that come on them.

-- On which cards a phone comes: 1 those that phones share, 2 those that a phone has for itself.
ALTER TABLE phone ADD COLUMN pool SMALLINT NOT NULL DEFAULT 1 CHECK (pool IN (1, 2));
-- Few are dedicated.
CREATE INDEX phone_dedicated ON phone (id) WHERE pool = 2;

-- The same of a put-on: whose turn it is is asked twice a second.
ALTER TABLE saga ADD COLUMN pool SMALLINT NOT NULL DEFAULT 1 CHECK (pool IN (1, 2));
DROP INDEX saga_queue;
CREATE INDEX saga_queue ON saga (room_id, board, pool, rank_at, id) WHERE state = 1;

-- Until now nobody obeyed the flag, and new cards had it off: all of them were shared, and stay so until somebody says
-- otherwise. Else no phone would find a card from now on, and none would leave one.
UPDATE card SET is_overcommit = TRUE WHERE NOT is_overcommit;
-- It is the lowest bit of a card's cell.
INSERT INTO kept_count (list, block, cell, n)
    SELECT list, block, cell + 1, n FROM kept_count WHERE list = 2 AND (cell & 1) = 0 AND n <> 0
    ON CONFLICT (list, block, cell) DO UPDATE SET n = kept_count.n + excluded.n;
DELETE FROM kept_count WHERE list = 2 AND (cell & 1) = 0;
