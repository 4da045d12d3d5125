-- What is only ever added to cannot be replaced either: for `REPLACE` and `INSERT OR REPLACE` SQLite deletes the row that
-- is in the way without firing its delete triggers. PostgreSQL has no such statement, and fires update triggers for
-- `ON CONFLICT DO UPDATE`. A table that joins them needs the three triggers; a test finds every one that lacks one
-- (the tests of the server, `append_only`).

-- on sqlite
CREATE TRIGGER operation_log_no_replace BEFORE INSERT ON operation_log WHEN EXISTS (SELECT 1 FROM operation_log WHERE id = NEW.id) BEGIN SELECT RAISE(ABORT, 'the operation log is append-only'); END;
CREATE TRIGGER operation_log_about_no_replace BEFORE INSERT ON operation_log_about WHEN EXISTS (SELECT 1 FROM operation_log_about WHERE object_kind = NEW.object_kind AND object_id = NEW.object_id AND log_id = NEW.log_id) BEGIN SELECT RAISE(ABORT, 'the operation log is append-only'); END;
CREATE TRIGGER shell_record_no_replace BEFORE INSERT ON shell_record WHEN EXISTS (SELECT 1 FROM shell_record WHERE id = NEW.id) BEGIN SELECT RAISE(ABORT, 'records of shells are append-only'); END;
CREATE TRIGGER shell_chunk_no_replace BEFORE INSERT ON shell_chunk WHEN EXISTS (SELECT 1 FROM shell_chunk WHERE shell_id = NEW.shell_id AND number = NEW.number) BEGIN SELECT RAISE(ABORT, 'records of shells are append-only'); END;
CREATE TRIGGER shell_end_no_replace BEFORE INSERT ON shell_end WHEN EXISTS (SELECT 1 FROM shell_end WHERE shell_id = NEW.shell_id) BEGIN SELECT RAISE(ABORT, 'records of shells are append-only'); END;
