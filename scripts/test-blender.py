"""Imports the export sample in Blender and compares vertex positions with the table beside it.

Called by scripts/test-blender with the folder of the sample.
"""

import csv
import pathlib
import sys

import bpy
import numpy as np

FRAMES = [0, 7, 19]
TOLERANCE = 1e-4  # of the size of the body


def read_table(path):
    """Positions by body and frame, and the frame rate."""
    table = {}
    with open(path, encoding="utf-8") as file:
        fps = float(next(file).split()[1])
        for body, frame, *position in csv.reader(file):
            table.setdefault((int(body), int(frame)), []).append([float(c) for c in position])
    return {key: np.array(rows) for key, rows in table.items()}, fps


def empty_scene(fps):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.context.scene.render.fps = round(fps)
    bpy.context.scene.render.fps_base = round(fps) / fps


def positions(item, frame, world):
    """Evaluated vertices at a frame; in world space if `world`, converted to y up."""
    bpy.context.scene.frame_set(int(frame), subframe=frame - int(frame))
    evaluated = item.evaluated_get(bpy.context.evaluated_depsgraph_get())
    if item.type in ("CURVES", "CURVE"):
        points = np.array([p.position[:] for p in evaluated.data.points])
    else:
        mesh = evaluated.to_mesh()
        points = np.empty(3 * len(mesh.vertices))
        mesh.vertices.foreach_get("co", points)
        points = points.reshape(-1, 3)
    if not world:
        return points
    matrix = np.array(evaluated.matrix_world)
    points = points @ matrix[:3, :3].T + matrix[:3, 3]
    return np.stack([points[:, 0], points[:, 2], -points[:, 1]], axis=1)


def compare(what, body, item, table, world, first=0, same_order=True):
    """Compares positions over the frames; false if the largest distance, relative to the size, is too large."""
    rest = table[body, 0]
    size = np.ptp(rest, axis=0).max()
    start = positions(item, first + FRAMES[0], world)
    if same_order:
        assert len(start) == len(rest), f"{what}: {len(start)} vertices instead of {len(rest)}"
        source = np.arange(len(rest))
    else:
        # Split and reordered vertices: each follows the one it started at.
        source = np.array([np.abs(rest - p).max(axis=1).argmin() for p in start])
        assert set(source) == set(range(len(rest))), f"{what}: vertices are missing"
    worst = 0.0
    for frame in FRAMES:
        found = positions(item, first + frame, world)
        worst = max(worst, np.abs(found - table[body, frame][source]).max() / size)
    moved = np.abs(table[body, FRAMES[-1]] - rest).max() / size
    good = worst < TOLERANCE
    print(f"{'ok  ' if good else 'FAIL'} {what}: error {worst:.1e} of the body size (motion {moved:.2f})")
    return good


def objects(kind):
    return sorted((o for o in bpy.data.objects if o.type in kind), key=lambda o: o.name)


def check_names(what, item, uvs=True):
    """The seam's texture coordinates and the groups, as materials."""
    names = sorted(slot.material.name.split(".")[0] for slot in item.material_slots)
    good = names == ["arm", "cuff"] and (not uvs or len(item.data.uv_layers) == 1)
    print(f"{'ok  ' if good else 'FAIL'} {what}: materials {names}, UVs {len(item.data.uv_layers)}")
    return good


def main(folder):
    table, fps = read_table(folder / "positions.csv")
    good = []

    empty_scene(fps)
    bpy.ops.import_scene.gltf(filepath=str(folder / "sample.glb"))
    tube, thread = objects(["MESH"])
    good.append(compare("GLB, cloth", 0, tube, table, True, same_order=False))
    good.append(compare("GLB, strand", 1, thread, table, True))
    good.append(check_names("GLB, cloth", tube))

    empty_scene(fps)
    bpy.ops.wm.usd_import(filepath=str(folder / "sample.usda"))
    (tube,) = objects(["MESH"])
    good.append(compare("USD, cloth", 0, tube, table, True))
    for curves in objects(["CURVES", "CURVE"]):
        good.append(compare("USD, strand", 1, curves, table, True))
    good.append(check_names("USD, cloth", tube))

    empty_scene(fps)
    bpy.ops.wm.obj_import(filepath=str(folder / "sample_0001.obj"), use_split_groups=False)
    (tube,) = objects(["MESH"])
    cache = tube.modifiers.new("cache", "MESH_CACHE")
    cache.cache_format = "PC2"
    cache.filepath = str(folder / "sample.pc2")
    cache.frame_start = 0
    good.append(compare("PC2 on OBJ, cloth", 0, tube, table, False))

    empty_scene(fps)
    bpy.ops.wm.ply_import(filepath=str(folder / "sample_0001.ply"))
    (tube,) = objects(["MESH"])
    still = {(0, frame): table[0, 0] for frame in FRAMES}
    good.append(compare("PLY, first frame", 0, tube, still, False))

    empty_scene(fps)
    bpy.ops.wm.stl_import(filepath=str(folder / "sample_0001.stl"))
    (tube,) = objects(["MESH"])
    # Corners at the same place are one vertex, in the order of the triangles.
    good.append(compare("STL, first frame", 0, tube, still, False, same_order=False))

    print(f"{sum(good)} passed, {len(good) - sum(good)} failed")
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve()))
