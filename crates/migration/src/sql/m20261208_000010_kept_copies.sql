-- Copies that phones live by, in the order of their ids; and whose a copy is, where that is to be deleted.
CREATE INDEX phone_kept_copy ON phone (kept_id) WHERE kept_id IS NOT NULL;
