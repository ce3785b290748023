//! OBJ, OFF, PLY and STL.

use pliant_io::import::Problem::*;

use super::{Case, case, changed, find_bytes, mebibyte, noise, patched, valid_sample};

pub fn obj() -> Vec<Case> {
    let mut list = Vec::new();
    let with = |face: &str| format!("v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\n{face}\n");
    case!(list, "obj", "empty file", "", Empty);
    case!(list, "obj", "comments only", "# nothing\n\n", Empty);
    case!(list, "obj", "vertices only", "v 0 0 0\nv 1 0 0\n", Empty);
    case!(list, "obj", "binary garbage", noise(5000, 1), Syntax { .. });
    case!(list, "obj", "index 0", with("f 0 1 2"), Index { count: 3, .. });
    case!(list, "obj", "index out of range", with("f 1 2 4"), Index { count: 3, .. });
    case!(
        list,
        "obj",
        "vertex that comes later",
        "v 0 0 0\nv 1 0 0\nf 1 2 3\nv 0 1 0\n",
        Index { count: 2, .. }
    );
    case!(list, "obj", "index too far back", with("f -4 -2 -1"), Index { .. });
    case!(list, "obj", "index 2^63", with("f 1 2 9223372036854775808"), Number { .. });
    case!(list, "obj", "index 2^63 - 1", with("f 1 2 9223372036854775807"), Index { .. });
    case!(list, "obj", "index -2^63", with("f 1 2 -9223372036854775808"), Index { .. });
    case!(list, "obj", "index 2^32 + 1", with("f 1 2 4294967297"), Index { .. });
    case!(list, "obj", "index that is no number", with("f 1 2 x"), Number { .. });
    case!(list, "obj", "index without number", with("f 1 2 /1"), Number { .. });
    case!(list, "obj", "texture index 0", with("f 1/0 2/1 3/1"), Index { count: 1, .. });
    case!(list, "obj", "texture index out of range", with("f 1/1 2/1 3/2"), Index { .. });
    case!(list, "obj", "two corners", with("f 1 2"), Syntax { .. });
    case!(list, "obj", "face without corners", with("f"), Syntax { .. });
    case!(list, "obj", "NaN", "v 0 nan 0\n", NotFinite { .. });
    case!(list, "obj", "infinity", "v 0 -inf 0\n", NotFinite { .. });
    case!(list, "obj", "1e999", "v 0 0 1e999\n", NotFinite { .. });
    case!(list, "obj", "coordinate that is no number", "v 0 0x10 0\n", Number { .. });
    case!(list, "obj", "two coordinates", "v 0 1\n", Truncated { .. });
    case!(list, "obj", "texture NaN", "vt NaN 0\n", NotFinite { .. });
    case!(list, "obj", "word without end", vec![b'f'; 1 << 20], Empty);
    case!(
        list,
        "obj",
        "number without end",
        format!("v 0 0 {}", "9".repeat(1 << 20)),
        NotFinite { .. }
    );
    case!(list, "obj", "objects without end", mebibyte("o\n"), Empty);
    case!(list, "obj", "continued without end", mebibyte("\\\n"), Empty);
    let groups: String = (0..100_000).map(|i| format!(" {i}")).collect();
    let faces = "f 1 2 3\n".repeat(50_000);
    case!(
        list,
        "obj",
        "a hundred thousand groups for every face",
        with(&format!("g{groups}\n{faces}")),
        TooLarge { .. }
    );
    list
}

pub fn off() -> Vec<Case> {
    let mut list = Vec::new();
    let text = |from: &str, to: &str| changed("surface.off", from, to);
    case!(list, "off", "empty file", "", Truncated { .. });
    case!(list, "off", "comments only", "# nothing\n", Truncated { .. });
    case!(list, "off", "no keyword", "ON\n1 1 0\n", Syntax { .. });
    case!(list, "off", "binary", "OFF BINARY\n", Unsupported { .. });
    case!(list, "off", "four dimensions", text("OFF", "4OFF"), Unsupported { .. });
    case!(list, "off", "any dimension", text("OFF", "nOFF"), Unsupported { .. });
    case!(list, "off", "no counts", "OFF\n", Truncated { .. });
    case!(list, "off", "one count", text("4 4 6", "4"), Number { .. });
    case!(list, "off", "negative count", text("4 4 6", "-4 4 6"), Number { .. });
    case!(list, "off", "count 2^64", text("4 4 6", "18446744073709551616 4 6"), Number { .. });
    case!(list, "off", "lying vertices", text("4 4 6", "400 4 6"), Length { .. });
    case!(list, "off", "lying faces", text("4 4 6", "4 4000000000 6"), Length { .. });
    case!(list, "off", "one face too many", text("4 4 6", "4 5 6"), Truncated { .. });
    case!(list, "off", "one vertex too many", text("4 4 6", "5 4 6"), Truncated { .. });
    case!(list, "off", "no faces", text("4 4 6", "4 0 0"), Empty);
    case!(list, "off", "two coordinates", text("0 2 -0.5", "0 2"), Number { .. });
    case!(list, "off", "NaN", text("0 2 -0.5", "0 nan -0.5"), NotFinite { .. });
    case!(list, "off", "1e999", text("0 2 -0.5", "0 1e999 -0.5"), NotFinite { .. });
    case!(list, "off", "no texture coordinates", text("OFF", "STOFF"), Syntax { .. });
    case!(list, "off", "two corners", text("3 0 2 1", "2 0 2"), Syntax { .. });
    case!(list, "off", "too many corners", text("3 0 2 1", "9999999999 0 2 1"), TooLarge { .. });
    case!(list, "off", "lying corners", text("3 1 2 3", "4 1 2 3"), Number { .. });
    case!(list, "off", "index out of range", text("3 0 2 1", "3 0 2 4"), Index { count: 4, .. });
    case!(list, "off", "negative index", text("3 0 2 1", "3 0 -2 1"), Index { .. });
    case!(list, "off", "letters without end", mebibyte("C"), Syntax { .. });
    list
}

pub fn ply() -> Vec<Case> {
    let mut list = Vec::new();
    let text = |from: &str, to: &str| changed("text.ply", from, to);
    case!(list, "ply", "empty file", "", Syntax { .. });
    case!(list, "ply", "not a PLY file", "plyx\n", Syntax { .. });
    case!(list, "ply", "binary garbage", noise(5000, 2), Syntax { .. });
    case!(list, "ply", "header without end", "ply\nformat ascii 1.0\n", Truncated { .. });
    case!(list, "ply", "no format", text("format ascii 1.0\n", ""), Syntax { .. });
    case!(list, "ply", "unknown format", text("format ascii", "format ebcdic"), Unsupported { .. });
    case!(list, "ply", "unknown version", text("ascii 1.0", "ascii 7.0"), Syntax { .. });
    case!(list, "ply", "unknown type", text("float y", "quad y"), Syntax { .. });
    case!(
        list,
        "ply",
        "property before element",
        "ply\nformat ascii 1.0\nproperty float x\n",
        Syntax { .. }
    );
    case!(list, "ply", "element twice", text("element face 4", "element vertex 4"), Syntax { .. });
    case!(list, "ply", "no z", text("property float z\n", ""), Syntax { .. });
    case!(
        list,
        "ply",
        "vertices without properties",
        "ply\nformat ascii 1.0\nelement vertex 2\nend_header\n",
        Syntax { .. }
    );
    case!(list, "ply", "no faces", text("element face 4", "element face 0"), Empty);
    case!(list, "ply", "lying count", text("vertex 4", "vertex 4000000000"), Length { .. });
    case!(
        list,
        "ply",
        "count 2^64",
        text("vertex 4", "vertex 18446744073709551616"),
        Number { .. }
    );
    case!(list, "ply", "negative count", text("vertex 4", "vertex -4"), Number { .. });
    case!(list, "ply", "one vertex too many", text("vertex 4", "vertex 5"), Truncated { .. });
    case!(
        list,
        "ply",
        "rows without properties",
        text(
            "element face 4\nproperty list uchar int vertex_indices",
            "element face 9000000000000000000"
        ),
        Empty
    );
    case!(list, "ply", "list as long as a lie", text("3 0 2 1", "2000000000 0 2 1"), Length { .. });
    case!(list, "ply", "negative list", text("3 0 2 1", "-1 0 2 1"), Number { .. });
    case!(list, "ply", "two corners", text("3 0 2 1\n", "2 0 2\n"), Syntax { .. });
    case!(list, "ply", "index out of range", text("3 0 2 1", "3 0 2 4"), Index { count: 4, .. });
    case!(list, "ply", "negative index", text("3 0 2 1", "3 0 -2 1"), Index { .. });
    case!(list, "ply", "NaN", text("1.5 0 0.25", "1.5 nan 0.25"), NotFinite { .. });
    case!(list, "ply", "1e999", text("1.5 0 0.25", "1e999 0 0.25"), NotFinite { .. });
    case!(list, "ply", "no number", text("1.5 0 0.25", "1.5 zero 0.25"), Number { .. });
    case!(list, "ply", "cut short", text("3 1 2 3\n", "3 1"), Length { .. });
    let start = find_bytes("little.ply", b"end_header\n") + 11;
    case!(
        list,
        "ply",
        "binary NaN",
        patched("little.ply", start, &f32::NAN.to_le_bytes()),
        NotFinite { .. }
    );
    case!(
        list,
        "ply",
        "binary index out of range",
        patched("little.ply", start + 4 * 13 + 1, &[4]),
        Index { .. }
    );
    case!(
        list,
        "ply",
        "binary index 2^31",
        patched("big.ply", start - 3 + 4 * 13 + 1, &[0x80]),
        Index { .. }
    );
    case!(
        list,
        "ply",
        "binary list as long as a lie",
        patched("little.ply", start + 4 * 13, &[255]),
        Length { .. }
    );
    let mut short = valid_sample("little.ply");
    short.truncate(start + 20);
    case!(list, "ply", "binary cut short", short, Length { .. });
    let many = (0..60_000).map(|i| format!("element e{i} 0\n")).collect::<String>();
    case!(
        list,
        "ply",
        "elements without end",
        format!("ply\nformat ascii 1.0\n{many}end_header\n"),
        TooLarge { .. }
    );
    list
}

pub fn stl() -> Vec<Case> {
    let mut list = Vec::new();
    let text = |from: &str, to: &str| changed("text.stl", from, to);
    case!(list, "stl", "empty file", "", Empty);
    case!(list, "stl", "solid of nothing", "solid a\nendsolid a\n", Empty);
    case!(list, "stl", "shorter than a header", "abc", Truncated { .. });
    case!(list, "stl", "binary garbage", noise(5000, 3), Length { .. });
    case!(list, "stl", "no facets", vec![0; 84], Empty);
    case!(
        list,
        "stl",
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
        "stl",
        "count too small",
        [vec![0; 80], vec![1, 0, 0, 0], vec![0; 100]].concat(),
        Length { .. }
    );
    case!(
        list,
        "stl",
        "binary NaN",
        patched("binary.stl", 84 + 12, &f32::NAN.to_le_bytes()),
        NotFinite { .. }
    );
    case!(
        list,
        "stl",
        "binary infinity",
        patched("binary.stl", 84 + 20, &f32::INFINITY.to_le_bytes()),
        NotFinite { .. }
    );
    case!(list, "stl", "no end of the solid", text("endsolid the shape\n", ""), Truncated { .. });
    case!(list, "stl", "facet without normal", text("facet normal", "facet"), Syntax { .. });
    case!(list, "stl", "two vertices", text("vertex 0 2 -0.5\n", ""), Syntax { .. });
    case!(
        list,
        "stl",
        "vertex of two numbers",
        text("vertex 0 2 -0.5\n", "vertex 0 2\n"),
        Number { .. }
    );
    case!(list, "stl", "NaN", text("0 2 -0.5", "0 nan -0.5"), NotFinite { .. });
    case!(list, "stl", "1e999", text("0 2 -0.5", "0 1e999 -0.5"), NotFinite { .. });
    case!(list, "stl", "no facet", text("facet", "face"), Syntax { .. });
    case!(list, "stl", "solids without end", mebibyte("solid\nendsolid\n"), Empty);
    list
}
