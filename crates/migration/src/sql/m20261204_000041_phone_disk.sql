-- Phones whose disks are nearly full, or over: few of many. The same as DiskState::of says.
CREATE INDEX phone_disk ON phone (id) WHERE used_bytes >= CAST(disk_gb AS BIGINT) * 1073741824 / 10 * 9;
