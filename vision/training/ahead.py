"""Batches drawn ahead by other processes: drawing takes longer than learning, above all on a GPU."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

import torch
from torch.utils.data import DataLoader, Dataset

T = TypeVar("T")


class _Steps(Dataset[T], Generic[T]):
    """The batches from step `first` on, `count` of them."""

    def __init__(self, batch_of: Callable[[int], T], first: int, count: int) -> None:
        self._batch_of, self._first, self._count = batch_of, first, count

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, number: int) -> T:
        return self._batch_of(self._first + number)


class Ahead(Generic[T]):
    """`batch_of`, each step's in turn, drawn by `workers` processes; with none by this one.

    What is drawn depends on nothing but the step, so the number of workers changes no batch. `end`: the step after
    the last.
    """

    def __init__(self, batch_of: Callable[[int], T], workers: int, end: int) -> None:
        self._batch_of, self._workers, self._end = batch_of, workers, end
        self._drawn: Iterator[T] | None = None
        self._next = 0

    def __call__(self, step: int) -> T:
        """The batch of `step`; with workers the steps are asked for one after another, from any first one."""
        if not self._workers:
            return self._batch_of(step)
        if self._drawn is None:
            steps = _Steps(self._batch_of, step, self._end - step)
            # What draws holds what cannot be sent to another process, but is there in a fork. The loader has a random
            # generator of its own: with torch's own, of which learning draws, it would change what is learned.
            loader = DataLoader(
                steps,
                batch_size=None,
                num_workers=self._workers,
                multiprocessing_context="fork",
                generator=torch.Generator(),
            )
            self._drawn = iter(loader)
            self._next = step
        if step != self._next:
            raise ValueError(f"step {step} is asked for, but {self._next} is drawn")
        self._next += 1
        return next(self._drawn)
