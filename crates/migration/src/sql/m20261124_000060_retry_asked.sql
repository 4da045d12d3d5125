-- A retry that waits for a second operator: who asks for it, and for which tasks.

ALTER TABLE operation ADD COLUMN retry_asked TEXT;
