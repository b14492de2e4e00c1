"""Answers: the words that a prompt asks for, and what a response says in them.

A response has one outcome. What the endpoint reports (cut, filtered, refused, failed) is the
outcome whatever the text holds: of a text that was cut nobody knows how it would have gone on. All
else is read from the text, without what stands in thinking tags:

- the *strict* reader takes the asked form only, the word as it was spelled and nothing else but
  white space around it;
- the *lenient* reader strips decoration (Markdown, LaTeX, quotes, tags, braces), then collects the
  explicit answers: a boxed word, a word after "answer:" or "the answer is", a line that is nothing
  but the word (or the word after "so", "therefore" and the like), and the word with which the first
  or the last line begins, if punctuation follows ("Yes, because …"). If all of them agree, that is
  the answer; two that contradict each other are none. Words in running text never count.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cache


class Outcome(StrEnum):
    """What became of a request. Only `ANSWER` carries an answer; the denominator counts all."""

    ANSWER = "answer"
    EMPTY = "empty"
    UNPARSEABLE = "unparseable"
    TRUNCATED = "truncated"
    REFUSAL = "refusal"
    CONTENT_FILTER = "content_filter"
    HTTP_ERROR = "http_error"
    TRANSPORT_ERROR = "transport_error"


class Polarity(StrEnum):
    """Which way a prompt asks: whether the statement is valid, or whether it can fail."""

    VALID = "valid"
    CAN_FAIL = "can_fail"


class Vocabulary(StrEnum):
    """The two words of an answer. Yes and No, True and False answer the question as it is put;
    Valid and Invalid name the statement's status, whichever way the question is put."""

    YES_NO = "yes-no"
    TRUE_FALSE = "true-false"
    VALID_INVALID = "valid-invalid"


_WORDS = {
    Vocabulary.YES_NO: ("Yes", "No"),
    Vocabulary.TRUE_FALSE: ("True", "False"),
    Vocabulary.VALID_INVALID: ("Valid", "Invalid"),
}


@dataclass(frozen=True)
class AnswerForm:
    """How an answer is asked for: the words, their order in the prompt, and the question's polarity."""

    vocabulary: Vocabulary = Vocabulary.YES_NO
    reverse: bool = False
    polarity: Polarity = Polarity.VALID

    @property
    def words(self) -> tuple[str, str]:
        """The two words in the order in which the prompt names them."""
        first, second = _WORDS[self.vocabulary]
        return (second, first) if self.reverse else (first, second)

    def word(self, label: bool) -> str:
        """The word that says that the statement is valid (follows), or that it is not."""
        first, second = _WORDS[self.vocabulary]
        answers_question = self.vocabulary is not Vocabulary.VALID_INVALID
        if self.polarity is Polarity.CAN_FAIL and answers_question:
            label = not label
        return first if label else second


@dataclass(frozen=True)
class Reading:
    """What a response says: the outcome and, for an answer only, the label that it gives
    (true: the statement is valid, or follows) and the word that it uses, as the form spells it."""

    outcome: Outcome
    label: bool | None = None
    word: str | None = None


def read_strict(text: str | None, form: AnswerForm, reported: Outcome | None = None) -> Reading:
    """Read a response that has to be exactly one of the two words.

    *reported* is an outcome that the endpoint itself has reported, None if it reported a normal end.
    """
    if reported is not None:
        return Reading(reported)
    visible = without_thinking(text or "").strip()
    return _reading(visible, {visible} & {form.word(True), form.word(False)}, form)


def read_lenient(text: str | None, form: AnswerForm, reported: Outcome | None = None) -> Reading:
    """Read a response in which the answer may be decorated or stand after reasoning.

    *reported* is as for `read_strict`.
    """
    if reported is not None:
        return Reading(reported)
    visible = without_thinking(text or "").strip()
    spelled = {form.word(label).lower(): form.word(label) for label in (True, False)}
    found = {spelled[word.lower()] for word in _explicit_answers(visible, form.vocabulary)}
    return _reading(visible, found, form)


def _reading(visible: str, words: set[str], form: AnswerForm) -> Reading:
    if not visible:
        return Reading(Outcome.EMPTY)
    if len(words) == 1:
        word = words.pop()
        return Reading(Outcome.ANSWER, word == form.word(True), word)
    if not words and _REFUSAL.match(visible):
        return Reading(Outcome.REFUSAL)
    return Reading(Outcome.UNPARSEABLE)


_THINKING = re.compile(r"<(/?)(?:think|thinking|thought|reasoning)>", re.IGNORECASE)


def without_thinking(text: str) -> str:
    """The text outside of thinking tags.

    A tag that is never closed hides all that follows it. A closing tag without an opening one hides
    all that comes before it: some chat templates put the opening tag into the prompt.
    """
    kept: list[str] = []
    depth = end = 0
    for tag in _THINKING.finditer(text):
        if depth == 0:
            kept.append(text[end : tag.start()])
        if not tag[1]:
            depth += 1
        elif depth:
            depth -= 1
        else:
            kept.clear()
        end = tag.end()
    if depth == 0:
        kept.append(text[end:])
    return "\n".join(kept)


_REFUSAL = re.compile(
    r"(?:(?:(?:i['’]m|i am|we['’]re|we are)?\s*(?:very |so |really )?(?:sorry|afraid)"
    r"|i apologi[sz]e|unfortunately|as an ai[^,.\n]{0,60})[,.:;]?\s+)*"
    r"(?:but\s+)?(?:that\s+)?(?:i|we)"
    r"(?:(?:\s+(?:cannot|can not|will not|can['’]t|won['’]t)"
    r"|(?:\s+am|['’]m|\s+are|['’]re) (?:not able|unable|not allowed) to)"
    r"\s+(?:help|assist|comply|answer|respond|fulfil+|provide|continue|discuss|engage|do that)"
    r"|\s+(?:(?:must|have to|will)\s+)?(?:decline|refuse))\b",
    re.IGNORECASE,
)

# LaTeX and markup around a word that has nothing to do with what it says.
_BOXED = re.compile(r"\\(?:boxed|fbox)\s*\{((?:[^{}\n]|\{[^{}\n]*\}){0,80})\}")
_COMMAND = re.compile(r"\\[A-Za-z]+")
_DECORATION = re.compile(r"</?[A-Za-z]{1,12}>|<\|[a-z_]{1,20}\|>|\\[()\[\],!; ]|[*_`#>$~\"“”‘’«»{}\[\]|]")
_BULLET = re.compile(r"^[\s\-–—•+]*(?:\(?\d{1,3}[.)]\s+)?")

_END = r"\s*(?:[.!。]+\s*)?$"
_LEADS = (
    r"(?:so|thus|therefore|hence|finally|then|ok|okay|wait|actually|in conclusion|conclusion|result|verdict)"
)
_SAYS = r"(?:\s*(?:is|are|should be|must be|would be|will be|becomes)\b\s*[:=]?|\s*[:=]|\s+-|\s*[–—])"
# What follows the word may not go on with it: "answer: yes or no", "no longer", "true of all".
_BREAK = r"\s*(?:[.,;:!(–—]|-\s|(?:because|since)\b|$)"


@dataclass(frozen=True)
class _Patterns:
    """What counts as an answer: a whole line, a declaration, the opening of a line; and what takes
    one back, right after it ("Yes or no.") or later in its line ("Yes, or rather no.")."""

    mentioned: re.Pattern[str]
    alone: re.Pattern[str]
    declared: re.Pattern[str]
    opening: re.Pattern[str]
    withdrawn: re.Pattern[str]


@cache
def _patterns(vocabulary: Vocabulary) -> _Patterns:
    word = rf"({'|'.join(_WORDS[vocabulary])})\b"
    return _Patterns(
        mentioned=re.compile(rf"(?:{'|'.join(_WORDS[vocabulary])})(?![a-z])".lower()),
        alone=re.compile(rf"(?:{_LEADS}[,:.]?\s+)*{word}{_END}", re.IGNORECASE),
        declared=re.compile(
            rf"(?<!if the )(?<!whether the )\banswer\b{_SAYS}\s*{word}(?={_BREAK})", re.IGNORECASE
        ),
        opening=re.compile(rf"(?:{_LEADS}[,:]?\s+)?{word}(?={_BREAK})", re.IGNORECASE),
        withdrawn=re.compile(
            rf"(?:^[\s,;.:!–—-]*(?:(?:and|or)\b)?|\b(?:rather|wait|actually)\b,?)\s*{word}(?=\s*(?:[.,;:!?]|$))",
            re.IGNORECASE,
        ),
    )


def _explicit_answers(text: str, vocabulary: Vocabulary) -> Iterator[str]:
    """The words with which the text answers, in the order of its lines, boxed ones first."""
    patterns = _patterns(vocabulary)
    if not patterns.mentioned.search(text.lower()):
        return
    for content in _BOXED.findall(text):
        if found := patterns.alone.fullmatch(_plain(content)):
            yield found[1]
    lines = text.splitlines()
    outermost = {next(filter(_plain, order), "") for order in (lines, reversed(lines))}
    for raw in lines:
        if not patterns.mentioned.search(raw.lower()):  # most lines of a long text, told apart quickly
            continue
        line = _plain(raw)
        if found := patterns.alone.fullmatch(line):
            yield found[1]
            continue
        answers = list(patterns.declared.finditer(line))
        if raw in outermost and (found := patterns.opening.match(line)):
            answers.append(found)
        for answer in answers:
            yield answer[1]
            yield from patterns.withdrawn.findall(line[answer.end() :])


def _plain(line: str) -> str:
    """A line without decoration, its words apart by single spaces."""
    undecorated = _DECORATION.sub(" ", _COMMAND.sub(" ", line))
    return " ".join(_BULLET.sub("", undecorated).split())
