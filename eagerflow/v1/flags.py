"""tf.flags: command line options."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any


class Error(Exception):
    """Base class of the errors of flags."""


class IllegalFlagValueError(Error):
    """A value that the flag does not allow."""


class UnrecognizedFlagError(Error):
    """An option for which no flag has been defined."""


class DuplicateFlagError(Error):
    """A flag that has been defined already."""


class UnparsedFlagAccessError(Error):
    """A flag that is read before the command line has been parsed."""


class Flag:
    """An option: its name, parser, default value and description."""

    def __init__(
        self,
        name: str,
        parse: Callable[[str], Any],
        default: Any,
        help: str | None,
        boolean: bool = False,
        multiple: bool = False,
    ) -> None:
        self.name = name
        self.parse = parse
        self.default = default
        self.value = default
        self.help = help
        self.boolean = boolean
        self.multiple = multiple
        self.present = 0
        self.required = False
        self.validators: list[tuple[Callable[[Any], bool], str | None]] = []

    def read(self, text: str) -> None:
        """Parses a value of the command line."""
        try:
            value = self.parse(text)
        except ValueError as error:
            raise IllegalFlagValueError(f"flag --{self.name}={text}: {error}") from None
        if self.multiple:
            self.value = [*(self.value if self.present else []), value]
        else:
            self.value = value
        self.present += 1


class FlagValues:
    """All flags of the program; each is an attribute.

    >>> flags = tf.compat.v1.flags
    >>> values = flags.FlagValues()
    >>> flags.DEFINE_integer("steps", 10, "How many steps.", flag_values=values)
    >>> values(["program", "--steps=3", "file"]), values.steps
    (['program', 'file'], 3)
    """

    def __init__(self) -> None:
        self.__dict__["_flags"] = {}
        self.__dict__["_parsed"] = False

    def __call__(self, argv: Sequence[str], known_only: bool = False) -> list[str]:
        """Parses the command line; returns the arguments that are not flags.

        Raises:
            UnrecognizedFlagError: for an option that is not defined, unless `known_only`.
            IllegalFlagValueError: for a value that does not fit.
        """
        rest = list(argv[:1])
        position = 1
        while position < len(argv):
            argument = argv[position]
            position += 1
            if argument == "--":
                rest.extend(argv[position:])
                break
            name, equals, text = argument.lstrip("-").partition("=")
            if not argument.startswith("-") or not name:
                rest.append(argument)
                continue
            if name in ("help", "helpfull") and name not in self._flags:
                print(self.main_module_help())
                sys.exit(1)
            flag = self._find(name)
            if flag is None:
                if not known_only:
                    raise UnrecognizedFlagError(f"Unknown command line flag '{name}'")
                rest.append(argument)
                continue
            if flag.boolean:
                flag.read(text if equals else str(name == flag.name))
                continue
            if not equals:
                if position == len(argv):
                    raise Error(f"Missing value for flag --{name}")
                text = argv[position]
                position += 1
            flag.read(text)
        self.mark_as_parsed()
        self.validate_all_flags()
        return rest

    def _find(self, name: str) -> Flag | None:
        name = name.replace("-", "_") if name not in self._flags else name
        flag = self._flags.get(name)
        if flag is None and name.startswith("no"):
            flag = self._flags.get(name[2:])
            return flag if flag is not None and flag.boolean else None
        return flag

    def validate_all_flags(self) -> None:
        """Runs all validators.

        Raises:
            IllegalFlagValueError: if one does not fit.
        """
        for flag in self._flags.values():
            if flag.required and flag.value is None:
                raise IllegalFlagValueError(f"flag --{flag.name}=None: must have a value.")
            for check, message in flag.validators:
                if not check(flag.value):
                    raise IllegalFlagValueError(
                        f"flag --{flag.name}={flag.value}: {message or 'Flag validation failed'}"
                    )

    def mark_as_parsed(self) -> None:
        """Makes the flags readable without a command line."""
        self.__dict__["_parsed"] = True

    def is_parsed(self) -> bool:
        """Whether the command line has been parsed."""
        return self._parsed

    def unparse_flags(self) -> None:
        """Marks the command line as not parsed."""
        self.__dict__["_parsed"] = False

    def flag_values_dict(self) -> dict[str, Any]:
        """The values by name."""
        return {name: flag.value for name, flag in self._flags.items()}

    def main_module_help(self) -> str:
        """The text of `--help`."""
        lines = [f"\n{sys.argv[0]}:"]
        for name, flag in sorted(self._flags.items()):
            lines.append(f"  --{name}: {flag.help or ''}\n    (default: {flag.default!r})")
        return "\n".join(lines)

    def define(self, flag: Flag) -> None:
        """Adds a flag.

        Raises:
            DuplicateFlagError: if there is one of that name.
        """
        if flag.name in self._flags:
            raise DuplicateFlagError(f"The flag '{flag.name}' is defined twice.")
        self._flags[flag.name] = flag

    def __getattr__(self, name: str) -> Any:
        flag = self.__dict__["_flags"].get(name)
        if flag is None:
            raise AttributeError(name)
        if not self._parsed:
            # Programs that never call `tf.app.run` parse the command line at the first access.
            self(sys.argv, known_only=True)
        return flag.value

    def __setattr__(self, name: str, value: Any) -> None:
        flag = self._flags.get(name)
        if flag is None:
            raise AttributeError(name)
        flag.value = value
        flag.present += 1

    def __delattr__(self, name: str) -> None:
        if name not in self._flags:
            raise AttributeError(name)
        del self._flags[name]

    def __getitem__(self, name: str) -> Flag:
        return self._flags[name]

    def __contains__(self, name: str) -> bool:
        return name in self._flags

    def __iter__(self) -> Iterator[str]:
        return iter(self._flags)

    def __len__(self) -> int:
        return len(self._flags)

    def __dir__(self) -> list[str]:
        return sorted(self._flags)


FLAGS = FlagValues()


def _boolean(text: str) -> bool:
    lower = text.lower()
    if lower in ("true", "t", "1", "yes"):
        return True
    if lower in ("false", "f", "0", "no"):
        return False
    raise ValueError(f"Non-boolean argument to boolean flag: {text}")


def _list(text: str) -> list[str]:
    return [part.strip() for part in text.split(",")] if text else []


def _definer(what: str, parse: Callable[[str], Any], **kind: Any) -> Callable[..., None]:
    def define(
        name: str,
        default: Any,
        help: str | None = None,
        flag_values: FlagValues = FLAGS,
        required: bool = False,
        short_name: str | None = None,
        **limits: Any,
    ) -> None:
        if isinstance(default, str) and parse is not str:
            default = parse(default)
        if kind.get("multiple") and default is not None and not isinstance(default, list):
            default = [default]
        flag = Flag(name, parse, default, help, **kind)
        flag.required = required
        lower, upper = limits.get("lower_bound"), limits.get("upper_bound")
        if lower is not None or upper is not None:
            flag.validators.append((lambda value: _within(value, lower, upper), "out of bounds"))
        flag_values.define(flag)
        if short_name is not None:
            flag_values._flags[short_name] = flag

    define.__doc__ = f"Defines a flag whose value is {what}."
    return define


def _within(value: Any, lower: Any, upper: Any) -> bool:
    if value is None:
        return True
    return (lower is None or value >= lower) and (upper is None or value <= upper)


DEFINE_string = _definer("text", str)
DEFINE_integer = _definer("an integer", int)
DEFINE_float = _definer("a number", float)
DEFINE_bool = _definer("true or false", _boolean, boolean=True)
DEFINE_boolean = DEFINE_bool
DEFINE_list = _definer("a list of words between commas", _list)
DEFINE_spaceseplist = _definer("a list of words between spaces", str.split)
DEFINE_multi_string = _definer("a list of texts, given one by one", str, multiple=True)
DEFINE_multi_integer = _definer("a list of integers, given one by one", int, multiple=True)
DEFINE_multi_float = _definer("a list of floats, given one by one", float, multiple=True)


def DEFINE_enum(
    name: str,
    default: str | None,
    enum_values: Sequence[str],
    help: str | None = None,
    flag_values: FlagValues = FLAGS,
    case_sensitive: bool = True,
    required: bool = False,
) -> None:
    """Defines a flag whose value is one of a list of words."""

    def parse(text: str) -> str:
        for word in enum_values:
            if word == text or (not case_sensitive and word.lower() == text.lower()):
                return word
        raise ValueError(f"value should be one of <{'|'.join(enum_values)}>")

    flag = Flag(name, parse, default, help)
    flag.required = required
    flag_values.define(flag)


def DEFINE_alias(
    name: str, original_name: str, flag_values: FlagValues = FLAGS, **kwargs: Any
) -> None:
    """Defines another name for a flag."""
    flag_values._flags[name] = flag_values[original_name]


def mark_flag_as_required(flag_name: str, flag_values: FlagValues = FLAGS) -> None:
    """Requires that a flag has a value once the command line has been parsed."""
    flag_values[flag_name].required = True


def mark_flags_as_required(flag_names: Sequence[str], flag_values: FlagValues = FLAGS) -> None:
    """Requires that all flags have values once the command line has been parsed."""
    for name in flag_names:
        mark_flag_as_required(name, flag_values)


def register_validator(
    flag_name: str,
    checker: Callable[[Any], bool],
    message: str = "Flag validation failed",
    flag_values: FlagValues = FLAGS,
) -> None:
    """Registers a validator that runs once the command line has been parsed."""
    flag_values[flag_name].validators.append((checker, message))


def validator(
    flag_name: str, message: str = "Flag validation failed", flag_values: FlagValues = FLAGS
) -> Callable[[Callable], Callable]:
    """A decorator that registers a function as a flag's validator."""

    def decorate(checker: Callable[[Any], bool]) -> Callable[[Any], bool]:
        register_validator(flag_name, checker, message, flag_values)
        return checker

    return decorate
