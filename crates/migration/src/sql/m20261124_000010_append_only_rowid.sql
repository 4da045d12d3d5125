-- Of a table whose key is no alias of it, SQLite takes the row's own number too: `REPLACE INTO t (rowid, ...)` takes away
-- the row of that number, whatever the key says. A row that names none has -1 here.

-- on sqlite
DROP TRIGGER operation_log_no_replace;
CREATE TRIGGER operation_log_no_replace BEFORE INSERT ON operation_log WHEN EXISTS (SELECT 1 FROM operation_log WHERE (id = NEW.id) OR rowid = NEW.rowid) BEGIN SELECT RAISE(ABORT, 'the operation log is append-only'); END;
DROP TRIGGER shell_chunk_no_replace;
CREATE TRIGGER shell_chunk_no_replace BEFORE INSERT ON shell_chunk WHEN EXISTS (SELECT 1 FROM shell_chunk WHERE (shell_id = NEW.shell_id AND number = NEW.number) OR rowid = NEW.rowid) BEGIN SELECT RAISE(ABORT, 'records of shells are append-only'); END;
DROP TRIGGER shell_end_no_replace;
CREATE TRIGGER shell_end_no_replace BEFORE INSERT ON shell_end WHEN EXISTS (SELECT 1 FROM shell_end WHERE (shell_id = NEW.shell_id) OR rowid = NEW.rowid) BEGIN SELECT RAISE(ABORT, 'records of shells are append-only'); END;
