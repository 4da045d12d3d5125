-- What copies may leave out on an image, besides what agents leave out on any. It hangs on the image and not on a profile: a
-- newer one that is read of a clean card knows nothing of what phones have left there.

CREATE TABLE image_exclusion (
    id {id},
    image_id BIGINT NOT NULL REFERENCES image_known (id),
    -- Absolute, below /data; a * stands for any characters of a name.
    path VARCHAR(200) NOT NULL,
    reason VARCHAR(256) NOT NULL CHECK (reason <> ''),
    created_at BIGINT NOT NULL,
    created_by_id BIGINT NOT NULL,
    created_by VARCHAR(64) NOT NULL CHECK (created_by <> ''),
    -- It holds once another operator has said so, too.
    approved_at BIGINT,
    approved_by VARCHAR(64) NOT NULL DEFAULT '',
    CHECK ((approved_at IS NULL) = (approved_by = '')),
    CHECK (created_by <> approved_by)
);
CREATE UNIQUE INDEX image_exclusion_path ON image_exclusion (image_id, path);
