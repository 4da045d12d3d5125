"""Kills console and agent in turn, at random moments."""

import random
import time

from support.fleet import Agent
from support.server import Server


def kill_in_turn(server: Server, agent: Agent, kills: int, longest: float) -> None:
    """Each comes back at once, and lives for 0.1 to `longest` seconds until the next kill."""
    seed = random.randrange(1 << 32)
    print(f"seed {seed}")
    moment = random.Random(seed)
    for number in range(kills):
        time.sleep(moment.uniform(0.1, longest))
        killed = agent if number % 2 == 0 else server
        killed.kill()
        killed.start()
