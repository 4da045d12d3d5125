-- Every order of the card list has an index, and so have the few cards that somebody works on.

-- The index that keeps serials unique leaves out cards without one, which a list has at its end. With the lifecycle in it,
-- those who are worked on are counted without a look at each.
CREATE INDEX card_by_serial ON card (serial, id);
CREATE INDEX card_by_since ON card (run_since, id);
CREATE INDEX card_maintenance ON card (maintenance, id, lifecycle) WHERE maintenance <> 1;
