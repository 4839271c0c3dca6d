"""Exceptions in converted functions name the program's lines, and stay what they are."""

import inspect

import pytest

import eagerflow as tf
from eagerflow.autograph.conversion import convert, convert_in_context


def line_of(function, text):
    """The number of the first line of a function that has a text."""
    lines, first = inspect.getsourcelines(function)
    return first + next(k for k, line in enumerate(lines) if text in line)


def divided(n):
    return 1 / n


def called(n):
    for k in range(n, -1, -1):
        if k == 0:
            return divided(
                k,
            )
    return n


def calling(n):
    if n > 0:
        return (lambda: called(n))()
    return n


def test_every_converted_function_is_listed_with_its_line():
    with pytest.raises(ZeroDivisionError) as caught:
        convert(calling)(2)
    assert str(caught.value).split("\n") == [
        "in user code:",
        "",
        f'    File "{__file__}", line {line_of(calling, "lambda")}, in calling  *',
        "        return (lambda: called(n))()",
        f'    File "{__file__}", line {line_of(called, "divided(")}, in called  *',
        "        return divided(",
        f'    File "{__file__}", line {line_of(divided, "1 / n")}, in divided  *',
        "        return 1 / n",
        "",
        "    ZeroDivisionError: division by zero",
        "",
    ]


def test_functions_that_are_not_converted_are_listed_below():
    def plain(n):
        return further(n)

    def further(n):
        return [][n]

    unconverted = tf.autograph.experimental.do_not_convert(plain)

    def function(n):
        return unconverted(n)

    with pytest.raises(IndexError) as caught:
        convert(function)(2)
    lines = [line for line in str(caught.value).split("\n") if " in " in line]
    assert [line.split(" in ")[1] for line in lines] == ["function  *", "plain  **", "further"]


def test_functions_that_convert_again_inside_give_one_list():
    def inner(n):
        return divided(n)

    def outer(n):
        return convert_in_context(inner)(n)

    with pytest.raises(ZeroDivisionError) as caught:
        convert(outer)(0)
    message = str(caught.value)
    assert message.count("in user code:") == 1 and message.count("ZeroDivisionError") == 1
    assert message.index("in outer  *") < message.index("in inner  *") < message.index("divided  *")


class Custom(Exception):
    def __init__(self, code, text):
        super().__init__(f"{text} ({code})")
        self.code = code


class Formatted(Exception):
    def __str__(self):
        return "always this"


def raising(error):
    raise error


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (Custom(3, "wrong"), "Custom: wrong (3)"),
        (ValueError("a", "b"), "ValueError: ('a', 'b')"),
        (KeyError("name"), "KeyError: 'name'"),
        (ImportError("no module"), "ImportError: no module"),
        (tf.errors.NotFoundError(None, None, "gone"), "NotFoundError: gone"),
    ],
)
def test_exceptions_keep_their_type(error, text):
    with pytest.raises(type(error)) as caught:
        convert(raising)(error)
    message = str(caught.value)
    assert message.startswith("in user code:") and message.endswith(f"    {text}\n")
    assert "raise error" in message
    if isinstance(error, Custom):
        assert caught.value is error and error.code == 3
    if isinstance(error, KeyError):
        assert type(caught.value).__name__ == "KeyError" and caught.value.args == ("name",)
    if isinstance(error, tf.errors.OpError):
        assert caught.value.message == message and caught.value.error_code == tf.errors.NOT_FOUND


@pytest.mark.parametrize("error", [Formatted(), OSError(2, "gone"), UnicodeError("x")])
def test_exceptions_whose_message_is_their_own_are_left_alone(error):
    before = str(error)
    with pytest.raises(type(error)) as caught:
        convert(raising)(error)
    assert caught.value is error and before in str(error)


def test_causes_are_kept():
    def function():
        try:
            raise ValueError("first")
        except ValueError as error:
            raise TypeError("second") from error

    with pytest.raises(TypeError, match="second") as caught:
        convert(function)()
    assert isinstance(caught.value.__cause__, ValueError)


def test_exceptions_that_the_function_handles_are_as_raised():
    def function():
        try:
            divided(0)
        except ZeroDivisionError as error:
            return str(error)
        return ""

    assert convert(function)() == "division by zero"
