-- What a phone has left on a card in quarantine is copied as a further backup of it, before the card is wiped.

-- It is none by which its phone lives, or goes on, by itself.
ALTER TABLE backup ADD COLUMN is_salvaged BOOLEAN NOT NULL DEFAULT FALSE;
CREATE INDEX saga_left ON saga (retry_at, id) WHERE kind = 3 AND state = 6;
-- Those that wait for a person already are copied as well.
UPDATE saga SET retry_at = enqueued_at WHERE kind = 3 AND state = 6 AND code = 'apps_ran';
