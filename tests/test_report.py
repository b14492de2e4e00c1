"""`modalgen report`: its numbers worked out by hand, its formats, and its page in a real browser."""

from __future__ import annotations

import csv
import io
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from asking_help import settings
from browser import LOOKS, launched, visiting
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from playwright.sync_api import Browser, expect
from scoring_help import GOLDEN, PAIRS, make_dataset, pair_record, write_run
from small import write_spec

from modalgen.cli import cli
from modalgen.evaluate.dataset import Dataset, open_dataset
from modalgen.evaluate.intervals import mcnemar, wilson
from modalgen.evaluate.prompts import PromptOptions, Specification
from modalgen.evaluate.readings import read_readings
from modalgen.evaluate.scoring import Score
from modalgen.records import read_pairs
from modalgen.view.report_data import Findings, findings
from modalgen.view.report_formats import (
    Counted,
    Number,
    Share,
    Table,
    comma_separated,
    fitted,
    markdown,
    percent,
    rounded,
    shown,
)
from modalgen.view.report_latex import latex
from modalgen.view.report_tables import tables

HOSTILE = "<script>alert(1)</script>"
# What two levels of reasoning say; both sides of each pair are asked.
LOW = {**GOLDEN, "p7": ("**Yes**", "Yes"), "p9": ("No", "Maybe.")}
HIGH: dict[str, tuple[Any, Any]] = {
    **dict.fromkeys(("p1", "p2", "p3", "p4", "p5", "p6"), ("Yes", "No")),
    "p7": ("Yes", "Yes"),
    "p8": ("No", "No"),
    "p9": ("No", "Yes"),
    "p10": ("", f"I think that {HOSTILE} is it.\n\nNo, it <b>fails</b>"),
}


def run(*arguments: str | Path) -> Result:
    """Run a command in this process."""
    result = CliRunner().invoke(cli, [str(argument) for argument in arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exc_info
    return result


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the dataset and the runs lie that all tests read."""
    return tmp_path_factory.mktemp("report")


@pytest.fixture(scope="module")
def dataset(place: Path) -> Dataset:
    """The ten textbook pairs."""
    return make_dataset(place / "data", [pair_record(name, pair) for name, pair in PAIRS.items()])


@pytest.fixture(scope="module")
def told(place: Path, dataset: Dataset) -> Path:
    """A model, whose name is markup, under two levels of reasoning; tokens and cost are known of some."""
    wanted = settings("http://127.0.0.1:9", HOSTILE, reasoning=("low", "high"))
    usage = {"input": 100, "output": 20, "reasoning": 15, "cached": None}
    first = {"reported": None, "text": "Yes", "usage": usage, "cost": 0.5}
    second = {"reported": None, "text": "No", "usage": usage | {"output": 40}, "cost": 0.25}
    low = {**LOW, "p1": (first, second)}
    directory = place / "told"
    write_run(directory, dataset, low, wanted, model=HOSTILE, condition="low")
    return write_run(directory, dataset, HIGH, wanted, model=HOSTILE, condition="high")


@pytest.fixture(scope="module")
def untold(place: Path, dataset: Dataset) -> Path:
    """A model that was not told the semantics: it affirms the axioms D and T, denies 4, and wavers at p10."""
    options = PromptOptions(specification=Specification.OMITTED)
    wanted = settings("http://127.0.0.1:9", "m2", options=options)
    valid = {**dict.fromkeys(PAIRS, ("Yes", "Yes")), "p5": ("No", "No"), "p6": ("No", "No")}
    can_fail = {**dict.fromkeys(PAIRS, ("No", "No")), "p5": ("Yes", "Yes"), "p6": ("Yes", "Yes")}
    directory = place / "untold"
    write_run(directory, dataset, valid, wanted, model="m2")
    can_fail["p10"] = ("Yes", "No")
    return write_run(directory, dataset, can_fail, wanted, model="m2", polarity="can_fail")


@pytest.fixture(scope="module")
def found(told: Path, untold: Path) -> Findings:
    """What the strict reader finds in both runs."""
    return findings({str(path.name): read_readings(path) for path in (told, untold)}, "strict")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A browser for all tests of this file."""
    yield from launched()


def rows(table: Table) -> list[list[str]]:
    """The table as people read it."""
    return [[shown(cell) for cell in row] for row in table.rows]


@pytest.fixture(scope="module")
def made(found: Findings) -> Mapping[str, Table]:
    """All tables by name."""
    return {table.name: table for table in tables(found)}


def test_overview_by_hand(made: Mapping[str, Table]) -> None:
    """Low: strictly only p1 is right, leniently p2 too; 7 sides are right: p1 2, p2 1, p4 1, p5 1, p10 1,
    and p7 and p9 none. High: p1 to p6, and of p7 to p10 one side of each of p7 and p8. Where nothing was
    told, there is no accuracy."""
    low, high = rows(made["overview"])
    name = f"{HOSTILE} · low"
    assert low[:4] == ["1", name, "10", "0"]
    assert [text.split(" ")[0] for text in low[4:]] == ["30.0%", "10.0%", "20.0%", "25.0%", "9.0%", "80.0%"]
    assert [text.split(" ")[0] for text in high[4:]] == ["70.0%", "60.0%", "60.0%", "66.7%", "49.0%", "80.0%"]
    assert [row[:2] for row in rows(made["outcomes"])[2:]] == [
        ["3", "m2 · not told, is it valid?"],
        ["4", "m2 · not told, can it fail?"],
    ]


def test_contrasts_by_hand(made: Mapping[str, Table]) -> None:
    """Two pairs of the crossing, one of domains, seven of seriality; high has 2, 1 and 3 of them."""
    table = made["contrasts"]
    assert table.columns == ("no.", "model", "crossing", "domains", "seriality")
    low, high = table.rows
    assert [(c.score.count, c.score.of) for c in low[2:] if isinstance(c, Counted)] == [
        (0, 2),
        (0, 1),
        (1, 7),
    ]
    assert high[2:] == tuple(Counted(Score(n, of, wilson(n, of))) for n, of in ((2, 2), (1, 1), (3, 7)))
    assert shown(high[2]) == "100.0% [34–100], n = 2"


def test_constants_and_outcomes_by_hand(made: Mapping[str, Table]) -> None:
    """Low says the same to both sides of p4 and p5, high to those of p7 and p8; p3 and p9 are swapped."""
    low, high = rows(made["constant"])
    assert [text.split(" ")[0] for text in low[2:]] == ["20.0%", "10.0%", "10.0%", "10.0%"]
    assert [text.split(" ")[0] for text in high[2:]] == ["20.0%", "10.0%", "10.0%", "10.0%"]
    outcomes = made["outcomes"]
    counts = [dict(zip(outcomes.columns[2:], row[2:], strict=True)) for row in outcomes.rows]
    assert counts[0] == {
        "answer": 12,  # p1 2, p2 1, p3 2, p4 2, p5 2, p7 1, p9 1, p10 1
        "empty": 1,
        "unparseable": 4,  # p2, p7, p9, p10
        "truncated": 1,
        "refusal": 1,
        "content filter": 1,
        "http error": 0,
        "transport error": 0,
        "missing": 0,
    }
    assert (counts[1]["answer"], counts[1]["empty"], counts[1]["unparseable"]) == (18, 1, 1)
    assert counts[2]["answer"] == counts[3]["answer"] == 20


def test_levels_of_reasoning_by_hand(made: Mapping[str, Table]) -> None:
    """p1 is right at both levels, p2 to p6 at the high one only."""
    ((first, second, pairs, both, only_low, only_high, difference, low, high, p_value, adjusted),) = made[
        "reasoning"
    ].rows
    assert (first, second) == (f"{HOSTILE} · low", f"{HOSTILE} · high")
    assert (pairs, both, only_low, only_high) == (10, 1, 0, 5)
    assert isinstance(difference, Number) and difference.value == pytest.approx(-50.0)
    assert p_value == adjusted == Number(mcnemar(0, 5), ".3g")
    assert isinstance(low, Number) and isinstance(high, Number)
    assert (low.value or 0) < -50.0 < (high.value or 0)


def test_difficulty_by_hand(made: Mapping[str, Table]) -> None:
    """Modal depth 2 have p5 and p10, sizes over five have p5, p6 and p10: high gets p5 and p6."""
    depth, sizes = made["modal-depth"], made["size"]
    assert depth.columns[2:] == ("1", "2") and sizes.columns[2:] == ("1–5", "6–10")
    assert depth.rows[1][2:] == (Counted(Score(5, 8, wilson(5, 8))), Counted(Score(1, 2, wilson(1, 2))))
    assert sizes.rows[1][2:] == (Counted(Score(4, 7, wilson(4, 7))), Counted(Score(2, 3, wilson(2, 3))))


def test_fits_by_hand(made: Mapping[str, Table]) -> None:
    """Nine problems on frames: seven instances of D that are affirmed (p10 is left out, it wavers), T
    affirmed, 4 denied. So T and B have none wrong, D one, K all but one."""
    problems = made["logic-problems"]
    assert rows(problems) == [
        ["m2", "frame", "9", "0", "0", "1", "8", "7"],
        ["m2", "domain", "1", "0", "0", "0", "1", "0"],
    ]
    fits = rows(made["logic-fits"])
    assert fits[0][:5] == ["m2", "frame", "T = B", "0", "8"]
    assert fits[0][-1] == "best fit"
    by_logic = {row[2]: row for row in fits}
    assert by_logic["D = DB = D5"][3:6] == ["1", "8", "12.5%"]
    assert by_logic["S4 = S5"][3:6] == ["1", "8", "12.5%"]
    assert by_logic["K = KB = K5"][3:6] == ["7", "8", "50.0%"]
    assert by_logic["varying = cumulative"][3:5] == ["0", "1"]


def test_tokens_by_hand(made: Mapping[str, Table]) -> None:
    """Two responses say what they took; of the others nothing is known, which is not nothing."""
    low, high, *_ = rows(made["tokens"])
    assert low[2:] == ["20", "200", "60", "30", "30.0", "0.7500", "18"]
    assert high[2:] == ["20", "–", "–", "–", "–", "–", "20"]


def test_missed_by_hand(found: Findings, made: Mapping[str, Table]) -> None:
    """p7 to p10 are right at no level; a pair that a run still has to ask is not held against it."""
    assert [row[0] for row in made["missed"].rows] == ["p7", "p8", "p9", "p10"]
    assert made["missed"].rows[-1] == ("p10", "seriality", "validity", 2, 7, 2)


def test_pairs_still_to_be_asked_are_not_missed(tmp_path: Path, dataset: Dataset) -> None:
    """Of a run in which only p1 and p3 were asked, p3 is missed, and no other."""
    directory = write_run(tmp_path / "run", dataset, {"p1": ("Yes", "No"), "p3": ("No", "No")})
    found = findings({"run": read_readings(directory)}, "strict")
    assert [missed.pair.pair_id for missed in found.missed] == ["p3"]


def test_runs_of_the_same_model_are_told_apart(tmp_path: Path, dataset: Dataset) -> None:
    """Two runs that asked the same model in the same way have their directories in their names."""
    runs = {name: read_readings(write_run(tmp_path / name, dataset, {})) for name in ("one", "two")}
    assert [entry.name for entry in findings(runs, "strict").entries] == ["m1 (one)", "m1 (two)"]


SMALL = Table(
    "small",
    "A table",
    "What it counts.",
    ("model", "rate", "share", "n", "p"),
    (
        ("50%_of|<b>", Score(1, 4, (0.125, 0.5)), Share(0.5), 1234, Number(0.04567, ".2g")),
        ("=1+1", Score(0, 0, None), Share(None), 0, Number(None)),
    ),
)


def test_markdown() -> None:
    """A table of GitHub's Markdown, in which nothing from the data is markup."""
    assert markdown([SMALL]) == (
        "## A table\n\nWhat it counts.\n\n"
        "| model | rate | share | n | p |\n"
        "| --- | ---: | ---: | ---: | ---: |\n"
        "| 50%\\_of\\|\\<b\\> | 25.0% \\[13–50\\] | 50.0% | 1,234 | 0.046 |\n"
        "| =1+1 | – | – | 0 | – |\n"
    )


def test_csv() -> None:
    """Rates have their bounds and counts in columns; what is not known is empty; formulas are none."""
    assert comma_separated([SMALL]) == (
        "model,rate,rate low,rate high,rate count,rate of,share,n,p\n"
        "50%_of|<b>,0.25,0.125,0.5,1,4,0.5,1234,0.04567\n"
        "'=1+1,,,,0,0,,0,\n"
    )
    assert comma_separated([SMALL, SMALL]).count("# small\n") == 2


def test_latex() -> None:
    """A table with booktabs, in which nothing from the data is a command."""
    assert latex([SMALL]).splitlines() == [
        r"% needs \usepackage{amssymb,booktabs,graphicx}",
        r"\begin{table}",
        r"\centering\footnotesize",
        r"\caption{A table. What it counts.}",
        r"\label{tab:small}",
        r"\begin{tabular}{lrrrr}",
        r"\toprule",
        r"model & rate & share & n & p \\",
        r"\midrule",
        r"50\%\_of\textbar{}\textless{}b\textgreater{} & 25.0\% [13--50] & 50.0\% & 1,234 & 0.046 \\",
        r"=1+1 & -- & -- & 0 & -- \\",
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]


WIDE = Table(
    "wide",
    "Many columns",
    "Rates.",
    ("no.", "model", *(f"c{n}" for n in range(12))),
    tuple((n, f"m{n}", *(Counted(Score(c, 16, wilson(c, 16))) for c in range(12))) for n in (1, 2)),
    heads=2,
    across="contrast",
)


def test_rates_are_rounded_as_by_hand() -> None:
    """Halves go up, whatever binary fraction stands for them: by counts if there are counts."""
    assert percent(Score(1, 8, None)) == percent(0.125) == "13%"
    assert percent(Score(1, 16, None), 1) == percent(0.0625, 1) == "6.3%"
    assert [percent(Score(n, 200, None)) for n in (1, 3, 29, 31, 199)] == ["1%", "2%", "15%", "16%", "100%"]
    assert percent(Score(1, 3, None)) == "33%" and percent(Score(0, 0, None)) == percent(None) == "–"
    assert shown(Share(0.2265)) == "22.7%" and shown(Score(29, 200, (0.145, 0.155))) == "14.5% [15–16]"
    assert rounded(-6.25, "+.1f") == "-6.3" and rounded(0.045, ".2f") == "0.05"
    assert rounded(1234567.5, ",.0f") == "1,234,568" and rounded(0.00001234, ".3g") == "1.23e-05"


def test_wide_tables_are_turned_or_taken_apart() -> None:
    """Twelve contrasts of two models are twelve rows; of twenty models, two tables; nothing is lost."""
    (turned,) = fitted(WIDE)
    assert turned.columns == ("contrast", "1 m1", "2 m2")
    assert turned.rows[3] == ("c3", WIDE.rows[0][5], WIDE.rows[1][5]) and len(turned.rows) == 12
    first, second = fitted(replace(WIDE, rows=WIDE.rows * 10))
    assert first.columns == ("no.", "model", *(f"c{n}" for n in range(6)))
    assert second.columns == ("no.", "model", *(f"c{n}" for n in range(6, 12)))
    assert second.rows[1] == (*WIDE.rows[1][:2], *WIDE.rows[1][8:]) and len(second.rows) == 20
    assert (second.name, second.title) == ("wide-2", "Many columns (2 of 2)")
    for table in (replace(WIDE, across=""), SMALL, replace(WIDE, rows=())):
        assert fitted(table)[0].columns[0] == table.columns[0]


def test_latex_fits_the_page() -> None:
    """A table that is too wide is scaled down, one that is too long is taken apart, heads are stacked."""
    wide = latex([replace(WIDE, across="")])
    assert wide.count(r"\resizebox{\linewidth}{!}{%") == 1 and "\\end{tabular}}\n" in wide
    assert "resizebox" not in latex([WIDE, SMALL])
    head = Table("t", "t", "c", ("two *words", "n"), (("[x]", 1), ("*", 2)))
    assert r"\shortstack[l]{two\\{}*words} & n \\" in latex([head])
    assert [line[:5] for line in latex([head]).splitlines()[9:11]] == ["{}[x]", "{}* &"]
    long = latex([replace(SMALL, rows=SMALL.rows * 25)])
    assert [f"({n} of 2)" in long for n in (1, 2, 3)] == [True, True, False]
    assert long.count("=1+1") == 25 and r"\label{tab:small-2}" in long


def test_latex_compiles(tmp_path: Path, told: Path, untold: Path) -> None:
    """What LaTeX itself says of all tables and of odd names: no error, nothing too wide."""
    if (pdflatex := shutil.which("pdflatex")) is None:
        pytest.skip("pdflatex is not installed (Debian: apt-get install texlive-latex-base)")
    name = '[x]|"q"\\evil{a}$%&#_^~<>`\''
    odd = Table("odd", name, name, (name, "*"), ((name, "*b"), ("*", name)))
    made = tables(findings({str(path): read_readings(path) for path in (told, untold)}, "strict"))
    text = latex([*made, replace(WIDE, across=""), WIDE, odd])
    packages = r"\documentclass{article}\usepackage{amssymb,booktabs,graphicx}"
    source = f"{packages}\\begin{{document}}{text}\\end{{document}}"
    (tmp_path / "t.tex").write_text(source, encoding="utf-8")
    done = subprocess.run(
        [pdflatex, "-interaction=nonstopmode", "-halt-on-error", "-draftmode", "t.tex"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    assert done.returncode == 0, done.stdout[-2000:]
    assert r"Overfull \hbox" not in done.stdout and "Float too large" not in done.stdout


def test_heads_are_no_formulas_and_nothing_is_unseen() -> None:
    """A contrast may be called as a formula, a model turn the text around: not in a table."""
    table = Table("t", "t", "c", ("=cmd|x!A1", "n"), (("a\u202eb\x1b[31m\u200b c", 1),))
    assert comma_separated([table]) == "'=cmd|x!A1,n\nab[31m c,1\n"
    assert "| ab\\[31m c | 1 |" in markdown([table]) and "ab[31m c & 1" in latex([table])


@given(st.text(st.characters(codec="utf-8"), max_size=40))
@hypothesis_settings(max_examples=200, deadline=None)
def test_no_text_breaks_a_table(text: str) -> None:
    """Whatever a model is called: CSV gives it back on one line, LaTeX and Markdown keep it in its cell."""
    table = Table("t", "t", "c", ("a", "b"), ((text, "end"),))
    read = list(csv.reader(io.StringIO(comma_separated([table]), newline="")))
    words = ("".join(c for c in word if c.isprintable()) for word in text.split())
    plain_text = " ".join(word for word in words if word)
    assert [row[-1] for row in read] == ["b", "end"]
    assert read[1][0].removeprefix("'") == plain_text.removeprefix("'")
    line = latex([table]).splitlines()[9]
    plain = re.sub(
        r"\\(?:text[a-z]+|ensuremath|symbol)\{[^{}]*\}|\\[&%$#_{}]", "", line.removesuffix(r" \\")
    ).removeprefix("{}")
    assert plain.endswith(" & end") and not set(plain.removesuffix(" & end")) & set("&%$#_{}\\^~")
    row = markdown([table]).splitlines()[-1]
    assert len(re.findall(r"(?<!\\)(?:\\\\)*\|", row)) == 3


def test_tables_from_the_command(tmp_path: Path, told: Path, untold: Path) -> None:
    """Tables go to standard output or to a file; one can be chosen; an unknown name lists the known."""
    shown_table = run("report", told, untold, "--format", "csv", "--table", "contrasts")
    assert shown_table.exit_code == 0
    header, low, _ = csv.reader(io.StringIO(shown_table.output))
    assert header[:4] == ["no.", "model", "crossing", "crossing low"]
    assert low[1] == f"{HOSTILE} · low" and low[-2:] == ["1", "7"]
    for form, sign, write in (
        ("md", "## Overview", markdown),
        ("latex", r"\toprule", latex),
        ("csv", "# overview", comma_separated),
    ):
        target = tmp_path / f"tables.{form}"
        assert run("report", told, untold, "--format", form, "-o", target).exit_code == 0
        text = target.read_text(encoding="utf-8")
        assert sign in text and text == write(
            tables(findings({str(path): read_readings(path) for path in (told, untold)}, "strict"))
        )
    unknown = run("report", told, "--format", "md", "--table", "nothing")
    assert unknown.exit_code == 2 and "there is no table 'nothing'; there are overview" in unknown.output
    assert run("report", told, "--table", "overview").exit_code == 2


def test_the_lenient_reader(told: Path) -> None:
    """With the other reader all tables change: p2 of the low level is right."""
    result = run("report", told, "--format", "csv", "--table", "contrasts", "--reader", "lenient")
    _, low, _ = csv.reader(io.StringIO(result.output))
    assert low[-2:] == ["2", "7"]


def test_wrong_input_is_told(tmp_path: Path, told: Path) -> None:
    """No run, the same run twice, a place that cannot be written: a sentence, and nothing is written."""
    (tmp_path / "empty").mkdir()
    target = tmp_path / "r.html"
    for arguments, code in (
        (("report", tmp_path / "empty", "-o", target), 2),
        (("report", told, told, "-o", target), 2),
        (("report", told, "-o", tmp_path / "no" / "r.html"), 1),
    ):
        result = run(*arguments)
        assert result.exit_code == code and result.output.startswith("modalgen: "), result.output
    assert not target.exists()


def test_empty_paths_are_refused(told: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty path, as of a variable that is not set, is wrong usage and not the current directory."""
    monkeypatch.chdir(tmp_path)
    for option in ("-o", "--figures"):
        result = run("report", told, option, "")
        assert result.exit_code == 2 and "the path is empty" in result.output
    assert list(tmp_path.iterdir()) == []


def test_datasets_that_share_ids(browser: Browser, tmp_path: Path) -> None:
    """Of two versions of a dataset, p1 is the same pair in both, p2 another one: p1 is shown once, and is
    not missed by all if a run on the other version gets it; each p2 is shown, and links to its own page."""
    records = [pair_record(name, PAIRS[name]) for name in ("p1", "p2", "p3")]
    other = records[1] | {"conjecture": "□r → ◇r"}
    versions = [
        make_dataset(tmp_path / "v1", records),
        make_dataset(tmp_path / "v2", [records[0], other, records[2]]),
    ]
    said = [dict.fromkeys(("p1", "p2", "p3"), ("Yes", "Yes")) for _ in versions]
    said[1]["p3"] = ("Yes", "No")
    runs = [
        write_run(tmp_path / f"run{n}", version, answers)
        for n, (version, answers) in enumerate(zip(versions, said, strict=True))
    ]
    found = findings({run.name: read_readings(run) for run in runs}, "strict")
    short = [version.sha256[:8] for version in versions]
    (table,) = (table for table in tables(found) if table.name == "missed")
    assert [row[:2] for row in table.rows] == [
        ("p1", ", ".join(short)),
        ("p2", short[0]),
        ("p2", short[1]),
    ]
    page = tmp_path / "pairs.html"
    page.write_text(
        f'<meta name="modalgen-dataset" content="{versions[1].sha256}"><p id="pair-p1"><p id="pair-p2">'
    )
    assert run("report", *runs, "--browse", page, "-o", tmp_path / "r.html").exit_code == 0
    with visiting(browser, tmp_path / "r.html") as visit:
        articles = visit.page.locator("article.missed")
        ids = [article.get_attribute("id") for article in articles.all()]
        assert ids == [f"pair-{short[0]}-p1", f"pair-{short[0]}-p2", f"pair-{short[1]}-p2"]
        linked = [article.locator("a").count() for article in articles.all()]
        assert linked == [1, 0, 1]
        visit.page.get_by_role("link", name="p2", exact=True).last.click()
        expect(visit.page.locator("article:target h3")).to_have_text("⊨ □r → ◇r")
        every = visit.page.locator("[id]").evaluate_all("all => all.map(each => each.id)")
        assert len(every) == len(set(every))
        titles = visit.page.locator(".charts figcaption").all_inner_texts()
        assert titles == [f"m1 ({run})" for run in runs] * 2


def test_many_contrasts_on_paper(browser: Browser, tmp_path: Path) -> None:
    """Twelve contrasts fit on A4 (680 pixels between its margins), and what is folded up is printed."""
    names = [f"a-rather-long-contrast-{n}" for n in range(12)]
    records = [
        pair_record("p1", PAIRS["p1"]) | {"pair_id": f"p{n}", "spec": name} for n, name in enumerate(names)
    ]
    dataset = make_dataset(tmp_path / "data", records)
    model = "a_model_\u202ewith-a-long-name"
    said = {record["pair_id"]: ("Yes", "I think: Yes") for record in records}
    directory = write_run(tmp_path / "run", dataset, said, settings("http://127.0.0.1:9", model), model=model)
    assert run("report", directory, "-o", tmp_path / "r.html").exit_code == 0
    html = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "\u202e" not in html and "a_model_\ufffdwith-a-long-name" in html
    with visiting(browser, tmp_path / "r.html", width=680) as visit:
        visit.page.emulate_media(media="print")
        right = "all => Math.max(...all.map(each => each.getBoundingClientRect().right))"
        assert visit.page.locator("main table, main svg").evaluate_all(right) <= 680
        assert visit.page.locator("#contrasts ~ .wide tbody tr").count() == 12
        response = visit.page.locator("details:not([open]) .response").first
        assert response.evaluate("each => each.getBoundingClientRect().height") > 0
        visit.check("print")


def test_figures(tmp_path: Path, told: Path, untold: Path) -> None:
    """Each figure is an SVG and a PDF, the same bytes every time, with every model's name in it."""
    first, second = tmp_path / "first", tmp_path / "second"
    for directory in (first, second):
        result = run("report", told, untold, "-o", tmp_path / "r.html", "--figures", directory)
        assert result.exit_code == 0, result.output
    names = [
        f"{name}.{kind}"
        for name in ("contrasts", "independence", "modal-depth", "size")
        for kind in ("pdf", "svg")
    ]
    assert sorted(path.name for path in first.iterdir()) == names
    for name in names:
        assert (first / name).read_bytes() == (second / name).read_bytes()
    svg = (first / "contrasts.svg").read_text(encoding="utf-8")
    assert svg.startswith("<?xml") and "<script" not in svg.replace("&lt;script", "")
    assert (first / "size.pdf").read_bytes().startswith(b"%PDF") and b"CreationDate" not in (
        first / "size.pdf"
    ).read_bytes()


def test_figures_need_an_extra(told: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without Matplotlib the command says what to install, before it does anything."""
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.delitem(sys.modules, "modalgen.view.figures", raising=False)
    result = run("report", told, "-o", tmp_path / "r.html", "--figures", tmp_path / "figures")
    assert result.exit_code == 2 and "pip install 'modalgen[report]'" in result.output
    assert not (tmp_path / "r.html").exists()


@pytest.fixture(scope="module")
def page(place: Path, told: Path, untold: Path) -> Path:
    """The report on both runs."""
    path = place / "report.html"
    result = run("report", told, untold, "-o", path)
    assert result.exit_code == 0 and f"the report is in {path}" in result.output, result.output
    return path


def test_nothing_in_the_page_is_markup_by_mistake(page: Path, told: Path, untold: Path) -> None:
    """The page has no script, neither its own nor a model's, and the same bytes every time."""
    html = page.read_text(encoding="utf-8")
    assert "<script" not in html and "<b>fails" not in html
    assert "&lt;script&gt;alert(1)&lt;/script&gt; is it." in html
    before = page.read_bytes()
    assert run("report", told, untold, "-o", page).exit_code == 0
    assert page.read_bytes() == before


@pytest.mark.parametrize("look", LOOKS)
def test_the_page_is_clean(browser: Browser, page: Path, look: Any) -> None:
    """No error, no request, no sideways scrolling, nothing serious for axe; and it says what is so."""
    width, scheme = look
    with visiting(browser, page, width=width, scheme=scheme) as visit:
        visit.page.locator("summary").first.click()
        visit.check("report")
        assert visit.objections() == []
        expect(visit.page.locator("h1")).to_have_text("Evaluation report")
        cell = visit.page.locator("#contrasts ~ .wide tbody tr").nth(1).locator("td").first
        expect(cell).to_have_text("100% [34–100], n = 2")
        assert visit.page.locator("svg.chart").count() == 3  # one scatter plot, one model's two curves


def test_a_missed_pair_is_a_click_away(browser: Browser, page: Path) -> None:
    """The link in the table leads to the pair, where a response stands as text."""
    with visiting(browser, page) as visit:
        visit.page.get_by_role("link", name="p10", exact=True).click()
        article = visit.page.locator("article:target")
        expect(article.locator("h3")).to_have_text("⊨ □□p → ◇◇p")
        article.locator("summary").click()
        expect(article.get_by_text(f"I think that {HOSTILE} is it.")).to_be_visible()
        assert visit.faults == []


def test_links_to_the_pair_browser(browser: Browser, tmp_path: Path) -> None:
    """For a dataset that was really built: a missed pair has its countermodel drawn and explained in the
    report, and the link to the page of `modalgen browse`, from a folder beside it, opens the same pair."""
    data, pages, reports = tmp_path / "data set", tmp_path / "the pages", tmp_path / "reports"
    pages.mkdir()
    reports.mkdir()
    spec = write_spec(tmp_path)
    assert run("build", spec, "-o", data, "--jobs", "1", "--no-store").exit_code == 0
    assert run("browse", data, "-o", pages / "pairs.html").exit_code == 0
    pairs = read_pairs(data)
    said = {pair.pair_id: ("Yes", "Yes") for pair in pairs}
    directory = write_run(tmp_path / "run", open_dataset(data), said)
    arguments = ("report", directory, "--browse", pages / "pairs.html", "-o", reports / "r.html")
    assert run(*arguments).exit_code == 0
    with visiting(browser, reports / "r.html") as visit:
        visit.check("report")
        article = visit.page.locator("article.missed").last
        expect(article.locator("svg").first).to_be_visible()
        expect(article.locator(".steps li").last).to_contain_text("fails")
        problem = article.locator("h3").inner_text()
        article.get_by_role("link", name="in the pair browser").click()
        expect(visit.page.locator("#opened-title")).to_have_text(problem)
    other = tmp_path / "other.html"
    other.write_text("<p>no pair</p>", encoding="utf-8")
    told = run("report", directory, "--browse", other, "-o", reports / "r.html")
    assert told.exit_code == 0 and "show none of the missed pairs" in told.output
