-- Which objects a line of the operation log is about, where it is about several: the history of each finds it there.
-- It repeats what is in the line itself, which is chained; it is only ever added to, like the log.

-- on sqlite
CREATE TABLE operation_log_about (
    object_kind VARCHAR(64) NOT NULL,
    object_id BIGINT NOT NULL,
    log_id BIGINT NOT NULL,
    PRIMARY KEY (object_kind, object_id, log_id)
) WITHOUT ROWID;
CREATE TRIGGER operation_log_about_no_update BEFORE UPDATE ON operation_log_about BEGIN SELECT RAISE(ABORT, 'the operation log is append-only'); END;
CREATE TRIGGER operation_log_about_no_delete BEFORE DELETE ON operation_log_about BEGIN SELECT RAISE(ABORT, 'the operation log is append-only'); END;

-- on postgres
CREATE TABLE operation_log_about (
    object_kind VARCHAR(64) NOT NULL,
    object_id BIGINT NOT NULL,
    log_id BIGINT NOT NULL,
    PRIMARY KEY (object_kind, object_id, log_id)
);
CREATE TRIGGER operation_log_about_no_change BEFORE UPDATE OR DELETE OR TRUNCATE ON operation_log_about FOR EACH STATEMENT EXECUTE FUNCTION operation_log_refuse();
