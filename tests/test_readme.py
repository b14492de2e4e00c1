"""The README keeps its word: its contrast is one, and gives the pairs that it asks for."""

from __future__ import annotations

import re
from pathlib import Path

from modalgen.gen.candidate import Candidate
from modalgen.gen.sifting import sifted
from modalgen.gen.spec import check, load_contrast

ROOT = Path(__file__).parent.parent


def test_the_example_can_be_built(tmp_path: Path) -> None:
    """Copied into a file of its name it has no mistake, and sifting leaves as many candidates as it wants."""
    text = (ROOT / "README.md").read_text("utf-8")
    found = re.search(r"`(\S+\.yaml)`:\n\n```yaml\n(.*?)```", text, re.DOTALL)
    assert found is not None
    path = tmp_path / found[1]
    path.write_text(found[2], encoding="utf-8")
    assert check(path) == []
    contrast = load_contrast(path)
    for task in ("validity", "inference"):
        left = sum(isinstance(item, Candidate) for item in sifted(contrast, task))
        assert left >= getattr(contrast.select, task) > 0


def test_links_lead_somewhere() -> None:
    """Every file that the README and the documents link to is there."""
    for page in (ROOT / "README.md", *(ROOT / "docs").glob("*.md")):
        for target in re.findall(r"\]\((?!http)([^)#]+)", page.read_text("utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"
