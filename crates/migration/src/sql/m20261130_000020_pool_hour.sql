-- What became of each pool (a room's cards of one board) hour by hour: it is added up once the hour is over, so that nobody reads
-- millions of stays to show two days. It follows from phone_session, and is left out of backups.

CREATE TABLE pool_hour (
    -- When the hour began.
    at BIGINT NOT NULL,
    room_id BIGINT NOT NULL REFERENCES room (id) ON DELETE CASCADE,
    board VARCHAR(32) NOT NULL,
    -- Phones that came on cards.
    arrivals BIGINT NOT NULL,
    -- Those of them of which it is known since when somebody waited, how long these did together, and the longest, in seconds.
    waits BIGINT NOT NULL,
    wait_s BIGINT NOT NULL,
    longest_s BIGINT NOT NULL,
    -- For how many seconds cards held phones, together.
    hold_s BIGINT NOT NULL,
    PRIMARY KEY (at, room_id, board)
) {without_rowid};
CREATE INDEX pool_hour_room ON pool_hour (room_id);

-- Phones that left their cards, by why: numbers of phone_session.why.
CREATE TABLE pool_hour_left (
    at BIGINT NOT NULL,
    room_id BIGINT NOT NULL REFERENCES room (id) ON DELETE CASCADE,
    board VARCHAR(32) NOT NULL,
    why SMALLINT NOT NULL CHECK (why BETWEEN 1 AND 11),
    phones BIGINT NOT NULL,
    PRIMARY KEY (at, room_id, board, why)
) {without_rowid};
CREATE INDEX pool_hour_left_room ON pool_hour_left (room_id);

-- Hours that began before then are added up. There is one row, or none before the first one is.
CREATE TABLE pool_hour_until (
    id SMALLINT PRIMARY KEY CHECK (id = 1),
    at BIGINT NOT NULL
);

-- Who left when, and who left for a reason that is rare.
CREATE INDEX phone_session_left ON phone_session (ended_at, id) WHERE ended_at IS NOT NULL;
CREATE INDEX phone_session_why ON phone_session (why, id) WHERE why IS NOT NULL;

-- Put-ons and take-offs that have come to nothing of late.
CREATE INDEX saga_move_failed ON saga (ended_at, phone_id) WHERE kind IN (1, 6) AND state = 5 AND code <> 'came_back';

-- Which phones expire soon is counted for everybody who has the dashboard open.
CREATE INDEX phone_expiring ON phone (expires_at, life, id);

-- Counters of stays know why a phone has left, in bits of their own.
DELETE FROM kept_count WHERE list = 21;
INSERT INTO kept_count (list, block, cell, n)
SELECT 21, -1, COALESCE(why, 0) * 4194304 + room_id * 4 + CASE WHEN ended_at IS NULL THEN 2 ELSE 0 END + CASE WHEN stream_at IS NULL THEN 0 ELSE 1 END, COUNT(*)
FROM phone_session GROUP BY 3;
INSERT INTO kept_count (list, block, cell, n)
SELECT 21, id / 4096, COALESCE(why, 0) * 4194304 + room_id * 4 + CASE WHEN ended_at IS NULL THEN 2 ELSE 0 END + CASE WHEN stream_at IS NULL THEN 0 ELSE 1 END, COUNT(*)
FROM phone_session GROUP BY 2, 3;
