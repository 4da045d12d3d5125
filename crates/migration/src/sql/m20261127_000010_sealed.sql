-- A card that a phone has left is wiped when it is needed, and until then its phone may come back to it.

CREATE INDEX saga_clear_waits ON saga (room_id, board, rank_at, id) WHERE kind = 3 AND state = 1;
