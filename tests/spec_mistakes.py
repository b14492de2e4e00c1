"""Two well-formed contrasts, and what their author is told of each mistake made in them.

A mistake is a text that occurs once, what replaces it, and all that is told of the file then: line,
column and sentence.
"""

from __future__ import annotations

FRAME = """\
schema: modalgen/contrast/1
id: example
title: Seriality
rationale: Because.
axis: frame
sides:
  a: {frame: []}
  b: {frame: [serial]}
symbols: {atoms: [p, q]}
content:
  phi: {connectives: [not, and, or], max_depth: 2}
  psi: {connectives: [], max_depth: 0}
templates:
  - {id: d-axiom, task: validity, conjecture: "□{phi} → ◇{phi}"}
  - id: d-conjunct
    task: inference
    premises: ['□({phi} ∧ {psi})', "□p"]
    conjecture: ◇{phi}
limits: {modal_depth: 3, quantifier_depth: 0, size: 30}
select: {validity: 4, inference: 5, seed: 6}
expect: {a: false, b: true}
"""

DOMAIN = """\
schema: modalgen/contrast/1
id: example
title: Barcan
rationale: Because.
axis: domain
sides:
  a: {system: K, domain: varying}
  b: {frame: [], domain: decreasing}
symbols: {predicates: {F: 1, Likes: 2}}
content:
  phi: {connectives: [not], max_depth: 1}
templates:
  - id: barcan
    task: validity
    conjecture: "∀x □{phi(x)} → □∀x {phi(x)}"
limits: {modal_depth: 3, quantifier_depth: 2, size: 30}
select: {validity: 4, inference: 0, seed: 6}
"""

GRAMMAR = """\
schema: modalgen/contrast/1
id: example
title: Symmetry against transitivity
rationale: Because.
axis: frame
sides:
  a: {system: B}
  b: {system: S4}
symbols: {atoms: [p, q]}
grammar:
  - {id: small, task: validity, operators: [implies, box, diamond], max_size: 7, modal_depth: 3}
  - id: inferred
    task: inference
    operators: [not, box]
    symbols: [q]
    max_size: 5
    modal_depth: 2
    premises: 1
    premise_size: 4
limits: {modal_depth: 3, quantifier_depth: 0, size: 30}
select:
  validity: 4
  inference: 6
  seed: 7
  max_family_share: 0.05
  directions: balanced
  countermodel_worlds: [2, 3]
  modal_depth: {min: 2}
"""

QUANTIFIED_GRAMMAR = """\
schema: modalgen/contrast/1
id: example
title: Barcan
rationale: Because.
axis: domain
sides:
  a: {system: D, domain: varying}
  b: {system: D, domain: cumulative}
symbols: {predicates: {F: 1, Likes: 2}}
grammar:
  - id: small
    task: validity
    operators: [box, forall]
    symbols: [F]
    max_size: 6
    modal_depth: 2
    quantifier_depth: 2
limits: {modal_depth: 3, quantifier_depth: 2, size: 9}
select: {validity: 4, inference: 0, seed: 6, quantifier_depth: {min: 1}}
"""

# What is wrong with the YAML: replaced in FRAME, by what, and all that is told.
YAML_MISTAKES = [
    ("title: Seriality", "title:\tx", "3:7: a tab stands between the parts of the file; use spaces"),
    ("  a: {frame: []}", "\ta: {frame: []}", "7:1: a tab stands between the parts of the file; use spaces"),
    ("axis: frame", "axis: frame\nid: example", "6:1: duplicate key `id`; it stands on line 2 already"),
    (
        "a: {frame: []}",
        "a: &one {frame: []}",
        "7:6: anchors (`&one`) are not supported; write each value out, and put text that starts with it, "
        "such as a formula, in quotes",
    ),
    (
        "a: {frame: []}",
        "a: *one",
        "7:6: aliases (`*one`) are not supported; write the value out, and put text that starts with it, "
        "such as a formula, in quotes",
    ),
    (
        "a: {frame: []}",
        "a: {<<: {}, frame: []}",
        "7:7: merge keys (`<<`) are not supported; write the keys out",
    ),
    (
        "title: Seriality",
        "title: !python/name:os.system x",
        "3:8: tags (`!…`) are not supported; write the plain value, and put text that starts with it, "
        "such as a formula, in quotes",
    ),
    ("expect: {a: false, b: true}", "---\na: b", "21:1: a second document starts here; use one file each"),
    (
        "title: Seriality",
        "title: no",
        "3:8: unquoted `no` reads as a boolean in YAML; quote it, or write `false` if that is meant",
    ),
    (
        "b: true",
        "b: Yes",
        "21:23: unquoted `Yes` reads as a boolean in YAML; quote it, or write `true` if that is meant",
    ),
    (
        "[p, q]",
        "[p, q, n]",
        "9:25: unquoted `n` reads as a boolean in YAML; quote it, or write `false` if that is meant",
    ),
    (
        "  psi: {",
        "  on: {connectives: [], max_depth: 0}\n  psi: {",
        "12:3: unquoted `on` reads as a boolean in YAML; quote it, or write `true` if that is meant",
    ),
    (
        "title: Seriality",
        "title: 2024-01-31",
        "3:8: unquoted `2024-01-31` reads as a date in YAML; quote it, or write it plainly",
    ),
    (
        "seed: 6",
        "seed: 1:30",
        "20:43: unquoted `1:30` reads as a number in YAML; quote it, or write it plainly",
    ),
    (
        "seed: 6",
        "seed: 017",
        "20:43: unquoted `017` reads as a number in YAML; quote it, or write it plainly",
    ),
    ("title: Seriality", "title: x\n12: z", "4:1: a key must be text, and `12` is none; quote it"),
    (
        "title: Seriality",
        "title: x\n? [a]\n: b",
        "4:3: a key must be text, not a list or a mapping; put formulas in quotes",
    ),
    (
        "title: Seriality",
        'title: "Seriality',
        "3:8: the quotation mark opened here is closed on line 14 only",
    ),
    ("expect: {a: false, b: true}", "expect: '", "21:9: the quotation mark opened here is never closed"),
    (
        "expect: {a: false, b: true}",
        "expect: {",
        "22:1: the file ends inside brackets that are never "
        "closed; put text with special characters, formulas above all, in quotes",
    ),
    (
        "title: Seriality",
        "title: Seriality: K and D",
        "3:17: `: ` stands where no key can be: the line is indented wrongly, or text needs quotes",
    ),
    (
        "conjecture: ◇{phi}",
        "conjecture: []{phi}",
        "18:19: the value ends before this: the line is indented wrongly, or text needs quotes",
    ),
    (
        '"□{phi} → ◇{phi}"',
        "□{phi} → ◇{phi}",
        "14:48: `,` or `}` should follow here; put text with special characters, formulas above all, "
        "in quotes",
    ),
    (
        "[p, q]}",
        "[p, q",
        "10:8: `,` or `]` should follow here; put text with special characters, formulas above all, "
        "in quotes (the bracket was opened on line 9)",
    ),
    (
        "axis: frame",
        "axis",
        "5:1: this line is no `key: value`; put text with special characters, formulas above all, in quotes",
    ),
    (
        "title: Seriality",
        r'title: "\q"',
        "3:10: a backslash starts no known escape here; use single quotes, or double the backslash",
    ),
    (
        "title: Seriality",
        "title: @x",
        "3:8: unquoted text cannot start with '@'; put text with special characters, formulas above all, "
        "in quotes",
    ),
    (
        "title: Seriality",
        r'title: "\ud800"',
        "3:8: the text holds half a surrogate pair, which is no character",
    ),
    ("title: Seriality", "title: a\x07", "3:9: the character U+0007 is not allowed in YAML"),
    ("frame: []", "frame: " + 30 * "[" + 30 * "]", "7:32: values are nested more than 20 deep"),
]

# What the schema does not allow.
SCHEMA_MISTAKES = [
    (
        FRAME,
        "modalgen/contrast/1",
        "modalgen/contrast/2",
        "1:9: `modalgen/contrast/2` is no format that this version of modalgen reads; "
        "expected `modalgen/contrast/1`",
    ),
    (
        FRAME,
        "schema: modalgen/contrast/1\n",
        "",
        "1:1: the key `schema` is missing; expected `schema: modalgen/contrast/1`",
    ),
    (
        FRAME,
        "schema: modalgen/contrast/1",
        "schema: 1",
        "1:9: `schema` has another value; expected `modalgen/contrast/1`",
    ),
    (FRAME, "title: Seriality\n", "", "1:1: the key `title` is missing"),
    (FRAME, "title: Seriality", "title:", "3:7: `title` is empty; expected text"),
    (FRAME, "title: Seriality", "title: ' '", "3:8: the text is empty"),
    (FRAME, "rationale: Because.", "rationale: ''", "4:12: the text is empty"),
    (FRAME, "title: Seriality", "title: 3.5", "3:8: `title` is the number 3.5; expected text (in quotes)"),
    (
        FRAME,
        "title: Seriality",
        "title: true",
        "3:8: `title` is the boolean true; expected text (in quotes)",
    ),
    (
        FRAME,
        "id: example",
        "id: Ex_1",
        "2:5: `Ex_1`: an identifier consists of small letters, digits and single hyphens and starts with a "
        "letter",
    ),
    (
        FRAME,
        "id: d-axiom",
        r'id: "d\n"',
        "14:10: `d\\n`: an identifier consists of small letters, digits and single hyphens and starts with "
        "a letter",
    ),
    (
        FRAME,
        "axis: frame",
        "axis: frames",
        "5:7: `frames` is no axis; expected `frame` or `domain`; did you mean 'frame'?",
    ),
    (
        FRAME,
        "[serial]",
        "[seriell]",
        "8:15: `seriell` is no frame condition; expected `serial`, `reflexive`, `symmetric`, `transitive`, "
        "`euclidean`, `dense`, `convergent`, `functional`, `shift-reflexive`, `weakly-connected` or "
        "`universal`; did you mean 'serial'?",
    ),
    (
        FRAME,
        "[serial]",
        "[D]",
        "8:15: `D` is no frame condition but a system; write `system: D` in place of `frame`",
    ),
    (
        FRAME,
        "[serial]",
        "D",
        "8:14: `frame` is the text `D`; expected a list of conditions; for the system write `system: D`",
    ),
    (
        FRAME,
        "{frame: [serial]}",
        "serial",
        "8:6: side `b` is the text `serial`; expected a mapping (`key: value`)",
    ),
    (FRAME, "[serial]", "serial", "8:14: `frame` is the text `serial`; expected a list"),
    (FRAME, "[serial]", "[serial, serial]", "8:23: `serial` is listed twice"),
    (
        FRAME,
        "frame: [serial]",
        "frame: [serial], system: D",
        "8:24: side `b` has both `frame` and `system`; keep one of them",
    ),
    (FRAME, "{frame: [serial]}", "{}", "8:3: side `b` says nothing of frames; expected `frame` or `system`"),
    (
        FRAME,
        "{frame: [serial]}",
        "{frmae: [serial]}",
        "8:7: unknown key `frmae` in side `b`; expected `frame`, `system` or `domain`; did you mean 'frame'?",
    ),
    (
        FRAME,
        "{frame: [serial]}",
        "{frame: [serial], domain: varying}",
        "8:24: the frame axis is propositional and has no domains; drop `domain`, or make it `axis: domain`",
    ),
    (
        FRAME,
        "{atoms: [p, q]}",
        "{predicates: {p: 1}}",
        "9:11: the frame axis has `atoms`; predicates are for `axis: domain`",
    ),
    (FRAME, "[p, q]", "[p, q, p]", "9:25: `p` is listed twice"),
    (FRAME, "[p, q]", "[]", "9:18: `atoms` is empty"),
    (
        FRAME,
        "[p, q]",
        "[p, q, r-s]",
        "9:25: `r-s`: a symbol consists of letters, digits and underscores and starts with a letter",
    ),
    (
        FRAME,
        "  psi: {",
        "  psi-2: {",
        "12:3: `psi-2`: the name of a hole consists of letters, digits and underscores and starts with a "
        "letter",
    ),
    (
        FRAME,
        "[not, and, or]",
        "[not, an, or]",
        "11:28: `an` is no connective; expected `not`, `and`, `or`, `implies` or `iff`; did you mean 'and'?",
    ),
    (
        FRAME,
        "max_depth: 2",
        "max_depth: 7",
        "11:49: `max_depth` is 7; expected a whole number from 0 to 6",
    ),
    (
        FRAME,
        "max_depth: 2",
        "max_depht: 2",
        "11:38: unknown key `max_depht` in `phi`; expected `connectives` or `max_depth`; "
        "did you mean 'max_depth'?",
    ),
    (
        FRAME,
        "limits:",
        "limit:",
        "19:1: unknown key `limit`; expected `schema`, `id`, `title`, `rationale`, `axis`, `sides`, "
        "`symbols`, `content`, `templates`, `grammar`, `limits`, `select` or `expect`; "
        "did you mean 'limits'?",
    ),
    (
        FRAME,
        "task: validity",
        "task: validty",
        "14:25: `validty` is no task; expected `validity` or `inference`; did you mean 'validity'?",
    ),
    (
        FRAME,
        "task: validity",
        'task: validity, premises: ["□p"]',
        "14:35: a validity template has no premises; drop them, or make it `task: inference`",
    ),
    (
        FRAME,
        "    premises: ['□({phi} ∧ {psi})', \"□p\"]\n",
        "",
        "15:5: the key `premises` is missing in template 2",
    ),
    (FRAME, "['□({phi} ∧ {psi})', \"□p\"]", "[]", "17:15: `premises` is empty"),
    (
        FRAME,
        '"□{phi} → ◇{phi}"',
        "{phi}",
        "14:47: `conjecture` is a mapping; expected text (put formulas in quotes)",
    ),
    (FRAME, '"□{phi} → ◇{phi}"', '""', "14:47: the formula is empty"),
    (
        FRAME,
        '"□{phi} → ◇{phi}"',
        f'"{"¬" * 1001}{{phi}}"',
        "14:47: `conjecture` is 1006 characters long, more than 1000",
    ),
    (
        FRAME,
        "modal_depth: 3",
        "modal_depth: 3.5",
        "19:23: `modal_depth` is the number 3.5; expected a whole number",
    ),
    (
        FRAME,
        "validity: 4",
        "validity: -4",
        "20:20: `validity` is -4; expected a whole number from 0 to 100000",
    ),
    (FRAME, "seed: 6", "seed: true", "20:43: `seed` is the boolean true; expected a whole number"),
    (FRAME, "b: true", "b: 1", "21:23: `b` is the number 1; expected true or false"),
    (FRAME, "{a: false, b: true}", "{a: false}", "21:1: the key `b` is missing in `expect`"),
    (
        DOMAIN,
        "{frame: [], domain: decreasing}",
        "{frame: []}",
        "8:3: the key `domain` is missing in side `b`",
    ),
    (
        DOMAIN,
        "decreasing",
        "decresing",
        "8:26: `decresing` is no domain regime; expected `varying`, `cumulative`, `decreasing` or "
        "`constant`; did you mean 'decreasing'?",
    ),
    (
        DOMAIN,
        "system: K",
        "system: S6",
        "7:15: `S6` is no system; expected `K`, `D`, `T`, `KB`, `K4`, `K5`, `K45`, `KB5`, `DB`, `D4`, `D5`, "
        "`D45`, `B`, `S4` or `S5`",
    ),
    (DOMAIN, "F: 1", "F: 0", "9:27: `F` is 0; expected a whole number from 1 to 4"),
    (
        DOMAIN,
        "{predicates: {F: 1, Likes: 2}}",
        "{predicates: {F: 1, Likes: 2}, atoms: [p]}",
        "9:41: the domain axis has `predicates`; atoms are for `axis: frame`",
    ),
]

# What a schema cannot express.
SPEC_MISTAKES = [
    (
        FRAME,
        "id: example",
        "id: sample",
        "2:5: the id `sample` is not the name of the file, `example`; "
        "expected `id: example`, or the file name `sample.yaml`",
    ),
    (
        FRAME,
        "id: d-conjunct",
        "id: d-axiom",
        "15:9: duplicate template id `d-axiom`; template 1 has it already",
    ),
    (
        FRAME,
        "{frame: [serial]}",
        "{system: K}",
        "6:1: both sides declare the same semantics; let them differ in one condition",
    ),
    (
        FRAME,
        "  a: {frame: []}\n  b: {frame: [serial]}",
        "  a: {frame: [reflexive]}\n  b: {frame: [reflexive, serial]}",
        "6:1: the sides declare the same class of models in two ways: `serial` of side b follows from "
        "[reflexive]",
    ),
    (
        FRAME,
        "  a: {frame: []}\n  b: {frame: [serial]}",
        "  a: {frame: [symmetric, transitive]}\n  b: {frame: [symmetric, euclidean]}",
        "6:1: the sides declare the same class of models in two ways: `transitive` of side a follows from "
        "[euclidean, symmetric], `euclidean` of side b follows from [symmetric, transitive]",
    ),
    (
        FRAME,
        "{frame: [serial]}",
        "{system: S4}",
        "6:1: the sides differ in more than one condition (a alone has [], b alone [reflexive, transitive]); "
        "let one side add one condition, or exchange one for another",
    ),
    (
        FRAME,
        "  a: {frame: []}\n  b: {frame: [serial]}",
        "  a: {system: K4}\n  b: {system: KB5}",
        "6:1: the sides differ in more than one condition (a alone has [transitive], b alone "
        "[euclidean, symmetric]); let one side add one condition, or exchange one for another; "
        "side b may as well be declared as `frame: [symmetric, transitive]`",
    ),
    (
        FRAME,
        "{a: false, b: true}",
        "{a: true, b: false}",
        "21:1: valid on side a and invalid on side b cannot be: every model of side b is one of side a, so "
        "what is valid on side a is valid on side b",
    ),
    (
        FRAME,
        "{a: false, b: true}",
        "{a: true, b: true}",
        "21:1: the expected labels are the same; every pair has opposite labels",
    ),
    (
        DOMAIN,
        "frame: []",
        "frame: [serial]",
        "6:1: the frames differ ([] and [serial]); on the domain axis both sides have the same frame "
        "conditions and only the domains differ",
    ),
    (
        DOMAIN,
        "{system: K, domain: varying}\n  b: {frame: [], domain: decreasing}",
        "{system: KB, domain: cumulative}\n  b: {system: KB, domain: decreasing}",
        "6:1: the sides declare the same class of models in two ways: `cumulative` of side a follows from "
        "[symmetric, decreasing], `decreasing` of side b follows from [symmetric, cumulative]",
    ),
    (
        DOMAIN,
        "inference: 0",
        "inference: 3",
        "17:34: no template has `task: inference`; add one, or make it `inference: 0`",
    ),
]

# What is wrong in formulas. The places are those of characters inside quoted and plain scalars.
FORMULA_MISTAKES = [
    (FRAME, '"□{phi} → ◇{phi}"', '"□({phi} → ◇{phi}"', "14:49: this '(' is never closed"),
    (FRAME, "conjecture: ◇{phi}", "conjecture: ◇{phi} ∧ (p", "18:26: this '(' is never closed"),
    (FRAME, "'□({phi} ∧ {psi})'", "'□({phi} ∧ ({psi})'", "17:18: this '(' is never closed"),
    (
        FRAME,
        "◇{phi}\nlimits",
        "◇{phy}\nlimits",
        "18:18: the hole `{phy}` is not defined in `content`; did you mean '{phi}'?",
    ),
    (
        FRAME,
        "◇{phi}\nlimits",
        "◇{phi} ∨ s\nlimits",
        "18:26: the symbol `s` is not declared in `symbols`",
    ),
    (
        FRAME,
        "◇{phi}\nlimits",
        "◇phi ∨ ◇phi\nlimits",
        "18:18: the symbol `phi` is not declared in `symbols`; did you mean '{phi}'?",
    ),
    (
        FRAME,
        "'□({phi} ∧ {psi})'",
        "'□({phi} ∧ ∀x {psi})'",
        "17:27: the frame axis is propositional: quantifiers and arguments are for `axis: domain`",
    ),
    (
        FRAME,
        '"□p"',
        '"□p ∧ q(x)"',
        "17:42: the frame axis is propositional: quantifiers and arguments are for `axis: domain`",
    ),
    (
        FRAME,
        '"□p"',
        '"□□□□p"',
        "17:36: the formula nests □ and ◇ 4 deep, over the limit `modal_depth: 3`",
    ),
    (
        FRAME,
        "size: 30",
        "size: 4",
        "14:47: the formula has size 5 with a symbol in each hole, over the limit `size: 4`",
    ),
    (
        DOMAIN,
        "quantifier_depth: 2",
        "quantifier_depth: 0",
        "15:17: the formula nests quantifiers 1 deep, over the limit `quantifier_depth: 0`",
    ),
    (
        DOMAIN,
        '"∀x □{phi(x)} → □∀x {phi(x)}"',
        '"∀x □{phi(x)} → □∀y {phi(y,y)}"',
        "15:37: the hole `{phi}` has 2 arguments here and 1 argument before",
    ),
    (
        DOMAIN,
        "→ □∀x {phi(x)}",
        "→ □{phi(x)}",
        "15:39: the variable `x` is free; bind it with ∀x or ∃x",
    ),
    (
        DOMAIN,
        "→ □∀x {phi(x)}",
        "→ □∀x Likes(x,z)",
        "15:45: the variable `z` is free; bind it with ∀z or ∃z",
    ),
    (
        DOMAIN,
        "→ □∀x {phi(x)}",
        "→ □∀x Likes(x)",
        "15:37: `Likes` is declared with 2 arguments and has 1 here",
    ),
    (DOMAIN, "→ □∀x {phi(x)}", "→ □F", "15:34: `F` is declared with 1 argument and has none here"),
    (
        DOMAIN,
        "→ □∀x {phi(x)}",
        "→ □∀x Like(x,x)",
        "15:37: the symbol `Like` is not declared in `symbols`; did you mean 'Likes'?",
    ),
    (
        DOMAIN,
        '"∀x □{phi(x)} → □∀x {phi(x)}"',
        '"![X]: []{phi(X)} -> ?[Y]: {phi}"',
        "15:44: the hole `{phi}` has no argument, and predicates need one; did you mean '{phi(x)}'?",
    ),
    (
        DOMAIN,
        '"∀x □{phi(x)} → □∀x {phi(x)}"',
        '"□{phi} → ◇{phi}"',
        "15:19: the hole `{phi}` has no argument, and predicates need one; did you mean '{phi(x)}'?",
    ),
    (
        DOMAIN,
        '"∀x □{phi(x)} → □∀x {phi(x)}"',
        '"□⊤ → ◇⊤"',
        "15:17: no quantifier occurs in the template, so domains cannot matter to it",
    ),
]

# What is wrong with grammars and with what a selection asks for.
GRAMMAR_MISTAKES = [
    (
        GRAMMAR,
        "grammar:\n  - {id",
        "grammer:\n  - {id",
        "10:1: unknown key `grammer`; expected `schema`, `id`, `title`, `rationale`, `axis`, `sides`, "
        "`symbols`, `content`, `templates`, `grammar`, `limits`, `select` or `expect`; "
        "did you mean 'grammar'?",
    ),
    (
        GRAMMAR,
        "[implies, box, diamond]",
        "[implies, boxx, diamond]",
        "11:54: `boxx` is no operator; expected `not`, `and`, `or`, `implies`, `iff`, `box`, `diamond`, "
        "`forall` or `exists`; did you mean 'box'?",
    ),
    (
        GRAMMAR,
        "[implies, box, diamond]",
        "[implies, not]",
        "11:44: without `box` and `diamond` no formula tells the sides apart",
    ),
    (
        GRAMMAR,
        "[implies, box, diamond]",
        "[implies, box, exists]",
        "11:59: the frame axis is propositional: quantifiers are for `axis: domain`",
    ),
    (
        GRAMMAR,
        "max_size: 7",
        "max_size: 21",
        "11:79: `max_size` is 21; expected a whole number from 1 to 20",
    ),
    (GRAMMAR, "size: 30", "size: 6", "11:79: `max_size: 7` is over the limit `size: 6`"),
    (
        GRAMMAR,
        "{modal_depth: 3, q",
        "{modal_depth: 2, q",
        "11:95: `modal_depth: 3` is over the limit `modal_depth: 2`",
    ),
    (
        GRAMMAR,
        "modal_depth: 2\n",
        "modal_depth: 2\n    quantifier_depth: 1\n",
        "18:5: the frame axis is propositional; quantifiers are for `axis: domain`",
    ),
    (
        GRAMMAR,
        "    premise_size: 4\n",
        "",
        "12:5: the key `premise_size` is missing in grammar 2",
    ),
    (
        GRAMMAR,
        "modal_depth: 3}\n  -",
        "modal_depth: 3, premises: 1}\n  -",
        "11:98: a validity grammar has no premises; drop them, or make it `task: inference`",
    ),
    (
        GRAMMAR,
        "symbols: [q]",
        "symbols: [s]",
        "15:15: the symbol `s` is not declared in `symbols`",
    ),
    (GRAMMAR, "id: inferred", "id: small", "12:9: duplicate grammar id `small`; grammar 1 has it already"),
    (
        GRAMMAR,
        "task: validity,",
        "task: inference, premises: 1, premise_size: 3,",
        "22:13: no template or grammar has `task: validity`; add one, or make it `validity: 0`",
    ),
    (
        GRAMMAR,
        "share: 0.05",
        "share: 0",
        "25:21: `max_family_share` is 0; expected a number above 0 and up to 1",
    ),
    (
        GRAMMAR,
        "share: 0.05",
        "share: small",
        "25:21: `max_family_share` is the text `small`; expected a number",
    ),
    (
        GRAMMAR,
        "directions: balanced",
        "directions: even",
        "26:15: `even` is no choice of directions; expected `balanced` or `matched`",
    ),
    (
        GRAMMAR,
        "inference: 6",
        "inference: 5",
        "23:14: with balanced directions inference pairs come in twos; make their number even",
    ),
    (
        GRAMMAR,
        "  validity: 4\n  inference: 6",
        "  validity: 0\n  inference: 0",
        "21:1: no pair of either task is asked for; give `validity` or `inference` a number above 0",
    ),
    (
        GRAMMAR,
        "b: {system: S4}",
        "b: {system: S5}",
        "26:3: directions cannot be balanced: what is valid on side a is valid on the other side too, so no "
        "pair is valid on it alone",
    ),
    (
        GRAMMAR,
        "  modal_depth: {min: 2}\n",
        "  modal_depth: {min: 2}\nexpect: {a: true, b: false}\n",
        "29:1: with balanced directions half of the pairs contradict this expectation; leave it out",
    ),
    (
        GRAMMAR,
        "worlds: [2, 3]",
        "worlds: [2, 4]",
        "27:28: item 2 of `countermodel_worlds` is 4; expected a whole number from 1 to 3",
    ),
    (
        GRAMMAR,
        "min: 2",
        "min: 4",
        "28:22: □ and ◇ cannot be nested 4 deep; the limit is `modal_depth: 3`",
    ),
    (
        QUANTIFIED_GRAMMAR,
        "    quantifier_depth: 2\n",
        "",
        "11:5: the key `quantifier_depth` is missing in grammar 1",
    ),
    (
        QUANTIFIED_GRAMMAR,
        "[box, forall]",
        "[box, implies]",
        "13:16: without `forall` and `exists` no formula with predicates is closed",
    ),
    (
        QUANTIFIED_GRAMMAR,
        "{F: 1, Likes: 2}}",
        "{F: 1, Likes: 3}}",
        "9:30: warning: no template or grammar has the symbol `Likes`",
    ),
]
