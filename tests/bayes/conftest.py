"""Quick compiling: nearly all time of these tests goes there, hardly any into sampling."""

from __future__ import annotations

from collections.abc import Iterator

import jax
import pytest


@pytest.fixture(autouse=True, scope="session")
def quick_compiling() -> Iterator[None]:
    name = "jax_disable_most_optimizations"
    before = jax.config.read(name)
    jax.config.update(name, True)
    yield
    jax.config.update(name, before)
