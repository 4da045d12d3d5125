-- Packages of apps lie once on a storage node, by what they hold; a copy names those that it needs.

CREATE TABLE package_blob (
    id {id},
    node_id BIGINT NOT NULL REFERENCES store_node (id),
    sha256 VARCHAR(64) NOT NULL,
    size BIGINT NOT NULL,
    package VARCHAR(255) NOT NULL,
    -- Of the package, such as base.apk.
    file VARCHAR(255) NOT NULL,
    version_code BIGINT NOT NULL,
    folder VARCHAR(128) NOT NULL,
    -- Its id in its repository; empty until it was saved.
    snapshot VARCHAR(64) NOT NULL,
    added_bytes BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    saved_at BIGINT,
    -- When it was found damaged; until it was saved anew, in another folder.
    damaged_at BIGINT
);
CREATE UNIQUE INDEX package_blob_hash ON package_blob (node_id, sha256);
CREATE UNIQUE INDEX package_blob_folder ON package_blob (node_id, folder);
CREATE INDEX package_blob_damaged ON package_blob (id) WHERE damaged_at IS NOT NULL;

CREATE TABLE backup_package (
    backup_id BIGINT NOT NULL REFERENCES backup (id) ON DELETE CASCADE,
    blob_id BIGINT NOT NULL REFERENCES package_blob (id),
    PRIMARY KEY (backup_id, blob_id)
);
CREATE INDEX backup_package_blob ON backup_package (blob_id, backup_id);
