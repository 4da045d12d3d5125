-- Settings documents with their history, and the vault of secrets.

CREATE TABLE setting (
    name VARCHAR(64) PRIMARY KEY,
    version INTEGER NOT NULL,
    document TEXT NOT NULL,
    updated_at BIGINT NOT NULL,
    updated_by VARCHAR(64) NOT NULL
) {without_rowid};

CREATE TABLE setting_history (
    id {id},
    name VARCHAR(64) NOT NULL,
    version INTEGER NOT NULL,
    document TEXT NOT NULL,
    at BIGINT NOT NULL,
    by_name VARCHAR(64) NOT NULL
);
CREATE UNIQUE INDEX setting_history_version ON setting_history (name, version);

CREATE TABLE secret (
    name VARCHAR(160) PRIMARY KEY,
    key_id INTEGER NOT NULL,
    sealed {blob} NOT NULL,
    fingerprint VARCHAR(64) NOT NULL,
    set_at BIGINT NOT NULL,
    set_by VARCHAR(64) NOT NULL
) {without_rowid};
