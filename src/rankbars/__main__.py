"""``python -m rankbars`` is the command ``rankbars``."""

from rankbars.cli import main

if __name__ == "__main__":
    main()
