"""A second implementation of the operation log's hash chain, as its judge."""

import hashlib
import shutil
import sqlite3
import struct
from typing import Any
from urllib.parse import urlsplit

import pg8000.native

from support.server import Server

COLUMNS = (
    "id, at, operator_id, operator_name, ip, action, object_kind, object_id, object_name, before, after, status, "
    "message, request_id, prev_hash, hash"
)
Row = tuple[Any, ...]


def query(server: Server, sql: str) -> list[Row]:
    """Rows of a stopped server's database.

    SQLite is read from a copy: Debian's library is older than the one that the server insists on, so it never
    touches the file itself.
    """
    if server.database == "sqlite":
        [database] = (server.folder / "data").glob("*.db")
        copy = server.folder / "copy"
        shutil.rmtree(copy, ignore_errors=True)
        copy.mkdir()
        for part in database.parent.glob(f"{database.name}*"):
            shutil.copy(part, copy)
        connection = sqlite3.connect(copy / database.name)
        try:
            return connection.execute(sql).fetchall()
        finally:
            connection.close()
    url = urlsplit(server.storage()[-1])
    postgres = pg8000.native.Connection(
        url.username, host=url.hostname, port=url.port, password=url.password, database=url.path.strip("/")
    )
    try:
        return [tuple(row) for row in postgres.run(sql)]
    finally:
        postgres.close()


def lines(server: Server) -> list[Row]:
    return query(server, f"SELECT {COLUMNS} FROM operation_log ORDER BY id")


def link(row: Row) -> bytes:
    """SHA-256 over the hash before and every field, each behind its length in 8 bytes."""
    id_, at, operator_id, name, ip, action, kind, object_id, object_name, before, after, status, message, request = row[:14]
    parts = [bytes(row[14]), struct.pack(">q", id_), struct.pack(">q", at), struct.pack(">q", operator_id or 0)]
    parts += [text.encode() for text in (name, ip, action, kind, object_id, object_name, message, request)]
    for document in (before, after):
        parts += [b"\0" if document is None else b"\1", (document or "").encode()]
    parts.append(struct.pack(">i", status))
    digest = hashlib.sha256()
    for part in parts:
        digest.update(struct.pack(">Q", len(part)) + part)
    return digest.digest()


def first_fault(rows: list[Row]) -> str | None:
    """Where the chain breaks, or nothing."""
    previous, expected = b"", 1
    for row in rows:
        if row[0] != expected:
            return f"line {expected} is missing"
        if bytes(row[14]) != previous:
            return f"line {row[0]} does not follow the one before it"
        if bytes(row[15]) != link(row):
            return f"line {row[0]} was changed"
        previous, expected = bytes(row[15]), expected + 1
    return None


def first_fault_of(server: Server) -> str | None:
    return first_fault(lines(server))
