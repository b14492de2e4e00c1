"""The reader of TPTP non-classical form (NXF): the modal subset, and nothing else silently.

A file is a list of annotated formulas. Their outer form is read by one function for each rule of
the grammar, their formulas by operator precedence (see `modalgen.precedence`). TPTP has no
precedence among binary connectives: & and | form chains, everything else needs parentheses.

What a role means (Steen et al., PAAR 2022): `hypothesis` and `conjecture` are local, that is judged
at the designated world, every other role is global, that is about all worlds; the sub-roles
`-local` and `-global` override this. Whatever has no counterpart in `Problem` is refused by its name.
"""

from __future__ import annotations

from collections.abc import Callable

from lark import Token

from modalgen.formula import (
    And,
    Atom,
    Bottom,
    Box,
    Diamond,
    Exists,
    Forall,
    Formula,
    Iff,
    Implies,
    Not,
    Or,
    Top,
    is_first_order,
    map_children,
    predicates,
    variables,
)
from modalgen.nxf_logic import FAMILIES, Logic, read_logic
from modalgen.nxf_tokens import NxfStream, shown, word
from modalgen.nxf_types import read_declaration, read_type, symbol_name
from modalgen.precedence import BinaryOperator, FormulaBuilder
from modalgen.problem import Problem
from modalgen.semantics import semantics
from modalgen.tokens import END, offset

_BINARY = {
    "AND": BinaryOperator("&", 1, "left", And),
    "OR": BinaryOperator("|", 1, "left", Or),
    "IMPLIES": BinaryOperator("=>", 1, "none", Implies),
    "IF": BinaryOperator("<=", 1, "none", lambda a, b: Implies(b, a)),
    "IFF": BinaryOperator("<=>", 1, "none", Iff),
    "XOR": BinaryOperator("<~>", 1, "none", lambda a, b: Not(Iff(a, b)), height=2),
    "NAND": BinaryOperator("~&", 1, "none", lambda a, b: Not(And(a, b)), height=2),
    "NOR": BinaryOperator("~|", 1, "none", lambda a, b: Not(Or(a, b)), height=2),
}
_BOXES = {box for box, _ in FAMILIES.values()}
_DIAMONDS = {diamond for _, diamond in FAMILIES.values()}
_PREMISES = ("axiom", "hypothesis", "definition", "assumption", "lemma", "theorem", "corollary")


def read_nxf(text: str) -> Problem:
    """The problem that a TPTP file states.

    Its semantics has no domain regime if no formula is first-order. Variables get a small first
    letter (and a number if an atom has the name already). Raises NxfError if the text is not a
    problem of the modal subset.
    """
    return _Reader(text).problem()


class _Reader:
    def __init__(self, text: str) -> None:
        self._tokens = NxfStream(text)
        self._logic: Logic | None = None
        self._declared: dict[str, int] = {}
        self._used: dict[str, tuple[int, int]] = {}  # the arity and where it was first seen
        self._operators: dict[str, int] = {}  # where each long operator was first seen
        self._local: list[Formula] = []
        self._global: list[Formula] = []
        self._conjecture: tuple[Formula, bool] | None = None

    def problem(self) -> Problem:
        first = offset(self._tokens.current)
        while self._tokens.current.type != END:
            self._annotated_formula()
        if self._logic is None:
            self._tokens.fail(
                "there is no logic specification; begin with tff(semantics,logic,$modal == "
                "[ $designation == $rigid, $domains == $constant, $terms == $local, "
                "$modalities == $modal_system_K ]).",
                first,
            )
        if self._conjecture is None:
            self._tokens.unexpected("a formula with the role conjecture is expected")
        for operator, where in self._operators.items():
            if operator not in FAMILIES[self._logic.family]:
                has = " and ".join(FAMILIES[self._logic.family])
                self._tokens.fail(
                    f"operator {operator} does not belong to {self._logic.family}, which has {has}", where
                )
        for name, (arity, where) in self._used.items():
            if self._declared.get(name, arity) != arity:
                self._tokens.fail(
                    f"{name!r} is declared with {self._declared[name]} arguments but used with {arity}", where
                )
        conjecture, everywhere = self._conjecture
        domain = None
        if any(map(is_first_order, (*self._global, *self._local, conjecture))):
            domain = self._logic.domain
            if domain is None:
                self._tokens.fail("a first-order problem needs $domains in its logic", first)
        names = _variable_names([*self._global, *self._local, conjecture])
        return Problem(
            semantics(self._logic.frame, domain),
            tuple(_rename_variables(formula, names) for formula in self._local),
            _rename_variables(conjecture, names),
            tuple(_rename_variables(formula, names) for formula in self._global),
            everywhere,
        )

    def _annotated_formula(self) -> None:
        """tff(name, role, content, annotations)."""
        tokens = self._tokens
        language = tokens.expect("LOWER", "an annotated formula, tff(name,role,formula), is expected")
        if language == "include":
            tokens.fail("include is not supported; put all formulas into one file", offset(language))
        if language != "tff":
            known = language in ("cnf", "fof", "thf", "tcf", "tpi")
            what = f"{language} formulas are not supported" if known else f"{shown(language)} is unknown"
            tokens.fail(f"{what}; a modal problem is written in tff", offset(language))
        tokens.expect("OPEN", "'(' is expected after tff")
        tokens.name("the name of the formula is expected")
        tokens.expect("COMMA", "',' is expected after the name of the formula")
        role, subrole = self._role()
        tokens.expect("COMMA", "',' is expected after the role")
        self._content(role, subrole)
        if tokens.accept("COMMA"):
            self._skip_annotations()
        tokens.expect("CLOSE", "')' is expected at the end of the annotated formula")
        tokens.expect("STOP", "'.' is expected after the annotated formula")

    def _role(self) -> tuple[Token, str | None]:
        role = self._tokens.expect("LOWER", "a role such as axiom or conjecture is expected")
        if role not in (*_PREMISES, "conjecture", "type", "logic"):
            self._tokens.fail(f"role {shown(role)} is not supported", offset(role))
        if not self._tokens.accept("DASH"):
            return role, None
        subrole = self._tokens.expect("LOWER", "local or global is expected after '-'")
        if subrole not in ("local", "global") or role in ("type", "logic"):
            self._tokens.fail(f"sub-role {shown(subrole)} of {role} is not supported", offset(subrole))
        return role, str(subrole)

    def _content(self, role: Token, subrole: str | None) -> None:
        if role == "logic":
            if self._logic is not None:
                self._tokens.fail("there is a second logic specification; one is supported", offset(role))
            self._logic = read_logic(self._tokens)
        elif role == "type":
            self._declare()
        elif role == "conjecture":
            if self._conjecture is not None:
                self._tokens.fail("there is a second conjecture; one is supported", offset(role))
            self._conjecture = (self._formula(), subrole == "global")
        else:
            local = subrole == "local" if subrole else role == "hypothesis"
            (self._local if local else self._global).append(self._formula())

    def _declare(self) -> None:
        where = offset(self._tokens.current)
        symbol, arity = read_declaration(self._tokens)
        if self._declared.setdefault(symbol, arity) != arity:
            self._tokens.fail(f"{symbol!r} is declared twice, with different types", where)

    def _skip_annotations(self) -> None:
        """The source and useful information, which say nothing about the problem's meaning."""
        opened = 0
        while self._tokens.current.type not in (END, "UNKNOWN"):
            kind = self._tokens.current.type
            if kind in ("OPEN", "LIST_OPEN"):
                opened += 1
            elif kind in ("CLOSE", "LIST_CLOSE"):
                if opened == 0:
                    return
                opened -= 1
            self._tokens.advance()

    def _formula(self) -> Formula:
        """A formula, up to the ')' or ',' that ends it. Its variables keep their upper words."""
        tokens = self._tokens
        builder = FormulaBuilder(tokens.fail)
        while True:
            if builder.expects_operand:
                self._operand(builder)
            elif tokens.current.type in _BINARY:
                builder.binary(_BINARY[tokens.current.type], offset(tokens.advance()))
            elif tokens.current.type == "CLOSE" and builder.open_parentheses:
                builder.close(offset(tokens.advance()))
            elif tokens.current.type == "CLOSE" or (
                tokens.current.type == "COMMA" and not builder.open_parentheses
            ):
                return builder.finish()
            else:
                self._not_a_continuation(builder)

    def _operand(self, builder: FormulaBuilder) -> None:
        token = self._tokens.current
        where = offset(token)
        match token.type:
            case "NOT":
                builder.prefix("~", Not, offset(self._tokens.advance()))
            case "OPEN":
                builder.open(offset(self._tokens.advance()))
            case "FORALL" | "EXISTS":
                self._quantifier(builder)
            case "SHORT_BOX":
                builder.prefix("[.]", Box, offset(self._tokens.advance()))
            case "SHORT_DIAMOND":
                builder.prefix("<.>", Diamond, offset(self._tokens.advance()))
            case "BRACE_OPEN":
                self._long_operator(builder)
            case "DOLLAR" if token in ("$true", "$false"):
                builder.operand(Top() if self._tokens.advance() == "$true" else Bottom())
            case "LOWER" | "QUOTED":
                builder.operand(self._atom(builder))
            case "SHORT_INDEXED":
                self._tokens.fail("indexed modalities are not supported", where)
            case "DOLLAR":
                self._tokens.fail(f"{shown(token)} is not supported in a formula", where)
            case "UPPER":
                self._tokens.advance()
                if self._tokens.current.type in ("EQUAL", "UNEQUAL"):
                    self._tokens.fail("equality is not supported", offset(self._tokens.current))
                self._tokens.fail(f"variable {shown(token)} stands where a formula is expected", where)
            case "NUMBER" | "DISTINCT":
                kind = "number" if token.type == "NUMBER" else "distinct object"
                self._tokens.fail(f"{kind} {shown(token)} is not supported in a formula", where)
            case _:
                self._tokens.unexpected(builder.missing())

    def _not_a_continuation(self, builder: FormulaBuilder) -> None:
        token = self._tokens.current
        if token.type in ("EQUAL", "UNEQUAL"):
            self._tokens.fail("equality is not supported", offset(token))
        if token.type == "APPLY":
            self._tokens.fail("'@' may only follow a modal operator in braces", offset(token))
        unclosed = builder.unclosed()
        if token.type in (END, "STOP") and unclosed is not None:
            self._tokens.fail("this '(' is never closed", unclosed)
        self._tokens.unexpected("a connective or ')' is expected")

    def _quantifier(self, builder: FormulaBuilder) -> None:
        token = self._tokens.advance()
        build: Callable[[str, Formula], Formula] = Forall if token.type == "FORALL" else Exists
        self._tokens.expect("LIST_OPEN", f"'[' is expected after '{token}'")
        while True:
            variable = self._tokens.expect("UPPER", "a variable, with a capital, is expected")
            if self._tokens.accept("COLON"):
                where = offset(self._tokens.current)
                sort = read_type(self._tokens)
                if sort != "$i":
                    self._tokens.fail(f"variable {variable} has the type {sort}; supported is $i", where)
            builder.quantifier(f"{token} [{variable}]:", build, str(variable), offset(token))
            if self._tokens.accept("LIST_CLOSE"):
                break
            self._tokens.expect("COMMA", "',' or ']' is expected after a variable")
        self._tokens.expect("COLON", "':' is expected after the quantifier's list of variables")

    def _long_operator(self, builder: FormulaBuilder) -> None:
        """{$box} @ ( formula )."""
        brace = self._tokens.advance()
        name = self._tokens.current
        if name.type != "DOLLAR" or name not in _BOXES | _DIAMONDS:
            if name.type == "HASH":
                self._tokens.fail("indexed modalities are not supported", offset(name))
            if name.type == "DOLLAR":
                self._tokens.fail(f"operator {{{name}}} is not supported", offset(name))
            self._tokens.unexpected("the name of a modal operator, such as $box, is expected")
        self._tokens.advance()
        self._operators.setdefault(str(name), offset(name))
        if self._tokens.current.type == "OPEN":
            self._tokens.fail(f"indexed modalities such as {{{name}(…)}} are not supported", offset(name))
        self._tokens.expect("BRACE_CLOSE", "'}' is expected after the name of a modal operator")
        self._tokens.expect("APPLY", f"'@' and a formula in parentheses are expected after {{{name}}}")
        if self._tokens.current.type != "OPEN":
            self._tokens.unexpected(f"a formula in parentheses is expected after {{{name}}} @")
        builder.prefix(f"{{{name}}} @", Box if name in _BOXES else Diamond, offset(brace))

    def _atom(self, builder: FormulaBuilder) -> Atom:
        token = self._tokens.advance()
        if token in ("include", "tff") and self._tokens.current.type == "OPEN":
            self._tokens.fail(f"a new {token}(…) begins inside a formula", offset(token))
        name = symbol_name(self._tokens, token)
        arguments: list[str] = []
        if self._tokens.accept("OPEN"):
            arguments.append(self._argument(builder))
            while self._tokens.accept("COMMA"):
                arguments.append(self._argument(builder))
            self._tokens.expect("CLOSE", "',' or ')' is expected after an argument")
        if self._tokens.current.type in ("EQUAL", "UNEQUAL"):
            self._tokens.fail("equality is not supported", offset(self._tokens.current))
        arity, _ = self._used.setdefault(name, (len(arguments), offset(token)))
        if arity != len(arguments):
            self._tokens.fail(
                f"{name!r} is used with {arity} and with {len(arguments)} arguments", offset(token)
            )
        return Atom(name, tuple(arguments))

    def _argument(self, builder: FormulaBuilder) -> str:
        token = self._tokens.current
        if token.type == "UPPER":
            if token not in builder.bound:
                self._tokens.fail(f"variable {shown(token)} is not bound by a quantifier", offset(token))
            return str(self._tokens.advance())
        if token.type in ("LOWER", "QUOTED"):
            self._tokens.advance()
            kind = "function" if self._tokens.current.type == "OPEN" else "individual constant"
            self._tokens.fail(f"{kind} {word(token)!r} is not supported", offset(token))
        if token.type in ("NUMBER", "DISTINCT", "DOLLAR"):
            self._tokens.fail(f"term {shown(token)} is not supported", offset(token))
        return self._tokens.unexpected("a variable is expected as an argument")


def _variable_names(formulas: list[Formula]) -> dict[str, str]:
    """A name with a small first letter for each variable, which no symbol of the problem has."""
    taken = {name for formula in formulas for name, _ in predicates(formula)}
    names: dict[str, str] = {}
    for variable in sorted({x for formula in formulas for x in variables(formula)}):
        small = candidate = variable[0].lower() + variable[1:]
        number = 0
        while candidate in taken:
            number += 1
            candidate = f"{small}{number}"
        taken.add(candidate)
        names[variable] = candidate
    return names


def _rename_variables(formula: Formula, names: dict[str, str]) -> Formula:
    """All variables renamed, the bound ones at their quantifiers too. Nothing is captured because
    different variables get different names."""
    match formula:
        case Atom(predicate, arguments):
            return Atom(predicate, tuple(names[x] for x in arguments))
        case Forall(x, body) | Exists(x, body):
            return type(formula)(names[x], _rename_variables(body, names))
        case _:
            return map_children(formula, lambda child: _rename_variables(child, names))
