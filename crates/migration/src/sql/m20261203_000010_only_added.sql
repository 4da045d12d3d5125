-- What is only ever added to, and was not kept so by the database: the history of settings, what client users did, and
-- who signed in or tried to. Nothing prunes these tables.

-- on sqlite
CREATE TRIGGER setting_history_no_update BEFORE UPDATE ON setting_history BEGIN SELECT RAISE(ABORT, 'the history of settings is append-only'); END;
CREATE TRIGGER setting_history_no_delete BEFORE DELETE ON setting_history BEGIN SELECT RAISE(ABORT, 'the history of settings is append-only'); END;
CREATE TRIGGER setting_history_no_replace BEFORE INSERT ON setting_history WHEN EXISTS (SELECT 1 FROM setting_history WHERE id = NEW.id OR (name = NEW.name AND version = NEW.version)) BEGIN SELECT RAISE(ABORT, 'the history of settings is append-only'); END;
CREATE TRIGGER client_user_record_no_update BEFORE UPDATE ON client_user_record BEGIN SELECT RAISE(ABORT, 'records of client users are append-only'); END;
CREATE TRIGGER client_user_record_no_delete BEFORE DELETE ON client_user_record BEGIN SELECT RAISE(ABORT, 'records of client users are append-only'); END;
CREATE TRIGGER client_user_record_no_replace BEFORE INSERT ON client_user_record WHEN EXISTS (SELECT 1 FROM client_user_record WHERE id = NEW.id) BEGIN SELECT RAISE(ABORT, 'records of client users are append-only'); END;
CREATE TRIGGER operator_sign_in_no_update BEFORE UPDATE ON operator_sign_in BEGIN SELECT RAISE(ABORT, 'records of sign-ins are append-only'); END;
CREATE TRIGGER operator_sign_in_no_delete BEFORE DELETE ON operator_sign_in BEGIN SELECT RAISE(ABORT, 'records of sign-ins are append-only'); END;
CREATE TRIGGER operator_sign_in_no_replace BEFORE INSERT ON operator_sign_in WHEN EXISTS (SELECT 1 FROM operator_sign_in WHERE id = NEW.id) BEGIN SELECT RAISE(ABORT, 'records of sign-ins are append-only'); END;

-- on postgres
CREATE FUNCTION setting_history_refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'the history of settings is append-only'; END $$;
CREATE TRIGGER setting_history_no_change BEFORE UPDATE OR DELETE OR TRUNCATE ON setting_history FOR EACH STATEMENT EXECUTE FUNCTION setting_history_refuse();
CREATE FUNCTION client_user_record_refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'records of client users are append-only'; END $$;
CREATE TRIGGER client_user_record_no_change BEFORE UPDATE OR DELETE OR TRUNCATE ON client_user_record FOR EACH STATEMENT EXECUTE FUNCTION client_user_record_refuse();
CREATE FUNCTION operator_sign_in_refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'records of sign-ins are append-only'; END $$;
CREATE TRIGGER operator_sign_in_no_change BEFORE UPDATE OR DELETE OR TRUNCATE ON operator_sign_in FOR EACH STATEMENT EXECUTE FUNCTION operator_sign_in_refuse();
