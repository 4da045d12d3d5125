-- What was typed in shells on cards: append-only, as the operation log is.

-- No reference to cards or operators: a record outlives them. An end without a record can not be.
CREATE TABLE shell_record (
    id {id},
    card_id BIGINT NOT NULL,
    card_address VARCHAR(64) NOT NULL,
    operator_id BIGINT NOT NULL,
    operator_name VARCHAR(64) NOT NULL,
    ip VARCHAR(64) NOT NULL,
    started_at BIGINT NOT NULL
);
CREATE TABLE shell_chunk (
    shell_id BIGINT NOT NULL REFERENCES shell_record(id),
    number BIGINT NOT NULL,
    at BIGINT NOT NULL,
    bytes {blob} NOT NULL,
    PRIMARY KEY (shell_id, number)
);
CREATE TABLE shell_end (
    shell_id BIGINT PRIMARY KEY REFERENCES shell_record(id),
    at BIGINT NOT NULL
);

-- on sqlite
-- Trigger bodies hold `;` within lines only, since the runner splits at line ends.
CREATE TRIGGER shell_record_no_update BEFORE UPDATE ON shell_record BEGIN SELECT RAISE(ABORT, 'records of shells are append-only'); END;
CREATE TRIGGER shell_record_no_delete BEFORE DELETE ON shell_record BEGIN SELECT RAISE(ABORT, 'records of shells are append-only'); END;
CREATE TRIGGER shell_chunk_no_update BEFORE UPDATE ON shell_chunk BEGIN SELECT RAISE(ABORT, 'records of shells are append-only'); END;
CREATE TRIGGER shell_chunk_no_delete BEFORE DELETE ON shell_chunk BEGIN SELECT RAISE(ABORT, 'records of shells are append-only'); END;
CREATE TRIGGER shell_chunk_ended BEFORE INSERT ON shell_chunk WHEN EXISTS (SELECT 1 FROM shell_end WHERE shell_id = NEW.shell_id) BEGIN SELECT RAISE(ABORT, 'the shell has ended'); END;
CREATE TRIGGER shell_end_no_update BEFORE UPDATE ON shell_end BEGIN SELECT RAISE(ABORT, 'records of shells are append-only'); END;
CREATE TRIGGER shell_end_no_delete BEFORE DELETE ON shell_end BEGIN SELECT RAISE(ABORT, 'records of shells are append-only'); END;

-- on postgres
CREATE FUNCTION shell_record_refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'records of shells are append-only'; END $$;
CREATE TRIGGER shell_record_no_change BEFORE UPDATE OR DELETE OR TRUNCATE ON shell_record FOR EACH STATEMENT EXECUTE FUNCTION shell_record_refuse();
CREATE TRIGGER shell_chunk_no_change BEFORE UPDATE OR DELETE OR TRUNCATE ON shell_chunk FOR EACH STATEMENT EXECUTE FUNCTION shell_record_refuse();
CREATE TRIGGER shell_end_no_change BEFORE UPDATE OR DELETE OR TRUNCATE ON shell_end FOR EACH STATEMENT EXECUTE FUNCTION shell_record_refuse();
CREATE FUNCTION shell_chunk_ended() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF EXISTS (SELECT 1 FROM shell_end WHERE shell_id = NEW.shell_id) THEN RAISE EXCEPTION 'the shell has ended'; END IF; RETURN NEW; END $$;
CREATE TRIGGER shell_chunk_ended BEFORE INSERT ON shell_chunk FOR EACH ROW EXECUTE FUNCTION shell_chunk_ended();
