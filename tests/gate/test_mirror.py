"""Sources are copied so that compilers see what changed and nothing else; the cache belongs to one run at a time."""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

from mirror import mirror  # noqa: E402


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    folder = tmp_path / "clone"
    subprocess.run(["git", "init", "--quiet", str(folder)], check=True)
    (folder / "src").mkdir()
    (folder / ".gitignore").write_text("/target\n")
    (folder / "src/a.rs").write_text("a")
    (folder / "src/b.rs").write_text("b")
    (folder / "run.sh").write_text("#!/bin/sh\n")
    (folder / "run.sh").chmod(0o755)
    (folder / "link").symlink_to("src")
    return folder


def times(folder: Path) -> dict[str, int]:
    return {path.name: path.lstat().st_mtime_ns for path in folder.rglob("*") if ".git" not in path.parts and path.is_file()}


def test_only_what_differs_is_written(clone: Path, tmp_path: Path):
    tree = tmp_path / "tree"
    assert mirror(clone, tree) == 5
    (tree / "target").mkdir()
    (tree / "target/built").write_text("kept")
    before = times(tree)
    # As another clone of the same commit would have it: other times, the same contents.
    for path in clone.rglob("*.rs"):
        os.utime(path, (time.time() + 99, time.time() + 99))
    assert mirror(clone, tree) == 0 and times(tree) == before

    (clone / "src/a.rs").write_text("changed")
    (clone / "src/b.rs").unlink()
    (clone / "run.sh").chmod(0o644)
    assert mirror(clone, tree) == 3
    after = times(tree)
    assert (tree / "src/a.rs").read_text() == "changed" and after["a.rs"] > before["a.rs"]
    assert not (tree / "src/b.rs").exists() and not os.access(tree / "run.sh", os.X_OK)
    assert (tree / "target/built").read_text() == "kept" and (tree / "link").is_symlink()


def test_what_was_built_before_the_first_copy_stays(clone: Path, tmp_path: Path):
    (tmp_path / "tree/target").mkdir(parents=True)
    (tmp_path / "tree/target/built").write_text("kept")
    mirror(clone, tmp_path / "tree")
    assert (tmp_path / "tree/target/built").read_text() == "kept"


def test_a_file_takes_the_place_of_a_folder(clone: Path, tmp_path: Path):
    mirror(clone, tmp_path / "tree")
    (clone / "src/a.rs").unlink()
    (clone / "src/b.rs").unlink()
    (clone / "link").unlink()
    (clone / "src").rmdir()
    (clone / "src").write_text("a file now")
    mirror(clone, tmp_path / "tree")
    assert (tmp_path / "tree/src").read_text() == "a file now"


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A clone with the scripts and one file: the run in which this test runs keeps its own logs."""
    folder = tmp_path / "checkout"
    subprocess.run(["git", "init", "--quiet", str(folder)], check=True)
    (folder / "scripts").mkdir()
    for name in ("lib.sh", "cached.sh", "mirror.py"):
        shutil.copy(ROOT / "scripts" / name, folder / "scripts")
    (folder / ".gitignore").write_text("/target\n")
    (folder / "Cargo.toml").write_text("# nothing\n")
    return folder


def cached(checkout: Path, *command: str, **more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [checkout / "scripts/cached.sh", *command], capture_output=True, text=True, timeout=120,
        env={**os.environ, "SKYRACK_CACHE": str(checkout.parent / "cache"), **more},
    )


def test_a_command_runs_in_the_cache_and_its_code_and_logs_come_back(checkout: Path, tmp_path: Path):
    script = "pwd; ls Cargo.toml; mkdir -p target/test-logs; echo told >target/test-logs/a.log; exit 7"
    ran = cached(checkout, "sh", "-c", script)
    assert ran.returncode == 7 and f"{tmp_path}/cache/tree" in ran.stdout and "Cargo.toml" in ran.stdout, ran.stderr
    assert (checkout / "target/test-logs/a.log").read_text() == "told\n"
    assert ": 0 files differ" in cached(checkout, "true").stdout
    # The console takes every variable of that name for a setting, and refuses those that it does not know.
    assert "SKYRACK_" not in cached(checkout, "env").stdout
    assert "it is empty" in cached(checkout, "--clean").stdout and not (tmp_path / "cache/tree").exists()


def test_a_second_run_goes_on_without_it(checkout: Path, tmp_path: Path):
    lock = tmp_path / "cache/lock"
    lock.parent.mkdir()
    with subprocess.Popen(["flock", str(lock), "sleep", "60"]) as other:
        try:
            while subprocess.run(["flock", "--nonblock", str(lock), "true"]).returncode == 0:
                time.sleep(0.02)
            ran = cached(checkout, "pwd")
            refused = cached(checkout, "--clean")
        finally:
            other.kill()
    assert ran.returncode == 0 and "another run uses" in ran.stdout and str(checkout) in ran.stdout.splitlines()
    assert refused.returncode != 0 and "Another run" in refused.stderr and not (tmp_path / "cache/tree").exists()


def test_a_disk_that_is_short_is_told(checkout: Path, tmp_path: Path):
    (tmp_path / "bin").mkdir()
    df = tmp_path / "bin/df"
    df.write_text("#!/bin/sh\necho Avail\necho 1000000\n")
    df.chmod(0o755)
    ran = cached(checkout, "pwd", PATH=f"{df.parent}:{os.environ['PATH']}")
    assert "only 1 GB are free" in ran.stdout and "make clean-cache" in ran.stdout and ran.returncode == 0


def test_what_was_not_used_for_longest_goes_first(checkout: Path, tmp_path: Path):
    for at, name in enumerate(("parked/web-node_modules/old", "parked/-venv/new", "tree/target/debug/incremental")):
        folder = tmp_path / "cache" / name
        folder.mkdir(parents=True)
        (folder / "much").write_bytes(b"x" * 3_000_000)
        os.utime(folder, (at + 1, at + 1))
    ran = cached(checkout, "true", CACHE_MOST_GB="0")
    gone = [line.split(": ")[1].split(" goes")[0] for line in ran.stdout.splitlines() if " goes." in line]
    assert gone[:3] == ["parked/web-node_modules/old", "parked/-venv/new", "tree/target/debug/incremental"], ran.stdout
