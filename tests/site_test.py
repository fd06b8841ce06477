#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The site of the documentation: mkdocs builds it without a warning and without a network, every link and anchor within
it leads somewhere, every key and quantity has an anchor, no list or table is left as text, and every variable that the
sources read is on the page of environment variables. Leaves with 77 where mkdocs or its theme is missing."""

import json
import pathlib
import re
import shutil
import sys
import tempfile
import unittest
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parents[1]
SKIPPED = 77
sys.path.insert(0, str(ROOT / "docs"))
import build_site  # noqa: E402
from html_page import Page  # noqa: E402


def themes():
    """Names of the themes that mkdocs finds, of a mkdocs of this interpreter."""
    try:
        import mkdocs.utils
    except ImportError:
        return []
    return mkdocs.utils.get_theme_names()


class Site(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="strata-site-"))
        cls.anchors = build_site.build(cls.folder)
        cls.site = cls.folder / "site"
        cls.pages = {path: Page(path.read_text(encoding="utf-8")) for path in cls.site.rglob("*.html")
                     if path.name != "404.html"}

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder, ignore_errors=True)

    def test_links_lead_to_files_and_anchors(self):
        self.assertGreater(len(self.pages), 30)
        wrong = set()
        for path, page in self.pages.items():
            for link in page.links:
                parts = urllib.parse.urlsplit(link)
                if parts.scheme or parts.netloc:
                    continue
                there = (path.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else path
                there = there / "index.html" if there.is_dir() else there
                if not there.exists():
                    wrong.add(f"{path.relative_to(self.site)}: {link}")
                elif parts.fragment and there in self.pages:
                    if urllib.parse.unquote(parts.fragment) not in self.pages[there].anchors | {"__search"}:
                        wrong.add(f"{path.relative_to(self.site)}: {link}")
        self.assertEqual(sorted(wrong), [])

    def test_nothing_is_loaded_from_a_network(self):
        for path, page in self.pages.items():
            text = path.read_text(encoding="utf-8")
            self.assertEqual(re.findall(r'<(?:script|link|img)[^>]*(?:src|href)="https?://[^"]*"', text), [], path)

    def test_keys_and_quantities_have_anchors(self):
        for application, anchors in self.anchors.items():
            page = self.pages[self.site / f"reference/{application}.html"]
            self.assertGreater(len(anchors), 20)
            self.assertEqual(set(anchors.values()) - page.anchors, set(), application)
        index = json.loads((self.site / "search/search_index.json").read_text(encoding="utf-8"))
        self.assertIn("reference/dmrg.html#run.tolerance", {entry["location"] for entry in index["docs"]})

    def test_lists_and_tables_are_rendered(self):
        left = [f"{path.relative_to(self.site)}: {paragraph[:80]}" for path, page in self.pages.items()
                for paragraph in page.paragraphs if re.search(r"^(\* |\| |\|---)", paragraph, re.M)]
        self.assertEqual(left, [])
        for path, page in self.pages.items():  # <O> in a text is a tag for readers of Markdown
            self.assertEqual({tag for tag in page.tags if re.fullmatch(r"[c-hj-ortv-z]|psi|phi", tag)}, set(), path)

    def test_variables_of_the_environment_are_named(self):
        page = (ROOT / "docs/environment.md").read_text(encoding="utf-8")
        read = set()
        for folder, pattern in (("src", "*.cpp"), ("comm", "*.cpp"), ("jobs", "*.py"), ("python", "*.py"),
                                ("jobs", "*.sbatch")):
            for path in (ROOT / folder).rglob(pattern):
                text = path.read_text(encoding="utf-8")
                read |= set(re.findall(r'(?:getenv\(|environ(?:\.get\(|\[))"(\w+)"', text))
                read |= set(re.findall(r"\$\{(STRATA_\w+|SLURM_\w+):-", text))
        self.assertGreater(len(read), 8)
        self.assertEqual({name for name in read if f"`{name}" not in page} - {"PMIX_RANK"}, set())


if __name__ == "__main__":
    if shutil.which("mkdocs") is None or "material" not in themes():
        print("skipped: mkdocs with the theme Material is not installed, so that the site was not built "
              "(Debian: mkdocs, mkdocs-material)")
        sys.exit(SKIPPED)
    unittest.main()
