"""The pair browser, in a real browser, and what the command refuses."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from browser import LOOKS, Look, Visit, chromium, launched, start, visiting
from click.testing import CliRunner, Result
from playwright.sync_api import Browser, expect
from small import modalgen, write_spec

from modalgen.cli import cli
from modalgen.evaluate.prompts import prompt
from modalgen.files import json_lines, sha256
from modalgen.printing import to_unicode
from modalgen.records import EVIDENCE, MANIFEST, PAIRS, read_pairs
from modalgen.semantics import SYSTEMS, semantics
from modalgen.view.browse import browse as page_of
from modalgen.view.explanation import explain
from modalgen.view.pair_view import conditions

# The Barcan formula and its converse, under the two regimes of which neither contains the other.
BARCAN = """
schema: modalgen/contrast/1
id: barcan
title: Cumulative against decreasing domains
rationale: The Barcan formula needs domains that do not grow, its converse domains that do not shrink.
axis: domain
sides:
  a: {frame: [], domain: cumulative}
  b: {frame: [], domain: decreasing}
symbols: {predicates: {F: 1}}
content: {phi: {connectives: [not], max_depth: 1}}
templates:
  - {id: barcan, task: validity, conjecture: "∀x □{phi(x)} → □∀x {phi(x)}"}
  - {id: converse, task: inference, premises: ["□∀x {phi(x)}"], conjecture: "∀x □{phi(x)}"}
limits: {modal_depth: 2, quantifier_depth: 2, size: 30}
select: {validity: 2, inference: 1, seed: 1}
"""

Records = list[dict[str, Any]]
Change = Callable[[Records, Records, dict[str, Any]], None]


def run(*arguments: str | Path) -> Result:
    """Run a command in this process."""
    return CliRunner().invoke(cli, [str(argument) for argument in arguments])


def altered(dataset: Path, target: Path, change: Change) -> Path:
    """A copy of the dataset whose pairs, evidence and manifest were changed, with hashes that fit."""
    shutil.copytree(dataset, target)
    pairs, evidence = (
        [json.loads(line) for line in (target / name).read_text(encoding="utf-8").splitlines()]
        for name in (PAIRS, EVIDENCE)
    )
    manifest = json.loads((target / MANIFEST).read_text(encoding="utf-8"))
    change(pairs, evidence, manifest)
    for name, records in ((PAIRS, pairs), (EVIDENCE, evidence)):
        text = json_lines(records)
        (target / name).write_text(text, encoding="utf-8")
        manifest["files"][name] = {"lines": len(records), "sha256": sha256(text)}
    (target / MANIFEST).write_text(json.dumps(manifest), encoding="utf-8")
    return target


def rows(visit: Visit) -> list[str]:
    """The problems in the list, as far as the filters let them through."""
    return visit.page.locator("#pairs tbody tr:visible a").all_inner_texts()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A browser for all tests of this file."""
    yield from launched()


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three pairs about seriality and three about domains, really built."""
    directory = tmp_path_factory.mktemp("built")
    barcan = directory / "barcan.yaml"
    barcan.write_text(BARCAN, encoding="utf-8")
    target = directory / "two contrasts"
    result = run("build", write_spec(directory), barcan, "-o", target, "--jobs", "1", "--no-store")
    assert result.exit_code == 0, result.output
    return target


@pytest.fixture(scope="module")
def page(dataset: Path) -> Path:
    """The page of that dataset."""
    path = dataset.parent / "pairs.html"
    result = run("browse", dataset, "-o", path)
    assert result.exit_code == 0, result.output
    return path


@pytest.mark.parametrize("look", LOOKS)
def test_list_and_pairs_are_clean(browser: Browser, page: Path, dataset: Path, look: Look) -> None:
    """List and pairs: no error, no request, no sideways scrolling, nothing serious for axe."""
    width, scheme = look
    pairs = read_pairs(dataset)
    with visiting(browser, page, width=width, scheme=scheme) as visit:
        visit.check("list")
        assert visit.objections() == []
        for pair in pairs:
            visit.follow(f"#pair-{pair.pair_id}")
            expect(visit.page.locator("svg")).to_be_visible()
            visit.check(pair.pair_id)
            if pair == pairs[2 + LOOKS.index(look)]:  # the last frame pair, all domain pairs
                assert visit.objections() == [], pair.pair_id


def test_checks_of_pages_can_fail(browser: Browser, tmp_path: Path) -> None:
    """A request, an error, a wide element and a field without a label are all noticed."""
    bad = tmp_path / "bad.html"
    bad.write_text(
        "<html lang=en><title>t</title><img src='missing.png' alt=''><input style='width: 3000px'>"
        "<script>nowhere()</script>",
        encoding="utf-8",
    )
    with visiting(browser, bad) as visit:
        assert any("request of" in fault and "missing.png" in fault for fault in visit.faults)
        assert any("nowhere" in fault for fault in visit.faults)
        assert any(objection.startswith("label:") for objection in visit.objections())
        visit.faults.clear()
        with pytest.raises(AssertionError, match="pixels wide"):
            visit.check()


def test_the_browser_is_not_skipped_in_ci(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without Chromium these tests are skipped with a reason, but in CI they fail and say what to install."""
    monkeypatch.setenv("PATH", "")
    monkeypatch.setenv("CI", "true")
    with pytest.raises(pytest.fail.Exception, match="apt-get install chromium"):
        chromium()
    monkeypatch.delenv("CI")
    with pytest.raises(pytest.skip.Exception, match="not installed"):
        chromium()


def test_filters(browser: Browser, page: Path, dataset: Path) -> None:
    """Filters and words narrow the list, the count says how far, and the address keeps them."""
    pairs = read_pairs(dataset)
    with visiting(browser, page) as visit:
        count = visit.page.get_by_role("status")
        expect(count).to_have_text("All 6 pairs")
        visit.page.get_by_label("Task").select_option("inference")
        expect(count).to_have_text("2 of 6 pairs")
        assert all(" ⊢ " in text for text in rows(visit)) and len(rows(visit)) == 2
        visit.page.get_by_label("Axis").select_option("domain")
        expect(count).to_have_text("1 of 6 pairs")
        assert visit.fragment == "#axis=domain&task=inference"
        visit.page.get_by_role("button", name="Show all").click()
        expect(count).to_have_text("All 6 pairs")
        assert visit.fragment in ("", "#")
        barcan = [pair for pair in pairs if pair.template == "barcan"]
        for words, found in (
            (pairs[2].pair_id, [pairs[2]]),
            ("∀x □F(x) →", [p for p in barcan if "¬" not in to_unicode(p.conjecture)]),
            ("x is not FLAGGED", [p for p in pairs if "¬F(x)" in to_unicode(p.conjecture)]),
            ("no such words", []),
        ):
            visit.page.get_by_label("Formula, id or English").fill(words)
            expect(count).to_have_text(f"{len(found)} of 6 pairs")
            assert [text[2:] if text[0] == "⊨" else text.split(" ⊢ ")[1] for text in rows(visit)] == [
                to_unicode(pair.conjecture) for pair in found
            ]
        assert visit.faults == []


def test_every_filter_has_the_values_of_the_dataset(browser: Browser, page: Path, dataset: Path) -> None:
    """Each option of each filter gives as many pairs as it says, and together they give all."""
    labels = (
        "Contrast", "Axis", "Task", "Valid side", "Resolution", "Modal depth", "Quantifier depth", "Size",
        "Countermodel worlds",
    )  # fmt: skip
    with visiting(browser, page) as visit:
        for label in labels:
            select = visit.page.get_by_label(label, exact=True)
            total = 0
            for option in select.locator("option").all()[1:]:
                text = option.inner_text()
                select.select_option(option.get_attribute("value"))
                said = int(text.rpartition("(")[2].rstrip(")"))
                assert len(rows(visit)) == said > 0, (label, text)
                total += said
            assert total == 6, label
            select.select_option("")
        options = visit.page.get_by_label("Valid side").locator("option").all_inner_texts()
        assert options == ["any", "serial (3)", "decreasing domains (2)", "cumulative domains (1)"]


def test_a_filtered_list_can_be_linked(browser: Browser, page: Path) -> None:
    """An address with filters shows the list that it was copied from."""
    with visiting(browser, page, "#contrast=small&task=validity&q=%E2%97%87") as visit:
        expect(visit.page.get_by_role("status")).to_have_text("2 of 6 pairs")
        expect(visit.page.get_by_label("Contrast")).to_have_value("small")
        assert len(rows(visit)) == 2 and all("◇" in text for text in rows(visit))


def test_a_pair_opens_and_back_returns(browser: Browser, page: Path) -> None:
    """By keyboard alone: from the filtered list into a pair, to the next one, and back to where one was."""
    with visiting(browser, page, "#axis=domain") as visit:
        first, second, third = rows(visit)
        visit.page.get_by_role("link", name=second).focus()
        visit.page.keyboard.press("Enter")
        heading = visit.page.get_by_role("heading", level=2)
        expect(heading).to_have_text(second)
        expect(heading).to_be_focused()
        expect(visit.page.get_by_role("table", name="Pairs")).to_be_hidden()
        assert second in visit.page.title()
        assert "axis=domain" in visit.fragment
        visit.page.keyboard.press("ArrowRight")
        expect(heading).to_have_text(third)
        expect(visit.page.get_by_role("link", name="Next")).to_be_hidden()
        visit.page.get_by_role("link", name="Previous").click()
        expect(heading).to_have_text(second)
        for shown in (third, second):
            visit.page.go_back()
            expect(heading).to_have_text(shown)
        visit.page.go_back()
        expect(visit.page.get_by_role("link", name=second)).to_be_focused()
        assert rows(visit) == [first, second, third]
        visit.page.go_forward()
        expect(heading).to_have_text(second)
        visit.page.keyboard.press("Escape")
        assert visit.fragment == "#axis=domain" and rows(visit) == [first, second, third]
        assert visit.faults == []


def test_the_skip_link_changes_nothing(browser: Browser, page: Path) -> None:
    """It leads past the header, in the list and in a pair, and closes no pair and clears no filter; nor does
    an address that names a place of the page."""
    with visiting(browser, page, "#task=validity") as visit:
        keyboard = visit.page.keyboard
        keyboard.press("Tab")
        expect(visit.page.get_by_role("link", name="Skip to the content")).to_be_focused()
        keyboard.press("Enter")
        expect(visit.page.locator("main")).to_be_focused()
        assert visit.fragment == "#task=validity" and len(rows(visit)) == 4
        visit.page.locator("#pairs a:visible").first.click()
        title = visit.page.get_by_role("heading", level=2)
        expect(title).to_be_focused()
        address = visit.fragment
        visit.page.locator(".skip").focus()
        keyboard.press("Enter")
        expect(title).to_be_focused()
        assert visit.fragment == address and "task=validity" in address
        visit.page.evaluate("location.hash = 'main'")
        expect(title).to_be_visible()
        visit.page.go_back()
        keyboard.press("Escape")
        assert visit.fragment == "#task=validity" and len(rows(visit)) == 4


def test_only_what_scrolls_is_a_stop_for_the_keyboard(browser: Browser, page: Path, dataset: Path) -> None:
    """On a wide screen pictures and tables are passed over, in a narrow window they can be reached and
    scrolled; Esc leads back to the list from there too, though the arrows scroll."""
    pair = read_pairs(dataset)[0]
    scrolls = "all => all.map(each => each.scrollWidth > each.clientWidth)"
    stops = "all => all.map(each => each.tabIndex === 0)"
    with visiting(browser, page, f"#pair-{pair.pair_id}") as visit:
        regions = visit.page.locator("article .wide")
        expect(regions).to_have_count(3)
        assert regions.evaluate_all(stops) == regions.evaluate_all(scrolls) == [False] * 3
        visit.page.set_viewport_size({"width": 240, "height": 600})
        visit.page.wait_for_function(
            f"({stops})([...document.querySelectorAll('article .wide')]).includes(true)"
        )
        assert regions.evaluate_all(stops) == regions.evaluate_all(scrolls)
        visit.page.locator("article .wide[tabindex]").first.focus()
        visit.page.keyboard.press("ArrowRight")
        assert visit.fragment == f"#pair-{pair.pair_id}"
        visit.page.keyboard.press("Escape")
        expect(visit.page.get_by_role("table", name="Pairs")).to_be_visible()


def test_names_change_nothing_around_them(browser: Browser, dataset: Path, tmp_path: Path) -> None:
    """A pair that is called as a part of the page opens like any other; a name that turns the text around
    shows a mark in that place, and still opens and is found by its filter."""
    turned = "x\u202ey\x1b"

    def change(pairs: Records, evidence: Records, manifest: dict[str, Any]) -> None:
        pairs[0]["pair_id"] = "title"
        pairs[1]["pair_id"] = pairs[1]["template"] = turned
        for pair in pairs[:3]:
            pair["spec"] = turned
        manifest["specs"][0] |= {"id": turned, "title": turned}

    path = tmp_path / "names.html"
    path.write_text(page_of(altered(dataset, tmp_path / "names", change)), encoding="utf-8")
    with visiting(browser, path) as visit:
        every = visit.page.locator("[id]").evaluate_all("all => all.map(each => each.id)")
        assert len(every) == len(set(every))
        visit.page.get_by_label("Contrast").select_option("x\ufffdy\ufffd (3)")
        assert len(rows(visit)) == 3
        for number, name in enumerate(("title", "x\ufffdy\ufffd")):
            visit.page.locator("#pairs a:visible").nth(number).click()
            expect(visit.page.locator("article .id")).to_have_text(name)
            expect(visit.page.get_by_role("heading", level=2)).to_be_focused()
            assert "\u202e" not in visit.page.locator("article").inner_text()
            visit.page.keyboard.press("Escape")
        assert visit.faults == []


def test_a_pair_links_to_its_family(browser: Browser, page: Path) -> None:
    """The link to a family lists its pairs, and the filter that does so can be seen and undone."""
    with visiting(browser, page) as visit:
        visit.page.get_by_role("link", name="⊨ ∀x □F(x) → □∀x F(x)").click()
        visit.page.get_by_role("link", name="pairs of this family").click()
        expect(visit.page.get_by_role("status")).to_have_text("2 of 6 pairs")
        assert sorted(rows(visit)) == ["⊨ ∀x □F(x) → □∀x F(x)", "⊨ ∀x □¬F(x) → □∀x ¬F(x)"]
        visit.page.get_by_label("Family", exact=True).select_option("")
        expect(visit.page.get_by_role("status")).to_have_text("All 6 pairs")


def test_an_unknown_pair_is_said_to_be_none(browser: Browser, page: Path) -> None:
    """A link to a pair that is not in the dataset gives the list and a sentence, whatever the link is."""
    with visiting(browser, page) as visit:
        count = visit.page.get_by_role("status")
        for fragment in ("#pair-nobody", "#pair-%E0%A4%A", "#pair-__proto__"):
            visit.follow(fragment)
            expect(count).to_have_text(re.compile("There is no pair .* here. All 6 pairs"))
            assert len(rows(visit)) == 6
            visit.follow("#")
            expect(count).to_have_text("All 6 pairs")
        assert visit.faults == []


def test_what_a_pair_shows(browser: Browser, page: Path, dataset: Path) -> None:
    """For every pair: problem in both languages, both semantics, labels, deciders, proofs, profile."""
    lines = (dataset / EVIDENCE).read_text(encoding="utf-8").splitlines()
    evidence = {record["sha256"]: record for record in map(json.loads, lines)}
    with visiting(browser, page) as visit:
        for pair in read_pairs(dataset):
            visit.follow(f"#pair-{pair.pair_id}")
            article = visit.page.locator("article")
            expect(article.locator(".id")).to_have_text(pair.pair_id)
            problem = article.get_by_role("region", name="Problem").inner_text()
            asked = prompt(pair, "a").text
            for block in ("Premise\n1. ", "Statement\n"):  # each is one line of the prompt
                if block in asked:
                    assert asked.partition(block)[2].partition("\n")[0] in problem
            assert all(to_unicode(f) in article.inner_text() for f in (*pair.premises, pair.conjecture))
            for name, side in pair.sides.items():
                region = article.get_by_role("region", name=f"Side {name}:")
                shown = region.inner_text()
                assert all(line.removeprefix("- ") in shown for line in prompt(pair, name).specification)
                words = ("⊨ follows", "⊨ valid") if side.label else ("⊭ does not follow", "⊭ not valid")
                assert words[not pair.premises] in shown and words[bool(pair.premises)] not in shown
                cells = [row.split("\t") for row in region.locator("tbody tr").all_inner_texts()]
                full = [e for e in map(evidence.__getitem__, side.evidence) if e["variant"] == "full"]
                assert [row[:2] for row in cells] == [[e["decider"], e["route"]] for e in full]
                answers = {row[0]: row[2] for row in cells if "no answer" not in row[2]}
                assert answers == side.deciders
                if side.label:
                    assert side.certificate is not None
                    assert f"A Herbrand certificate of {len(side.certificate['steps'])} steps" in shown
                    assert region.locator("svg").count() == 0
                else:
                    model = side.countermodel
                    assert model is not None and "accepted by the reference evaluator" in shown
                    assert region.locator("svg .world").count() == model.worlds
                    steps = region.locator(".steps li").all_inner_texts()
                    assert steps == [step.text for step in explain(pair.problem(name), model)]
            profile = article.locator(".profile div").all_inner_texts()
            for name, label in pair.profile.items():
                assert [name in row.split() for row in profile] == [label is True, label is False]
            own = article.locator(".own").all_inner_texts()
            assert sorted(text.split()[-1] for text in own) == ["a", "b"]


def test_the_difference_is_named_on_both_sides(browser: Browser, page: Path, dataset: Path) -> None:
    """Of a nested contrast the weaker side says what it does not demand; otherwise each names its own."""
    frame, domain = (next(p for p in read_pairs(dataset) if p.axis == axis) for axis in ("frame", "domain"))
    for pair, expected in (
        (frame, ["serial: not demanded", "serial"]),
        (domain, ["cumulative domains", "decreasing domains"]),
    ):
        with visiting(browser, page, f"#pair-{pair.pair_id}") as visit:
            assert visit.page.locator(".differs b").all_inner_texts() == expected


def test_conditions_that_are_exchanged(dataset: Path) -> None:
    """Where one condition is exchanged for another, each side has its own and does not demand the other's."""
    frame = read_pairs(dataset)[0]
    sides = {
        name: replace(frame.sides[name], semantics=semantics(SYSTEMS[system]))
        for name, system in (("a", "B"), ("b", "S4"))
    }
    found = conditions(replace(frame, sides=sides), "a")
    assert [(c.name, c.differs, c.held) for c in found] == [
        ("reflexive", False, True),
        ("symmetric", True, True),
        ("transitive", True, False),
    ]


def test_labels_that_rest_on_provers_alone(browser: Browser, dataset: Path, tmp_path: Path) -> None:
    """Without countermodel or certificate the page says who found the labels and that none can be checked."""

    def change(pairs: Records, evidence: Records, manifest: dict[str, Any]) -> None:
        del pairs[0]["sides"]["a"]["countermodel"]
        pairs[0]["sides"]["b"]["certificate"] = {"kind": "refutation", "evidence": []}

    path = tmp_path / "bare.html"
    path.write_text(page_of(altered(dataset, tmp_path / "bare", change)), encoding="utf-8")
    with visiting(browser, path, "#worlds=none+known") as visit:
        assert len(rows(visit)) == 1
        visit.page.locator("#pairs a:visible").click()
        deciders = [" and ".join(sorted(s.deciders)) for s in read_pairs(dataset)[0].sides.values()]
        text = visit.page.locator("article").inner_text()
        assert f"No countermodel is recorded. The label rests on the word of {deciders[0]}." in text
        assert f"Refutations found by {deciders[1]}. No certificate is recorded" in text
        assert visit.page.locator("article svg").count() == 0


def test_markup_in_a_dataset_is_text(browser: Browser, dataset: Path, tmp_path: Path) -> None:
    """Names, titles, notes and a directory that contain markup are shown as they are and never run."""
    evil = "</script><script>document.title='run'</script><img src=x onerror=\"document.title='run'\">'&lt;"

    def change(pairs: Records, evidence: Records, manifest: dict[str, Any]) -> None:
        for pair in pairs:
            for key in ("pair_id", "spec", "template", "family"):
                pair[key] += evil
            for side in pair["sides"].values():
                side["resolution"] = side["authority"] = evil
                side["deciders"] = {decider + evil: word for decider, word in side["deciders"].items()}
        for record in evidence:
            for key in ("decider", "route", "note"):
                record[key] += evil
        for spec in manifest["specs"]:
            spec["id"] += evil
            spec["title"] = f"{evil} {evil}"
        manifest["modalgen"] = evil
        manifest["deciders"] = {evil: evil}

    directory = altered(dataset, tmp_path / "<script>document.title='run'<", change)
    path = tmp_path / "evil.html"
    assert run("browse", directory, "-o", path).exit_code == 0
    with visiting(browser, path) as visit:
        visit.check("list")
        expect(visit.page.get_by_role("heading", level=1)).to_have_text(directory.name)
        visit.page.locator("#pairs a").last.click()
        article = visit.page.get_by_role("article")
        expect(article).to_be_visible()
        assert article.inner_text().count(evil) > 10
        assert article.locator("img, script").count() == 0
        assert visit.page.title() != "run"
        visit.check("pair")


def test_a_large_dataset_is_little_work(browser: Browser, dataset: Path, tmp_path: Path) -> None:
    """960 pairs are a file of moderate size with few elements until one is opened, and the last one opens."""

    def change(pairs: Records, evidence: Records, manifest: dict[str, Any]) -> None:
        pairs[:] = [p | {"pair_id": f"{p['pair_id']}-{copy}"} for copy in range(160) for p in pairs]

    path = tmp_path / "large.html"
    path.write_text(page_of(altered(dataset, tmp_path / "large", change)), encoding="utf-8")
    assert path.stat().st_size < 4_000_000
    last = read_pairs(tmp_path / "large")[-1].pair_id
    with visiting(browser, path) as visit:
        expect(visit.page.get_by_role("status")).to_have_text("All 960 pairs")
        assert visit.page.evaluate("document.querySelectorAll('*').length") < 10_000
        assert visit.page.locator("svg, article").count() == 0
        visit.page.get_by_label("Formula, id or English").fill(last)
        expect(visit.page.get_by_role("status")).to_have_text("1 of 960 pairs")
        visit.page.locator("#pairs a:visible").click()
        expect(visit.page.locator("article .id")).to_have_text(last)
        assert visit.faults == []


def test_without_scripts_the_list_is_there(browser: Browser, page: Path) -> None:
    """Without JavaScript all pairs are listed, a sentence says what is missing, and no dead form is shown."""
    plain = start(browser.browser_type, "--blink-settings=scriptEnabled=false")
    with closing(plain), visiting(plain, page) as visit:
        assert len(rows(visit)) == 6
        expect(visit.page.locator("noscript")).to_be_visible()
        assert "need JavaScript" in visit.page.locator("noscript").inner_html()
        expect(visit.page.locator("form")).to_be_hidden()


def test_paper_gets_no_controls(browser: Browser, page: Path) -> None:
    """In print neither filters nor navigation appear, and the colours are those of paper in dark mode too."""
    with visiting(browser, page, scheme="dark") as visit:
        visit.page.emulate_media(media="print", color_scheme="dark")
        expect(visit.page.get_by_role("search")).to_be_hidden()
        assert visit.page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
        visit.page.locator("#pairs a").first.click()
        expect(visit.page.get_by_role("navigation")).to_be_hidden()
        # A side may be longer than a page: if it were kept whole, the first page would stay empty.
        side = visit.page.locator(".side").first
        assert side.evaluate("each => getComputedStyle(each).breakInside") == "auto"


def test_the_bytes_depend_on_the_dataset_only(dataset: Path, tmp_path: Path) -> None:
    """Two processes with different hash seeds write the same page."""
    for seed in ("0", "1"):
        done = modalgen("browse", dataset, "-o", tmp_path / f"{seed}.html", PYTHONHASHSEED=seed)
        assert done.returncode == 0, done.stderr
    assert (tmp_path / "0.html").read_bytes() == (tmp_path / "1.html").read_bytes()


def test_where_the_page_is_written(dataset: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By default into the current directory under the dataset's name; the command says where."""
    monkeypatch.chdir(tmp_path)
    result = run("browse", dataset)
    assert result.exit_code == 0 and "two contrasts.html" in result.output
    assert [path.name for path in tmp_path.iterdir()] == ["two contrasts.html"]


def test_a_place_that_cannot_be_written(dataset: Path, tmp_path: Path) -> None:
    """An unwritable output is exit code 1 with its name and the reason, a directory is wrong usage."""
    result = run("browse", dataset, "-o", tmp_path / "no such" / "page.html")
    assert result.exit_code == 1 and "page.html: cannot be written: No such file" in result.output
    assert run("browse", dataset, "-o", tmp_path).exit_code == 2
    empty = run("browse", dataset, "-o", "")
    assert empty.exit_code == 2 and "the path is empty" in empty.output
    assert list(tmp_path.iterdir()) == []


def _model(pairs: Records) -> dict[str, Any]:
    return next(side["countermodel"] for side in pairs[0]["sides"].values() if "countermodel" in side)


def _certificate(pairs: Records) -> dict[str, Any]:
    return next(side["certificate"] for side in pairs[0]["sides"].values() if "certificate" in side)


FAULTS: dict[str, tuple[Change, str]] = {
    "one world too many": (
        lambda p, e, m: _model(p)["accessibility"].append([0, 0]),
        "its countermodel is none",
    ),
    "a model of nothing": (lambda p, e, m: _model(p).update(worlds="many"), "not a pair"),
    "an empty certificate": (
        lambda p, e, m: _certificate(p).update(steps=[]),
        "leave a case that is possible",
    ),
    "a certificate of another kind": (lambda p, e, m: _certificate(p).update(steps=7), "not a certificate"),
    "equal labels": (lambda p, e, m: p[0]["sides"]["b"].update(label=False), "same label"),
    "deciders that are a number": (lambda p, e, m: p[0]["sides"]["a"].update(deciders=5), "deciders are not"),
    "a profile without S5": (lambda p, e, m: p[0]["profile"].pop("S5"), "profile"),
    "a profile that is text": (lambda p, e, m: p[0].update(profile="K"), "profile"),
    "no family": (lambda p, e, m: p[0].pop("family"), "family"),
    "an open formula": (lambda p, e, m: p[0].update(conjecture="F(x)"), "free"),
    "seconds that are text": (lambda p, e, m: e[0].update(seconds="soon"), "evidence.jsonl:1"),
    "evidence without a route": (lambda p, e, m: e[0].pop("route"), "evidence.jsonl:1"),
    "missing evidence": (lambda p, e, m: e.clear(), "cites evidence"),
    "a manifest without specs": (lambda p, e, m: m.pop("specs"), "specs"),
    "half a character": (lambda p, e, m: m["specs"][0].update(title="\ud800"), "not Unicode"),
    "a pair twice": (lambda p, e, m: p.append(p[0]), "is there twice"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_faulty_dataset_is_refused(dataset: Path, tmp_path: Path, name: str) -> None:
    """What does not hold gives one message that says where, exit code 2, and no page."""
    change, words = FAULTS[name]
    directory = altered(dataset, tmp_path / "data", change)
    result = run("browse", directory, "-o", tmp_path / "page.html")
    assert result.exit_code == 2, result.output
    assert words in result.output and result.output.startswith("modalgen: ")
    assert isinstance(result.exception, SystemExit)
    assert not (tmp_path / "page.html").exists()


def test_what_is_no_dataset(tmp_path: Path, dataset: Path) -> None:
    """A directory that is no dataset, and one that was edited, are refused by name."""
    result = run("browse", tmp_path)
    assert result.exit_code == 2 and "is not a dataset directory" in result.output
    edited = tmp_path / "edited"
    shutil.copytree(dataset, edited)
    (edited / PAIRS).write_text("", encoding="utf-8")
    result = run("browse", edited)
    assert result.exit_code == 2 and "modalgen verify" in result.output
