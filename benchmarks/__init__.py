"""What rankbars costs, beside straightforward implementations of the same thing.

``make bench`` measures every row and writes docs/performance.md. ``python -m benchmarks NAME...``
measures some of them and prints the result; ``python -m benchmarks --list`` names them.
"""
