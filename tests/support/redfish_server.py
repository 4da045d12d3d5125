"""sushy-tools, a Redfish emulator of OpenStack, with one system that has no machine behind it.

`python -m support.redfish_server PORT`, in tests/, runs until its standard input ends.
"""

import logging
import os
import sys
import tempfile
import threading
from pathlib import Path

from sushy_tools.emulator import main as emulator
from werkzeug.serving import make_server

SYSTEM = "10000000-0000-0000-0000-000000000001"
CONFIG = f"""
SUSHY_EMULATOR_FAKE_DRIVER = True
SUSHY_EMULATOR_FAKE_SYSTEMS = [
    {{'uuid': '{SYSTEM}', 'name': 'slot-1', 'power_state': 'On', 'external_notifier': False, 'nics': []}},
]
"""


def main() -> None:
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    with tempfile.TemporaryDirectory() as folder:
        config = Path(folder, "sushy.conf")
        config.write_text(CONFIG + f"SUSHY_EMULATOR_STATE_DIR = {folder!r}\n")
        emulator.app.configure(config_file=str(config))
        server = make_server("127.0.0.1", int(sys.argv[1]), emulator.app, threaded=True)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        print(f"Redfish at http://127.0.0.1:{server.server_port}", flush=True)
        # Lives as long as whoever started it: the end of standard input is the sign.
        sys.stdin.read()


if __name__ == "__main__":
    main()
    os._exit(0)
