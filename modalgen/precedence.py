"""Operator-precedence parsing with explicit stacks (Dijkstra's shunting-yard algorithm, 1961).

Operators that wait for their right operand lie on one stack, finished formulas on another. An
operator is applied as soon as what follows binds less tightly. No function calls itself, every
token is pushed and popped once, and so the time is linear and the text cannot exhaust Python's
stack. Reading from left to right also means that at each atom the quantifiers in whose scope it
stands are known, and that nesting is refused at the column where it becomes too deep: each waiting
operator will be an ancestor of whatever comes next.

What the operators look like and how tightly they bind is up to the reader that feeds the builder.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NoReturn

from modalgen.formula import Formula

MAX_DEPTH = 200
"""The greatest height of a syntax tree. Recursive functions on formulas take a few of Python's 1000
stack frames for each level."""

MAX_PARENTHESES = 2 * MAX_DEPTH
"""The most parentheses open at once: two for each level, as printed non-classical TPTP has them."""


@dataclass(frozen=True)
class BinaryOperator:
    """A binary operator. Of two, the one with greater `tightness` is applied first.

    `associativity` says how a chain of it groups: "left", "right" or "none" (chains are refused).
    Different operators of the same tightness cannot stand side by side without parentheses.
    `height` is how many levels `build` adds to the syntax tree.
    """

    symbol: str
    tightness: int
    associativity: str
    build: Callable[[Formula, Formula], Formula]
    height: int = 1


@dataclass(frozen=True)
class _Waiting:
    """An open parenthesis, or an operator that still lacks its right operand."""

    symbol: str
    offset: int
    prefix: Callable[[Formula], Formula] | None = None
    binary: BinaryOperator | None = None
    variable: str | None = None


class FormulaBuilder:
    """Builds one formula from operators, operands and parentheses in text order.

    `fail(message, offset)` must raise the reader's own exception. `bound` are the variables bound
    at this point of the text, outermost first.
    """

    def __init__(self, fail: Callable[[str, int], NoReturn]) -> None:
        self._fail = fail
        self._operands: list[tuple[Formula, int]] = []
        self._waiting: list[_Waiting] = []
        self._operators = 0
        self.open_parentheses = 0
        self.expects_operand = True
        self.bound: list[str] = []

    def prefix(self, symbol: str, build: Callable[[Formula], Formula], offset: int) -> None:
        """A unary operator, which binds tighter than all binary ones."""
        self._push(_Waiting(symbol, offset, prefix=build))

    def quantifier(
        self, symbol: str, build: Callable[[str, Formula], Formula], variable: str, offset: int
    ) -> None:
        """A quantifier with its variable; it binds as tightly as a unary operator."""
        self._push(_Waiting(symbol, offset, prefix=lambda body: build(variable, body), variable=variable))
        self.bound.append(variable)

    def operand(self, formula: Formula) -> None:
        """An atom or a constant."""
        self._operands.append((formula, 0))
        self.expects_operand = False
        self._apply_prefixes()

    def binary(self, operator: BinaryOperator, offset: int) -> None:
        """A binary operator after a complete operand."""
        while self._waiting and (other := self._waiting[-1].binary):
            if other.tightness < operator.tightness:
                break
            if other.tightness == operator.tightness:
                if other.symbol != operator.symbol or operator.associativity == "none":
                    self._fail(
                        f"'{other.symbol}' and '{operator.symbol}' stand side by side; "
                        "parentheses must say which is applied first",
                        offset,
                    )
                if operator.associativity == "right":
                    break
            self._apply()
        self._push(_Waiting(operator.symbol, offset, binary=operator))
        self.expects_operand = True

    def open(self, offset: int) -> None:
        """An opening parenthesis."""
        self.open_parentheses += 1
        if self.open_parentheses > MAX_PARENTHESES:
            self._fail(f"more than {MAX_PARENTHESES} parentheses are open here", offset)
        self._waiting.append(_Waiting("(", offset))

    def close(self, offset: int) -> None:
        """A closing parenthesis after a complete operand."""
        if self.open_parentheses == 0:
            self._fail("this ')' closes no parenthesis", offset)
        while self._waiting[-1].symbol != "(":
            self._apply()
        self._waiting.pop()
        self.open_parentheses -= 1
        self._apply_prefixes()

    def finish(self) -> Formula:
        """The formula, once its last operand is complete."""
        while self._waiting:
            if self._waiting[-1].symbol == "(":
                self._fail("this '(' is never closed", self._waiting[-1].offset)
            self._apply()
        return self._operands.pop()[0]

    def unclosed(self) -> int | None:
        """The offset of the innermost parenthesis that is open, None if there is none."""
        return next((w.offset for w in reversed(self._waiting) if w.symbol == "("), None)

    def missing(self) -> str:
        """What is expected where an operand is expected, in words."""
        after = f" after '{self._waiting[-1].symbol}'" if self._waiting else ""
        return f"a formula is expected{after}"

    def _push(self, waiting: _Waiting) -> None:
        self._operators += 1
        if self._operators > MAX_DEPTH:
            self._too_deep(waiting.offset)
        self._waiting.append(waiting)

    def _apply_prefixes(self) -> None:
        while self._waiting and self._waiting[-1].prefix:
            self._apply()

    def _apply(self) -> None:
        waiting = self._waiting.pop()
        self._operators -= 1
        formula, height = self._operands.pop()
        if waiting.binary:
            left, left_height = self._operands.pop()
            formula = waiting.binary.build(left, formula)
            height = max(left_height, height) + waiting.binary.height
        elif waiting.prefix:
            formula, height = waiting.prefix(formula), height + 1
        if waiting.variable is not None:
            self.bound.pop()
        if height > MAX_DEPTH:
            self._too_deep(waiting.offset)
        self._operands.append((formula, height))

    def _too_deep(self, offset: int) -> NoReturn:
        self._fail(f"the formula is nested more than {MAX_DEPTH} levels deep here", offset)
