-- Copies of phones are made by sagas.

-- The copy that a saga makes or reads back.
ALTER TABLE saga ADD COLUMN backup_id BIGINT REFERENCES backup (id);
CREATE INDEX saga_backup ON saga (backup_id) WHERE backup_id IS NOT NULL;

-- Its key, and the code with which people open it without us, are among the secrets.
ALTER TABLE repo DROP COLUMN secret;
-- When the first copy in it was made: before that there is none, and from then on nobody makes another.
ALTER TABLE repo ADD COLUMN made_at BIGINT;

-- Its root: copies with the same one hold the same.
ALTER TABLE backup ADD COLUMN tree VARCHAR(64) NOT NULL DEFAULT '';
-- What it has written, until that was read back.
ALTER TABLE backup ADD COLUMN packs TEXT NOT NULL DEFAULT '';
ALTER TABLE backup ADD COLUMN read_files BIGINT NOT NULL DEFAULT 0;
CREATE INDEX backup_began ON backup (began_at, id);

-- Copies that wait for their turn, and those that are under way.
CREATE INDEX saga_copy_waits ON saga (room_id, rank_at, id) WHERE kind = 2 AND state = 1;
CREATE INDEX saga_copy_runs ON saga (room_id, step) WHERE kind = 2 AND state IN (2, 3);
