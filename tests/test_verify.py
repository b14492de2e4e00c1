"""Verification: a whole dataset holds, and any one thing that is changed in it is found."""

from __future__ import annotations

import json
import lzma
import random
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from modalgen.build import Source, build, write_dataset
from modalgen.files import sha256
from modalgen.gen.spec import load_contrast
from modalgen.records import EVIDENCE, MANIFEST, PAIRS, DatasetError, evidence_hash, read_pairs
from modalgen.verify import proofs, verify

SERIALITY = Path(__file__).parent.parent / "specs" / "seriality.yaml"
BARCAN = """
schema: modalgen/contrast/1
id: barcan
title: Barcan
rationale: A small contrast of domains.
axis: domain
sides:
  a: {frame: [serial], domain: cumulative}
  b: {frame: [serial], domain: constant}
symbols: {predicates: {F: 1, G: 1}}
content:
  phi: {connectives: [not, and], max_depth: 1}
templates:
  - {id: barcan, task: validity, conjecture: "∀x □{phi(x)} → □∀x {phi(x)}"}
  - {id: premise, task: inference, premises: ["∀x □{phi(x)}"], conjecture: "□∀x {phi(x)}"}
limits: {modal_depth: 2, quantifier_depth: 2, size: 30}
select: {validity: 2, inference: 2, seed: 1}
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small dataset of both axes and both tasks."""
    directory = tmp_path_factory.mktemp("verify")
    spec = directory / "barcan.yaml"
    spec.write_text(BARCAN, encoding="utf-8")
    sources = [Source(load_contrast(path), path.name, path.read_text("utf-8")) for path in (SERIALITY, spec)]
    write_dataset(build(sources, jobs=2, limit=4), directory / "dataset")
    return directory / "dataset"


@pytest.fixture
def dataset(built: Path, tmp_path: Path) -> Path:
    """A copy to spoil."""
    return Path(shutil.copytree(built, tmp_path / "dataset"))


def change(
    dataset: Path, name: str, edit: Callable[[list[dict[str, Any]]], object], *, cover_up: bool = True
) -> list[str]:
    """Edit a file's records, put the manifest's hash right (as a forger would), and verify."""
    path = dataset / name
    records = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    edit(records)
    text = "".join(json.dumps(r, ensure_ascii=False, sort_keys=True) + "\n" for r in records)
    path.write_text(text, encoding="utf-8")
    if cover_up:
        manifest = json.loads((dataset / MANIFEST).read_text("utf-8"))
        manifest["files"][name] = {"sha256": sha256(text), "lines": len(records)}
        (dataset / MANIFEST).write_text(json.dumps(manifest), encoding="utf-8")
    return [f"{fault.where}: {fault.what}" for fault in verify(dataset)]


def sides(records: list[dict[str, Any]], label: bool) -> list[dict[str, Any]]:
    """All sides with this label."""
    return [side for record in records for side in record["sides"].values() if side["label"] is label]


def test_a_built_dataset_holds(built: Path) -> None:
    """What the build writes passes, with both kinds of certificates in it."""
    assert verify(built) == []
    pairs = read_pairs(built)
    assert {(pair.axis, pair.task) for pair in pairs} == {
        (axis, task) for axis in ("frame", "domain") for task in ("validity", "inference")
    }
    for pair in pairs:
        for side in pair.sides.values():
            assert (side.certificate is not None) == side.label
            assert (side.countermodel is not None) != side.label
            assert side.resolution == "dual"


def test_a_flipped_label_is_found(dataset: Path) -> None:
    """One label flipped contradicts the evidence and the other side."""
    faults = change(dataset, PAIRS, lambda rs: rs[0]["sides"]["a"].update(label=True))
    assert any("its label is True, but the evidence says False" in fault for fault in faults)
    assert any("both sides have the same label" in fault for fault in faults)


def test_labels_swapped_consistently_are_found(dataset: Path) -> None:
    """Both sides exchanged, with their countermodels and certificates, are refused by both checkers."""

    def swap(records: list[dict[str, Any]]) -> None:
        side_a, side_b = records[0]["sides"]["a"], records[0]["sides"]["b"]
        for key in ("label", "status", "deciders", "countermodel", "certificate", "evidence"):
            a, b = side_a.pop(key, None), side_b.pop(key, None)
            side_a.update({key: b} if b is not None else {})
            side_b.update({key: a} if a is not None else {})

    faults = change(dataset, PAIRS, swap)
    assert any("its countermodel is none: the frame is not serial" in fault for fault in faults)
    assert any("its certificate is refused" in fault for fault in faults)


def test_every_broken_arrow_atom_or_existence_fact_is_found(dataset: Path) -> None:
    """A countermodel with one fact changed is either refused or still a countermodel, and mostly refused.

    A changed model that is a countermodel all the same is not wrong; but the record is then no
    longer what was built, which the manifest's hash shows.
    """
    records = [json.loads(line) for line in (dataset / PAIRS).read_text("utf-8").splitlines()]
    refused = total = 0
    for number, record in enumerate(records):
        for name, side in record["sides"].items():
            if side["label"]:
                continue
            for altered in alterations(side["countermodel"]):
                total += 1
                spoiled = Path(shutil.copytree(dataset, dataset.parent / f"spoiled-{total}"))

                def put(rs: list[dict[str, Any]], n: int = number, s: str = name, m: Any = altered) -> None:
                    rs[n]["sides"][s]["countermodel"] = m

                honest = change(spoiled, PAIRS, put, cover_up=False)
                assert honest, "the manifest's hash must show the change"
                refused += any("its countermodel is none" in fault for fault in honest)
                shutil.rmtree(spoiled)
    assert total > 20
    assert refused > total / 2


def alterations(model: dict[str, Any]) -> list[dict[str, Any]]:
    """The model with one arrow, one atom's truth or one individual's existence changed."""
    result = []
    worlds = range(model["worlds"])

    def variant(edit: Callable[[dict[str, Any]], object]) -> None:
        copy = json.loads(json.dumps(model))
        edit(copy)
        result.append(copy)

    def toggled(facts: list[Any], fact: Any) -> list[Any]:
        return sorted([f for f in facts if f != fact] if fact in facts else [*facts, fact])

    def toggle(m: dict[str, Any], name: str, w: int) -> None:
        extension = m["interpretation"][name]
        if isinstance(extension, list):
            m["interpretation"][name] = toggled(extension, w)
        else:
            extension[str(w)] = toggled(extension[str(w)], [0])

    for w in worlds:
        for v in worlds:
            variant(lambda m, a=[w, v]: m.update(accessibility=toggled(m["accessibility"], a)))
        for name in model["interpretation"]:
            variant(lambda m, name=name, w=w: toggle(m, name, w))
        if model["domains"]:
            variant(lambda m, w=w: m["domains"].__setitem__(w, toggled(m["domains"][w], 0) or [1]))
    return result


@pytest.mark.parametrize(
    "field", ["status", "problem", "translation", "command", "decider", "route", "version"]
)
def test_a_corrupt_evidence_line_is_found(dataset: Path, field: str) -> None:
    """Any change of a run's record breaks its hash, and the pair that cites it says so."""

    def corrupt(records: list[dict[str, Any]]) -> None:
        value = records[3][field]
        records[3][field] = [*value, "x"] if isinstance(value, list) else value + "x"

    faults = change(dataset, EVIDENCE, corrupt)
    assert any(f"{EVIDENCE}:4: its hash is not that of its contents" in fault for fault in faults)
    assert any("cites evidence that is missing or faulty" in fault for fault in faults)


def test_corrupt_output_is_found(dataset: Path) -> None:
    """The output of a run has a hash of its own."""
    faults = change(
        dataset, EVIDENCE, lambda rs: rs[2].update(stdout=rs[2]["stdout"] + "\nSZS status Theorem")
    )
    assert any("the hash of its output" in fault for fault in faults)


def test_forged_evidence_is_found_by_what_it_leads_to(dataset: Path) -> None:
    """A status changed with all hashes put right no longer supports what the pair says."""

    def forge(records: list[dict[str, Any]]) -> None:
        run = next(r for r in records if r["status"] == "Theorem")
        run["status"] = "CounterSatisfiable"
        run["sha256"] = evidence_hash(run)

    assert change(dataset, EVIDENCE, forge)


def test_a_lost_evidence_line_is_found(dataset: Path) -> None:
    """Evidence that a pair cites must be there."""
    assert any("missing or faulty" in fault for fault in change(dataset, EVIDENCE, lambda rs: rs.pop(0)))


@pytest.mark.parametrize("name", [PAIRS, EVIDENCE, "rejected.jsonl"])
def test_any_flipped_byte_is_found(dataset: Path, name: str) -> None:
    """The manifest's hashes cover every file to the last byte."""
    data = bytearray((dataset / name).read_bytes() or b"\n")
    place = random.Random(name).randrange(len(data))
    data[place] ^= 1
    (dataset / name).write_bytes(bytes(data))
    try:
        assert verify(dataset)
    except DatasetError as error:
        assert name in str(error)


def test_changed_formulas_are_found(dataset: Path) -> None:
    """Another conjecture is another problem: id, evidence and certificate no longer fit."""
    faults = change(dataset, PAIRS, lambda rs: rs[0].update(conjecture="□p → ◇◇p"))
    assert any("its id is not the hash of its formulas" in fault for fault in faults)
    assert any("is about another problem" in fault for fault in faults)


def test_changed_semantics_are_found(dataset: Path) -> None:
    """Another frame condition on a side does not fit its evidence."""
    change_frame = lambda rs: rs[0]["sides"]["b"]["semantics"].update(frame=["reflexive"])  # noqa: E731
    assert any("is about another problem" in fault for fault in change(dataset, PAIRS, change_frame))


@pytest.mark.parametrize("field", ["premise_status", "ablation", "difficulty", "pair_id"])
def test_derived_fields_are_recomputed(dataset: Path, field: str) -> None:
    """What follows from other fields is compared with what follows."""
    values: dict[str, Any] = {
        "premise_status": "premise_independent",
        "ablation": {"a": True, "b": True},
        "difficulty": {"modal_depth": 0},
        "pair_id": "seriality-000000000000",
    }
    assert change(dataset, PAIRS, lambda rs: rs[-1].update({field: values[field]}))


def test_removed_certificate_and_countermodel_are_found(dataset: Path) -> None:
    """A valid side has a certificate, an invalid one a countermodel."""

    def strip(records: list[dict[str, Any]]) -> None:
        sides(records, True)[0].pop("certificate")
        sides(records, False)[0].pop("countermodel")

    faults = change(dataset, PAIRS, strip)
    assert any("its certificate is missing" in fault for fault in faults)
    assert any("its countermodel is missing" in fault for fault in faults)


def in_profile(records: list[dict[str, Any]], witness: str) -> list[dict[str, Any]]:
    """The evidence of profiles that holds such a witness."""
    return [record for record in records if record["side"] == "profile" and witness in record]


def test_witnesses_of_ablations_are_checked(dataset: Path) -> None:
    """What decided a problem without its premises holds its countermodel, and has to."""

    def strip(records: list[dict[str, Any]]) -> None:
        record = next(r for r in records if r["variant"] == "conjecture_only" and "countermodel" in r)
        old = record["sha256"]
        del record["countermodel"]
        record["sha256"] = evidence_hash(record)
        pairs = (dataset / PAIRS).read_text("utf-8").replace(old, record["sha256"]).splitlines()
        change(dataset, PAIRS, lambda lines: lines.__setitem__(slice(None), map(json.loads, pairs)))

    assert any("the countermodel or the certificate" in fault for fault in change(dataset, EVIDENCE, strip))


def test_profiles_are_recomputed(dataset: Path) -> None:
    """A profile's label that is flipped, dropped or invented, and evidence not cited, are found."""
    edits: list[Callable[[dict[str, Any]], object]] = [
        lambda pair: pair["profile"].update(S5=not pair["profile"]["S5"]),
        lambda pair: pair["profile"].update(KB=None),
        lambda pair: pair["profile"].pop("T"),
        lambda pair: pair["profile"].update(GL=True),
        lambda pair: pair["profile_evidence"].pop(),
        lambda pair: pair["profile_evidence"].append("0" * 64),
        lambda pair: pair["profile_evidence"].append(pair["sides"]["a"]["evidence"][0]),
    ]
    original = (dataset / PAIRS).read_text("utf-8")
    for number, edit in enumerate(edits):

        def first(records: list[dict[str, Any]], edit: Callable[[dict[str, Any]], object] = edit) -> None:
            edit(records[0])

        assert any("profile" in fault for fault in change(dataset, PAIRS, first)), number
        (dataset / PAIRS).write_text(original, "utf-8")


@pytest.mark.parametrize("witness", ["countermodel", "certificate"])
def test_witnesses_of_profiles_are_checked(dataset: Path, witness: str) -> None:
    """A label of a profile whose countermodel or certificate does not hold, or is gone, is found."""
    names = (PAIRS, EVIDENCE, MANIFEST)
    original = {name: (dataset / name).read_text("utf-8") for name in names}

    def faults_of(edit: Callable[[dict[str, Any]], object]) -> str:
        for name, text in original.items():
            (dataset / name).write_text(text, "utf-8")

        def apply(records: list[dict[str, Any]]) -> None:
            record = in_profile(records, witness)[0]
            old = record["sha256"]
            edit(record)
            record["sha256"] = evidence_hash(record)
            pairs = original[PAIRS].replace(old, record["sha256"]).splitlines()
            change(dataset, PAIRS, lambda lines: lines.__setitem__(slice(None), map(json.loads, pairs)))

        return "\n".join(change(dataset, EVIDENCE, apply))

    assert faults_of(lambda record: record.update(note="another")) == ""
    assert "the countermodel or the certificate" in faults_of(lambda record: record.pop(witness))
    if witness == "certificate":
        assert "is refused" in faults_of(lambda record: record[witness].update(steps=[]))
        return
    with_models = map(json.loads, original[EVIDENCE].splitlines())
    models = alterations(in_profile(list(with_models), witness)[0][witness])
    found = [faults_of(lambda record, model=model: record.update(countermodel=model)) for model in models]
    assert any("its countermodel is none" in faults for faults in found)


def test_pairs_are_held_against_the_specs_of_the_manifest(dataset: Path) -> None:
    """A pair whose spec declares other sides, or no such template, or fewer pairs, is found; so is a spec
    that is none."""
    path = dataset / MANIFEST
    original = path.read_text("utf-8")

    def faults_of(edit: Callable[[dict[str, Any]], object]) -> str:
        manifest = json.loads(original)
        edit(manifest["specs"][0])
        manifest["specs"][0]["sha256"] = sha256(manifest["specs"][0]["source"])
        path.write_text(json.dumps(manifest), encoding="utf-8")
        return "\n".join(f"{fault.where}: {fault.what}" for fault in verify(dataset))

    def replaced(old: str, new: str) -> Callable[[dict[str, Any]], object]:
        return lambda spec: spec.update(source=spec["source"].replace(old, new))

    assert faults_of(lambda spec: None) == ""
    assert "its sides are not those" in faults_of(replaced("b: {frame: [serial]}", "b: {frame: [reflexive]}"))
    assert "no template or grammar" in faults_of(replaced("id: d-axiom", "id: other"))
    assert "more than were asked for" in faults_of(
        lambda spec: spec.update(wanted={"validity": 1, "inference": 2})
    )
    assert "is no contrast" in faults_of(lambda spec: spec.update(source="nonsense"))
    assert "lacks the spec" in faults_of(lambda spec: spec.update(id="../seriality"))


def test_what_has_no_witness_shows_no_profile_and_no_ablation(dataset: Path) -> None:
    """The bare word of a prover in place of a countermodel or a certificate is found, whatever it says."""

    def bare(records: list[dict[str, Any]], variant: str) -> None:
        pairs = (dataset / PAIRS).read_text("utf-8")
        for record in records:
            if variant in (record["side"], record["variant"]):
                old = record["sha256"]
                for witness in ("countermodel", "certificate"):
                    record.pop(witness, None)
                record.update(decider="eprover-tff", route="embedded-tff")
                record["sha256"] = evidence_hash(record)
                pairs = pairs.replace(old, record["sha256"])
        change(
            dataset,
            PAIRS,
            lambda lines: lines.__setitem__(slice(None), map(json.loads, pairs.splitlines())),
        )

    original = {name: (dataset / name).read_text("utf-8") for name in (PAIRS, EVIDENCE, MANIFEST)}
    for variant, words in (
        ("profile", "its profile does not follow"),
        ("conjecture_only", "the labels without premises are not those"),
        ("premises_only", "nothing shows that the premises have a model"),
    ):
        for name, text in original.items():
            (dataset / name).write_text(text, "utf-8")
        faults = change(dataset, EVIDENCE, lambda records, variant=variant: bare(records, variant))
        assert any(words in fault for fault in faults), variant


def test_compressed_evidence_is_read(dataset: Path) -> None:
    """Evidence may be compressed with xz: it is checked alike, and a damaged file is no evidence."""
    plain, compressed = dataset / EVIDENCE, dataset / f"{EVIDENCE}.xz"
    data = lzma.compress(plain.read_bytes())
    compressed.write_bytes(data)
    plain.unlink()
    assert verify(dataset) == []
    plain.write_bytes(lzma.decompress(data))
    assert [fault.where for fault in verify(dataset)] == [EVIDENCE]  # which one is meant?
    plain.unlink()
    compressed.write_bytes(lzma.compress(lzma.decompress(data).replace(b"Theorem", b"theorem")))
    assert verify(dataset)
    for damaged in (data[: len(data) // 2], b"not xz", b""):
        compressed.write_bytes(damaged)
        with pytest.raises(DatasetError, match="cannot be read"):
            verify(dataset)


def test_a_repeated_pair_is_found(dataset: Path) -> None:
    """No pair counts twice."""
    assert any("occurs twice" in fault for fault in change(dataset, PAIRS, lambda rs: rs.append(rs[0])))


@pytest.mark.parametrize(
    "line",
    ["", "[]", "{}", "null", '{"schema": "modalgen/pair/1"}', "not json", '{"schema": "modalgen/pair/9"}'],
)
def test_lines_that_are_no_pairs_are_said_to_be_none(dataset: Path, line: str) -> None:
    """A damaged line is a fault or a refusal with its number, never a traceback."""
    path = dataset / PAIRS
    path.write_text(path.read_text("utf-8") + line + "\n", encoding="utf-8")
    try:
        faults = verify(dataset)
    except DatasetError as error:
        assert f"{PAIRS}:9" in str(error)
    else:
        assert any(fault.where == f"{PAIRS}:9" for fault in faults)


def test_invented_provers_prove_nothing(dataset: Path) -> None:
    """Evidence of deciders that do not exist is refused, however well its hashes fit."""

    def invent(records: list[dict[str, Any]]) -> None:
        for record in records:
            record.update(decider="horoscope", route="stars")
            record["sha256"] = evidence_hash(record)

    assert any("there is no decider 'horoscope'" in fault for fault in change(dataset, EVIDENCE, invent))


def test_the_word_of_provers_is_counted_as_such(dataset: Path) -> None:
    """A side without anything to check offline is told apart from those that were checked."""
    pairs = read_pairs(dataset)
    assert set(proofs(pairs)) == {"countermodel", "Herbrand certificate"}
    sides = {
        name: replace(side, countermodel=None, certificate={"kind": "refutation", "evidence": []})
        for name, side in pairs[0].sides.items()
    }
    assert proofs([replace(pairs[0], sides=sides)]) == {"the word of provers alone": 2}


@pytest.mark.parametrize(
    "change_manifest",
    [
        lambda m: m.update(files={}),
        lambda m: m.pop("files"),
        lambda m: m.pop("pairs"),
        lambda m: m["pairs"][0].update(count=999),
        lambda m: m.update(specs=[]),
        lambda m: m.update(rejected={"conflict": 1}),
        lambda m: m["specs"][0].update(source="another"),
        lambda m: m.update(specs=None),
    ],
)
def test_the_manifest_has_to_describe_the_files(dataset: Path, change_manifest: Callable[[Any], Any]) -> None:
    """A manifest that lists too little, or counts wrongly, is a fault."""
    path = dataset / MANIFEST
    manifest = json.loads(path.read_text("utf-8"))
    change_manifest(manifest)
    path.write_text(json.dumps(manifest), "utf-8")
    assert any(fault.where == MANIFEST for fault in verify(dataset))


@pytest.mark.parametrize("value", [None, 5, [], {}, "x", [["x"]], float("inf"), True])
@pytest.mark.parametrize(
    "path",
    [
        "pair_id", "spec", "template", "axis", "task", "premises", "conjecture", "sides", "ablation",
        "profile", "profile_evidence",
        "sides.a", "sides.a.semantics", "sides.a.semantics.frame", "sides.a.deciders", "sides.a.evidence",
        "sides.a.countermodel", "sides.a.countermodel.worlds", "sides.a.countermodel.domains",
        "sides.b.certificate", "sides.b.label", "sides.b.status",
    ],
)  # fmt: skip
def test_values_of_another_kind_are_faults(built: Path, tmp_path: Path, path: str, value: Any) -> None:
    """Whatever stands in a pair's fields, verification ends with faults and not with a traceback."""
    dataset = Path(shutil.copytree(built, tmp_path / "dataset"))

    def put(records: list[dict[str, Any]]) -> None:
        place: Any = records[0]
        *above, last = path.split(".")
        for key in above:
            place = place[key]
        place[last] = value

    as_it_was = [("premises", []), ("ablation", {}), ("sides.b.label", True), ("template", "x")]
    as_it_was += [("sides.a.semantics.frame", []), ("sides.a.countermodel.domains", None)]
    if (path, value) in as_it_was:
        return
    assert change(dataset, PAIRS, put)


@pytest.mark.parametrize("value", [None, 5, [], {}, "x", float("inf")])
@pytest.mark.parametrize(
    "field",
    ["sha256", "pair_id", "side", "variant", "decider", "route", "status", "stdout", "decisive", "command"],
)
def test_evidence_of_another_kind_is_a_fault(built: Path, tmp_path: Path, field: str, value: Any) -> None:
    """The same for the fields of a piece of evidence."""
    dataset = Path(shutil.copytree(built, tmp_path / "dataset"))
    assert change(dataset, EVIDENCE, lambda records: records[0].update({field: value}))


def test_evidence_is_the_same_however_a_run_without_an_answer_ended(built: Path) -> None:
    """On a slow machine a run may hit another limit; what it decides must not be changed unseen."""
    records = [json.loads(line) for line in (built / EVIDENCE).read_text("utf-8").splitlines()]
    undecided = next(record for record in records if not record["decisive"])
    assert (
        evidence_hash({**undecided, "status": "Timeout", "exit_code": None, "note": "x"})
        == undecided["sha256"]
    )
    assert evidence_hash({**undecided, "status": "Theorem", "decisive": True}) != undecided["sha256"]
    decided = next(record for record in records if record["decisive"])
    for field, value in (("status", "Timeout"), ("exit_code", 9), ("note", "x"), ("decisive", False)):
        assert evidence_hash({**decided, field: value}) != decided["sha256"]
