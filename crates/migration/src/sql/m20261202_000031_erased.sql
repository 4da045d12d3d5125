-- An erased phone is on no card, and none is prepared for it: all that a card may have of it is what is being wiped.
--
-- The stay that held it becomes another in the statement after that which erases the phone, since until then the phone refers to
-- it: so the phone's own row looks only for a card that is prepared.

-- on sqlite
CREATE TRIGGER phone_erased_made BEFORE INSERT ON phone WHEN NEW.life = 6 AND NEW.use_type = 1 BEGIN SELECT RAISE(ABORT, 'an erased phone is on no card'); END;
CREATE TRIGGER phone_erased_off BEFORE UPDATE OF life, use_type ON phone WHEN NEW.life = 6 AND NEW.use_type = 1 BEGIN SELECT RAISE(ABORT, 'an erased phone is on no card'); END;
CREATE TRIGGER phone_erased_awaited BEFORE UPDATE OF life ON phone WHEN NEW.life = 6 AND EXISTS (SELECT 1 FROM placement WHERE phone_id = NEW.id AND role = 1) BEGIN SELECT RAISE(ABORT, 'an erased phone has no card but one that is being wiped'); END;
CREATE TRIGGER placement_erased_made BEFORE INSERT ON placement WHEN NEW.role IN (1, 2) AND EXISTS (SELECT 1 FROM phone WHERE id = NEW.phone_id AND life = 6) BEGIN SELECT RAISE(ABORT, 'an erased phone has no card but one that is being wiped'); END;
CREATE TRIGGER placement_erased BEFORE UPDATE OF phone_id, role ON placement WHEN NEW.role IN (1, 2) AND EXISTS (SELECT 1 FROM phone WHERE id = NEW.phone_id AND life = 6) BEGIN SELECT RAISE(ABORT, 'an erased phone has no card but one that is being wiped'); END;

-- on postgres
CREATE FUNCTION phone_erased_refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF NEW.life = 6 AND NEW.use_type = 1 THEN RAISE EXCEPTION 'an erased phone is on no card'; END IF; IF NEW.life = 6 AND EXISTS (SELECT 1 FROM placement WHERE phone_id = NEW.id AND role = 1) THEN RAISE EXCEPTION 'an erased phone has no card but one that is being wiped'; END IF; RETURN NEW; END $$;
CREATE TRIGGER phone_erased_refuse BEFORE INSERT OR UPDATE OF life, use_type ON phone FOR EACH ROW EXECUTE FUNCTION phone_erased_refuse();
CREATE FUNCTION placement_erased_refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF NEW.role IN (1, 2) AND EXISTS (SELECT 1 FROM phone WHERE id = NEW.phone_id AND life = 6) THEN RAISE EXCEPTION 'an erased phone has no card but one that is being wiped'; END IF; RETURN NEW; END $$;
CREATE TRIGGER placement_erased_refuse BEFORE INSERT OR UPDATE OF phone_id, role ON placement FOR EACH ROW EXECUTE FUNCTION placement_erased_refuse();
