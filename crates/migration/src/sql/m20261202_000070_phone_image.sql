-- Phones are found by the version of their image, newest first. All but the erased ones are counted, many of them where most have
-- the same: without their rows.
CREATE INDEX phone_image ON phone (image, id, life);
