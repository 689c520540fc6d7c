"""The command line: `companion [run]` and the commands that `companion --help` lists.

Each command imports its own parts, so that the referee starts without a sound card and the script without a server.
"""

from __future__ import annotations

import argparse
import difflib
import logging
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from companion import __version__, languages
from companion.errors import CompanionError
from companion.game import boards
from companion.machine import logs, terminal
from companion.settings import SETTINGS, Settings, SettingsError, load

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import NoReturn

EXIT_FAILED = 1
EXIT_USAGE = 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code: 0 done, 1 failed, 2 wrong usage or settings."""
    terminal.make_safe()
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        return _told(given)
    except KeyboardInterrupt:
        return EXIT_FAILED
    except Exception as error:
        logging.getLogger(__name__).debug("where it happened:", exc_info=True)
        # The kind alone: what an error says may hold a card.
        print(f"Something went wrong inside ({type(error).__name__}); --log-level debug tells where.", file=sys.stderr)
        return EXIT_FAILED


def _told(given: list[str]) -> int:
    """Do what the command line says."""
    parser, words = _parser(), _with_command(given)
    if words[0] not in _COMMANDS and not words[0].startswith("-"):
        near = difflib.get_close_matches(words[0], _COMMANDS, 1, 0.5)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        parser.error(f"there is no command {words[0]!r}: there are {', '.join(_COMMANDS)}{hint}")
    options = parser.parse_args(words)
    try:
        settings = load(_settings_given(options), os.environ, options.config)
    except (SettingsError, languages.LanguageError) as error:
        print(error, file=sys.stderr)
        return EXIT_USAGE
    logs.set_up(settings.log_level)
    command: Callable[[Settings, argparse.Namespace], int] = _COMMANDS[options.command]
    try:
        code = command(settings, options)
        # Not at exit, where nobody could say a word about it.
        sys.stdout.flush()
    except (SettingsError, languages.LanguageError) as error:
        print(error, file=sys.stderr)
        return EXIT_USAGE
    except BrokenPipeError:
        # Whoever read our output has left, as in `companion history | head`; the rest is nobody's.
        terminal.let_go()
        return EXIT_FAILED
    except (CompanionError, OSError) as error:
        print(f"companion {options.command}: {error}", file=sys.stderr)
        terminal.let_go()
        return EXIT_FAILED
    return code


_WITHOUT_VALUE = frozenset(
    {"-h", "--help", "--say", "--names", "--exercise", "--dry-run", "--uninstall", "--replay", "--sums", "--json"}
)


def _with_command(given: list[str]) -> list[str]:
    """Put the command first: options may stand before it, and none at all means `run`."""
    if "--version" in given:
        return ["--version"]
    if given and given[0] in ("-h", "--help"):
        return given
    takes_value = False
    for place, word in enumerate(given):
        if takes_value:
            takes_value = False
        elif not word.startswith("-"):
            # The command, if there is one of that name.
            return [word, *given[:place], *given[place + 1 :]]
        else:
            takes_value = "=" not in word and word not in _WITHOUT_VALUE
    return ["run", *given]


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one sentence, instead of below the whole usage."""

    def error(self, message: str) -> NoReturn:
        """Print the sentence and leave."""
        self.exit(EXIT_USAGE, f"{self.prog}: {message.removeprefix('argument ')} ({self.prog} --help tells more)\n")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="companion", description="A tabletop companion and narrator for Secret Hitler.", allow_abbrev=False
    )
    parser.add_argument("--version", action="version", version=f"companion {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="command")

    def add(name: str, summary: str) -> argparse.ArgumentParser:
        command = commands.add_parser(name, help=summary, description=summary, allow_abbrev=False)
        common = command.add_argument_group("common options")
        common.add_argument("--config", type=Path, metavar="FILE", help="a settings file (TOML)")
        _add_settings(common, "language", "rules", "state_dir", "cache_dir", "log_level")
        return command

    run = add("run", "start the box: panel, voice, phone pages (the default command)")
    _add_settings(run, "panel", "board", "voice", "roles", "host", "sound.file", "port")

    narrate = add("narrate", "speak one night and nothing else")
    narrate.add_argument("--players", type=_players, required=True, metavar="N", help="5 to 10")
    narrate.add_argument("--output", type=Path, metavar="FILE.wav", help="write the whole performance instead")
    narrate.add_argument("--format", choices=("text", "json"), help="print the timed script without speaking")
    _add_settings(narrate, "voice")

    referee = add("referee", "a headless box: JSON commands in, JSON answers out")
    referee.add_argument("--players", type=_players, required=True, metavar="N", help="5 to 10")
    referee.add_argument("--first", type=int, default=1, metavar="SEAT", help="the first presidential candidate")

    _add_selftest(add("selftest", "check this box: settings, pins, lights, buttons, speaker, voices, network"))

    _add_wiring(add("wiring", "the pin table and the wiring diagram of the configured panel"))
    own = add("network", "in which network the box is, and the code of its own Wi-Fi")
    own.add_argument("--card", type=Path, metavar="FILE.svg", help="draw a card with the codes, to stick on the lid")
    own.add_argument("--keep", action="store_true", help="open the box's own Wi-Fi where there is none; for the system")

    add("gamepad", "learn which USB button is which, for --panel gamepad")

    voices = add("voices", "which voice speaks each language here")
    voices.add_argument("--say", action="store_true", help="say a sample aloud")
    voices.add_argument("--script", type=Path, metavar="FILE", help="write the lines to read for a recorded voice")
    voices.add_argument(
        "--install", metavar="LANG", help="fetch a Piper voice for a language, or for all, from the internet"
    )

    voices.add_argument("--missing", metavar="LANG", help="list what a language file lacks, or still has in English")

    demo = add("demo", "watch the box play whole games by itself, on all screens and aloud")
    demo.add_argument("--players", type=_players, default=7, metavar="N", help="5 to 10; 7 if not given")
    demo.add_argument("--pace", choices=("table", "fast", "step"), default="table", help="step: at each enter key")
    demo.add_argument("--games", type=int, default=1, metavar="N", help="how many, one after the other")
    demo.add_argument("--seed", type=int, metavar="N", help="the same number plays the same game again")
    _add_settings(demo, "panel", "voice", "host", "sound.file", "port")

    history = add("history", "games played on this box")
    history.add_argument("--export", type=Path, metavar="FILE", help="write them as JSON; -: to standard output")
    history.add_argument("--names", action="store_true", help="with players' names")
    history.add_argument("--game", type=int, metavar="N", help="tell this one, a government a line")
    history.add_argument("--svg", type=Path, metavar="FILE", help="draw that game; -: to standard output")
    history.add_argument("--replay", action="store_true", help="tell that game as the table heard it, step by step")
    history.add_argument("--sums", action="store_true", help="sum the games up: who wins, how, how long, at which seat")
    history.add_argument("--json", action="store_true", help="print JSON, as --export - does")
    history.add_argument("--forget", metavar="NAME", help="take a name out of all that this box keeps")
    history.add_argument("--delete", type=int, metavar="N", help="delete a game")
    _add_install(add("install", "make this Raspberry Pi a box that plays when it is switched on"))
    return parser


def _add_wiring(wiring: argparse.ArgumentParser) -> None:
    _add_settings(wiring, "board")
    wiring.add_argument("--svg", type=Path, metavar="FILE.svg", help="draw the wiring, one sheet of A4")
    wiring.add_argument(
        "--front",
        type=Path,
        metavar="FILE",
        help="draw the front panel to scale, as .svg to drill or .dxf to cut by laser",
    )
    wiring.add_argument("--case", type=Path, metavar="FILE.scad", help="write a case to print, for OpenSCAD")
    wiring.add_argument("--labels", type=Path, metavar="FILE.svg", help="draw the words of the front panel to cut out")
    wiring.add_argument("--stripboard", type=Path, metavar="FILE.svg", help="draw the stripboard, hole by hole")
    wiring.add_argument("--kicad", type=Path, metavar="DIR", help="write a circuit board as a project for KiCad")
    wiring.add_argument("--milliamps", type=_milliamps, metavar="N", help="the current through each light")
    wiring.add_argument("--format", choices=("text", "json"), default="text", help="json: for programs")


def _add_selftest(selftest: argparse.ArgumentParser) -> None:
    selftest.add_argument("--exercise", action="store_true", help="press each button and watch each light as well")
    selftest.add_argument("--format", choices=("text", "json"), default="text", help="json: for programs")
    selftest.add_argument("--report", type=Path, metavar="FILE", help="write what to attach to a bug report as well")
    _add_settings(selftest, "panel", "board", "voice", "host", "port")


def _add_settings(command: argparse._ActionsContainer, *keys: str) -> None:
    """Offer settings as options of a command."""
    for key in keys:
        setting = SETTINGS[key]
        option = f"--{key.replace('_', '-').replace('.', '-')}"
        command.add_argument(option, dest=key, metavar=setting.metavar, help=setting.help)


def _add_install(install: argparse.ArgumentParser) -> None:
    install.add_argument("--dry-run", action="store_true", help="tell every step, and do none")
    install.add_argument("--uninstall", action="store_true", help="take it back; settings and games stay")
    install.add_argument("--hotspot", type=_network, metavar="NAME", help="have the box always make a Wi-Fi of its own")
    install.add_argument("--voices", action="store_true", help="fetch better voices, some 60 MB a language")
    install.add_argument("--source", type=Path, metavar="PATH", help="a copy of the repository, or a wheel")
    install.add_argument("--wheels", type=_folder, metavar="DIR", help="wheels, to install without the internet")
    install.add_argument(
        "--make-card",
        type=Path,
        metavar="DIR",
        help="make a flashed card's boot partition one that installs by itself",
    )
    install.add_argument("--root", type=_folder, metavar="DIR", help="a card that is mounted there, instead of this")


def _network(text: str) -> str:
    from companion.commands.install.hotspot import checked_name  # noqa: PLC0415

    try:
        return checked_name(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _folder(text: str) -> Path:
    if Path(text).is_dir():
        return Path(text).absolute()
    raise argparse.ArgumentTypeError(f"{text} is no folder")


def _players(text: str) -> int:
    if text.isdecimal() and int(text) in boards.PLAYER_COUNTS:
        return int(text)
    raise argparse.ArgumentTypeError(f"{text} players cannot play: Secret Hitler is for 5 to 10")


def _milliamps(text: str) -> float:
    try:
        wanted = float(text)
    except ValueError:
        wanted = 0.0
    if 0 < wanted < float("inf"):
        return wanted
    raise argparse.ArgumentTypeError(f"{text} is no current: a number of milliamperes above 0")


def _settings_given(options: argparse.Namespace) -> dict[str, object]:
    return {key: given for key, given in vars(options).items() if key in SETTINGS}


def _run(settings: Settings, _: argparse.Namespace) -> int:
    from companion.box.run import run  # noqa: PLC0415

    return run(settings)


def _narrate(settings: Settings, options: argparse.Namespace) -> int:
    from companion.commands.narrate import run  # noqa: PLC0415

    return run(settings, options.players, options.output, options.format)


def _referee(settings: Settings, options: argparse.Namespace) -> int:
    from companion.commands.referee import run  # noqa: PLC0415
    from companion.game.refusals import Refused  # noqa: PLC0415
    from companion.rulebooks import rules_of  # noqa: PLC0415

    try:
        rulebook = rules_of(settings.rules, settings.language)
        return run(options.players, options.first, rulebook, languages.load(settings.language).refusals)
    except Refused as refused:
        print(f"--first {options.first}: {refused}", file=sys.stderr)
        return EXIT_USAGE


def _selftest(settings: Settings, options: argparse.Namespace) -> int:
    from companion.commands.selftest import run  # noqa: PLC0415

    return run(settings, exercise=options.exercise, as_json=options.format == "json", report=options.report)


def _wiring(settings: Settings, options: argparse.Namespace) -> int:
    from companion.commands.wiring import DRAWINGS, run  # noqa: PLC0415

    wanted = {name: getattr(options, name) for name in DRAWINGS}
    as_json = options.format == "json"
    return run(settings, wanted, kicad=options.kicad, as_json=as_json, milliamps=options.milliamps)


def _network_command(settings: Settings, options: argparse.Namespace) -> int:
    from companion.commands.network import keep, show  # noqa: PLC0415
    from companion.commands.network.keeper import is_at_rest  # noqa: PLC0415
    from companion.commands.network.networkmanager import NetworkError, NetworkManager  # noqa: PLC0415

    if not options.keep:
        return show(settings, NetworkManager(), options.card)
    try:
        return keep(
            NetworkManager(),
            lambda: is_at_rest(settings),
            is_wanted=settings.own_network,
            tell=lambda words: print(words, flush=True),
        )
    except NetworkError as error:
        print(error, file=sys.stderr)
        return EXIT_FAILED


def _gamepad(settings: Settings, _: argparse.Namespace) -> int:
    from companion.commands.gamepad import run  # noqa: PLC0415

    return run(settings.gamepad_file)


def _voices(settings: Settings, options: argparse.Namespace) -> int:
    from companion.commands.voices import install, install_all, missing, run, write_lines  # noqa: PLC0415

    if options.missing is not None:
        return missing(options.missing)
    if options.install == "all":
        return install_all(settings)
    if options.install is not None:
        return install(settings, languages.known(options.install))
    # An option asks for that language alone; a setting is only what the table speaks.
    codes = languages.codes() if options.language is None else (settings.language,)
    if options.script is not None:
        return write_lines(options.script, codes)
    return run(settings, codes, aloud=options.say)


def _demo(settings: Settings, options: argparse.Namespace) -> int:
    from companion.commands.demo import run  # noqa: PLC0415

    return run(settings, options.players, options.pace, options.games, options.seed)


def _history(settings: Settings, options: argparse.Namespace) -> int:
    from companion.commands import history  # noqa: PLC0415

    if options.forget is not None:
        return history.forget(settings, options.forget)
    if options.delete is not None:
        return history.delete(settings, options.delete)
    for option in ("svg", "replay"):
        if getattr(options, option) and options.game is None:
            print(f"--{option} is about one game: say which by --game N.", file=sys.stderr)
            return EXIT_USAGE
    return history.run(
        settings.state_dir,
        Path(history.STANDARD_OUTPUT) if options.json else options.export,
        names=options.names,
        game=options.game,
        svg=options.svg,
        replay=options.replay,
        sums=options.sums,
    )


def _install(_: Settings, options: argparse.Namespace) -> int:
    from companion.commands.install import make_card, run  # noqa: PLC0415
    from companion.commands.install.target import Target  # noqa: PLC0415

    if options.make_card is not None:
        return make_card(options.make_card, options.source, options.wheels)
    return run(
        Target(options.root or Path("/")),
        source=options.source,
        wheels=options.wheels,
        hotspot=options.hotspot,
        voices=options.voices,
        only_show=options.dry_run,
        take_back=options.uninstall,
    )


_COMMANDS: dict[str, Callable[[Settings, argparse.Namespace], int]] = {
    "run": _run,
    "narrate": _narrate,
    "referee": _referee,
    "selftest": _selftest,
    "wiring": _wiring,
    "network": _network_command,
    "gamepad": _gamepad,
    "voices": _voices,
    "demo": _demo,
    "history": _history,
    "install": _install,
}
