"""Answers: one outcome for every response, and no answer where none was given."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from modalgen.evaluate.answers import (
    AnswerForm,
    Outcome,
    Polarity,
    Reading,
    Vocabulary,
    read_lenient,
    read_strict,
    without_thinking,
)

YES_NO = AnswerForm()
FORMS = [AnswerForm(*parts) for parts in product(Vocabulary, (False, True), Polarity)]

# A response, what the strict reader makes of it and what the lenient one does: a word or an outcome.
TABLE = [
    ("Yes", "Yes", "Yes"),
    ("No", "No", "No"),
    ("  Yes\n", "Yes", "Yes"),
    ("yes", "unparseable", "Yes"),
    ("NO", "unparseable", "No"),
    ("Yes.", "unparseable", "Yes"),
    ("No!", "unparseable", "No"),
    ("**Yes**", "unparseable", "Yes"),
    ("__No__.", "unparseable", "No"),
    ("`Yes`", "unparseable", "Yes"),
    ("“No”", "unparseable", "No"),
    ("'Yes'", "unparseable", "unparseable"),  # a single quote is an apostrophe as well
    ("Answer: Yes", "unparseable", "Yes"),
    ("Answer: No.", "unparseable", "No"),
    ("**Answer:** Yes", "unparseable", "Yes"),
    ("Answer:\nNo", "unparseable", "No"),
    ("Final answer - Yes", "unparseable", "Yes"),
    ("### Final Answer\n\n**No**", "unparseable", "No"),
    ("The answer is Yes.", "unparseable", "Yes"),
    ("The correct answer would be: no", "unparseable", "No"),
    (r"\boxed{Yes}", "unparseable", "Yes"),
    (r"$\boxed{\text{No}}$", "unparseable", "No"),
    (r"The final answer is $\boxed{Yes}$.", "unparseable", "Yes"),
    (r"Thus \(\boxed{\textbf{No.}}\)", "unparseable", "No"),
    ('{"answer": "Yes"}', "unparseable", "Yes"),
    ("<answer>No</answer>", "unparseable", "No"),
    ("- Yes", "unparseable", "Yes"),
    ("1. No", "unparseable", "No"),
    ("> **Yes**", "unparseable", "Yes"),
    ("Therefore, no.", "unparseable", "No"),
    ("Conclusion: Yes", "unparseable", "Yes"),
    ("Every world accesses itself.\nSo q holds there.\n\nYes", "unparseable", "Yes"),
    ("Take two worlds.\nThe premises hold at the first.\n**Answer: No**", "unparseable", "No"),
    ("Yes, because every world accesses itself.", "unparseable", "Yes"),
    ("No. Take a single world that accesses nothing.", "unparseable", "No"),
    ("No — a dead end refutes it.", "unparseable", "No"),
    ("Yes, no world refutes it.", "unparseable", "Yes"),
    ("No world refutes it, so q follows.\nYes", "unparseable", "Yes"),
    ("If the answer is no, there is a dead end. There is none.\nYes", "unparseable", "Yes"),
    ("Yes\n\nYes, since accessibility is reflexive.", "unparseable", "Yes"),
    # Reasoning in tags never counts.
    ("<think>The answer is No.</think>Yes", "Yes", "Yes"),
    ("<think>\nYes\n</think>\n\nNo\n", "No", "No"),
    ("<THINK>No</THINK> Yes.", "unparseable", "Yes"),
    ("<think>Answer: Yes", "empty", "empty"),
    ("<think>Yes</think>", "empty", "empty"),
    ("<think>a<think>Yes</think>No</think>", "empty", "empty"),
    ("Hm, rather No.\n</think>\nYes", "Yes", "Yes"),
    ("Yes\n<think>wait, No", "Yes", "Yes"),
    ("<thinking>No</thinking>\n**Yes**", "unparseable", "Yes"),
    ("[THINK]First guess: the answer is Yes.[/THINK]No", "No", "No"),
    ("◁think▷The answer is Yes.◁/think▷No", "No", "No"),
    ('<think effort="low">Yes', "empty", "empty"),
    # A declaration counts where a line or a sentence begins, and not inside of another.
    ("It fails at w. Therefore, the answer is No.", "unparseable", "No"),
    ("**Final Answer:** The final answer is $\\boxed{Yes}$. I hope it is correct.", "unparseable", "Yes"),
    ('{"reason": "A dead end.", "answer": "No"}', "unparseable", "No"),
    ("Suppose the answer is Yes. Then contradiction.", "unparseable", "unparseable"),
    ("Someone who claims the answer is Yes, is wrong", "unparseable", "unparseable"),
    ("One might say the answer is Yes, but it fails.", "unparseable", "unparseable"),
    ("It is tempting to answer: Yes. But this overlooks w1, where q is false.", "unparseable", "unparseable"),
    # A condition, a negation or a deletion is none of the two words.
    ("Yes, if the relation is reflexive.", "unparseable", "unparseable"),
    ("Yes (but only at reflexive worlds).", "unparseable", "unparseable"),
    ("Yes. If p holds, so does q.", "unparseable", "Yes"),
    ("~Yes", "unparseable", "unparseable"),
    ("<del>Yes</del>", "unparseable", "unparseable"),
    (r"\cancel{Yes}", "unparseable", "unparseable"),
    (r"The answer is not $\boxed{Yes}$.", "unparseable", "unparseable"),
    (r"$\lnot\boxed{Yes}$", "unparseable", "unparseable"),
    # A word on a line of its own answers the question above it.
    ("Is the statement valid?\n**Yes**", "unparseable", "Yes"),
    ("Does it hold at w0?\nYes\nSo the statement fails.", "unparseable", "unparseable"),
    ("If the relation is reflexive: yes.\nOtherwise, no.", "unparseable", "unparseable"),
    # An answer that is taken back later is none.
    ("Yes, or rather no, since w is a dead end.", "unparseable", "unparseable"),
    ("Yes, p holds at w. But the statement does not follow, hence no.", "unparseable", "unparseable"),
    ("Yes, p holds at w.\nq does not, hence no.\nThe statement fails.", "unparseable", "unparseable"),
    ("Yes. No, it fails at w.", "unparseable", "unparseable"),
    ("Yes, no, it fails at w.", "unparseable", "unparseable"),
    ("Answer: Yes. The answer is not No.", "unparseable", "Yes"),
    ("Answer: Yeſ, yes", "unparseable", "unparseable"),  # ſ is an s to a reader who ignores case
    # Two answers are none.
    ("Yes and no", "unparseable", "unparseable"),
    ("Yes or No", "unparseable", "unparseable"),
    ("Yes/No", "unparseable", "unparseable"),
    ("Yes. No.", "unparseable", "unparseable"),
    ("Yes\nNo", "unparseable", "unparseable"),
    ("Yes, or rather no.", "unparseable", "unparseable"),
    ("Answer: Yes. Wait, actually no.", "unparseable", "unparseable"),
    ("Answer: Yes\nOn reflection the answer is No.", "unparseable", "unparseable"),
    (r"\boxed{Yes} or \boxed{No}", "unparseable", "unparseable"),
    ("No, it fails.\n\nActually, yes.", "unparseable", "unparseable"),
    # No answer at all.
    ("", "empty", "empty"),
    (" \n\t ", "empty", "empty"),
    ("Maybe", "unparseable", "unparseable"),
    ("It follows.", "unparseable", "unparseable"),
    ("True", "unparseable", "unparseable"),
    ("Yesterday", "unparseable", "unparseable"),
    ("None", "unparseable", "unparseable"),
    ("The answer is no longer clear to me.", "unparseable", "unparseable"),
    ("The answer is not Yes.", "unparseable", "unparseable"),
    ("Answer: Yes or No?", "unparseable", "unparseable"),
    ("Is the statement valid? Yes would mean that it is.", "unparseable", "unparseable"),
    ("I cannot determine this.", "unparseable", "unparseable"),
    ("我不知道", "unparseable", "unparseable"),
    # Refusals.
    ("I'm sorry, but I can't help with that.", "refusal", "refusal"),
    ("Sorry, I cannot assist with this request.", "refusal", "refusal"),
    ("I am unable to answer that question.", "refusal", "refusal"),
    ("I must decline.", "refusal", "refusal"),
    ("As an AI language model, I can’t provide an answer.", "refusal", "refusal"),
    ("<think>hm</think>I won't answer this.", "refusal", "refusal"),
    ("I can't answer without a guess.\nNo", "refusal", "No"),
]


def shown(reading: Reading) -> str:
    """A reading as the table has it: the word of an answer, the name of another outcome."""
    if reading.outcome is Outcome.ANSWER:
        assert reading.word is not None
        assert reading.label is (reading.word == "Yes")
        return reading.word
    assert reading.label is None
    assert reading.word is None
    return str(reading.outcome)


@pytest.mark.parametrize(("text", "strict", "lenient"), TABLE, ids=[repr(text)[:40] for text, _, _ in TABLE])
def test_responses(text: str, strict: str, lenient: str) -> None:
    """What each reader makes of a response to a question for Yes or No."""
    assert shown(read_strict(text, YES_NO)) == strict
    assert shown(read_lenient(text, YES_NO)) == lenient


OTHER_WORDS = [
    (Vocabulary.TRUE_FALSE, r"\boxed{True}", True),
    (Vocabulary.TRUE_FALSE, "Answer: false", False),
    (Vocabulary.TRUE_FALSE, "It is true of some worlds.\nFalse", False),
    (Vocabulary.TRUE_FALSE, "True. The premise is false elsewhere.", True),
    (Vocabulary.TRUE_FALSE, "p is true at w. q is false there.\nTrue", True),
    (Vocabulary.TRUE_FALSE, "True, but only in reflexive models. In others the statement is false.", None),
    (Vocabulary.TRUE_FALSE, "True in the reflexive models.\nIn others the statement is false.", None),
    (Vocabulary.TRUE_FALSE, "True. In reflexive models. In others the statement is false.", None),
    (Vocabulary.TRUE_FALSE, "Yes", None),
    (Vocabulary.TRUE_FALSE, "The statement is false.", None),
    (Vocabulary.TRUE_FALSE, "The answer is true of all models.", None),
    (Vocabulary.VALID_INVALID, "**Invalid**", False),
    (Vocabulary.VALID_INVALID, "The argument is valid only in part.\nAnswer: Invalid", False),
    (Vocabulary.VALID_INVALID, "Verdict: valid.", True),
    (Vocabulary.VALID_INVALID, "Answer: not valid", None),
    (Vocabulary.VALID_INVALID, "Valid or invalid", None),
    (Vocabulary.VALID_INVALID, "Invalid. A dead end shows that it is not valid.", False),
    (Vocabulary.VALID_INVALID, "Valid, one would think. A dead end shows that it is not valid.", None),
    (Vocabulary.VALID_INVALID, r"\boxed{\lnot\text{Valid}}", None),
    (Vocabulary.VALID_INVALID, r"The answer is $\neg$ Valid", None),
    (Vocabulary.VALID_INVALID, r"$\not$ Valid", None),
    (Vocabulary.VALID_INVALID, r"\overline{\text{Valid}}", None),
    (Vocabulary.VALID_INVALID, "~Valid", None),
    (Vocabulary.VALID_INVALID, "¬ Valid", None),
    (Vocabulary.VALID_INVALID, "**Not**\n\nValid", None),
]


@pytest.mark.parametrize(("vocabulary", "text", "label"), OTHER_WORDS)
def test_other_vocabularies(vocabulary: Vocabulary, text: str, label: bool | None) -> None:
    """Only the words that were asked for count, and Invalid is not read as Valid."""
    reading = read_lenient(text, AnswerForm(vocabulary))
    assert reading.label is label
    assert reading.outcome is (Outcome.UNPARSEABLE if label is None else Outcome.ANSWER)


@pytest.mark.parametrize(
    ("vocabulary", "polarity", "word_for_valid", "word_for_invalid"),
    [
        (Vocabulary.YES_NO, Polarity.VALID, "Yes", "No"),
        (Vocabulary.YES_NO, Polarity.CAN_FAIL, "No", "Yes"),
        (Vocabulary.TRUE_FALSE, Polarity.VALID, "True", "False"),
        (Vocabulary.TRUE_FALSE, Polarity.CAN_FAIL, "False", "True"),
        (Vocabulary.VALID_INVALID, Polarity.VALID, "Valid", "Invalid"),
        (Vocabulary.VALID_INVALID, Polarity.CAN_FAIL, "Valid", "Invalid"),
    ],
)
def test_the_label_that_a_word_gives(
    vocabulary: Vocabulary, polarity: Polarity, word_for_valid: str, word_for_invalid: str
) -> None:
    """Yes to "can it fail?" says that it is not valid; Valid says valid however the question is put."""
    for reverse in (False, True):
        form = AnswerForm(vocabulary, reverse, polarity)
        for word, label in ((word_for_valid, True), (word_for_invalid, False)):
            assert form.word(label) == word
            for read in (read_strict, read_lenient):
                assert read(word, form) == Reading(Outcome.ANSWER, label, word)


@pytest.mark.parametrize(
    "reported", [outcome for outcome in Outcome if outcome not in (Outcome.ANSWER, Outcome.UNPARSEABLE)]
)
@pytest.mark.parametrize("text", ["Yes", "", None, "I can't help with that."])
def test_what_the_endpoint_reports_decides(reported: Outcome, text: str | None) -> None:
    """A response that was cut, filtered or failed is that, whatever its text looks like."""
    for read in (read_strict, read_lenient):
        assert read(text, YES_NO, reported) == Reading(reported)


def test_no_text_is_empty() -> None:
    """A null content, as endpoints send it beside reasoning text, is empty."""
    for read in (read_strict, read_lenient):
        assert read(None, YES_NO) == Reading(Outcome.EMPTY)


FRAGMENTS = [
    "Yes",
    "No",
    "Valid",
    "False",
    "answer",
    "Answer:",
    "is",
    "not",
    "so",
    "or",
    "wait",
    "I can't help",
]
FRAGMENTS += ["<think>", "</think>", r"\boxed{", "}", "**", "“", "1. ", "\n", ".", ",", " "]


@settings(max_examples=300, deadline=None)
@given(
    st.lists(
        st.one_of(
            st.sampled_from(FRAGMENTS),
            st.text(max_size=4),
        ),
        max_size=12,
    ).map("".join),
    st.sampled_from(FORMS),
)
def test_every_text_has_one_outcome(text: str, form: AnswerForm) -> None:
    """Any text is read without failing; what is strictly an answer is leniently the same answer."""
    strict, lenient = read_strict(text, form), read_lenient(text, form)
    for reading in (strict, lenient):
        assert (reading.label is not None) == (reading.outcome is Outcome.ANSWER)
        assert reading.word is None or reading.word == form.word(reading.label is True)
    if strict.outcome is Outcome.ANSWER:
        assert lenient == strict
    assert (strict.outcome is Outcome.EMPTY) == (lenient.outcome is Outcome.EMPTY)


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=30), st.text(max_size=30), st.sampled_from(("Yes", "No", "Maybe", "")))
def test_thinking_never_changes_the_reading(before: str, thought: str, visible: str) -> None:
    """What stands in thinking tags, or before a closing tag without an opening one, has no effect."""
    for text in (f"<think>{thought}</think>{visible}", f"{before}</think>{visible}"):
        assert without_thinking(text).strip() == visible
        for read in (read_strict, read_lenient):
            assert read(text, YES_NO) == read(visible, YES_NO)


LONG = 200_000
UNITS = [
    "Sorry.\n\n",
    "as an ai ",
    "I'm sorry, ",
    "unfortunately, but ",
    "I am ",
    "so ",
    "answer: yes, ",
    "yes\n",
]
UNITS += [
    "answer is ",
    "Yes or ",
    "yes. ",
    "yes,",
    "(yes) ",
    "yes but ",
    "wait no, ",
    "not ",
    "- ",
    "1. ",
    "((",
    " ",
]
UNITS += [
    r"\boxed{",
    r"\boxed{{a}",
    r"\boxed{yes} ",
    r"not \boxed{",
    "{a}",
    "{" + "a" * 80 + "}",
    r"\text",
    "$",
]
UNITS += [
    "<think ",
    "</think>",
    "[THINK]",
    "<a",
    "<|a",
    "~",
    "...",
    "—",
    "\n",
    "\t",
    "is that so?\n",
    "yes?\n",
]


@settings(max_examples=50, deadline=None)
@given(
    st.lists(st.sampled_from(UNITS), min_size=1, max_size=3).map("".join),
    st.sampled_from(["", "\\boxed{", "<think>", "Sorry. ", "answer is "]),
    st.sampled_from(["", " yes", "\nNo", "x yes", "} no"]),
)
def test_long_responses(unit: str, begin: str, end: str) -> None:
    """Text made to send regular expressions back and forth is read to its end: the suite would not end
    if one of them took more than time in proportion to its length."""
    text = begin + unit * (LONG // len(unit)) + end
    strict, lenient = read_strict(text, YES_NO), read_lenient(text, YES_NO)
    assert strict.outcome is not Outcome.ANSWER or lenient == strict


@pytest.mark.parametrize("excuse", ["Sorry.\n\n", "As an AI ", "I'm sorry, ", "unfortunately "])
def test_a_refusal_is_found_at_the_beginning_only(excuse: str) -> None:
    """Excuses before a refusal are passed over, but no more of a text is looked at than its first 500
    characters, whatever follows."""
    assert read_lenient(f"{excuse * 3}I cannot help with that.", YES_NO).outcome is Outcome.REFUSAL
    for times in (40, 20_000):
        assert read_lenient(excuse * times, YES_NO).outcome is Outcome.UNPARSEABLE
    far = excuse * (1 + 500 // len(excuse)) + "I cannot help with that."
    assert read_lenient(far, YES_NO).outcome is Outcome.UNPARSEABLE
