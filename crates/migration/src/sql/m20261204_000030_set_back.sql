-- A phone lives by an older copy of its own again, as somebody has asked.

-- With which copy the phone of a take-off comes back.
ALTER TABLE saga ADD COLUMN comes_with_id BIGINT REFERENCES backup (id);
-- When its phone was set back to an older copy: it lives by this one again only if somebody chooses it.
ALTER TABLE backup ADD COLUMN left_at BIGINT;
