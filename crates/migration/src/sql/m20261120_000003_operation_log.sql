-- The hash-chained operation log; the database itself refuses to change it.

CREATE TABLE operation_log (
    id BIGINT PRIMARY KEY,
    at BIGINT NOT NULL,
    operator_id BIGINT,
    operator_name VARCHAR(64) NOT NULL,
    ip VARCHAR(64) NOT NULL,
    action VARCHAR(64) NOT NULL,
    object_kind VARCHAR(64) NOT NULL,
    object_id VARCHAR(64) NOT NULL,
    object_name VARCHAR(256) NOT NULL,
    before TEXT,
    after TEXT,
    status INTEGER NOT NULL,
    message VARCHAR(1024) NOT NULL,
    request_id VARCHAR(64) NOT NULL,
    prev_hash {blob} NOT NULL,
    hash {blob} NOT NULL
);
CREATE INDEX operation_log_at ON operation_log (at, id);
CREATE INDEX operation_log_operator ON operation_log (operator_id, id);
CREATE INDEX operation_log_object ON operation_log (object_kind, object_id, id);

-- on sqlite
-- Trigger bodies hold `;` within lines only, since the runner splits at line ends.
CREATE TRIGGER operation_log_no_update BEFORE UPDATE ON operation_log BEGIN SELECT RAISE(ABORT, 'the operation log is append-only'); END;
CREATE TRIGGER operation_log_no_delete BEFORE DELETE ON operation_log BEGIN SELECT RAISE(ABORT, 'the operation log is append-only'); END;

-- on postgres
CREATE FUNCTION operation_log_refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'the operation log is append-only'; END $$;
CREATE TRIGGER operation_log_no_change BEFORE UPDATE OR DELETE OR TRUNCATE ON operation_log FOR EACH STATEMENT EXECUTE FUNCTION operation_log_refuse();
