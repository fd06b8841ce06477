# SPDX-License-Identifier: BSD-3-Clause
"""A page of HTML as the test of the site sees it. A module of its own, because every class of a test script is a test
(tests/CMakeLists.txt)."""

import html.parser


class Page(html.parser.HTMLParser):
    """Anchors, links and paragraphs of a page."""

    def __init__(self, text):
        super().__init__()
        self.anchors, self.links, self.paragraphs, self.inside, self.tags = set(), [], [], False, set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.tags.add(tag)
        self.anchors |= {attributes[name] for name in ("id", "name") if attributes.get(name)}
        self.links += [attributes[name] for name in ("href", "src") if attributes.get(name)]
        if tag == "p":
            self.paragraphs.append("")
        self.inside = tag == "p" or self.inside

    def handle_endtag(self, tag):
        self.inside = self.inside and tag != "p"

    def handle_data(self, data):
        if self.inside:
            self.paragraphs[-1] += data
