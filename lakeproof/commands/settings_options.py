"""Command options for the settings of a run, made from the table in conformance/values/settings.py."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import Any, TypeVar

import click

from conformance.values.settings import SETTINGS, Settings, flag
from lakeproof.options import OneOf

F = TypeVar("F", bound=Callable[..., Any])
DEFAULT = "[default: "
GAP = 2  # columns between an option and its help
SELECTION = ("kinds", "operation", "clause", "select")
ACCESS = {"token": "Bearer token to send.", "credential": "Client credentials for getting tokens."}
CONNECTION = ("timeout", "max_time", "wait", "ca", "insecure", "cert", "key", "leave_behind")


def settings_options(*names: str, **helps: str) -> Callable[[F], F]:
    """Add options for settings to a command; `helps` are help texts of its own, of these settings and of further ones.

    None, or no value, means that an option was not given: environment and file apply then.
    """

    def give(command: F) -> F:
        for name in reversed(dict.fromkeys((*names, *helps))):
            command = _option(name, helps.get(name, ""))(command)
        return command

    return give


class SettingsCommand(click.Command):
    """Command whose help lists the settings in sections, and its own options in the last section."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the sections of options."""
        title, sections = "", defaultdict[str, list[tuple[str, str]]](list)
        for option in self.get_params(ctx):
            title = SETTINGS[option.name].section or title if option.name in SETTINGS else title
            if isinstance(option, click.Option) and (record := option.get_help_record(ctx)):
                sections[title].append(record)
        widest = max(len(flags) for records in sections.values() for flags, _ in records)
        for title, records in sections.items():
            with formatter.section(title):
                formatter.write_dl([(flags.ljust(widest), help) for flags, help in records], col_max=widest + GAP)


def _option(name: str, help: str) -> Callable[[F], F]:
    setting, default = SETTINGS[name], getattr(Settings(), name)
    text = help or setting.help
    if setting.choices and not help:
        text += f": {', '.join(setting.choices())}."
    if default and isinstance(default, str | int | float) and DEFAULT not in text:
        text += f"  {DEFAULT}{default:g}]" if isinstance(default, float) else f"  {DEFAULT}{default}]"
    kinds: dict[str, Any] = {"type": type(default), "metavar": setting.metavar}
    if isinstance(default, tuple):
        kinds = {"multiple": True, "metavar": setting.metavar}
    elif default is False:
        kinds = {"is_flag": True, "default": None}
    elif setting.choices:
        kinds["type"] = OneOf([*setting.choices()])
    return click.option(*filter(None, (setting.short, flag(name))), name, help=text, **kinds)
