-- Apps that phones may not have: they do not come back with a copy, which is kept for a while then.

CREATE TABLE forbidden_app (
    id {id},
    -- What people call it: phones' pages and applications are told it.
    name VARCHAR(48) NOT NULL CHECK (name <> ''),
    package VARCHAR(128) NOT NULL CHECK (package <> ''),
    -- 2 VIP, 3 VVIP, 4 SVIP; none where no phone may have it.
    plan SMALLINT CHECK (plan BETWEEN 2 AND 4),
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX forbidden_app_package ON forbidden_app (plan, package);
CREATE UNIQUE INDEX forbidden_app_package_all ON forbidden_app (package) WHERE plan IS NULL;

-- What something that brings the apps of a copy has left out, as the list was when it began with its card. It goes with that.
CREATE TABLE withheld_app (
    saga_id BIGINT NOT NULL REFERENCES saga (id) ON DELETE CASCADE,
    package VARCHAR(128) NOT NULL,
    name VARCHAR(48) NOT NULL,
    PRIMARY KEY (saga_id, package)
);
