"""``python -m rankbars`` is the command ``rankbars``."""

from rankbars.cli import command

if __name__ == "__main__":
    command()
