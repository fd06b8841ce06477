#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""One merged second-order Trotter step in Qulacs or Qiskit Aer; runs in the environment that trotter_peers.py makes.

A user of a circuit simulator splits the Hamiltonian into pairs, not into axes: exp(-i t (J S.S + fields)) of a pair is
one dense gate on two qubits. Pairs that share no spin form a layer. The symmetric product L1(t/2) L2(t/2) ... Lm(t) ...
L2(t/2) L1(t/2) is of second order, and L1 of neighbouring steps is one layer.
Prints one line of JSON; trotter_peers.py tells the arguments.
"""

import argparse
import json
import os
import sys
import time

SX, SY, SZ = ((0, 0.5), (0.5, 0)), ((0, -0.5j), (0.5j, 0)), ((0.5, 0), (0, -0.5))

JOB = """application = trotter
[lattice]
type = {lattice}
extents = {spins}
[model]
jx = 1
jy = 1
jz = 1
field = {fields}
{more}
[state]
initial = neel
[run]
order = 2
step = 0.05
steps = {steps}
measure-every = {steps}
[backend]
precision = {precision}
[checkpoint]
interval = 0
"""


def random_fields(spins):
    """Fields in [-1, 1) from x <- (1103515245 x + 12345) mod 2^31, as in perf/trotter/problem.hpp."""
    x, fields = 12345, []
    for _ in range(spins):
        x = (1103515245 * x + 12345) % 2**31
        fields.append(2 * x / 2**31 - 1)
    return fields


def trotter_job(lattice, spins, steps, precision="double"):
    """The Heisenberg ring, or couplings of 1 / distance between all pairs, in random fields."""
    return JOB.format(lattice=lattice, spins=spins, steps=steps, precision=precision,
                      fields=",".join(f"{h:.17g}" for h in random_fields(spins)),
                      more="range = 1" if lattice == "all" else "")


def pair_layers(lattice, spins):
    """Layers of disjoint pairs: even and odd bonds of a ring, or the rounds of a tournament for all pairs (spins is
    even)."""
    if lattice == "ring":
        return [[(j, (j + 1) % spins) for j in range(first, spins, 2)] for first in (0, 1)]
    rounds, last = [], spins - 1
    for r in range(last):
        rounds.append([(r, last)] + [((r + i) % last, (r - i) % last) for i in range(1, spins // 2)])
    return rounds


class Model:
    """The Heisenberg model of perf/trotter/problem.hpp, cut into pairs that share the fields of their spins equally."""

    def __init__(self, lattice, spins):
        self.spins, self.layers = spins, pair_layers(lattice, spins)
        self.fields = random_fields(spins)
        self.degree = 2 if lattice == "ring" else spins - 1
        self.coupling = (lambda j, k: 1.0) if lattice == "ring" else (lambda j, k: 1.0 / abs(j - k))

    def pair_hamiltonian(self, j, k):
        """A matrix of 4 x 4 whose lower bit is spin j."""
        import numpy as np

        one = np.eye(2)
        exchange = sum(np.kron(np.array(s), np.array(s)) for s in (SX, SY, SZ))
        fields = self.fields[j] * np.kron(one, SZ) + self.fields[k] * np.kron(SZ, one)
        return self.coupling(j, k) * exchange + fields / self.degree

    def gates(self, layer, time_):
        import scipy.linalg

        return [((j, k), scipy.linalg.expm(-1j * time_ * self.pair_hamiltonian(j, k))) for j, k in self.layers[layer]]

    def step(self, t):
        """Gates of a step without L1(t/2) at its start and end, and those of L1(t/2); L1(t) joins two steps."""
        last = len(self.layers) - 1
        inner = [*range(1, last), last, *reversed(range(1, last))]
        return [gate for layer in inner for gate in self.gates(layer, t if layer == last else t / 2)]

    def merged_step(self, t):
        return self.gates(0, t) + self.step(t)

    def evolution(self, t, steps):
        gates = self.gates(0, t / 2)
        for i in range(steps):
            gates += self.step(t) + self.gates(0, t if i + 1 < steps else t / 2)
        return gates


class Qulacs:
    """Setting: the number of qubits to which the optimizer joins gates, 0 for none."""

    settings = (0, 2, 3, 4)

    def __init__(self, spins, threads):
        import qulacs

        self.spins = spins
        self.state = qulacs.QuantumState(spins)
        self.state.set_computational_basis(sum(1 << j for j in range(0, spins, 2)))

    def circuit(self, gates, setting):
        import qulacs
        from qulacs.circuit import QuantumCircuitOptimizer
        from qulacs.gate import DenseMatrix

        circuit = qulacs.QuantumCircuit(self.spins)
        for pair, matrix in gates:
            circuit.add_gate(DenseMatrix(list(pair), matrix))
        if setting:
            QuantumCircuitOptimizer().optimize(circuit, setting)
        return circuit

    def seconds(self, gates, setting, repeats):
        circuit = self.circuit(gates, setting)
        circuit.update_quantum_state(self.state)
        start = time.perf_counter()
        for _ in range(repeats):
            circuit.update_quantum_state(self.state)
        return (time.perf_counter() - start) / repeats

    def final_state(self, gates, setting):
        self.circuit(gates, setting).update_quantum_state(self.state)
        return self.state.get_vector()


class Aer:
    """Setting: the largest gate to which Aer fuses, 0 for none. A step's time is the difference of two circuits,
    because a run starts with a state and its initialisation."""

    settings = (0, 2, 3, 4, 5)

    def __init__(self, spins, threads):
        self.spins, self.threads = spins, threads

    def run(self, gates, setting, save):
        from qiskit import QuantumCircuit
        from qiskit_aer import AerSimulator

        circuit = QuantumCircuit(self.spins)
        for j in range(0, self.spins, 2):
            circuit.x(j)
        for pair, matrix in gates:
            circuit.unitary(matrix, list(pair))
        save(circuit)
        simulator = AerSimulator(method="statevector", fusion_enable=setting > 0, fusion_max_qubit=max(setting, 1),
                                 fusion_threshold=1, max_parallel_threads=self.threads)
        result = simulator.run(circuit, shots=1).result()
        assert result.success, result.status
        return result

    def seconds(self, gates, setting, repeats):
        one, more = (self.run(gates * n, setting,
                              lambda circuit: circuit.save_amplitudes_squared([0])).results[0].time_taken
                     for n in (1, 1 + repeats))
        return (more - one) / repeats

    def final_state(self, gates, setting):
        import numpy as np

        return np.asarray(self.run(gates, setting, lambda circuit: circuit.save_statevector()).get_statevector())


PEERS = {"qulacs": Qulacs, "aer": Aer}


def exact_state(model, total):
    """exp(-i H t) on the Neel state with H as a sparse matrix."""
    import numpy as np
    import scipy.sparse
    import scipy.sparse.linalg

    def operator(matrix, j):
        below, above = scipy.sparse.eye(2**j), scipy.sparse.eye(2 ** (model.spins - 1 - j))
        return scipy.sparse.kron(above, scipy.sparse.kron(np.array(matrix), below))

    hamiltonian = sum(h * operator(SZ, j) for j, h in enumerate(model.fields))
    for layer in model.layers:
        for j, k in layer:
            hamiltonian = (hamiltonian
                           + model.coupling(j, k) * sum(operator(s, j) @ operator(s, k) for s in (SX, SY, SZ)))
    start = np.zeros(2**model.spins, complex)
    start[sum(1 << j for j in range(0, model.spins, 2))] = 1
    return scipy.sparse.linalg.expm_multiply(-1j * total * hamiltonian.tocsc(), start)


def check(peer, lattice, threads):
    """Errors at t = 1 with steps of 0.05 and 0.025 against the exact state of 8 spins: of second order, so one is a
    fourth of the other, for every setting."""
    import numpy as np

    model = Model(lattice, 8)
    exact = exact_state(model, 1.0)
    if lattice == "ring":  # the value of S^z of spin 0 was found by dense diagonalization elsewhere
        up = 1 - 2 * (np.arange(len(exact)) & 1)
        assert abs(0.5 * np.sum(up * abs(exact) ** 2) + 0.185310822965) < 1e-10
    errors = []
    for setting in PEERS[peer].settings:
        found = []
        for n in (1, 2):
            state = PEERS[peer](8, threads).final_state(model.evolution(0.05 / n, 20 * n), setting)
            found.append(np.linalg.norm(state - exact))
        assert found[0] < 0.02 and 3.9 < found[0] / found[1] < 4.1, (peer, lattice, setting, found)
        errors.append(found[0])
    return {"error": max(errors)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("peer", choices=PEERS)
    parser.add_argument("lattice", choices=("ring", "all"))
    parser.add_argument("spins", type=int)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--setting", type=int, help="of the peer; without it all are tried once, and the best is told")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--check", action="store_true", help="compare with the exact state instead of timing")
    args = parser.parse_args()
    os.environ["OMP_NUM_THREADS"] = str(args.threads)  # before a peer is loaded
    sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
    if args.check:
        print(json.dumps(check(args.peer, args.lattice, args.threads)))
        return
    peer, gates = PEERS[args.peer](args.spins, args.threads), Model(args.lattice, args.spins).merged_step(0.05)
    settings = PEERS[args.peer].settings if args.setting is None else (args.setting,)
    times = {setting: peer.seconds(gates, setting, args.repeats) for setting in settings}
    best = min(times, key=times.get)
    print(json.dumps({"seconds": times[best], "setting": best, "gates": len(gates), "all": times}))


if __name__ == "__main__":
    main()
