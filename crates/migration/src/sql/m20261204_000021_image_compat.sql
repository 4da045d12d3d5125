-- Which image takes phones of which other one, whole: an operator has said so. The other way round is another row, and so is what
-- follows from two of them. What was made of a phone runs on its own image without one.

CREATE TABLE image_compat (
    id {id},
    from_id BIGINT NOT NULL REFERENCES image_known (id),
    to_id BIGINT NOT NULL REFERENCES image_known (id),
    reason VARCHAR(256) NOT NULL CHECK (reason <> ''),
    created_at BIGINT NOT NULL,
    created_by VARCHAR(64) NOT NULL CHECK (created_by <> ''),
    CHECK (from_id <> to_id)
);
CREATE UNIQUE INDEX image_compat_pair ON image_compat (from_id, to_id);
CREATE INDEX image_compat_to ON image_compat (to_id);
