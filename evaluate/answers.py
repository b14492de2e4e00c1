"""Answers: the words that a prompt asks for, and what a response says in them.

A response has one outcome. What the endpoint reports (cut, filtered, refused, failed) is the
outcome whatever the text holds: of a text that was cut nobody knows how it would have gone on. All
else is read from the text, without what stands in thinking tags:

- the *strict* reader takes the asked form only, the word as it was spelled and nothing else but
  white space around it;
- the *lenient* reader strips decoration (Markdown, LaTeX's formatting, quotes, tags, braces), then takes
  the explicit answers: a boxed word, a line that is nothing but the word (or the word after "so",
  "therefore" and the like), the word after "answer:" or "the answer is" at the beginning of a line or a
  sentence, and the word with which the first or the last line begins, if punctuation follows
  ("Yes, because …") and no condition ("Yes, but only if …"). What stands before the first of them is
  reasoning and never counts. Whatever says the other word after it, as a clause of its own or at the
  end of a sentence, takes it back, and no answer is left: better none than the opposite of what was meant.
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
    found = {spelled[word] for word in _explicit_answers(visible, form.vocabulary)}
    return _reading(visible, found, form)


def _reading(visible: str, words: set[str], form: AnswerForm) -> Reading:
    if not visible:
        return Reading(Outcome.EMPTY)
    if len(words) == 1:
        word = words.pop()
        return Reading(Outcome.ANSWER, word == form.word(True), word)
    if not words and _refuses(visible):
        return Reading(Outcome.REFUSAL)
    return Reading(Outcome.UNPARSEABLE)


# Tags as models write them: <think>, <think type="…">, Mistral's [THINK], Kimi's ◁think▷.
_THINKING = re.compile(
    r"[<\[◁](/?)(?:think[\]▷]|(?:think|thinking|thought|reasoning)(?:\s[^<>\n]{0,80})?>)", re.IGNORECASE
)


def without_thinking(text: str) -> str:
    """The text outside of thinking tags.

    A tag that is never closed hides all that follows it. A closing tag without an opening one hides
    all that comes before it: some chat templates put the opening tag into the prompt.
    """
    if not any(mark in text for mark in "<[◁"):  # most texts, told apart quickly
        return text
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
    r"(?:(?:(?:(?:i['’]m|i am|we['’]re|we are) )?(?:(?:very|so|really) )?(?:sorry|afraid)"
    r"|i apologi[sz]e|unfortunately|as an ai(?:[^,.]{0,60},|(?: language)?(?: model| assistant)?))[,.:;]? )*+"
    r"(?:but )?(?:that )?(?:i|we)"
    r"(?:(?: (?:cannot|can not|will not|can['’]t|won['’]t)"
    r"|(?: am|['’]m| are|['’]re) (?:not able|unable|not allowed) to)"
    r" (?:help|assist|comply|answer|respond|fulfil+|provide|continue|discuss|engage|do that)"
    r"|(?: (?:must|have to|will))? (?:decline|refuse))\b",
    re.IGNORECASE,
)
_REFUSAL_WITHIN = 500
"""A refusal begins with it; no more characters than these are looked at."""


def _refuses(text: str) -> bool:
    return _REFUSAL.match(" ".join(text[:_REFUSAL_WITHIN].split())) is not None


# Markup around a word that has nothing to do with what it says. All else stays, and with it the word is
# none: \lnot, \overline, \cancel, ~, ¬ and <del> turn it into its opposite.
_BOXED = re.compile(
    r"((?:\bnot|n['’]t|\bnever|\\(?:lnot|neg|not)|[~¬])[\s${(\\]{0,9})?"
    r"\\(?:boxed|fbox)\s{0,9}\{((?:[^{}\n]|\{[^{}\n]{0,80}\}){0,80})\}"
)
_FORMATTING = re.compile(
    r"\\(?:(?:text|math)(?:bf|it|rm|sf|tt|sc|up|normal)?|operatorname|boldsymbol|bm|bf|it|rm|emph|underline"
    r"|(?:display|text)style|[lL]arge|LARGE|[hH]uge|q?quad|left|right)(?![A-Za-z])"
)
_DECORATION = re.compile(
    r"<(?!(?:s|del|strike)>)/?[A-Za-z]{1,12}>|<\|[a-z_]{1,20}\|>|\\[()\[\],!; ]|[*_`#>$\"“”‘’«»{}\[\]|]"
)
_BULLET = re.compile(r"[\s\-–—•+]*+(?:\(?\d{1,3}[.)]\s+)?")
_SENTENCE = re.compile(r"(?<=[.!?。])[\s),;:]+")
_CLAUSE = re.compile(r"[.!?。,;:()–—]+|\s-\s")
_TAIL = 40
"""The last word of a sentence, and what may negate it, are within so many characters."""

_END = r"\s*(?:[.!。]+\s*)?"
_LEADS = (
    r"(?:so|thus|therefore|hence|finally|then|ok|okay|wait|actually|in conclusion|conclusion|result|verdict"
    r"|(?:final )?answer)[,:.]?\s+"
)
_TURNS = rf"(?:{_LEADS}|(?:or|and|rather|otherwise),?\s+)"  # no beginning of an answer, but of another one
_SAYS = r"(?:\s*(?:is|are|should be|must be|would be|will be|becomes)\b\s*[:=]?|\s*[:=]|\s+-|\s*[–—])"
# What follows the word may not go on with it ("answer: yes or no", "no longer", "true of all") or
# restrict it ("yes, but only if …").
_BREAK = (
    r"(?![\s,;:(–—-]*+(?:but|if|only|unless|provided|assuming|except|when|whenever|as long|or)\b)"
    r"\s*(?:[.,;:!(–—]|-\s|(?:because|since)\b|$)"
)
# A line that ends so says what the next line is about: a question of its own, a negation.
_QUESTION, _NEGATION = re.compile(r"\?$"), re.compile(r"(?:\bnot|[~¬])$", re.IGNORECASE)


@dataclass(frozen=True)
class _Patterns:
    """What counts as an answer: a whole line, a declaration that begins a sentence, the opening of a
    line; and what may take one back: a clause, the last word of a sentence."""

    mentioned: re.Pattern[str]
    alone: re.Pattern[str]
    declared: re.Pattern[str]
    opening: re.Pattern[str]
    clause: re.Pattern[str]
    final: re.Pattern[str]


@cache
def _patterns(vocabulary: Vocabulary) -> _Patterns:
    flags = re.IGNORECASE | re.ASCII  # or "Yeſ" would be a word, and none of the two
    words = "|".join(_WORDS[vocabulary])
    return _Patterns(
        mentioned=re.compile(rf"(?:{words})(?![a-z])".lower()),
        alone=re.compile(rf"(?:{_LEADS}){{0,5}}({words}){_END}", flags),
        declared=re.compile(
            rf"(?:{_LEADS}){{0,3}}(?:(?:the|my|our)\s+)?(?:(?:final|correct|right|short|overall)\s+){{0,2}}"
            rf"answer(?:\s+to\s+(?:the|this|your)\s+question)?{_SAYS}\s*({words})\b(?={_BREAK})",
            flags,
        ),
        opening=re.compile(rf"(?:{_LEADS}){{0,3}}({words})\b(?={_BREAK})", flags),
        clause=re.compile(rf"\s*(?:{_TURNS}){{0,5}}({words})\s*", flags),
        final=re.compile(rf"(\bnot |n['’]t |\bnever )?\b({words})$", flags),
    )


def _explicit_answers(text: str, vocabulary: Vocabulary) -> set[str]:
    """The words, in lower case, with which the text answers: one if it has an answer, two if it takes
    that back. The text is gone through once."""
    patterns = _patterns(vocabulary)
    answers: set[str] = set()
    if not patterns.mentioned.search(text.lower()):
        return answers
    lines = [line for line in text.splitlines() if line.strip()]
    outermost = {next(filter(_plain, order), "") for order in (lines, reversed(lines))}
    before = ""
    for raw in lines:
        if patterns.mentioned.search(raw.lower()):  # most lines of a long text, told apart quickly
            answers |= _line_answers(raw, before, raw in outermost, bool(answers), vocabulary)
        before = raw
    return answers


def _line_answers(raw: str, before: str, outermost: bool, answered: bool, vocabulary: Vocabulary) -> set[str]:
    """The words that a line adds: explicit answers, and after the first of them, be it in this line or
    *answered* before, also what may take it back."""
    patterns, line, above = _patterns(vocabulary), _plain(raw), _plain(before[-_TAIL:])
    if found := patterns.alone.fullmatch(line):
        about_another = _NEGATION.search(above) or (_QUESTION.search(above) and not outermost)
        return set() if about_another and not answered else {found[1].lower()}
    words: set[str] = set()
    for place, sentence in enumerate(_SENTENCE.split(line)):
        found = patterns.declared.match(sentence)
        if found is None and (answered or (outermost and place == 0)):
            found = patterns.opening.match(sentence)
        if found:
            words.add(found[1].lower())
        if words or answered:
            words.update(_last_words(sentence, patterns, vocabulary))
    return words


def _last_words(sentence: str, patterns: _Patterns, vocabulary: Vocabulary) -> Iterator[str]:
    """The words that are a clause of the sentence, and the one at its end: with "not" the other one."""
    for clause in _CLAUSE.split(sentence):
        if found := patterns.clause.fullmatch(clause):
            yield found[1].lower()
    if found := patterns.final.search(sentence.rstrip(" .!?。,;:()–—-'")[-_TAIL:]):
        first, second = (word.lower() for word in _WORDS[vocabulary])
        said = found[2].lower()
        yield said if not found[1] else second if said == first else first


def _plain(line: str) -> str:
    """A line without decoration, its words apart by single spaces, a boxed word as a declared one."""
    if "box" in line:
        line = _BOXED.sub(lambda box: f" not {box[2]} " if box[1] else f" . answer: {box[2]} . ", line)
    undecorated = _DECORATION.sub(" ", _FORMATTING.sub(" ", line))
    return " ".join(_BULLET.sub("", undecorated, count=1).split())
