"""pypbd (PositionBasedDynamics, double precision) on the workloads of the benchmark.

It speaks lines on stdin and stdout: `setup FILE`, `reset`, `run N`, `dump FILE`, `quit`. Every
answer is one line that starts with `ok` or `error`; `run N` answers `ok MILLISECONDS` for one whole
step with N iterations from the start of the workload. A step also integrates, so the caller takes
the difference of two runs to get the iterations alone.

The library always applies gravity and offers no way from Python to turn it off; a microsecond of a
time step makes the fall 1e-11 m, and position-based stiffness does not depend on the time step.
Its thread count is set by OMP_NUM_THREADS before this program starts.
"""

import sys
import time

import numpy
import pypbd

DISTANCE, DIHEDRAL, STRAIN_TRIANGLES, STRAIN_TETS = 2, 3, 4, 5


def read_workload(path):
    """The arrays of a workload file: magic, eight u32, four f64, then the arrays."""
    with open(path, "rb") as file:
        if file.read(8) != b"PLIANTW1":
            raise ValueError(f"not a workload: {path}")
        counts = numpy.fromfile(file, "<u4", 8)
        kind, vertices, edges, dihedrals, triangles, tets = (int(c) for c in counts[:6])
        _, _, bend_stiffness, _ = numpy.fromfile(file, "<f8", 4)
        floats = lambda rows, columns: numpy.fromfile(file, "<f8", rows * columns).reshape(-1, columns)
        indices = lambda rows, columns: numpy.fromfile(file, "<u4", rows * columns).reshape(-1, columns)
        return {
            "kind": kind,
            "bend_stiffness": float(bend_stiffness),
            "rest": floats(vertices, 3),
            "start": floats(vertices, 3),
            "inv_mass": floats(vertices, 1)[:, 0],
            "edges": indices(edges, 2).tolist(),
            "dihedrals": indices(dihedrals, 4).tolist(),
            "triangles": indices(triangles, 3).tolist(),
            "tets": indices(tets, 4).tolist(),
        }


def add_constraints(model, workload):
    """Adds the constraints of the workload; returns how many there should be."""
    kind = workload["kind"]
    if kind in (DISTANCE, DIHEDRAL):
        for a, b in workload["edges"]:
            model.addDistanceConstraint(a, b, 1.0)
        if kind == DISTANCE:
            return len(workload["edges"])
        for a, b, c, d in workload["dihedrals"]:
            # pypbd wants the two opposite vertices first, then the edge.
            model.addDihedralConstraint(c, d, a, b, workload["bend_stiffness"])
        return len(workload["edges"]) + len(workload["dihedrals"])
    if kind == STRAIN_TRIANGLES:
        for a, b, c in workload["triangles"]:
            model.addStrainTriangleConstraint(a, b, c, 1.0, 1.0, 1.0, False, True)
        return len(workload["triangles"])
    if kind == STRAIN_TETS:
        for a, b, c, d in workload["tets"]:
            model.addStrainTetConstraint(a, b, c, d, 1.0, 1.0, False, True)
        return len(workload["tets"])
    raise ValueError(f"pypbd has nothing for workload kind {kind}")


class Peer:
    """One simulation: the process sets up one workload in its life."""

    def __init__(self, path):
        workload = read_workload(path)
        self.simulation = pypbd.Simulation.getCurrent()
        self.simulation.initDefault()
        self.model = self.simulation.getModel()
        particles = self.model.getParticles()
        # Rest lengths are taken from the positions at the time a constraint is added.
        for x in workload["rest"]:
            particles.addVertex(x)
        for i, w in enumerate(workload["inv_mass"]):
            particles.setMass(i, 0.0 if w == 0.0 else 1.0 / w)
        wanted = add_constraints(self.model, workload)
        self.constraints = len(self.model.getConstraints())
        if self.constraints != wanted:
            raise ValueError(f"pypbd created {self.constraints} constraints instead of {wanted}")
        # From here on the start is what `reset` returns to.
        for i, x in enumerate(workload["start"]):
            particles.setPosition0(i, x)
            particles.setPosition(i, x)
        self.particles = particles
        pypbd.TimeManager.getCurrent().setTimeStepSize(1e-6)
        self.stepper = self.simulation.getTimeStep()
        self.stepper.setValueUInt(pypbd.TimeStepController.NUM_SUB_STEPS, 1)
        self.model.initConstraintGroups()

    def reset(self):
        self.model.reset()

    def run(self, iterations):
        """Milliseconds of one step with that many iterations, from the start."""
        self.reset()
        self.stepper.setValueUInt(pypbd.TimeStepController.MAX_ITERATIONS, iterations)
        start = time.perf_counter()
        self.stepper.step(self.model)
        return (time.perf_counter() - start) * 1e3

    def dump(self, path):
        numpy.array(self.particles.getVertices(), "<f8").reshape(-1, 3).tofile(path)


def answer(peer, words):
    """Carries out one command; returns the peer and the line to answer."""
    if words[0] == "setup":
        peer = Peer(words[1])
        groups = len(peer.model.getConstraintGroups())
        return peer, f"ok {peer.constraints} constraints created, {groups} groups"
    if peer is None:
        raise ValueError("no workload: say `setup FILE` first")
    if words[0] == "reset":
        peer.reset()
        return peer, "ok"
    if words[0] == "run":
        return peer, f"ok {peer.run(int(words[1])):.6f}"
    if words[0] == "dump":
        peer.dump(words[1])
        return peer, "ok"
    raise ValueError(f"unknown command {words[0]}")


def main():
    peer = None
    for line in sys.stdin:
        words = line.split()
        if not words:
            continue
        if words[0] == "quit":
            break
        try:
            peer, reply = answer(peer, words)
        except Exception as problem:  # the harness reports it and goes on with the other peers
            reply = f"error {problem}"
        print(reply, flush=True)


main()
