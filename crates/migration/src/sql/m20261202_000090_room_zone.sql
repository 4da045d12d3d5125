-- The time zone by whose clocks days and nights of a room's phones are counted; empty: the console's. Phones' days were counted by
-- Asia/Shanghai wherever they stood.
ALTER TABLE room ADD COLUMN time_zone VARCHAR(64) NOT NULL DEFAULT '';
