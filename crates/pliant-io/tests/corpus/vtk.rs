//! VTK, legacy and XML.

use pliant_io::import::Problem::*;

use super::{Case, case, changed, find_bytes, mebibyte, noise, patched, valid_sample};

pub fn all() -> Vec<Case> {
    let mut list = Vec::new();
    vtk(&mut list);
    vtu(&mut list);
    list
}

fn vtk(list: &mut Vec<Case>) {
    let text = |from: &str, to: &str| changed("text.vtk", from, to);
    case!(list, "vtk", "empty file", "", Syntax { .. });
    case!(list, "vtk", "binary garbage", noise(5000, 7), Syntax { .. });
    case!(list, "vtk", "header only", "# vtk DataFile Version 3.0\n", Truncated { .. });
    case!(list, "vtk", "unknown encoding", text("ASCII", "EBCDIC"), Syntax { .. });
    case!(list, "vtk", "images", text("UNSTRUCTURED_GRID", "STRUCTURED_POINTS"), Syntax { .. });
    case!(
        list,
        "vtk",
        "nothing in it",
        "# vtk DataFile Version 3.0\n\nASCII\nDATASET POLYDATA\n",
        Empty
    );
    case!(list, "vtk", "unknown section", text("CELLS", "SELLS"), Syntax { .. });
    case!(
        list,
        "vtk",
        "lying count of points",
        text("POINTS 5", "POINTS 5000000000"),
        Length { .. }
    );
    case!(list, "vtk", "points of no type", text("5 double", "5 quaternion"), Syntax { .. });
    case!(
        list,
        "vtk",
        "lying count of cells",
        text("CELLS 3 14", "CELLS 3000000000 14"),
        Length { .. }
    );
    case!(
        list,
        "vtk",
        "lying size of cells",
        text("CELLS 3 14", "CELLS 3 1400000000"),
        Length { .. }
    );
    case!(
        list,
        "vtk",
        "cell longer than the list",
        text("\n4 1 2 3 4", "\n9 1 2 3 4"),
        Length { .. }
    );
    case!(list, "vtk", "negative cell", text("\n4 1 2 3 4", "\n-4 1 2 3 4"), Length { .. });
    case!(
        list,
        "vtk",
        "index out of range",
        text("\n4 1 2 3 4", "\n4 1 2 3 5"),
        Index { count: 5, .. }
    );
    case!(list, "vtk", "negative index", text("\n4 1 2 3 4", "\n4 -1 2 3 4"), Index { .. });
    case!(list, "vtk", "types of other cells", text("CELL_TYPES 3", "CELL_TYPES 2"), Length { .. });
    case!(
        list,
        "vtk",
        "types without cells",
        "# vtk DataFile Version 3.0\n\nASCII\nDATASET UNSTRUCTURED_GRID\nCELL_TYPES 1\n10\n",
        Syntax { .. }
    );
    case!(list, "vtk", "no types", text("CELL_TYPES 3\n10\n10\n5\n", ""), Truncated { .. });
    case!(list, "vtk", "hexahedra", text("\n10\n10\n", "\n10\n12\n"), Unsupported { .. });
    case!(list, "vtk", "tet of three vertices", text("\n10\n10\n5", "\n10\n10\n10"), Syntax { .. });
    case!(list, "vtk", "NaN", text("1.5 0 0.25", "1.5 nan 0.25"), NotFinite { .. });
    case!(list, "vtk", "falling offsets", changed("offsets.vtk", "0 4 8", "0 8 4"), Index { .. });
    case!(
        list,
        "vtk",
        "offsets beyond the list",
        changed("offsets.vtk", "0 4 8", "0 4 9"),
        Index { .. }
    );
    case!(
        list,
        "vtk",
        "offset 2^62",
        changed("offsets.vtk", "0 4 8", "0 4 4611686018427387904"),
        Index { .. }
    );
    case!(
        list,
        "vtk",
        "no connectivity",
        changed("offsets.vtk", "CONNECTIVITY vtktypeint64", "POINTS"),
        Syntax { .. }
    );
    case!(
        list,
        "vtk",
        "field as long as a lie",
        changed("offsets.vtk", "TIME 1 1", "TIME 4294967296 4294967296"),
        Length { .. }
    );
    let data = find_bytes("binary.vtk", b"double\n") + 7;
    case!(
        list,
        "vtk",
        "binary infinity",
        patched("binary.vtk", data, &f64::INFINITY.to_be_bytes()),
        NotFinite { .. }
    );
}

fn vtu(list: &mut Vec<Case>) {
    let text = |from: &str, to: &str| changed("text.vtu", from, to);
    case!(list, "vtu", "empty file", "", Syntax { .. });
    case!(list, "vtu", "binary garbage", noise(5000, 8), Syntax { .. } | Truncated { .. });
    case!(list, "vtu", "another XML file", "<svg></svg>", Syntax { .. });
    case!(list, "vtu", "polygons", text("\"UnstructuredGrid\"", "\"PolyData\""), Syntax { .. });
    case!(list, "vtu", "nothing in it", "<VTKFile type=\"UnstructuredGrid\">", Empty);
    case!(
        list,
        "vtu",
        "tag without end",
        "<VTKFile type=\"UnstructuredGrid\"><Piece",
        Truncated { .. }
    );
    case!(
        list,
        "vtu",
        "tags 1e5 deep",
        format!("<VTKFile type=\"UnstructuredGrid\">{}", "<a>".repeat(100_000)),
        TooDeep { .. }
    );
    case!(
        list,
        "vtu",
        "other compression",
        text("byte_order", "compressor=\"vtkLZ4DataCompressor\" byte_order"),
        Unsupported { .. }
    );
    case!(list, "vtu", "no number of points", text("NumberOfPoints", "PointCount"), Number { .. });
    case!(
        list,
        "vtu",
        "lying number of points",
        text("NumberOfPoints=\"5\"", "NumberOfPoints=\"6\""),
        Length { .. }
    );
    case!(
        list,
        "vtu",
        "number of points 2^63",
        text("NumberOfPoints=\"5\"", "NumberOfPoints=\"9223372036854775808\""),
        TooLarge { .. }
    );
    case!(
        list,
        "vtu",
        "number of cells 2^64 - 1",
        text("NumberOfCells=\"2\"", "NumberOfCells=\"18446744073709551615\""),
        TooLarge { .. }
    );
    case!(list, "vtu", "no types", text("\"types\"", "\"tips\""), Truncated { .. });
    case!(list, "vtu", "falling offsets", text("4 8", "8 4"), Index { .. });
    case!(list, "vtu", "offset 1e18", text("4 8", "4 1000000000000000000"), Index { .. });
    case!(list, "vtu", "fewer vertices than offsets say", text("4 8", "4 9"), Length { .. });
    case!(list, "vtu", "index out of range", text("0 1 2 3 1", "0 1 2 5 1"), Index { .. });
    case!(list, "vtu", "negative index", text("0 1 2 3 1", "0 1 -2 3 1"), Index { .. });
    case!(list, "vtu", "hexahedra", text("10 10", "10 12"), Unsupported { .. });
    case!(list, "vtu", "NaN", text("1.5 0 0.25", "1.5 nan 0.25"), NotFinite { .. });
    case!(list, "vtu", "no number", text("1.5 0 0.25", "1.5 zero 0.25"), Number { .. });
    case!(
        list,
        "vtu",
        "unknown array format",
        changed("base64.vtu", "format=\"binary\"", "format=\"hex\""),
        Syntax { .. }
    );
    case!(
        list,
        "vtu",
        "unknown array type",
        changed("base64.vtu", "Float64", "Float128"),
        Syntax { .. }
    );
    case!(list, "vtu", "not base64", changed("base64.vtu", "\n  ", "\n  !"), Truncated { .. });
    case!(
        list,
        "vtu",
        "lying length of an array",
        patched("raw.vtu", find_bytes("raw.vtu", b"\n_") + 2, &[255; 4]),
        Truncated { .. }
    );
    case!(
        list,
        "vtu",
        "lying number of blocks",
        patched("raw_zlib.vtu", find_bytes("raw_zlib.vtu", b"\n_") + 2, &[255; 4]),
        Truncated { .. }
    );
    case!(
        list,
        "vtu",
        "damaged block",
        patched("raw_zlib.vtu", find_bytes("raw_zlib.vtu", b"\n_") + 2 + 20, &[0; 6]),
        Truncated { .. }
    );
    let offset = String::from_utf8_lossy(&valid_sample("raw.vtu")).find("offset=\"0\"").unwrap();
    case!(
        list,
        "vtu",
        "offset beyond the file",
        patched("raw.vtu", offset + 8, b"9"),
        Truncated { .. } | Length { .. }
    );
    case!(list, "vtu", "bomb", bomb(), TooLarge { .. });
    case!(list, "vtu", "blocks without end, again and again", empty_blocks(), TooLarge { .. });
    case!(
        list,
        "vtu",
        "pieces without end",
        format!(
            "<VTKFile type=\"UnstructuredGrid\">{}",
            mebibyte("<Piece NumberOfPoints='0' NumberOfCells='0'/>")
        ),
        Empty
    );
}

fn header(attributes: &str) -> String {
    format!("<VTKFile type=\"UnstructuredGrid\" compressor=\"vtkZLibDataCompressor\">{attributes}")
}

/// Points that unpack to a gibibyte of zeros.
fn bomb() -> Vec<u8> {
    let block = miniz_oxide::deflate::compress_to_vec_zlib(&vec![0; 32 << 20], 9);
    let numbers: Vec<u32> =
        [32, 32 << 20, 32 << 20].into_iter().chain([block.len() as u32; 32]).collect();
    let mut file = header(
        "<Piece NumberOfPoints=\"4000000\" NumberOfCells=\"1\"><Points><DataArray type=\"Float64\" \
         format=\"appended\" offset=\"0\"/></Points></Piece><AppendedData encoding=\"raw\">_",
    )
    .into_bytes();
    numbers.iter().for_each(|n| file.extend(n.to_le_bytes()));
    for _ in 0..32 {
        file.extend(&block);
    }
    file
}

/// Thousands of pieces that share an array of very many blocks, all of them empty but the last.
fn empty_blocks() -> Vec<u8> {
    let piece = "<Piece NumberOfPoints=\"1\" NumberOfCells=\"0\"><Points><DataArray type=\"Float64\" \
         format=\"appended\" offset=\"0\"/></Points></Piece>";
    let pack = |data: &[u8]| miniz_oxide::deflate::compress_to_vec_zlib(data, 6);
    let (empty, last) = (pack(b""), pack(&[0; 24]));
    let count = 40_000;
    let mut file =
        header(&format!("{}<AppendedData encoding=\"raw\">_", piece.repeat(4000))).into_bytes();
    let mut numbers = vec![count + 1, 24, 24];
    numbers.extend(vec![empty.len() as u32; count as usize]);
    numbers.push(last.len() as u32);
    numbers.iter().for_each(|n| file.extend(n.to_le_bytes()));
    (0..count).for_each(|_| file.extend(&empty));
    file.extend(&last);
    file
}
