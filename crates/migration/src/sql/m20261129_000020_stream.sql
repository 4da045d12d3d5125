-- Streams of phones, and the stays of phones on cards with who used them. Nothing is written while a stream goes on.

-- Of somebody who connects: how many streams there were, and since when the present one is; none if there is none. A stream is
-- named by the row and that number.
ALTER TABLE connect ADD COLUMN stream BIGINT NOT NULL DEFAULT 0;
ALTER TABLE connect ADD COLUMN stream_at BIGINT;
ALTER TABLE connect ADD COLUMN gateway VARCHAR(48) NOT NULL DEFAULT '';

-- One row each time that a phone is on a card, however often somebody comes and goes meanwhile.
CREATE TABLE phone_session (
    id {id},
    phone_id BIGINT NOT NULL REFERENCES phone (id),
    placement_id BIGINT NOT NULL REFERENCES placement (id),
    card_id BIGINT NOT NULL REFERENCES card (id),
    room_id BIGINT NOT NULL REFERENCES room (id),
    board VARCHAR(32) NOT NULL,
    -- When somebody asked for it; none where that is not known.
    asked_at BIGINT,
    began_at BIGINT NOT NULL,
    ended_at BIGINT,
    -- 1 taken off, 2 its card was lost and it went on from a copy, 3 its data was given up, 4 it was erased, 5 frozen or released,
    -- 6 expired, 7 longest session, 8 hours of the day, 9 night, 10 others waited, 11 idle.
    why SMALLINT CHECK (why BETWEEN 1 AND 11),
    -- Who used it last.
    app_id BIGINT REFERENCES open_app (id) ON DELETE SET NULL,
    gateway VARCHAR(48) NOT NULL,
    -- Streams that were, the seconds of those that are over, and when the first one began and the last one ended.
    streams INTEGER NOT NULL CHECK (streams >= 0),
    streamed_s BIGINT NOT NULL CHECK (streamed_s >= 0),
    first_stream_at BIGINT,
    last_stream_at BIGINT,
    -- Since when somebody uses it; none if nobody does.
    stream_at BIGINT,
    CHECK ((ended_at IS NULL) = (why IS NULL)),
    CHECK (ended_at IS NULL OR stream_at IS NULL)
);
-- A phone that comes back to the card that it has left has the same stay there, and another row.
CREATE INDEX phone_session_stay ON phone_session (placement_id);
CREATE UNIQUE INDEX phone_session_open ON phone_session (phone_id) WHERE ended_at IS NULL;
CREATE INDEX phone_session_phone ON phone_session (phone_id, id);
CREATE INDEX phone_session_card ON phone_session (card_id, id);
CREATE INDEX phone_session_room ON phone_session (room_id, id);
CREATE INDEX phone_session_began ON phone_session (began_at, id);
-- Who plays just now.
CREATE INDEX phone_session_streams ON phone_session (id) WHERE stream_at IS NOT NULL;
CREATE INDEX phone_session_app ON phone_session (app_id) WHERE app_id IS NOT NULL;
