-- How long wipes of a pool have taken of late: who waits for a sealed card is told.

CREATE INDEX saga_cleared ON saga (room_id, board, ended_at) WHERE kind = 3 AND state = 4;
