"""Jobs whose models are workers of a Ray: nodes die, the driver dies, nothing is lost.

The cluster is a real one, its nodes are processes of this machine. What is asked is an
endpoint that counts.
"""

from __future__ import annotations

import os
import random
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from curator.workspace import Workspace
from tests.background.test_jobs import (
    CHAT,
    CONCURRENCY,
    QUESTIONS,
    by_rule,
    claims_of,
    numbered,
    rating,
    ratings,
)
from tests.samples.chat_server import ChatServer
from tests.samples.jobs import (
    as_if_silent_for,
    pid_of,
    replies,
    wait_for,
    wait_until_done,
)
from tests.samples.ray_cluster import add_node, ray_cluster, remove_node

PASSAGES = 60
ALL = PASSAGES * QUESTIONS
HALF = ALL // 2
BY_RULE = by_rule(PASSAGES)
PORTION = 64  # prompts that a worker is given at once, so many are lost with it at most
KILLS = 6


@pytest.fixture
def server(monkeypatch) -> Iterator[ChatServer]:
    with ChatServer(rating) as server:
        yield server.lead(monkeypatch)


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with numbered(tmp_path, PASSAGES) as workspace:
        yield workspace


def responses(workspace: Workspace) -> int:
    (count,) = workspace.connection.execute("SELECT count(*) FROM response").fetchone()
    return int(count)


@pytest.mark.long
def test_a_node_that_dies_costs_its_portion_and_not_the_job(
    workspace, server, monkeypatch
):
    with ray_cluster(monkeypatch, head=1, nodes=1) as cluster:
        server.hold(HALF)
        workspace.start_job(CHAT, engine="ray", address=cluster.address)
        wait_for(lambda: sum(server.answered.values()) >= HALF)
        remove_node(cluster, *cluster.worker_nodes)
        server.go()
        done = wait_until_done(workspace)
    assert ratings(workspace) == BY_RULE
    assert (done.engine, done.prompts, responses(workspace)) == ("ray", ALL, ALL)
    assert sum(server.asked.values()) - ALL <= PORTION
    assert claims_of(workspace) == 0
    assert workspace.verify().problems == ()


@pytest.mark.long
def test_nodes_and_drivers_die_at_random_moments(workspace, server, monkeypatch):
    moments = random.Random(2019)
    with ray_cluster(monkeypatch, head=0, nodes=2) as cluster:
        server.hold(0)
        workspace.start_job(CHAT, engine="ray", address=cluster.address)
        for kill in range(KILLS):
            # by hand: six times at most 35 are fewer than ALL
            more = moments.randint(0, 35)
            enough = replies(server) + more
            server.hold(more)
            wait_for(lambda n=enough: replies(server) >= n)
            remove_node(cluster, moments.choice([*cluster.worker_nodes]))
            add_node(cluster)
            if kill % 3 == 2:
                os.kill(pid_of(workspace, 1), signal.SIGKILL)
                as_if_silent_for(workspace, seconds=16)
                workspace.resume_job(1)
        server.go()
        wait_until_done(workspace)
    assert ratings(workspace) == BY_RULE
    assert responses(workspace) == ALL
    assert claims_of(workspace) == 0
    assert workspace.verify().problems == ()
    # A worker has so many under way; what it had answered reaches the driver at once.
    assert sum(server.asked.values()) - ALL <= (KILLS + 4) * 2 * CONCURRENCY
