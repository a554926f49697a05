"""The store: results kept in one file, with what was read from where and when.

A store is a DuckDB database. What a reader finds in a file goes in as it was found, before it is
put together with other files (`rankbars.readers.parts`); so a store can be ranked exactly as
its files would be, and a file can be replaced or taken out. Every change is one transaction.
"""
