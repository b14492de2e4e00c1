"""PyYAML's syntax errors in words for people who write formulas, not parsers."""

from __future__ import annotations

from typing import Protocol

import yaml

from modalgen.gen.diagnostics import Diagnostic

Position = tuple[int, int]  # line and column, from 1

_QUOTE = "put text with special characters, formulas above all, in quotes"


class Mark(Protocol):
    """What is used of PyYAML's marks: line and column, from 0."""

    line: int
    column: int


def position(mark: Mark | None) -> Position:
    """The position of a mark; events and errors of the parser in Python always have one."""
    assert mark is not None
    return mark.line + 1, mark.column + 1


def syntax_error(file: str, error: yaml.YAMLError, last: yaml.Event | None) -> Diagnostic:
    """PyYAML's error in words for people, at the place that helps most; *last* is the event before it."""
    problem, context = getattr(error, "problem", None) or "", getattr(error, "context", None) or ""
    problem_mark: Mark | None = getattr(error, "problem_mark", None)
    context_mark: Mark | None = getattr(error, "context_mark", None)
    if isinstance(last, yaml.ScalarEvent) and last.style in ("'", '"'):
        start, end = position(last.start_mark), position(last.end_mark)
        if start[0] < end[0] and problem_mark is not None and position(problem_mark)[0] == end[0]:
            message = f"the quotation mark opened here is closed on line {end[0]} only"
            return Diagnostic(file, *start, message)
    message, at_context = _wording(problem, context)
    mark = (at_context and context_mark) or problem_mark or context_mark
    here = position(mark) if mark else (1, 1)
    if "should follow" in message and context_mark and position(context_mark)[0] < here[0]:
        message += f" (the bracket was opened on line {position(context_mark)[0]})"
    return Diagnostic(file, *here, message)


def _wording(problem: str, context: str) -> tuple[str, bool]:
    """A sentence, and whether it is about the place where the construct begins in which parsing failed."""
    if r"'\t'" in problem:
        return "a tab stands between the parts of the file; use spaces", False
    if "quoted scalar" in context and "end of stream" in problem:
        return "the quotation mark opened here is never closed", True
    if "unknown escape" in problem:
        return "a backslash starts no known escape here; use single quotes, or double the backslash", False
    if "mapping values are not allowed" in problem:
        return "`: ` stands where no key can be: the line is indented wrongly, or text needs quotes", False
    if "expected <block end>" in problem:
        return "the value ends before this: the line is indented wrongly, or text needs quotes", False
    if "parsing a flow node" in context:
        if "<stream end>" in problem:
            return f"the file ends inside brackets that are never closed; {_QUOTE}", False
        return f"a value, or a closing bracket, should stand here; {_QUOTE}", False
    if "parsing a flow" in context:
        opening, closing = "{}" if "mapping" in context else "[]"
        if "<stream end>" in problem:
            return f"the `{opening}` opened here is never closed; {_QUOTE}", True
        return f"`,` or `{closing}` should follow here; {_QUOTE}", False
    if "could not find expected ':'" in problem:
        return f"this line is no `key: value`; {_QUOTE}", True
    if "cannot start any token" in problem:
        return f"unquoted text cannot start with {problem.split()[2]}; {_QUOTE}", False
    return f"this is no YAML: {problem or context or 'unreadable'}", False
