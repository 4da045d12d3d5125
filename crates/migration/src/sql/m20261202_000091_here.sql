-- Stays that go on in a room are read page by page, in the order of their phones.
DROP INDEX phone_session_here;
CREATE INDEX phone_session_here ON phone_session (room_id, phone_id) WHERE ended_at IS NULL;
