-- The book of rules by which phones are used: values for everybody, for a plan, a room, a room and plan, and a phone. The
-- narrowest wins; where nobody has set one, the program's own holds. Beside it what was ever changed, which nobody changes.

CREATE TABLE rule_value (
    -- 1 everybody, 2 a plan, 3 a room, 4 a room and plan, 5 a phone.
    scope SMALLINT NOT NULL CHECK (scope BETWEEN 1 AND 5),
    -- The plan's number, or the id of the room or the phone; of a room and plan, sixteen times the room's id and the plan's
    -- number; 0 for everybody.
    id BIGINT NOT NULL,
    field SMALLINT NOT NULL CHECK (field BETWEEN 1 AND 11),
    -- A span of the day is its beginning in minutes, times 1440, and its end; 0 where there is none.
    value BIGINT NOT NULL CHECK (value >= 0),
    -- Values for a room go with it.
    room_id BIGINT REFERENCES room (id) ON DELETE CASCADE,
    at BIGINT NOT NULL,
    by_name VARCHAR(64) NOT NULL,
    PRIMARY KEY (scope, id, field),
    CHECK ((scope IN (3, 4)) = (room_id IS NOT NULL)),
    CHECK (scope <> 1 OR id = 0),
    CHECK (scope <> 3 OR id = room_id),
    CHECK (scope <> 4 OR id / 16 = room_id)
) {without_rowid};
CREATE INDEX rule_value_room ON rule_value (room_id) WHERE room_id IS NOT NULL;

-- It outlives the rooms and phones that it is about, and names no row that has to be there.
CREATE TABLE rule_change (
    id {id},
    scope SMALLINT NOT NULL CHECK (scope BETWEEN 1 AND 5),
    scope_id BIGINT NOT NULL,
    -- Incremented with each change of the scope: whoever changes it names the one that he read.
    version INTEGER NOT NULL CHECK (version > 0),
    field SMALLINT NOT NULL CHECK (field BETWEEN 1 AND 11),
    -- None where it had, or has, no value of its own.
    was BIGINT,
    became BIGINT,
    at BIGINT NOT NULL,
    by_name VARCHAR(64) NOT NULL
);
CREATE UNIQUE INDEX rule_change_version ON rule_change (scope, scope_id, version, field);
CREATE INDEX rule_change_field ON rule_change (field, id);

-- on sqlite
CREATE TRIGGER rule_change_no_update BEFORE UPDATE ON rule_change BEGIN SELECT RAISE(ABORT, 'the history of rules is append-only'); END;
CREATE TRIGGER rule_change_no_delete BEFORE DELETE ON rule_change BEGIN SELECT RAISE(ABORT, 'the history of rules is append-only'); END;
CREATE TRIGGER rule_change_no_replace BEFORE INSERT ON rule_change WHEN EXISTS (SELECT 1 FROM rule_change WHERE id = NEW.id OR (scope = NEW.scope AND scope_id = NEW.scope_id AND version = NEW.version AND field = NEW.field)) BEGIN SELECT RAISE(ABORT, 'the history of rules is append-only'); END;

-- on postgres
CREATE FUNCTION rule_change_refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'the history of rules is append-only'; END $$;
CREATE TRIGGER rule_change_no_change BEFORE UPDATE OR DELETE OR TRUNCATE ON rule_change FOR EACH STATEMENT EXECUTE FUNCTION rule_change_refuse();

-- For how long an expired phone is kept was one number for all phones, in the settings. It is a rule now, and is nowhere
-- else; the settings keep their older versions as they are.
-- on sqlite
INSERT INTO rule_value (scope, id, field, value, at, by_name)
SELECT 1, 0, 10, CAST(json_extract(document, '$.releaseGrace') AS INTEGER), updated_at, updated_by FROM setting
WHERE name = 'phoneLife' AND CAST(json_extract(document, '$.releaseGrace') AS INTEGER) BETWEEN 1 AND 30;

-- on postgres
INSERT INTO rule_value (scope, id, field, value, at, by_name)
SELECT 1, 0, 10, CAST(CAST(document AS JSON) ->> 'releaseGrace' AS BIGINT), updated_at, updated_by FROM setting
WHERE name = 'phoneLife' AND CAST(CAST(document AS JSON) ->> 'releaseGrace' AS BIGINT) BETWEEN 1 AND 30;

-- on both
INSERT INTO rule_change (scope, scope_id, version, field, became, at, by_name)
SELECT scope, id, 1, field, value, at, by_name FROM rule_value;

-- The permissions of the rules stand on their own screen now; whoever may see rules sees it.
INSERT INTO menu (parent_id, kind, code, name, path, icon, sort, is_visible, is_builtin, created_at, updated_at)
SELECT parent_id, kind, 'cloudPhoneRules', '云手机规则', 'rules', 'sliders', sort + 10, is_visible, is_builtin, created_at, updated_at
FROM menu WHERE code = 'cloudPhoneList' AND NOT EXISTS (SELECT 1 FROM menu WHERE code = 'cloudPhoneRules');
UPDATE menu SET parent_id = (SELECT rules.id FROM menu AS rules WHERE rules.code = 'cloudPhoneRules')
WHERE code IN ('phoneRule:get', 'phoneRule:update')
AND parent_id = (SELECT list.id FROM menu AS list WHERE list.code = 'cloudPhoneList');
UPDATE menu SET name = '查看规则' WHERE code = 'phoneRule:get' AND name = '查看到期规则';
UPDATE menu SET name = '修改规则' WHERE code = 'phoneRule:update' AND name = '修改到期规则';
INSERT INTO group_menu (group_id, menu_id)
SELECT held.group_id, rules.id FROM group_menu AS held JOIN menu AS button ON button.id = held.menu_id
JOIN menu AS rules ON rules.code = 'cloudPhoneRules' WHERE button.code = 'phoneRule:get';
