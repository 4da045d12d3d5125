-- How fast the agents of a room may read from and write to storage nodes, together, in Mbit/s; none is line rate.
ALTER TABLE room ADD COLUMN download_mbit SMALLINT CHECK (download_mbit BETWEEN 1 AND 1000);
ALTER TABLE room ADD COLUMN upload_mbit SMALLINT CHECK (upload_mbit BETWEEN 1 AND 1000);
