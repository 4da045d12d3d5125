-- A task that did not succeed says what it has done to its card.

-- 1 is never began, 2 proved, 3 unknown. Of what failed before, the reason tells; where it does not, nobody knows.
ALTER TABLE operation_task ADD COLUMN effect SMALLINT;
UPDATE operation_task SET effect = CASE
    WHEN state <> 4 AND code <> 'agent_gone' THEN 1
    WHEN code IN ('retired', 'no_bmc', 'bad_argument', 'no_position', 'place_refused', 'wrong_card', 'adb_refused',
        'adb_unreachable', 'adb_auth_refused', 'adb_auth_needed', 'adb_unsupported', 'adb_service_refused',
        'bmc_auth_refused', 'bmc_no_session', 'bmc_certificate_changed', 'power_unknown', 'upload_failed') THEN 1
    WHEN code IN ('exit_code', 'install_failed', 'no_space', 'device_fail') THEN 2
    ELSE 3 END
    WHERE state > 3;
