-- What was done to phones, has ended, and began or ended no stay on a card: once a day what is too old of it is removed.

CREATE INDEX saga_others_ended ON saga (id) WHERE kind NOT IN (1, 6) AND ended_at IS NOT NULL;
