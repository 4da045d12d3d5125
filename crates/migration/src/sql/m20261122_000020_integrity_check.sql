-- What was found when the database and the operation log were looked at.

CREATE TABLE integrity_check (
    id {id},
    begun_at BIGINT NOT NULL,
    took_ms BIGINT NOT NULL,
    is_thorough BOOLEAN NOT NULL,
    problems TEXT NOT NULL,
    log_lines BIGINT NOT NULL,
    anchors BIGINT NOT NULL,
    broken_at BIGINT,
    fault VARCHAR(32)
);
