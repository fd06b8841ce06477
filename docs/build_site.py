#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The documentation as a site, with navigation and search: docs/build_site.py FOLDER writes FOLDER/site/index.html,
without a network. It copies README.md, the guides and all that they link to into FOLDER/pages, at the same relative
paths, adds the pages that reference.py makes, and runs mkdocs, whose warnings are errors. Needs mkdocs with the theme
Material (Debian: mkdocs, mkdocs-material) and the program (STRATA_PROGRAM, or strata on PATH)."""

import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import reference  # noqa: E402

ROOT = reference.ROOT
LINK = re.compile(r"(!?\[[^\]]*\])\(([^)#:\s]+)((?:#[^)]*)?)\)")
FENCE = re.compile(r"(^```.*?^```$)", re.M | re.S)
FIRST = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "CITATION.cff", "LICENSE"]


def index_of(folder):
    """A page for a folder that has none."""
    names = sorted(path.name for path in folder.iterdir() if path.is_file())
    return f"# {folder.relative_to(ROOT)}\n\n" + "".join(f"* [{name}]({name})\n" for name in names)


class Pages:
    """The folder of pages, filled from the first ones along their links."""

    def __init__(self, folder):
        self.folder, self.copied, self.waiting = folder, set(), []

    def add(self, path):
        """Remembers a file of the tree for copying; a folder stands for its README.md. Returns what a link to it
        leads to, relative to the root, or None where the site cannot hold it."""
        path = path.resolve()
        path = (path / "README.md" if path.is_dir() else path).relative_to(ROOT)
        if any(part.startswith(".") for part in path.parts):  # which mkdocs leaves out
            return None
        if path not in self.copied:
            self.copied.add(path)
            self.waiting.append(path)
        return path

    def write(self, path, text):
        target = self.folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")

    def linked(self, page, text):
        """Text of a page whose links lead to pages and files of the site."""
        def link(found):
            label, target, anchor = found.groups()
            there = self.add(ROOT / page.parent / target)
            if there is None:
                return label[1:-1]
            up = "../" * len(page.parent.parts)
            return f"{label}({up}{there.as_posix()}{anchor})"

        parts = FENCE.split(text)
        return "".join(part if part.startswith("```") else LINK.sub(link, part) for part in parts)

    def copy_all(self, anchors):
        """Copies what waits, and what that links to. Keys and results in the tables of a guide get links to the
        reference of its application."""
        while self.waiting:
            path = self.waiting.pop()
            source = ROOT / path
            if path.suffix != ".md":
                (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(source, self.folder / path)
                continue
            text = source.read_text(encoding="utf-8") if source.exists() else index_of(source.parent)
            text = self.linked(path, text)
            if path.parent.name == "docs" and path.stem in reference.GUIDES:
                text = with_references(text, path.stem, anchors[path.stem])
            self.write(path, with_blank_lines(text))


def with_references(text, application, anchors):
    """Links from the first column of tables to the reference."""
    def link(found):
        name = found[1]
        return f"[`{name}`](../reference/{application}.md#{anchors[name]})" if name in anchors else found[0]

    return re.sub(r"^\| .*?(?= \| )", lambda cell: re.sub(r"`([^`]+)`", link, cell[0]), text, flags=re.M)


def with_blank_lines(text):
    """Lists and tables that follow a paragraph at once get the blank line that Python's Markdown asks for."""
    def spaced(part):
        return re.sub(r"^(?!\s*(?:[*|-]|\d+\.) ?|\s|#|$)(.*)\n(?=(?:\* |\| |1\. ))", r"\1\n\n", part, flags=re.M)

    return "".join(part if part.startswith("```") else spaced(part) for part in FENCE.split(text))


def build(folder):
    """Builds the site in the folder, which is emptied of an earlier one. Returns the anchors of keys and results of
    every application."""
    for part in ("pages", "site"):
        shutil.rmtree(folder / part, ignore_errors=True)
    pages = Pages(folder / "pages")
    made, anchors = reference.pages()
    for path in FIRST:
        pages.add(ROOT / path)
    for path in sorted((ROOT / "docs").glob("*.md")):
        pages.add(path)
    for name, text in made.items():
        page = pathlib.PurePosixPath("reference") / name
        pages.write(page, with_blank_lines(pages.linked(page, text)))
    pages.copy_all(anchors)
    shutil.copyfile(ROOT / "docs/mkdocs.yml", folder / "mkdocs.yml")
    subprocess.run(["mkdocs", "build", "--quiet", "--strict", "--config-file", str(folder / "mkdocs.yml")], check=True)
    return anchors


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        sys.exit(f"usage: {sys.argv[0]} FOLDER\n{__doc__}")
    if shutil.which("mkdocs") is None:
        sys.exit("mkdocs is not installed (Debian: mkdocs, mkdocs-material).")
    build(pathlib.Path(sys.argv[1]).resolve())
    print(f"{sys.argv[1]}/site/index.html")
