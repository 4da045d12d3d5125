-- Which image a card runs, as the card itself says, and what operators call it.

CREATE TABLE image_known (
    id {id},
    board VARCHAR(32) NOT NULL,
    -- `ro.build.fingerprint`.
    fingerprint VARCHAR(255) NOT NULL,
    -- Empty until somebody adopts it.
    version VARCHAR(64) NOT NULL DEFAULT '',
    adopted_at BIGINT,
    adopted_by VARCHAR(64) NOT NULL DEFAULT '',
    found_at BIGINT NOT NULL,
    CHECK ((version = '') = (adopted_at IS NULL))
);
CREATE UNIQUE INDEX image_known_fingerprint ON image_known (board, fingerprint);

ALTER TABLE card ADD COLUMN image_id BIGINT REFERENCES image_known (id);
CREATE INDEX card_image ON card (image_id) WHERE image_id IS NOT NULL;
