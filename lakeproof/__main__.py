"""Entry point of `lakeproof` and of `python -m lakeproof`."""

from lakeproof.packages import bind_packages


def main() -> None:
    """Run the command line and exit with its code."""
    bind_packages()
    from lakeproof.cli import main as run  # noqa: PLC0415 - its imports need the bound packages

    run()


if __name__ == "__main__":
    main()
