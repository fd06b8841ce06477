# SPDX-License-Identifier: BSD-3-Clause
"""The batch script of jobs/ on a real Slurm of one node: munged, slurmctld and slurmd of the distribution, started by
this test below a temporary directory and ended by it. Leaves with 77 where they are missing or do not start."""

import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

from program import PROGRAM, ProgramTest

SCRIPT = pathlib.Path(__file__).parents[2] / "jobs/strata.sbatch"
SKIPPED = 77
CONFIGURATION = """ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket,cred_expire=5
SlurmUser={user}
SlurmdUser={user}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SwitchType=switch/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
SchedulerParameters=batch_sched_delay=0,sched_min_interval=100000
MessageTimeout=30
KillWait=5
MinJobAge=3600
NodeName={host} NodeAddr=127.0.0.1 CPUs=4
PartitionName=main Nodes=ALL Default=YES State=UP
"""


def free_ports(count):
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    return ports


class Cluster:
    """The three daemons, each a child of this process in the foreground."""

    def __init__(self):
        os.environ["PATH"] += ":/usr/sbin:/sbin"
        needed = ("munged", "slurmctld", "slurmd", "sbatch", "srun", "scontrol")
        if missing := [name for name in needed if shutil.which(name) is None]:
            raise RuntimeError(f"{', '.join(missing)} not found: apt-get install munge slurmctld slurmd slurm-client")
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="strata-slurm-"))
        self.daemons = []

    def start(self):
        folder = self.folder
        folder.chmod(0o755)  # munged wants no one else to write beside its socket
        for name in ("state", "spool"):
            (folder / name).mkdir()
        host = socket.gethostname().split(".")[0]
        user = subprocess.run(["id", "-un"], capture_output=True, text=True, check=True).stdout.strip()
        (folder / "slurm.conf").write_text(CONFIGURATION.format(host=host, ports=free_ports(2), folder=folder,
                                                                user=user))
        (folder / "munge.key").write_bytes(os.urandom(128))
        (folder / "munge.key").chmod(0o600)
        os.environ["SLURM_CONF"] = str(folder / "slurm.conf")
        files = {"key-file": "munge.key", "socket": "munge.socket", "pid-file": "munged.pid",
                 "seed-file": "munged.seed"}
        self.daemon("munged", "--foreground", "--force", *(f"--{key}={folder / name}" for key, name in files.items()))
        self.wait(lambda: (folder / "munge.socket").exists(), "munged")
        self.daemon("slurmctld", "-D")
        self.daemon("slurmd", "-D", "-N", host)
        self.wait(lambda: "idle" in self.ask("sinfo", "-h", "-o", "%T"), "slurmd")

    def daemon(self, name, *arguments):
        with open(self.folder / f"{name}.log", "w") as log:
            # if this process is killed, they end as well
            command = ["setpriv", "--pdeathsig", "TERM", name, *arguments]
            self.daemons.append(subprocess.Popen(command, stdout=log, stderr=log, cwd=self.folder))

    def ask(self, *command):
        return subprocess.run(command, capture_output=True, text=True, timeout=60).stdout

    def wait(self, condition, name, seconds=30):
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end or any(daemon.poll() is not None for daemon in self.daemons):
                raise RuntimeError(f"{name} did not start: {(self.folder / f'{name}.log').read_text()[-800:]}")
            time.sleep(0.1)

    def stop(self):
        if self.daemons[1:]:
            for options in ((), ("--signal=KILL", "--full")):
                subprocess.run(["scancel", *options, "--partition=main"], capture_output=True, timeout=60, check=False)
        for daemon in reversed(self.daemons):
            daemon.send_signal(signal.SIGTERM)
            try:
                daemon.wait(20)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


class Slurm(ProgramTest):
    def submit(self, *arguments, options=()):
        """Submits the batch script: one rank and one thread unless the options say more."""
        command = ["sbatch", "--parsable", "--output=log-%a.txt", "--ntasks-per-node=1", "--cpus-per-task=1", *options,
                   SCRIPT, *arguments]
        done = subprocess.run(command, cwd=self.directory, capture_output=True, text=True, timeout=60,
                              env={**os.environ, "STRATA_PROGRAM": PROGRAM})
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.strip()

    def states(self, number):
        text = cluster.ask("scontrol", "-o", "show", "job", number)
        return [dict(word.split("=", 1) for word in line.split() if "=" in word) for line in text.splitlines()]

    def ended(self, number, seconds=120):
        """The records of a job that no longer runs or waits; starts what waits after a requeue soon."""
        end, held_since = time.monotonic() + seconds, None
        while True:
            records = self.states(number)
            if (records
                    and all(r["JobState"] not in ("PENDING", "RUNNING", "COMPLETING", "CONFIGURING") for r in records)):
                return records
            # Slurm holds what was requeued back for two minutes
            if any(r.get("Reason") == "BeginTime" for r in records):
                held_since = held_since or time.monotonic()
                # slurmd revokes credentials of a killed job by whole seconds: one made within the same second is
                # refused
                if time.monotonic() > held_since + 2.5:
                    cluster.ask("scontrol", "update", f"JobId={number}", "StartTime=now")
            else:
                held_since = None
            self.assertLess(time.monotonic(), end, f"{records}\n{self.log()}")
            time.sleep(0.2)

    def log(self):
        return "\n".join(path.read_text() for path in sorted(self.directory.glob("log-*.txt")))

    def test_a_job_that_is_stopped_goes_on_with_the_same_bits_on_two_ranks(self):
        self.job(extents="256,256", sweeps=20000)
        number = self.submit("a.ini", "--output.name=stopped here", options=("--ntasks-per-node=2",))
        self.wait_for("out/stopped here.lock")
        # What --signal=USR2 does before the limit, which has minutes. Both ranks take signals before there is a lock.
        subprocess.run(["scancel", "--signal=USR2", number], check=True, timeout=60)
        record, = self.ended(number)
        self.assertEqual((record["JobState"], record["Restarts"]), ("COMPLETED", "1"), self.log())
        self.assertGreaterEqual(self.log().count("2 ranks x 1 thread on 1 node"), 2, self.log())
        self.assertEqual(self.log().count("Stopped cleanly after"), 1)
        result = self.result("stopped here")
        self.assertTrue(result["complete"])
        self.strata("run", "a.ini", ranks=None)
        self.assertEqual(result["state_hash"], self.result()["state_hash"])
        self.assertEqual(result["observables"], self.result()["observables"])

    def test_an_array_takes_job_files_or_numbers(self):
        for name in ("a.ini", "b.ini"):
            self.job(name=name, sweeps=20)
        files = self.submit("a.ini", "b.ini", options=("--array=0-1",))
        seeds = self.submit("a.ini", "--run.seed=%a", "--output.name=seed-%a", options=("--array=3-4",))
        for number in (files, seeds):
            self.assertEqual([r["JobState"] for r in self.ended(number)], ["COMPLETED"] * 2, self.log())
        self.assertTrue(self.result("b")["complete"])
        self.assertEqual([self.result(f"seed-{n}")["parameters"]["run.seed"] for n in (3, 4)], [3, 4])

    def test_a_wrong_job_ends_with_its_sentence(self):
        self.job()
        record, = self.ended(self.submit("a.ini", "--lattice.extent=64,64"))
        self.assertEqual((record["JobState"], record["ExitCode"], record["Restarts"]), ("FAILED", "2:0", "0"))
        self.assertIn("lattice.extents", self.log())
        self.assertIn("not put back into the queue", self.log())

    def test_a_cancelled_job_stays_away(self):
        self.job(extents="256,256", sweeps=2000000)
        number = self.submit("a.ini")
        self.wait_for("out/a.lock")
        subprocess.run(["scancel", number], check=True, timeout=60)
        record, = self.ended(number)
        self.assertEqual((record["JobState"], record["Restarts"]), ("CANCELLED", "0"))


if __name__ == "__main__":
    try:
        cluster = Cluster()
    except RuntimeError as error:
        print(f"skipped: {error}")
        sys.exit(SKIPPED)
    try:
        cluster.start()
    except (RuntimeError, subprocess.SubprocessError) as error:
        print(f"skipped: Slurm does not start here: {error}")
        cluster.stop()
        sys.exit(SKIPPED)
    try:
        unittest.main(verbosity=2)
    finally:
        cluster.stop()
