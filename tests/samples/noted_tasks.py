"""A service that does nothing: what it was sent, and what is said to come of it."""

from __future__ import annotations

from typing import Any

from curator.background.service import Service, Task


class NotedTasks(Service):
    """Tasks are under way until ``then`` says what came of them."""

    def __init__(self) -> None:
        super().__init__()
        self.sent: list[Task] = []
        self.then: Any = None

    def send(self, task: Task) -> None:
        self.sent.append(task)

    def is_running(self, task: Task | None) -> bool:
        return self.then is None and task in self.sent

    def result(self, task: Task | None) -> Any:
        return self.then if task in self.sent else None


def finished(service: Service, timeout: float = 300) -> None:
    """Wait until nothing is under way."""
    for thread in list(service._running.values()):
        thread.join(timeout)
        assert not thread.is_alive()


def serving(model: object) -> Service:
    """A service over a stand-in for the model process."""
    assert hasattr(model, "encode")
    service = Service()
    service.model = model  # type: ignore[assignment]
    return service
