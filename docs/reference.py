# SPDX-License-Identifier: BSD-3-Clause
"""Pages of the site that are made, not written: keys and quantities of each application as the program lists them,
build options, exit codes, limits, how to cite. Each fact stays where it is declared: in the program, in the CMake
files, in jobs/README.md, in the guides, in CITATION.cff. build_site.py puts the pages beside the guides."""

import json
import os
import pathlib
import re
import shutil
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[1]
GUIDES = ("swendsen-wang", "lanczos", "dmrg", "trotter")  # applications that have one in docs/
KINDS = {"result": "Results", "series": "Series", "performance": "Performance", "checkpoint": "Checkpoint"}


def text_of(path):
    return (ROOT / path).read_text(encoding="utf-8")


def program():
    """The program: that of STRATA_PROGRAM, else the one on PATH, else the release build of this tree."""
    return os.environ.get("STRATA_PROGRAM") or shutil.which("strata") or str(ROOT / "build/release/src/strata")


def listed(*arguments):
    """What `strata keys ... --json` prints."""
    done = subprocess.run([program(), "keys", *arguments, "--json"], check=True, capture_output=True, text=True,
                          env={"OMP_WAIT_POLICY": "passive", **os.environ})  # cores may have other work
    return json.loads(done.stdout)


def plain(text):
    """Text of the program as Markdown without any markup."""
    return re.sub(r"[<>|*_`\[\]]", lambda sign: f"&#{ord(sign[0])};", text)


def section(path, heading):
    """The lines of a page below a heading, up to the next one of its level."""
    found = re.search(rf"^(#+) {re.escape(heading)}\n(.*?)(?=^#{{1,2}} |\Z)", text_of(path), re.M | re.S)
    return found[2].strip() + "\n"


def rebased(text, path):
    """Text of a page, with its links as they are from the folder reference/."""
    folder = pathlib.PurePosixPath(path).parent

    def link(found):
        if found[1].startswith("#"):
            return f"](../{path}{found[1]})"
        return found[0] if ":" in found[1] else f"](../{os.path.normpath(folder / found[1])})"

    return re.sub(r"\]\(([^)\s]+)\)", link, text)


def key_entry(name, key):
    """A heading with its anchor, the meaning, and a line of facts."""
    facts = [plain(key["text"]["type"])]
    if key["choices"]:
        facts[0] = "one of " + ", ".join(f"`{choice}`" for choice in key["choices"])
    facts.append("must be given" if key["required"] else f"default {plain(key['default'] or 'none')}")
    if key["unit"]:
        facts.append(f"unit: {plain(key['unit'])}")
    if key["changes_on_resume"]:
        facts.append("may change on a resume")
    if key["text"]["condition"]:
        facts.append(f"only with {plain(key['text']['condition'])}")
    return f"### `{name}` {{ #{name} }}\n\n{plain(key['meaning'])}\n\n{'; '.join(facts)}.\n\n"


def keys_page(application, described, outputs):
    """All keys of an application, then all that it returns."""
    guide = f"[guide](../docs/{application}.md)" if application in GUIDES else "[what it does](../docs/methods.md)"
    lines = [f"# Keys and quantities of {application}\n\n{plain(described['title']).capitalize()}: {guide}.\n\n"
             f"The same in a terminal: `strata keys {application}` and `strata keys {application} --outputs`.\n\n"]
    last = ""
    for name, key in described["keys"].items():
        if key["section"] != last:
            last = key["section"]
            lines.append(f"## [{last}] {{ #section-{last} }}\n\n")
        lines.append(key_entry(name, key))
    for kind, heading in KINDS.items():
        rows = [row for row in outputs if row["kind"] == kind]
        if rows:
            lines.append(f"## {heading} {{ #{kind} }}\n\n| name | unit | meaning | with |\n|---|---|---|---|\n")
        for row in rows:
            needed = ", ".join(f"{key} = {value}" for key, value in row["with"].items())
            name = f"`{row['name']}`{{ #{kind}-{row['name']} }}"
            cells = (name, plain(row["unit"]), plain(row["meaning"]), plain(needed))
            lines.append(f"| {' | '.join(cells)} |\n")
        lines.append("\n" if rows else "")
    return "".join(lines)


def options_page():
    """Options of CMake as the CMake files declare them."""
    cmake = text_of("CMakeLists.txt") + text_of("cmake/StrataCuda.cmake")
    rows = re.findall(r'^option\((STRATA_\w+) "([^"]*)" (\S+)\)', cmake, re.M)
    rows += [(name, meaning, default) for name, default, meaning in
             re.findall(r'^set\((STRATA_\w+) (\S+) CACHE STRING "([^"]*)"\)', cmake, re.M)]
    default = {"${PROJECT_IS_TOP_LEVEL}": "ON; OFF inside another project"}
    table = "".join(f"| `{name}` | {default.get(value, value)} | {plain(meaning)} |\n"
                    for name, meaning, value in sorted(rows))
    return ("# Build options\n\nGiven to CMake as `-DNAME=VALUE`; [installation](../docs/install.md) has the commands, "
            "[environment variables](../docs/environment.md) what the built program reads.\n\n"
            f"| option | default | meaning |\n|---|---|---|\n{table}")


def exit_codes_page():
    return ("# Exit codes\n\nEvery verb of the program ends with one of these codes.\n\n"
            + rebased(section("jobs/README.md", "Exit codes"), "jobs/README.md")
            + "\n[Error messages and what to do](../docs/questions.md#a-run-ended-with-a-code) has examples.\n")


def limits_page():
    """What each method takes, and what it refuses, in one table."""
    rows = []
    for guide in (*GUIDES, "scans"):
        path = f"docs/{guide}.md"
        for item in re.split(r"^\* ", section(path, "What it refuses or cannot do"), flags=re.M)[1:]:
            sentence = " ".join(rebased(item, path).split())
            rows.append(f"| [{guide}](../{path}#what-it-refuses-or-cannot-do) | {sentence} |\n")
    return ("# Limits\n\nWhat a method cannot do it refuses with a message before it computes.\n\n"
            "## Models and lattices\n\n"
            + rebased(section("docs/models.md", "What each method takes"), "docs/models.md")
            + "\n## Refused or not done\n\n| method | limit |\n|---|---|\n" + "".join(rows))


def cited(paper):
    """A reference of CITATION.cff in a line."""
    names = ", ".join(f"{author['given-names']} {author['family-names']}" for author in paper["authors"])
    where = paper.get("journal") or paper["collection-title"]
    numbers = ", ".join(str(paper[part]) for part in ("volume", "start") if part in paper)
    return f"{names}, *{paper['title']}*, {where}{' ' + numbers if numbers else ''} ({paper['year']})"


def citation_page():
    """How to cite, in words and as BibTeX."""
    import yaml  # which mkdocs needs itself
    program = yaml.safe_load(text_of("CITATION.cff"))
    names = " and ".join("{" + author["name"] + "}" for author in program["authors"])
    papers = "".join(f"* {cited(paper)}\n" for paper in program["references"])
    return ("# How to cite\n\nPlease name the version that you ran (`strata version` prints it) and cite the "
            f"program:\n\n```text\n@software{{strata,\n  title   = {{{program['title']}}},\n  author  = {{{names}}},\n"
            f"  version = {{{program['version']}}},\n}}\n```\n\nThe algorithms have papers of their own; cite those of "
            f"the method that you used:\n\n{papers}\nFurther papers stand in the guides at the place where their "
            "algorithm is described. [CITATION.cff](../CITATION.cff) holds the same for programs. Licence: "
            f"{program['license']} ([LICENSE](../LICENSE)).\n")


def pages():
    """Name of a page in reference/ -> its Markdown; application -> its anchors of keys and results."""
    applications = listed()["applications"]
    outputs = {name: listed(name, "--outputs")["outputs"] for name in applications}  # from small runs
    made = {f"{name}.md": keys_page(name, described, outputs[name]) for name, described in applications.items()}
    made |= {"build-options.md": options_page(), "exit-codes.md": exit_codes_page(), "limits.md": limits_page(),
             "citing.md": citation_page()}
    anchors = {name: {key: key for key in described["keys"]} for name, described in applications.items()}
    for name, rows in outputs.items():
        for row in rows:
            anchors[name].setdefault(row["name"], f"{row['kind']}-{row['name']}")
    return made, anchors
