-- When the operator of a session last proved who he is.

-- None: not since he signed in.
ALTER TABLE session ADD COLUMN proved_at BIGINT;
