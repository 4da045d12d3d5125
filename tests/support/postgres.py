"""A PostgreSQL cluster of a test's own, which it may stop, kill and start as it likes."""

import os
import pwd
import shutil
import subprocess
import tempfile
from pathlib import Path

from support.server import free_port


class Cluster:
    def __init__(self, folder: Path | None = None):
        """`folder` is made: a small disk's, say. Otherwise the system's folder for such things has room."""
        # Not a folder of pytest's: PostgreSQL does not run as root, and every pytest that starts on this machine takes
        # away again what lets another account through to them (`TempPathFactory.getbasetemp`).
        self._is_small = folder is not None
        self.folder = folder or Path(tempfile.mkdtemp(prefix="skyrack-cluster-"))
        self.folder.mkdir(exist_ok=True)
        self.port = free_port()
        self.url = f"postgres://postgres@127.0.0.1:{self.port}/postgres"
        # PostgreSQL refuses to run as root, so root lends its own account for it.
        self._owner = "postgres" if os.geteuid() == 0 else None
        [*_, self._programs] = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
        if self._owner:
            os.chown(self.folder, pwd.getpwnam(self._owner).pw_uid, -1)
        self._run("initdb", "-U", "postgres", "--auth=trust", "--encoding=UTF8", "--locale=C.UTF-8", "--no-sync", "--wal-segsize=1")

    def _run(self, program: str, *arguments: str) -> None:
        command = [str(self._programs / program), "-D", str(self.folder / "data"), *arguments]
        # A server that is started keeps its standard streams, so none of them may be a pipe of ours.
        said = self.folder / "said"
        with said.open("wb") as out:
            done = subprocess.run(
                command, user=self._owner, cwd="/", stdin=subprocess.DEVNULL, stdout=out, stderr=out, timeout=60
            )
        if done.returncode:
            log = self.folder / "log"
            kept = log.read_text()[-2_000:] if log.exists() else ""
            raise RuntimeError(f"{program} ended with {done.returncode}:\n{said.read_text()}\n{kept}")

    def start(self) -> "Cluster":
        options = f"-p {self.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c shared_buffers=32MB "
        if self._is_small:
            options += "-c min_wal_size=2MB -c max_wal_size=8MB"
        self._run("pg_ctl", "-w", "-s", "-l", str(self.folder / "log"), "-o", options, "start")
        return self

    def stop(self, mode: str = "immediate") -> None:
        """`immediate` is a crash: nobody is told, and the next start recovers."""
        self._run("pg_ctl", "-w", "-s", "-m", mode, "stop")

    def is_running(self) -> bool:
        command = [str(self._programs / "pg_ctl"), "-D", str(self.folder / "data"), "status"]
        return subprocess.run(command, user=self._owner, cwd="/", capture_output=True, timeout=60).returncode == 0

    def revive(self) -> None:
        """Starts it again if it has ended by itself."""
        if not self.is_running():
            self.start()

    def processes(self) -> list[int]:
        """The postmaster, and its children after it."""
        postmaster = int((self.folder / "data" / "postmaster.pid").read_text().splitlines()[0])
        children = Path(f"/proc/{postmaster}/task/{postmaster}/children").read_text().split()
        return [postmaster, *map(int, children)]

    def __enter__(self) -> "Cluster":
        return self.start()

    def __exit__(self, *_: object) -> None:
        subprocess.run(
            [str(self._programs / "pg_ctl"), "-D", str(self.folder / "data"), "-m", "immediate", "-s", "stop"],
            user=self._owner, cwd="/", stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        shutil.rmtree(self.folder, ignore_errors=True)
