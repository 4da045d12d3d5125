"""A real S3 server (moto) with one bucket. `python -m support.s3_server PORT`, in tests/, runs until it is ended."""

import logging
import os
import sys

import boto3
from moto.server import ThreadedMotoServer

BUCKET = "skyrack-test"
ACCESS_KEY = "test-access-key"
SECRET_KEY = "test-secret-key"


class S3Server:
    def __init__(self, port: int = 0):
        # One line a request would drown the log of the tests.
        logging.getLogger("werkzeug").setLevel(logging.ERROR)
        self._server = ThreadedMotoServer(ip_address="127.0.0.1", port=port, verbose=False)

    def __enter__(self) -> "S3Server":
        self._server.start()
        _, port = self._server.get_host_and_port()
        self.endpoint = f"http://127.0.0.1:{port}"
        self.client = boto3.client(
            "s3",
            endpoint_url=self.endpoint,
            region_name="us-east-1",
            aws_access_key_id=ACCESS_KEY,
            aws_secret_access_key=SECRET_KEY,
        )
        self.client.create_bucket(Bucket=BUCKET)
        return self

    def __exit__(self, *_: object) -> None:
        self._server.stop()

    def keys(self) -> list[str]:
        return [entry["Key"] for entry in self.client.list_objects_v2(Bucket=BUCKET).get("Contents", [])]


if __name__ == "__main__":
    with S3Server(int(sys.argv[1])) as running:
        print(f"S3 at {running.endpoint}, bucket {BUCKET}, keys {ACCESS_KEY} {SECRET_KEY}", flush=True)
        # Lives as long as whoever started it: the end of standard input is the sign.
        sys.stdin.read()
    os._exit(0)
