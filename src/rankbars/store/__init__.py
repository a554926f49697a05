"""The store: results kept in one file, with what was read from where and when.

A store is a DuckDB database. What a reader finds in a file goes in as it was found, before it is
put together with other files (`rankbars.data.pieces`); so a store can be ranked exactly as its
files would be, and a file can be replaced or taken out. Every change is one transaction.
"""

from rankbars.store.contents import Event, FileEntry, Store, open_store
from rankbars.store.opening import BusyError, is_store
from rankbars.store.pairs import PairCache

__all__ = ["BusyError", "Event", "FileEntry", "PairCache", "Store", "is_store", "open_store"]
