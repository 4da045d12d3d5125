"""mirror.py FROM TO: makes the sources in TO those of the checkout FROM, and leaves alone what was built there.

Only what differs is written, so that a file which is as it was keeps its time, and compilers, which go by times, find
their work done, whichever clone the sources come from. What FROM does not have any more is removed; ignored files
(builds, packages) stay.
"""

import filecmp
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path


def sources(folder: Path) -> set[str]:
    """Files that are tracked, or about to be, and there."""
    listed = subprocess.run(
        ["git", "-C", str(folder), "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        check=True, capture_output=True,
    ).stdout.decode()
    return {name for name in listed.split("\0") if name and os.path.lexists(folder / name)}


def same(one: Path, other: Path) -> bool:
    if one.is_symlink() or other.is_symlink():
        return one.is_symlink() and other.is_symlink() and os.readlink(one) == os.readlink(other)
    return (
        other.is_file()
        and (one.stat().st_mode & 0o111) == (other.stat().st_mode & 0o111)
        and filecmp.cmp(one, other, shallow=False)
    )


def mirror(origin: Path, copy: Path) -> int:
    """Returns how many files were written or removed."""
    if not (copy / ".git").exists():
        copy.mkdir(parents=True, exist_ok=True)
        # For what is ignored here, and for the house rules, which ask git what is ours. Nothing is committed.
        subprocess.run(["git", "init", "--quiet", str(copy)], check=True)
    # What is ignored there has to be ignored here before anything is taken for a source that is gone.
    wanted = sources(origin)
    changed = write([name for name in wanted if Path(name).name == ".gitignore"], origin, copy)
    for name in sorted(sources(copy) - wanted):
        (copy / name).unlink()
        changed += 1
    return changed + write(wanted, origin, copy)


def write(names: Iterable[str], origin: Path, copy: Path) -> int:
    """Writes those that differ, and returns how many did."""
    changed = 0
    for name in sorted(names):
        one, other = origin / name, copy / name
        if os.path.lexists(other):
            if same(one, other):
                continue
            if other.is_dir() and not other.is_symlink():
                shutil.rmtree(other)
            else:
                other.unlink()
        other.parent.mkdir(parents=True, exist_ok=True)
        # Not `copy2`: a file that has changed is as new as the change is here.
        shutil.copy(one, other, follow_symlinks=False)
        changed += 1
    return changed


if __name__ == "__main__":
    print(mirror(Path(sys.argv[1]), Path(sys.argv[2])))
