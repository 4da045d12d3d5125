-- The seconds that an operation has, so that a retry gets them again: its expiry moves with each one.

ALTER TABLE operation ADD COLUMN lasts BIGINT NOT NULL DEFAULT 86400;
UPDATE operation SET lasts = (expires_at - coalesce(not_before, created_at)) / 1000
    WHERE expires_at - coalesce(not_before, created_at) >= 60000;
