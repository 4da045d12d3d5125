-- What a controller did when it was asked the last time: 1 never asked, 2 reachable, 3 refused, 4 unreachable, 5 failing.

ALTER TABLE bmc ADD COLUMN state SMALLINT NOT NULL DEFAULT 1;
ALTER TABLE bmc ADD COLUMN state_code VARCHAR(64) NOT NULL DEFAULT '';
ALTER TABLE bmc ADD COLUMN state_since BIGINT;
ALTER TABLE bmc ADD COLUMN asked_at BIGINT;
