# SPDX-License-Identifier: BSD-3-Clause
"""What programs read: the JSON of `strata keys` and `strata plan` says what the text says, to the digits that are
printed, and ranges are those that are enforced."""

import csv
import io
import math
import re
import subprocess
import unittest

from program import JOBS, ProgramTest

APPLICATIONS = ("swendsen-wang", "lanczos", "kronecker", "dmrg", "trotter")


class KeysAsJson(ProgramTest):
    def lines_of(self, application):
        """section.key -> the lines below it in the table for people, in their order."""
        found, section, name = {}, "", ""
        table = self.strata("keys", application)[0].partition("\nExample job:")[0]
        for line in table.splitlines():
            if heading := re.fullmatch(r"\[([\w-]+)\]", line):
                section, name = heading[1], ""
            elif entry := re.fullmatch(r"  ([a-z][\w-]*|NAME) +(.*)", line):
                name = f"{section}.{entry[1]}"
                found[name] = [entry[2]]
            elif name:
                found[name].append(line.strip())
        return found

    def test_the_table_has_the_same(self):
        everything = self.json("keys")
        self.assertEqual((everything["layout"], list(everything["applications"])), (1, list(APPLICATIONS)))
        for application in APPLICATIONS:
            keys, lines = self.keys_of(application), self.lines_of(application)
            self.assertEqual(everything["applications"][application]["keys"], keys)
            self.assertEqual(list(keys), list(lines))
            for name, key in keys.items():
                text = key["text"]
                first = f"{text['type']}; default {text['default']}" + f"; unit {key['unit']}" * bool(key["unit"])
                condition = [f"Only with {text['condition']}."] * bool(key["conditions"])
                self.assertEqual([line for line in lines[name] if line], [first, key["meaning"], *condition])
                self.assertEqual(f"{key['section']}.{key['name']}", name)
                if key["type"] == "choice":
                    self.assertEqual(text["type"], " | ".join(key["choices"]))
                if key["default"] is not None:
                    self.assertEqual(text["default"], key["default"])
                self.assertEqual(key["required"], text["default"] == "none, must be given")

    def test_words_and_values_choose_keys(self):
        self.assertEqual(list(self.keys_of("swendsen-wang", "wall-time")), ["run.wall-time"])
        keys = self.keys_of("lanczos", "--run.task=thermal")
        self.assertTrue("thermal.samples" in keys and "spectrum.omega" not in keys)

    def finished(self, *words):
        return subprocess.run(self.command(None, *words), cwd=self.directory, capture_output=True, text=True)

    def test_ranges_are_those_of_the_program(self):
        """All keys of an application at once, at the ends of their ranges and beyond them."""
        for application in APPLICATIONS:
            ranges = {name: key["range"] for name, key in self.keys_of(application).items() if key["range"] is not None}
            self.assertGreater(len(ranges), 4)
            for end, away in (("lower", -1), ("upper", 1)):
                ends = {name: r[end] for name, r in ranges.items() if r[end] is not None}
                self.assertTrue(all(ranges[name][f"{end}_included"] for name in ends))
                inside = [f"--{name}={value}" for name, value in ends.items()]
                beyond = [f"--{name}={value + away if abs(value) < 1e15 else math.copysign(1e300, away)}"
                          for name, value in ends.items()]
                done = self.finished("keys", application, *inside)
                self.assertNotIn(" must be ", done.stderr)
                refused = self.finished("keys", application, *beyond)
                self.assertEqual((refused.returncode, refused.stdout), (2, ""))
                self.assertEqual(len(re.findall(r" must be ", refused.stderr)), len(ends), refused.stderr)

    def test_resumed_runs_may_change_what_is_said(self):
        keys = self.keys_of("swendsen-wang")
        self.strata("run", self.job(extents="8,8", sweeps=20))
        changed = {"run.sweeps": 30, "run.seed": 6, "model.beta": 0.3, "backend.threads": 2, "run.wall-time": "1h"}
        for name, value in changed.items():
            may = keys[name]["changes_on_resume"]
            self.strata("resume", "out/a.checkpoint.h5", f"--{name}={value}", code=0 if may else 2)

    def test_outputs_are_those_of_the_table(self):
        outputs = self.json("keys", "kronecker", "--outputs")["outputs"]
        text = self.strata("keys", "kronecker", "--outputs")[0]
        rows = [line.split(maxsplit=3) for line in text.splitlines() if line.startswith("  ")]
        self.assertEqual([[o["kind"], o["name"], o["unit"], o["meaning"]] for o in outputs], rows)
        for settings in {" ".join(f"{key}={value or ''}" for key, value in o["with"].items()) for o in outputs} - {""}:
            self.assertIn(f"\nWith {settings}:\n", text)

    def test_bad_input_prints_none(self):
        for words in (["keys", "lanczoss"], ["keys", "lanczos", "nonsense"], ["keys", "lanczos", "--run.task=no"],
                      ["keys", "kronecker", "nonsense", "--outputs"]):
            out, err = self.strata(*words, "--json", code=2)
            self.assertEqual((out, err.count("\n")), ("", 1))


def human_bytes(size):
    """Three digits and a unit, as people read them."""
    if size < 1024:
        return f"{size} B"
    power = min(6, (size.bit_length() - 1) // 10)
    number = size / 1024**power
    return f"{number:.{0 if number >= 100 else 1 if number >= 10 else 2}f} {' KMGTPE'[power]}iB"


class PlanAsJson(ProgramTest):
    def agrees(self, plan):
        """Every size stands in the text below its heading, and no other one; returns the number of sizes."""
        rest = "\n".join(plan["text"]) + "\n"
        count = 0
        for needs in plan["backends"].values():
            for name in ("host_memory", "device_memory", "records", "disk"):
                part = needs.get(name, {"items": []})
                whole = [] if "scan" in plan and name != "disk" else part["items"]
                lines = [f"    {item['name']:26s} {human_bytes(item['bytes']):>12s}" for item in whole]
                if "scan" in plan and part.get("total"):
                    lines.append(f"    {human_bytes(part['total'])}")
                elif whole and "total" in part:
                    lines.append(f"    {'total':26s} {human_bytes(part['total']):>12s}")
                    self.assertEqual(sum(item["bytes"] for item in whole), part["total"])
                for line in lines:
                    self.assertIn("\n" + line, rest)
                    rest = rest.replace("\n" + line, "\n", 1)
                if lines:
                    self.assertIn(f"\n  {part['heading']}\n", rest)
                count += len(lines)
            for line in needs["traffic"]:
                self.assertIn(f"\n    {line}\n", rest)
                rest = rest.replace(f"\n    {line}\n", "\n", 1)
        for line in plan["description"]:
            self.assertIn(f"\n  {line}\n", rest)
            rest = rest.replace(f"\n  {line}\n", "\n", 1)
        rest = re.sub(r"free on this node: .*", "", rest)
        self.assertNotRegex(rest, r"\d ([KMGTPE]i)?B\b")
        return count

    def test_sizes_of_every_application(self):
        for application in APPLICATIONS:
            example = self.strata("example", application)[0]
            job = self.write("a.ini", example.replace("[scan]\nmodel.temperature = 2.1:2.4:0.05",
                                                      "[model]\ntemperature = 2.1"))
            for ranks in (1, 2):
                plan = self.json("plan", job, f"--ranks={ranks}", "--backend.threads=3")
                self.assertEqual([plan[name] for name in ("layout", "application", "ranks", "threads")],
                                 [1, application, ranks, 3])
                self.assertEqual(set(plan["parameters"]), set(self.keys_of(application)) - {"observables.NAME"})
                self.assertGreater(self.agrees(plan), 5)
                for needs in plan["backends"].values():
                    if needs["seconds"] is not None:
                        self.assertAlmostEqual(needs["seconds"], needs["steps"] * needs["seconds_per_step"])
                        words = f"    {needs['steps']} {needs['step_name']} x {needs['seconds_per_step']:.3g} s = "
                        self.assertIn(words, "\n".join(plan["text"]))
        self.assertEqual(self.files(), ["a.ini"])

    def test_text_is_that_of_people(self):
        job = self.job(extents="512,512")
        def stable(text):
            return re.sub(r"free on this node: .*|\S+ GB/s.*", "", text)
        lines = self.json("plan", job, "--ranks=3")["text"]
        self.assertEqual(stable("\n".join(lines) + "\n"), stable(self.strata("plan", job, "--ranks=3")[0]))

    def test_disks(self):
        job = self.write("a.ini", "application = dmrg\n[lattice]\ntype = chain\nextents = 40\n[model]\n"
                                  "type = heisenberg\n[run]\nschedule = 100\nblocks = disk\n")
        plan = self.planned(job)
        self.assertEqual(list(self.bytes_of(plan["disk"]).values()),
                         [plan["checkpoint_bytes"], plan["result_bytes"], plan["scratch_bytes"]])
        self.assertGreater(plan["scratch_bytes"], 0)

    def test_scans_have_points_and_groups(self):
        job = self.write("a.ini", "application = lanczos\n[lattice]\ntype = ring\n[model]\nu = 4\n[sector]\nup = 2\n"
                                  "down = 2\n[scan]\nlattice.extents = 4; 8; 6\nmodel.v = 0, 0.5\n")
        plan = self.json("plan", job, "--ranks=5")
        self.assertEqual(self.agrees(plan), 4)
        self.assertEqual(plan["scan"], {"lattice.extents": [4, 4, 8, 8, 6, 6], "model.v": [0, 0.5, 0, 0.5, 0, 0.5]})
        self.assertFalse(plan["scan"].keys() & plan["parameters"].keys())
        self.assertEqual((plan["points"], plan["groups"], plan["largest_point"]), (6, {"count": 5, "ranks": 1}, 2))
        seconds, needs = plan["seconds_of_points"], plan["backends"]["cpu"]
        self.assertEqual((len(seconds), plan["seconds_of_longest"]), (6, max(seconds)))
        self.assertAlmostEqual(plan["seconds_on_one_rank"], sum(seconds))
        self.assertAlmostEqual(needs["seconds"], max(max(seconds), sum(seconds) / 5))
        alone = self.json("plan", job, "--scan.lattice.extents=8")
        self.assertEqual(alone["backends"]["cpu"]["host_memory"]["items"], needs["host_memory"]["items"])

    def test_several_numbers_of_ranks_have_the_columns_of_the_csv(self):
        words = ["plan", self.job(extents="4096,4096"), "--ranks=1,2,16,1000",
                 f"--machine={JOBS / 'machines/zen4-2cores.ini'}"]
        plan = self.json(*words)
        rows = csv.DictReader(io.StringIO(self.strata(*words, "--csv")[0]))
        for row, expected in zip(plan["table"], rows, strict=True):
            self.assertEqual(row["ranks"], int(expected["ranks"]))
            if row["refusal"] is None:
                for name in expected.keys() - {"limit", "threads", "steps"}:
                    self.assertAlmostEqual(row[name] / (float(expected[name]) or 1), bool(float(expected[name])),
                                           delta=1e-3, msg=name)
                self.assertAlmostEqual(row["seconds"], row["seconds_per_step"] * plan["steps"])
            else:
                self.assertEqual(row["refusal"], expected["limit"])
        self.assertEqual("\n".join(plan["text"]) + "\n", self.strata(*words)[0])

    def test_tables_of_scans_have_the_numbers_of_their_plans(self):
        job = self.write("a.ini", "application = swendsen-wang\n[lattice]\nextents = 256,256\n[run]\nsweeps = 1e6\n"
                                  "[scan]\nmodel.beta = 0.3:0.5:0.05\n")
        table = self.json("plan", job, "--ranks=1,2,3,600", "--backend.threads=2")
        rows = list(csv.DictReader(io.StringIO(self.strata("plan", job, "--ranks=1,2,3,600", "--csv",
                                                           "--backend.threads=2")[0])))
        self.assertEqual((table["points"], table["threads"], len(rows)), (5, 2, 4))
        for row, line in zip(table["table"], rows):
            plan = self.json("plan", job, f"--ranks={row['ranks']}", "--backend.threads=2")
            self.assertEqual([row["groups"], row["seconds"], row["bytes_per_rank"]],
                             [plan["groups"], plan["backends"]["cpu"]["seconds"],
                              plan["backends"]["cpu"]["host_memory"]["total"]])
            self.assertAlmostEqual(row["core_hours"], row["seconds"] * row["ranks"] * 2 / 3600, delta=1e-9)
            self.assertAlmostEqual(row["efficiency"] * row["seconds"] * row["ranks"], plan["seconds_on_one_rank"],
                                   delta=1e-6 * plan["seconds_on_one_rank"])
            self.assertAlmostEqual(float(line["seconds"]), row["seconds"], delta=1e-5 * row["seconds"])
            self.assertEqual(int(line["groups"]), row["groups"]["count"])

    def test_hours_are_those_of_cores_and_nodes(self):
        for row in self.json("plan", self.job(), "--ranks=1,4", "--backend.threads=2")["table"]:
            self.assertAlmostEqual(row["core_hours"], row["seconds"] * row["ranks"] * 2 / 3600, delta=1e-12)
            self.assertAlmostEqual(row["node_hours"], row["seconds"] * row["nodes"] / 3600, delta=1e-12)

    def test_bad_input_prints_none(self):
        job = self.job()
        for words, code in (([job, "--run.sweeps=no"], 2), ([job, "--ranks=700"], 2), (["missing.ini"], 2),
                            ([job, "--ranks=600,700"], 2),
                            ([job, "--scan.model.beta=1,2", "--ranks=1,2", "--machine=none.ini"], 2)):
            out, err = self.strata("plan", *words, "--json", code=code)
            self.assertEqual((out, err.count("\n")), ("", 1))


if __name__ == "__main__":
    unittest.main(verbosity=2)
