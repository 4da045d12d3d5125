-- The row of a copy can be made anew from what lies at its storage node, which does not say from which card it was taken.
ALTER TABLE backup ADD COLUMN is_rebuilt BOOLEAN NOT NULL DEFAULT FALSE;
