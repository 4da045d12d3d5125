-- Files on their way into the object storage: written down before their first byte, crossed out together with the row
-- that names them. What is still here at the next start was left behind by a console that ended in between.

CREATE TABLE incoming_object (
    object_key VARCHAR(128) PRIMARY KEY,
    begun_at BIGINT NOT NULL
) {without_rowid};
