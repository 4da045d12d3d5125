-- What a room agent has handed over today, and how often a task's file was.

ALTER TABLE room_agent ADD COLUMN sent_day BIGINT NOT NULL DEFAULT 0;
ALTER TABLE room_agent ADD COLUMN sent_files BIGINT NOT NULL DEFAULT 0;
ALTER TABLE room_agent ADD COLUMN sent_bytes BIGINT NOT NULL DEFAULT 0;
ALTER TABLE operation_task ADD COLUMN file_sendings INTEGER NOT NULL DEFAULT 0;
