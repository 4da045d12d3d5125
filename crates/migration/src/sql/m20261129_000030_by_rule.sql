-- Phones leave their cards by rule.

-- Days bought in one piece; 0 where that is not known. From 360 on it is a year card.
ALTER TABLE phone ADD COLUMN term INTEGER NOT NULL DEFAULT 0;

-- Why a phone is taken off that nobody has asked for: numbers of phone_session.why.
ALTER TABLE saga ADD COLUMN cause SMALLINT;

-- How long a phone was used on its last day, and how long the last time. One row a phone.
CREATE TABLE phone_use (
    phone_id BIGINT PRIMARY KEY REFERENCES phone (id),
    -- Days since 1970, each from four in the morning in Shanghai.
    day BIGINT NOT NULL,
    seconds BIGINT NOT NULL CHECK (seconds >= 0),
    last_s BIGINT NOT NULL CHECK (last_s >= 0),
    ended_at BIGINT NOT NULL
) {without_rowid};

-- Who could leave is looked for four times a minute.
CREATE INDEX phone_session_here ON phone_session (room_id) WHERE ended_at IS NULL;

-- Those whose take-off has come to nothing are left alone for a while.
CREATE INDEX saga_leave_failed ON saga (room_id, ended_at) WHERE kind = 6 AND state = 5;

-- Phones that were on cards before stays were written: they have been there since their placement began.
INSERT INTO phone_session (phone_id, placement_id, card_id, room_id, board, began_at, gateway, streams, streamed_s)
SELECT phone.id, stay.id, stay.card_id, phone.room_id,
    CASE phone.plan WHEN 2 THEN 'RK_3399' WHEN 3 THEN 'MTK_G90' ELSE 'STARPRO' END, stay.began_at, '', 0, 0
FROM phone JOIN placement stay ON stay.id = phone.holds_id
WHERE NOT EXISTS (SELECT 1 FROM phone_session open WHERE open.phone_id = phone.id AND open.ended_at IS NULL);

-- Their counters, made anew: by room, whether the stay goes on, and whether somebody uses the phone.
DELETE FROM kept_count WHERE list = 21;
INSERT INTO kept_count (list, block, cell, n)
SELECT 21, -1, room_id * 4 + CASE WHEN ended_at IS NULL THEN 2 ELSE 0 END + CASE WHEN stream_at IS NULL THEN 0 ELSE 1 END, COUNT(*)
FROM phone_session GROUP BY 3;
INSERT INTO kept_count (list, block, cell, n)
SELECT 21, id / 4096, room_id * 4 + CASE WHEN ended_at IS NULL THEN 2 ELSE 0 END + CASE WHEN stream_at IS NULL THEN 0 ELSE 1 END, COUNT(*)
FROM phone_session GROUP BY 2, 3;
