-- A phone that was copied is erased: nobody can open its repositories from then on, and they are removed from their nodes.
ALTER TABLE repo ADD COLUMN erase_at BIGINT;
ALTER TABLE repo ADD COLUMN erased_at BIGINT;
CREATE INDEX saga_erases ON saga (room_id) WHERE kind = 7 AND state = 2;
CREATE INDEX repo_erase ON repo (id) WHERE erase_at IS NOT NULL AND erased_at IS NULL;
