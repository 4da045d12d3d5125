-- A phone that is on a card and lives by no copy is looked for twice a minute: it is copied for the first time.

CREATE INDEX phone_unkept ON phone (room_id, holds_id) WHERE use_type = 1 AND kept_id IS NULL;

-- How many cards of a pool are being wiped is asked twice a second.
CREATE INDEX saga_clear_runs ON saga (room_id, board) WHERE kind = 3 AND state IN (2, 6);
