-- Whose a card is, as a file on it says: PHONE.PLACEMENT, `clean ...`, `-` if it carries no mark, `?` if that cannot be
-- read. NULL until an agent has looked.

ALTER TABLE card ADD COLUMN mark VARCHAR(96);
