-- What a card of an image looks like on which nobody was, as it was read from one. Cards are wiped after the newest of
-- their image that somebody has tried, and proved by it.

CREATE TABLE board_profile (
    id {id},
    image_id BIGINT NOT NULL REFERENCES image_known (id),
    -- From which card.
    card_id BIGINT NOT NULL REFERENCES card (id),
    -- The file of the agent that has read it.
    object_key VARCHAR(128) NOT NULL,
    size BIGINT NOT NULL,
    sha256 VARCHAR(64) NOT NULL,
    -- Files, folders and links that it has.
    things BIGINT NOT NULL,
    -- Partitions of the system whose sums it has.
    partitions INTEGER NOT NULL,
    -- The board proves by itself that its system is whole.
    is_verified BOOLEAN NOT NULL,
    taken_at BIGINT NOT NULL,
    taken_by VARCHAR(64) NOT NULL,
    -- Cards are wiped after it without a person's word once somebody has tried that on the board itself.
    tried_at BIGINT,
    tried_by VARCHAR(64) NOT NULL DEFAULT '',
    CHECK (tried_at IS NOT NULL OR tried_by = '')
);
CREATE INDEX board_profile_image ON board_profile (image_id, id);

-- A wipe: what it goes by, and the start of the card after which it was proved.
ALTER TABLE saga ADD COLUMN profile_id BIGINT REFERENCES board_profile (id);
ALTER TABLE saga ADD COLUMN proof VARCHAR(64) NOT NULL DEFAULT '';

-- What the card was marked with when it was last proved clean: another mark that says so was not written by us.
ALTER TABLE card ADD COLUMN clean_mark VARCHAR(96) NOT NULL DEFAULT '';

-- Rooms whose agents know of stays that the books do not, until their cards were asked.
CREATE TABLE room_behind (
    room_id BIGINT PRIMARY KEY REFERENCES room (id),
    since BIGINT NOT NULL
) {without_rowid};
