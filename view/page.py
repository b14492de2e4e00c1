"""Self-contained HTML pages from templates: everything is escaped, nothing is loaded from elsewhere.

`templates/base.html.j2` is what all pages share. A page extends it, fills the block `main` and may
name stylesheets and scripts of the same folder, which become part of the file:

    {% extends "base.html.j2" %}
    {% set styles = ["browse.css"] %}
    {% set scripts = ["browse.js"] %}

The page's Content-Security-Policy lets these scripts run, by their hashes, and no others; it allows no
request at all. So a page opens from disk, works offline, and text that got into it by mistake cannot
do anything.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from functools import cache
from typing import Any
from urllib.parse import quote

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape


def render(template: str, **context: Any) -> str:
    """The page that a template of the folder `templates` makes of the context.

    Texts are escaped; `Markup` is not. Raises jinja2.UndefinedError if the template needs what the
    context does not have.
    """
    return _environment().get_template(template).render(**context)


def fragment_of(pair_id: str) -> str:
    """The part behind # of the link to a pair in the page of `modalgen browse`."""
    return "pair-" + quote(pair_id, safe="")


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("modalgen.view"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        finalize=legible,
    )
    environment.globals |= {"source": _source, "fragment_of": fragment_of}
    environment.filters |= {"embedded": _embedded, "exact": escape, "hash_source": _hash_source}
    return environment


# What no reader sees but a page obeys: controls, and what changes the direction of the text around it.
_UNSEEN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def legible(value: Any) -> Any:
    """A text with marks in place of characters that would turn the page around it. Where it has to be
    the very text, as in an id that a link names, a template says `| exact`. `Markup` is left as it is."""
    return _UNSEEN.sub("\N{REPLACEMENT CHARACTER}", value) if type(value) is str else value


@cache
def _source(name: str) -> Markup:
    """A stylesheet or script of the folder, as it is."""
    loader = PackageLoader("modalgen.view")
    return Markup(loader.get_source(Environment(), name)[0])  # our own file, not data


@cache
def _hash_source(name: str) -> Markup:
    """The script as a Content-Security-Policy names it (CSP Level 3, section 2.3.1)."""
    digest = hashlib.sha256(_source(name).encode("utf-8")).digest()
    return Markup(f"'sha256-{base64.b64encode(digest).decode('ascii')}'")


def _embedded(value: Any) -> Markup:
    """The value as JSON inside a script element.

    Such an element ends at "</script" and, before that, only "<!--" means anything in it (HTML Standard,
    section 13.2.5.4). JSON has a second way to write either.
    """
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, allow_nan=False, separators=(",", ":"))
    return Markup(text.replace("</", r"<\/").replace("<!", r"\u003c!"))
