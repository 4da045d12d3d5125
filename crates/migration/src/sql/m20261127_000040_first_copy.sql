-- A phone that is on a card and lives by no copy is looked for twice a minute: it is copied for the first time.

CREATE INDEX phone_unkept ON phone (room_id, holds_id) WHERE use_type = 1 AND kept_id IS NULL;
