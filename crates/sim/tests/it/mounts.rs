//! File systems that are mounted over folders.

use crate::support::{all, card, restarted, room, said};

#[tokio::test]
async fn what_is_mounted_is_told_of_and_is_another_file_system() {
    let room = room(1, "").await;
    let first = card(&room, 0).await;
    said(&first, "mkdir -p '/data/a b' /data/full; echo x >/data/full/x; mount -t tmpfs none '/data/a b'").await;
    said(&first, "echo y >'/data/a b/y'").await;
    all(
        &first,
        &[
            (
                "grep data /proc/mounts | cut -d ' ' -f 1-3",
                "/dev/block/by-name/userdata /data ext4\nnone /data/a\\040b tmpfs\n",
                "",
                0,
            ),
            ("mount | tail -n 1", "none on /data/a b type tmpfs (rw,relatime)\n", "", 0),
            ("cd /data; find . -path './a b*'", "./a b\n./a b/y\n", "", 0),
            ("cd /data; find . -xdev -path './a b*'", "./a b\n", "", 0),
            ("cd '/data/a b'; find . -xdev", ".\n./y\n", "", 0),
            ("mount -t tmpfs none /data/full", "", "mount: 'none'->'/data/full': Directory not empty\n", 1),
            ("umount /data/full", "", "umount: /data/full: Invalid argument\n", 1),
            ("umount '/data/a b'; ls -A '/data/a b'; grep -c tmpfs /proc/mounts", "0\n", "", 1),
            ("mount -t fuse app '/data/a b'; echo z >'/data/a b/z'; cat '/data/a b/z'", "z\n", "", 0),
        ],
    )
    .await;
    let again = restarted(&room).await;
    assert_eq!(said(&again, "ls -A '/data/a b'; grep -c fuse /proc/mounts; true").await, "0\n");
}
