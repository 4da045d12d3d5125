-- How often phones that stay on their cards are copied again was one number of hours for all, in the settings. It is said of each
-- storage node now, in days, and is nowhere else; the settings keep their older versions as they are.
UPDATE store_node SET strategy = 2, cycle_days = 1;

-- on sqlite
UPDATE store_node SET cycle_days = (SELECT MAX(1, MIN(30, (CAST(json_extract(document, '$.liveHours') AS INTEGER) + 23) / 24)) FROM setting WHERE name = 'phoneLife')
WHERE EXISTS (SELECT 1 FROM setting WHERE name = 'phoneLife' AND CAST(json_extract(document, '$.liveHours') AS INTEGER) > 0);
UPDATE store_node SET strategy = 1
WHERE EXISTS (SELECT 1 FROM setting WHERE name = 'phoneLife' AND CAST(json_extract(document, '$.liveHours') AS INTEGER) = 0);

-- on postgres
UPDATE store_node SET cycle_days = (SELECT GREATEST(1, LEAST(30, (CAST(CAST(document AS JSON) ->> 'liveHours' AS BIGINT) + 23) / 24)) FROM setting WHERE name = 'phoneLife')
WHERE EXISTS (SELECT 1 FROM setting WHERE name = 'phoneLife' AND CAST(CAST(document AS JSON) ->> 'liveHours' AS BIGINT) > 0);
UPDATE store_node SET strategy = 1
WHERE EXISTS (SELECT 1 FROM setting WHERE name = 'phoneLife' AND CAST(CAST(document AS JSON) ->> 'liveHours' AS BIGINT) = 0);
