-- Whether an account is closed, for the index by which its number is free again then. SQLite writes a row's place in a partial
-- index anew whenever a column of the index's condition is set: with the status in it, enabling a thousand accounts wrote
-- eight hundred pages of that index.
ALTER TABLE client_user ADD COLUMN is_closed BOOLEAN NOT NULL DEFAULT FALSE;
UPDATE client_user SET is_closed = TRUE WHERE status = 3;
DROP INDEX client_user_phone;
CREATE UNIQUE INDEX client_user_phone ON client_user (phone) WHERE phone <> '' AND NOT is_closed;
