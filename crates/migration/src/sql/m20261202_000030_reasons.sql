-- Whoever acts on a customer's phone says why, and whoever uses it is warned.

-- Whoever uses the phone is warned before it begins, and ended.
ALTER TABLE saga ADD COLUMN warns_user BOOLEAN NOT NULL DEFAULT FALSE;

-- Why somebody has a shell; may be empty where no phone was on the card.
ALTER TABLE shell_record ADD COLUMN reason VARCHAR(256) NOT NULL DEFAULT '';
