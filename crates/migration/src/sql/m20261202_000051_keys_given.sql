-- When a try was first given keys: that leaves one line in the operation log, however often its agent asks.
ALTER TABLE saga_step ADD COLUMN keys_at BIGINT;
