"""Prompts: one question about one side of a pair, as deterministic text.

A prompt says what a model is and when a statement is true at a world of one, which models are
intended, the premises if there are any, the statement, and asks one question. The intended models
are described by the sentences of `modalgen.semantics`, never by the name of a system or a domain
regime: the name would test recall, and in a nested contrast it gives the label away. Where the
specification is left out, the question still speaks of "intended models", and does not say which;
"every model" would be a specification too, of the widest class.

The sides of a pair get the same text but for the lines of the specification. The definitions of
truth, validity and local consequence are the textbook's (Blackburn, de Rijke and Venema 2001,
sections 1.3 and 1.5; Fitting and Mendelsohn 1998, chapter 4, for actualist quantifiers).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from modalgen.evaluate.answers import AnswerForm, Polarity
from modalgen.evaluate.english import sentence
from modalgen.evaluate.lexicon import BOTH, DENIAL, EITHER, EVERY, IF, SOME, Lexicon, Words, lexicon
from modalgen.files import sha256
from modalgen.formula import Bottom, Formula, Top, subformulas
from modalgen.printing import to_unicode
from modalgen.problem import Problem
from modalgen.records import Pair
from modalgen.semantics import CONDITIONS, DOMAINS, Semantics

DEFAULT_LEXICON = "signals"
INTENDED = "A model is an intended model exactly when it is as described here:"
NO_CONDITION = "Which worlds a world accesses is not restricted in any way."
"""What the specification says of frames where no condition is declared."""


class Specification(StrEnum):
    """Whether a prompt says which models are intended."""

    STATED = "stated"
    OMITTED = "omitted"


@dataclass(frozen=True)
class PromptOptions:
    """The conditions under which a run asks. `instruction` is text of the user's that stands before
    the request for an answer, such as "Think step by step."; it is used as it is."""

    lexicon: Lexicon = field(default_factory=lambda: lexicon(DEFAULT_LEXICON))
    specification: Specification = Specification.STATED
    answer: AnswerForm = field(default_factory=AnswerForm)
    instruction: str = ""

    def to_record(self) -> dict[str, Any]:
        """The options as a run records them."""
        return {
            "lexicon": self.lexicon.id,
            "lexicon_sha256": self.lexicon.sha256,
            "specification": str(self.specification),
            "polarity": str(self.answer.polarity),
            "vocabulary": str(self.answer.vocabulary),
            "reverse": self.answer.reverse,
            "instruction": self.instruction,
        }


@dataclass(frozen=True)
class Shot:
    """A solved example: a side of a pair, shown with the answer that its label gives."""

    pair: Pair
    side: str


@dataclass(frozen=True)
class Prompt:
    """A prompt and all that it was made of. `specification` are the lines of `text` that describe
    the intended models of this side; `shots` names the examples by pair and side."""

    pair_id: str
    side: str
    text: str
    sha256: str
    specification: tuple[str, ...]
    options: PromptOptions
    shots: tuple[tuple[str, str], ...]

    def to_record(self) -> dict[str, Any]:
        """The prompt as a run records it."""
        return {
            "pair_id": self.pair_id,
            "side": self.side,
            "text": self.text,
            "sha256": self.sha256,
            "options": self.options.to_record(),
            "shots": [list(shot) for shot in self.shots],
        }


def prompt(pair: Pair, side: str, options: PromptOptions | None = None, shots: Sequence[Shot] = ()) -> Prompt:
    """The prompt that asks about *side* ("a" or "b") of a pair, after the solved examples *shots*.

    Raises ValueError if there are examples but no specification, without which they have no
    solution, or if an example is of the pair that is asked about.
    """
    options = options or PromptOptions()
    if shots and options.specification is Specification.OMITTED:
        raise ValueError("solved examples need the specification: without it they have no one answer")
    if any(shot.pair.pair_id == pair.pair_id for shot in shots):
        raise ValueError(f"an example for {pair.pair_id} is of that pair itself")
    asked = pair.problem(side)
    examples = [shot.pair.problem(shot.side) for shot in shots]
    blocks = [_preamble([asked, *examples], options.lexicon)]
    for number, (shot, example) in enumerate(zip(shots, examples, strict=True), start=1):
        word = options.answer.word(shot.pair.sides[shot.side].label)
        blocks += [f"Example {number}", *_case(example, options), f"Answer\n{word}"]
    if shots:
        blocks.append("Your turn")
    blocks += _case(asked, options)
    if options.instruction.strip():
        blocks.append(options.instruction.strip())
    blocks.append(_request(asked, options.answer))
    text = "\n\n".join(blocks) + "\n"
    return Prompt(
        pair_id=pair.pair_id,
        side=side,
        text=text,
        sha256=sha256(text),
        specification=_specification(asked.semantics, options.specification),
        options=options,
        shots=tuple((shot.pair.pair_id, shot.side) for shot in shots),
    )


def statement(formula: Formula, chosen: Lexicon) -> str:
    """The formula as a prompt shows it: a sentence, or formula text."""
    return to_unicode(formula) if chosen.words is None else sentence(formula, chosen.words)


def _case(problem: Problem, options: PromptOptions) -> list[str]:
    """Specification, premises, statement and question."""
    blocks = []
    if lines := _specification(problem.semantics, options.specification):
        blocks.append("\n".join(["Intended models", INTENDED, *lines]))
    if problem.premises:
        shown = [statement(premise, options.lexicon) for premise in problem.premises]
        numbered = [f"{number}. {text}" for number, text in enumerate(shown, start=1)]
        blocks.append("\n".join(["Premise" if len(shown) == 1 else "Premises", *numbered]))
    blocks.append(f"Statement\n{statement(problem.conjecture, options.lexicon)}")
    blocks.append(f"Question\n{_question(len(problem.premises), options.answer.polarity)}")
    return blocks


def _specification(semantics: Semantics, chosen: Specification) -> tuple[str, ...]:
    """The lines that say which models are intended, in the registry's words."""
    if chosen is Specification.OMITTED:
        return ()
    sentences = [CONDITIONS[name].sentence for name in semantics.frame] or [NO_CONDITION]
    if semantics.domain is not None:
        sentences.append(DOMAINS[semantics.domain].sentence)
    return tuple(f"- {text}" for text in sentences)


def _question(premises: int, polarity: Polarity) -> str:
    """The one question. With premises it is about local consequence: truth at the same world."""
    the_premises = "the premise" if premises == 1 else "the premises"
    all_true = "the premise is true" if premises == 1 else "all the premises are true"
    match polarity, premises:
        case Polarity.VALID, 0:
            return "Is the statement valid? It is valid if it is true at every world of every intended model."
        case Polarity.CAN_FAIL, 0:
            return "Can the statement fail? It can fail if it is false at some world of some intended model."
        case Polarity.VALID, _:
            return (
                f"Does the statement follow from {the_premises}? It follows if in every intended model "
                f"it is true at every world at which {all_true}."
            )
        case _:
            return (
                f"Can the statement fail when {all_true}? It can fail if in some intended model "
                f"it is false at some world at which {all_true}."
            )


def _request(problem: Problem, form: AnswerForm) -> str:
    """The request for one word, with what each of the two words would say."""
    if form.polarity is Polarity.CAN_FAIL:
        meanings = {True: "it cannot fail", False: "it can fail"}
    elif problem.premises:
        meanings = {True: "it follows", False: "it does not follow"}
    else:
        meanings = {True: "it is valid", False: "it is not valid"}
    choices = [f"{word} if {meanings[word == form.word(True)]}" for word in form.words]
    return f"Answer with exactly one word: {', '.join(choices)}."


def _preamble(problems: Sequence[Problem], chosen: Lexicon) -> str:
    """What models are and when a statement is true at a world, as far as these problems need it."""
    atoms = any(arity == 0 for problem in problems for _, arity in problem.signature)
    first_order = any(problem.semantics.domain is not None for problem in problems)
    shown = _symbols() if chosen.words is None else _english(chosen.words)
    paragraphs = [
        "Models and truth\n"
        "A model has one or more worlds and says which worlds each of them accesses. "
        "Statements are true or false at a world of a model."
    ]
    simple, denial = (shown.predication, shown.denied_predication)
    if atoms or not first_order:
        simple, denial = (shown.proposition, shown.denied_proposition)
        paragraphs.append(
            f"A model says at which worlds a simple statement, such as “{simple}”, is true. "
            "Any choice of worlds is possible, whatever the choice for other simple statements."
        )
    if first_order:
        paragraphs.append(
            f"A model also has {shown.introduction} and says which of them exist at which worlds. "
            f"At least one exists at every world. A variable such as x stands for the same {shown.noun} at "
            f"all worlds. A model says at which worlds a simple statement, such as “{shown.predication}”, is "
            f"true of which {shown.plural}. At a world it may be true or false of any {shown.plural}: of "
            "those that exist there and of those that do not."
        )
    rules = [*shown.connectives, *(shown.quantifiers if first_order else ())]
    if denial is not None:
        rules.append(f"“{denial}”, and so for all simple statements: “{simple}” is false at w.")
    formulas = [formula for problem in problems for formula in problem.formulas]
    if any(isinstance(part, (Top, Bottom)) for formula in formulas for part in subformulas(formula)):
        rules.append(shown.constants)
    bullets = [f"- {rule}" for rule in rules]
    paragraphs.append("\n".join(["Other statements are true at a world w in these cases:", *bullets]))
    paragraphs.append(shown.grouping)
    return "\n\n".join(paragraphs)


@dataclass(frozen=True)
class _Shown:
    """How a lexicon shows what the preamble speaks of; no denials where ¬ has no form of its own there."""

    proposition: str
    denied_proposition: str | None
    predication: str
    denied_predication: str | None
    noun: str
    plural: str
    introduction: str
    connectives: tuple[str, ...]
    quantifiers: tuple[str, ...]
    constants: str
    grouping: str


def _connectives(forms: Sequence[str]) -> tuple[str, ...]:
    """When ¬, ∧, ∨, →, ↔, □, ◇, shown in these *forms*, are true."""
    truths = (
        "what follows is false at w.",
        "both parts are true at w.",
        "at least one part is true at w, perhaps both.",
        "the first part is false at w or the second is true at w.",
        "both parts are true at w, or both are false at w.",
        "what follows is true at every world that w accesses.",
        "what follows is true at one or more of the worlds that w accesses.",
    )
    return tuple(f"“{form}”: {truth}" for form, truth in zip(forms, truths, strict=True))


def _quantifiers(every: str, some: str, plural: str) -> tuple[str, ...]:
    return (
        f"“{every}”: what follows is true at w of all {plural} that exist at w.",
        f"“{some}”: what follows is true at w of one or more of the {plural} that exist at w.",
    )


def _english(words: Words) -> _Shown:
    simple = words.properties.get("F", words.other_property)
    every, some = (opening.format(individual=words.individual) for opening in (EVERY, SOME))
    return _Shown(
        proposition=words.atoms.affirmed.format(name="1"),
        denied_proposition=words.atoms.denied.format(name="1"),
        predication=simple.affirmed.format(x="x", name="F"),
        denied_predication=simple.denied.format(x="x", name="F"),
        noun=words.individual,
        plural=words.individuals,
        introduction=f"individuals, here called {words.individuals},",
        connectives=_connectives(
            (
                f"{DENIAL} …",
                f"{BOTH} … and …",
                f"{EITHER} … or …",
                f"{IF} …, then …",
                "… if and only if …",
                f"{words.necessity} …",
                f"{words.possibility} …",
            )
        ),
        quantifiers=_quantifiers(f"{every} x, …", f"{some} x, …", words.individuals),
        constants=f"“{words.truth}”: always. “{words.falsehood}”: never.",
        grouping="Square brackets show which words belong together.",
    )


def _symbols() -> _Shown:
    return _Shown(
        proposition="p",
        denied_proposition=None,
        predication="F(x)",
        denied_predication=None,
        noun="individual",
        plural="individuals",
        introduction="individuals",
        connectives=_connectives(("¬ …", "… ∧ …", "… ∨ …", "… → …", "… ↔ …", "□ …", "◇ …")),
        quantifiers=_quantifiers("∀x …", "∃x …", "individuals"),
        constants="“⊤”: always. “⊥”: never.",
        grouping=(
            "¬, □, ◇, ∀x and ∃x apply to the shortest formula that follows them. After these, ∧ binds "
            "most tightly, then ∨, then →, then ↔. Chains of → group to the right, all others to the left."
        ),
    )
