-- Rows that lie far behind the newest ones are found by what they have in common, in the order that is wanted.

-- Those of one state by when they expire: all that have expired come before the first that is active.
CREATE INDEX phone_life_expires ON phone (life, expires_at, id);
-- Those on cards, few of many.
CREATE INDEX phone_on ON phone (id) WHERE use_type = 1;
CREATE INDEX phone_session_on ON phone_session (id) WHERE ended_at IS NULL;

-- Disks that are nearly full, or over, are counted without a look at each phone.
DROP INDEX phone_disk;
CREATE INDEX phone_disk ON phone (id, life) WHERE used_bytes >= CAST(disk_gb AS BIGINT) * 1073741824 / 10 * 9;
CREATE INDEX phone_disk_over ON phone (id, life) WHERE used_bytes > CAST(disk_gb AS BIGINT) * 1073741824;
