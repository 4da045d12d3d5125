"""An agent that lies: huge, nested and foreign papers, profiles and messages, from one without a step and from one with a task.

The server neither ends nor answers an error of its own, and hardly grows.
"""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from random import Random

import pytest
import requests
from agents import joins, messages, papers
from corpus import SEED
from profiles import clean, profile, profiles
from room import PATIENCE, Agent, Line
from support.client import Client
from support.server import Server
from watch import GROWTH_OF_MANY, GROWTH_OF_ONE, MEGABYTE, Watch

PROFILES = list(profiles(Random(SEED)))
# Steps that are nobody's, or no steps at all.
STEPS = ("1/1", "0/0", "-1/1", f"{(1 << 63) - 1}/{(1 << 32) - 1}", f"{1 << 63}/1", "x/1", "1/x")


@pytest.fixture(scope="module")
def agent(server: Server, admin: Client) -> Iterator[Agent]:
    # A profile is a matter of protocol 2.
    agent = Agent(server.base, admin, len(PROFILES) + 1, protocol=2)
    yield agent
    agent.close()


def refused_unread(agent: Agent, path: str, content: bytes) -> int | None:
    """The HTTP status; none if the server hung up before it had all of it: the answer may be lost then."""
    with suppress(requests.ConnectionError):
        return agent.send(path, content).status_code
    return None


def test_papers_that_nobody_waits_for_are_not_read(server: Server, agent: Agent):
    lies = list(papers(Random(SEED)))
    told = [(f"/agent/v1/tasks/phone/{step}/paper", *lie) for step in STEPS for lie in lies]
    process = server.process_id()
    with Watch(process) as watch, ThreadPoolExecutor(20) as pool:
        codes = list(pool.map(lambda one: refused_unread(agent, one[0], one[2]), told))
    wrong = [f"{path} {name}: {code}" for (path, name, _), code in zip(told, codes, strict=True) if code not in (None, 400, 404)]
    assert not wrong, "\n".join(wrong)
    assert {code for code in codes if code} == {400, 404}
    assert server.process_id() == process, server.tail()
    assert watch.growth <= GROWTH_OF_ONE, f"the server grew by {watch.growth // MEGABYTE} MB"


def test_profiles_of_a_task_that_are_none_are_refused_with_the_reason(server: Server, agent: Agent):
    places = agent.places(len(PROFILES) + 1, "profile")
    last = places.pop()
    process = server.process_id()
    with Watch(process) as watch, ThreadPoolExecutor(10) as pool:
        answers = list(pool.map(lambda one: agent.send(one[0], one[1][1]), zip(places, PROFILES, strict=True)))
    # Whoever waits too long among many is asked to come again.
    told = [(name, said) for (name, _), said in zip(PROFILES, answers, strict=True)]
    wrong = [f"{name}: {said.status_code} {said.text}" for name, said in told if said.status_code not in (415, 429)]
    assert not wrong, "\n".join(wrong)
    assert server.process_id() == process, server.tail()
    assert watch.confined, "no reader was seen confined"
    assert watch.growth <= GROWTH_OF_MANY, f"the server grew by {watch.growth // MEGABYTE} MB"
    # A good one is read. The console knows nothing of its image.
    good = agent.send(last, profile(clean()))
    assert good.status_code == 415 and "image" in good.json()["msg"], good.text


def test_whatever_it_says_the_next_connection_is_served(server: Server, agent: Agent):
    process, unheard = server.process_id(), []
    with Watch(process) as watch:
        for name, kind, content in messages(Random(SEED)):
            line = Line(server.base, agent.credential)
            line.say("hello", protocol=2, version="1", held=[])
            line.hear("welcome")
            line.send(kind, content)
            if not line.is_heard():
                unheard.append(name)
            line.close()
    assert server.process_id() == process, server.tail()
    assert watch.growth <= GROWTH_OF_MANY, f"the server grew by {watch.growth // MEGABYTE} MB"
    # What is no message of the protocol ends the connection; what is one about others' things is passed over.
    assert {"nested", "too-large", "unknown", "again-hello", "reports"} <= set(unheard), unheard
    assert not {"reports-of-others", "results-of-others", "results-of-phones", "bytes-of-others"} & set(unheard), unheard


# The last one: an address that was refused too often has to wait.
def test_joins_that_are_none_are_refused(server: Server, agent: Agent):
    for name, content in joins():
        headers = {"Content-Type": "application/json"}
        answer = requests.post(f"{server.base}/agent/v1/enrol", data=content, headers=headers, timeout=PATIENCE)
        assert answer.status_code in (400, 403, 413, 429), f"{name}: {answer.status_code} {answer.text}"
