//! OBJ, PLY and STL.

use pliant_io::import::Problem::*;

use super::{Case, case, changed, find_bytes, mebibyte, noise, patched, valid_sample};

pub fn obj() -> Vec<Case> {
    let mut list = Vec::new();
    let with = |face: &str| format!("v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\n{face}\n");
    case!(list, Obj, "empty file", "", Empty);
    case!(list, Obj, "comments only", "# nothing\n\n", Empty);
    case!(list, Obj, "vertices only", "v 0 0 0\nv 1 0 0\n", Empty);
    case!(list, Obj, "binary garbage", noise(5000, 1), Syntax { .. });
    case!(list, Obj, "index 0", with("f 0 1 2"), Index { count: 3, .. });
    case!(list, Obj, "index out of range", with("f 1 2 4"), Index { count: 3, .. });
    case!(
        list,
        Obj,
        "vertex that comes later",
        "v 0 0 0\nv 1 0 0\nf 1 2 3\nv 0 1 0\n",
        Index { count: 2, .. }
    );
    case!(list, Obj, "index too far back", with("f -4 -2 -1"), Index { .. });
    case!(list, Obj, "index 2^63", with("f 1 2 9223372036854775808"), Number { .. });
    case!(list, Obj, "index 2^63 - 1", with("f 1 2 9223372036854775807"), Index { .. });
    case!(list, Obj, "index -2^63", with("f 1 2 -9223372036854775808"), Index { .. });
    case!(list, Obj, "index 2^32 + 1", with("f 1 2 4294967297"), Index { .. });
    case!(list, Obj, "index that is no number", with("f 1 2 x"), Number { .. });
    case!(list, Obj, "index without number", with("f 1 2 /1"), Number { .. });
    case!(list, Obj, "texture index 0", with("f 1/0 2/1 3/1"), Index { count: 1, .. });
    case!(list, Obj, "texture index out of range", with("f 1/1 2/1 3/2"), Index { .. });
    case!(list, Obj, "two corners", with("f 1 2"), Syntax { .. });
    case!(list, Obj, "face without corners", with("f"), Syntax { .. });
    case!(list, Obj, "NaN", "v 0 nan 0\n", NotFinite { .. });
    case!(list, Obj, "infinity", "v 0 -inf 0\n", NotFinite { .. });
    case!(list, Obj, "1e999", "v 0 0 1e999\n", NotFinite { .. });
    case!(list, Obj, "coordinate that is no number", "v 0 0x10 0\n", Number { .. });
    case!(list, Obj, "two coordinates", "v 0 1\n", Truncated { .. });
    case!(list, Obj, "texture NaN", "vt NaN 0\n", NotFinite { .. });
    case!(list, Obj, "word without end", vec![b'f'; 1 << 20], Empty);
    case!(
        list,
        Obj,
        "number without end",
        format!("v 0 0 {}", "9".repeat(1 << 20)),
        NotFinite { .. }
    );
    case!(list, Obj, "objects without end", mebibyte("o\n"), Empty);
    case!(list, Obj, "continued without end", mebibyte("\\\n"), Empty);
    let groups: String = (0..100_000).map(|i| format!(" {i}")).collect();
    let faces = "f 1 2 3\n".repeat(50_000);
    case!(
        list,
        Obj,
        "a hundred thousand groups for every face",
        with(&format!("g{groups}\n{faces}")),
        TooLarge { .. }
    );
    list
}

pub fn ply() -> Vec<Case> {
    let mut list = Vec::new();
    let text = |from: &str, to: &str| changed("text.ply", from, to);
    case!(list, Ply, "empty file", "", Syntax { .. });
    case!(list, Ply, "not a PLY file", "plyx\n", Syntax { .. });
    case!(list, Ply, "binary garbage", noise(5000, 2), Syntax { .. });
    case!(list, Ply, "header without end", "ply\nformat ascii 1.0\n", Truncated { .. });
    case!(list, Ply, "no format", text("format ascii 1.0\n", ""), Syntax { .. });
    case!(list, Ply, "unknown format", text("format ascii", "format ebcdic"), Unsupported { .. });
    case!(list, Ply, "unknown version", text("ascii 1.0", "ascii 7.0"), Syntax { .. });
    case!(list, Ply, "unknown type", text("float y", "quad y"), Syntax { .. });
    case!(
        list,
        Ply,
        "property before element",
        "ply\nformat ascii 1.0\nproperty float x\n",
        Syntax { .. }
    );
    case!(list, Ply, "element twice", text("element face 4", "element vertex 4"), Syntax { .. });
    case!(list, Ply, "no z", text("property float z\n", ""), Syntax { .. });
    case!(
        list,
        Ply,
        "vertices without properties",
        "ply\nformat ascii 1.0\nelement vertex 2\nend_header\n",
        Syntax { .. }
    );
    case!(list, Ply, "no faces", text("element face 4", "element face 0"), Empty);
    case!(list, Ply, "lying count", text("vertex 4", "vertex 4000000000"), Length { .. });
    case!(list, Ply, "count 2^64", text("vertex 4", "vertex 18446744073709551616"), Number { .. });
    case!(list, Ply, "negative count", text("vertex 4", "vertex -4"), Number { .. });
    case!(list, Ply, "one vertex too many", text("vertex 4", "vertex 5"), Truncated { .. });
    case!(
        list,
        Ply,
        "rows without properties",
        text(
            "element face 4\nproperty list uchar int vertex_indices",
            "element face 9000000000000000000"
        ),
        Empty
    );
    case!(list, Ply, "list as long as a lie", text("3 0 2 1", "2000000000 0 2 1"), Length { .. });
    case!(list, Ply, "negative list", text("3 0 2 1", "-1 0 2 1"), Number { .. });
    case!(list, Ply, "two corners", text("3 0 2 1\n", "2 0 2\n"), Syntax { .. });
    case!(list, Ply, "index out of range", text("3 0 2 1", "3 0 2 4"), Index { count: 4, .. });
    case!(list, Ply, "negative index", text("3 0 2 1", "3 0 -2 1"), Index { .. });
    case!(list, Ply, "NaN", text("1.5 0 0.25", "1.5 nan 0.25"), NotFinite { .. });
    case!(list, Ply, "1e999", text("1.5 0 0.25", "1e999 0 0.25"), NotFinite { .. });
    case!(list, Ply, "no number", text("1.5 0 0.25", "1.5 zero 0.25"), Number { .. });
    case!(list, Ply, "cut short", text("3 1 2 3\n", "3 1"), Length { .. });
    let start = find_bytes("little.ply", b"end_header\n") + 11;
    case!(
        list,
        Ply,
        "binary NaN",
        patched("little.ply", start, &f32::NAN.to_le_bytes()),
        NotFinite { .. }
    );
    case!(
        list,
        Ply,
        "binary index out of range",
        patched("little.ply", start + 4 * 13 + 1, &[4]),
        Index { .. }
    );
    case!(
        list,
        Ply,
        "binary index 2^31",
        patched("big.ply", start - 3 + 4 * 13 + 1, &[0x80]),
        Index { .. }
    );
    case!(
        list,
        Ply,
        "binary list as long as a lie",
        patched("little.ply", start + 4 * 13, &[255]),
        Length { .. }
    );
    let mut short = valid_sample("little.ply");
    short.truncate(start + 20);
    case!(list, Ply, "binary cut short", short, Length { .. });
    let many = (0..60_000).map(|i| format!("element e{i} 0\n")).collect::<String>();
    case!(
        list,
        Ply,
        "elements without end",
        format!("ply\nformat ascii 1.0\n{many}end_header\n"),
        TooLarge { .. }
    );
    list
}

pub fn stl() -> Vec<Case> {
    let mut list = Vec::new();
    let text = |from: &str, to: &str| changed("text.stl", from, to);
    case!(list, Stl, "empty file", "", Empty);
    case!(list, Stl, "solid of nothing", "solid a\nendsolid a\n", Empty);
    case!(list, Stl, "shorter than a header", "abc", Truncated { .. });
    case!(list, Stl, "binary garbage", noise(5000, 3), Length { .. });
    case!(list, Stl, "no facets", vec![0; 84], Empty);
    case!(
        list,
        Stl,
        "lying count",
        patched("binary.stl", 0, b"x")
            .iter()
            .copied()
            .enumerate()
            .map(|(i, b)| if (80..84).contains(&i) { 255 } else { b })
            .collect::<Vec<_>>(),
        Length { announced: 4_294_967_295, .. }
    );
    case!(
        list,
        Stl,
        "count too small",
        [vec![0; 80], vec![1, 0, 0, 0], vec![0; 100]].concat(),
        Length { .. }
    );
    case!(
        list,
        Stl,
        "binary NaN",
        patched("binary.stl", 84 + 12, &f32::NAN.to_le_bytes()),
        NotFinite { .. }
    );
    case!(
        list,
        Stl,
        "binary infinity",
        patched("binary.stl", 84 + 20, &f32::INFINITY.to_le_bytes()),
        NotFinite { .. }
    );
    case!(list, Stl, "no end of the solid", text("endsolid the shape\n", ""), Truncated { .. });
    case!(list, Stl, "facet without normal", text("facet normal", "facet"), Syntax { .. });
    case!(list, Stl, "two vertices", text("vertex 0 2 -0.5\n", ""), Syntax { .. });
    case!(
        list,
        Stl,
        "vertex of two numbers",
        text("vertex 0 2 -0.5\n", "vertex 0 2\n"),
        Number { .. }
    );
    case!(list, Stl, "NaN", text("0 2 -0.5", "0 nan -0.5"), NotFinite { .. });
    case!(list, Stl, "1e999", text("0 2 -0.5", "0 1e999 -0.5"), NotFinite { .. });
    case!(list, Stl, "no facet", text("facet", "face"), Syntax { .. });
    case!(list, Stl, "solids without end", mebibyte("solid\nendsolid\n"), Empty);
    list
}
