"""A cluster of Ray on this machine: every node is processes of its own, on loopback."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import pytest

SETTINGS = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",  # on loopback alone
    "RAY_AUTH_MODE": "disabled",  # so no token is left in anybody's home
}
PLAIN = {"include_log_monitor": False, "object_store_memory": 100 << 20}


@contextmanager
def ray_cluster(
    monkeypatch: pytest.MonkeyPatch, *, head: int, nodes: int
) -> Iterator[Any]:
    """A cluster whose head has ``head`` CPUs, and ``nodes`` more with one each.

    Its workers have the environment that there is when this begins. The test is skipped
    without Ray, and where a node does not start within the 30 s that Ray gives it.
    """
    for name, value in SETTINGS.items():
        monkeypatch.setenv(name, value)
    utils = pytest.importorskip(
        "ray.cluster_utils", reason='needs ray: pip install "exam-curator[ray]"'
    )
    of_head = {"num_cpus": head, "include_dashboard": False, "no_monitor": True}
    with ExitStack() as ends:
        try:
            cluster = utils.Cluster()
            ends.callback(cluster.shutdown)
            for node in (of_head, *[{"num_cpus": 1}] * nodes):
                cluster.add_node(**PLAIN, **node)
        except Exception as error:  # Ray raises no other class for it
            if "timed out" not in str(error).lower():
                raise
            pytest.skip(f"Ray does not start on this machine now: {error}")
        yield cluster


def add_node(cluster: Any) -> None:
    """Add another node of one CPU."""
    cluster.add_node(num_cpus=1, **PLAIN)


def remove_node(cluster: Any, node: Any) -> None:
    """Kill all processes of a node."""
    cluster.remove_node(node, allow_graceful=False)
