//! Solids in every format.

use super::{NODES, TETS, base64, line, put, rows};

pub fn msh2_text() -> String {
    let numbered = |i: usize, p: &[f64; 3]| format!("{} {}\n", 10 * (i + 1), line(p));
    let nodes: String = NODES.iter().enumerate().map(|(i, p)| numbered(i, p)).collect();
    let tet = |t: [u32; 4]| line(&t.map(|v| 10 * (v + 1)));
    format!(
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n3 7 \"soft part\"\n\
         $EndPhysicalNames\n$Comments\nanything\n$EndComments\n$Nodes\n5\n{nodes}$EndNodes\n\
         $Elements\n3\n1 2 2 1 1 10 20 30\n2 4 2 7 1 {}\n3 4 2 0 1 {}\n$EndElements\n",
        tet(TETS[0]),
        tet(TETS[1])
    )
}

pub fn msh2_binary() -> Vec<u8> {
    let mut bytes = b"$MeshFormat\n2.2 1 8\n".to_vec();
    bytes.extend(1_u32.to_le_bytes());
    bytes.extend(b"\n$EndMeshFormat\n$Nodes\n5\n");
    for (i, p) in NODES.iter().enumerate() {
        bytes.extend((i as u32 + 1).to_le_bytes());
        p.iter().for_each(|x| bytes.extend(x.to_le_bytes()));
    }
    bytes.extend(b"\n$EndNodes\n$Elements\n2\n");
    for number in [4, 2, 2, 1, 7, 1, 1, 2, 3, 4, 2, 0, 1, 2, 3, 4, 5] {
        bytes.extend(u32::to_le_bytes(number));
    }
    bytes.extend(b"\n$EndElements\n");
    bytes
}

pub fn msh4_text() -> String {
    let tet = |t: [u32; 4]| line(&t.map(|v| v + 1));
    format!(
        "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n3 7 \"soft part\"\n\
         $EndPhysicalNames\n$Entities\n1 0 0 2\n1 0 0 0 0\n1 0 0 0 1 1 1 1 7 0\n\
         2 0 0 0 1 1 1 0 0\n$EndEntities\n$Nodes\n2 5 1 5\n0 1 0 1\n1\n{}3 1 0 4\n2\n3\n4\n5\n{}\
         $EndNodes\n$Elements\n2 2 1 2\n3 1 4 1\n1 {}\n3 2 4 1\n2 {}\n$EndElements\n",
        rows("", &NODES[..1]),
        rows("", &NODES[1..]),
        tet(TETS[0]),
        tet(TETS[1])
    )
}

pub fn msh4_binary(big: bool) -> Vec<u8> {
    let mut bytes = b"$MeshFormat\n4.1 1 8\n".to_vec();
    put(&mut bytes, 1_u32.to_le_bytes(), big);
    bytes.extend(b"\n$EndMeshFormat\n$Entities\n");
    let int = |bytes: &mut Vec<u8>, list: &[u32]| {
        list.iter().for_each(|n| put(bytes, n.to_le_bytes(), big));
    };
    let long = |bytes: &mut Vec<u8>, list: &[u64]| {
        list.iter().for_each(|n| put(bytes, n.to_le_bytes(), big));
    };
    let real = |bytes: &mut Vec<u8>, list: &[f64]| {
        list.iter().for_each(|n| put(bytes, n.to_le_bytes(), big));
    };
    long(&mut bytes, &[0, 0, 0, 1]);
    int(&mut bytes, &[1]);
    real(&mut bytes, &[0.0; 6]);
    long(&mut bytes, &[1]);
    int(&mut bytes, &[7]);
    long(&mut bytes, &[0]);
    bytes.extend(b"\n$EndEntities\n$Nodes\n");
    long(&mut bytes, &[1, 5, 1, 5]);
    int(&mut bytes, &[3, 1, 0]);
    long(&mut bytes, &[5, 1, 2, 3, 4, 5]);
    real(&mut bytes, NODES.as_flattened());
    bytes.extend(b"\n$EndNodes\n$Elements\n");
    long(&mut bytes, &[1, 2, 1, 2]);
    int(&mut bytes, &[3, 1, 4]);
    long(&mut bytes, &[2, 1, 1, 2, 3, 4, 2, 2, 3, 4, 5]);
    bytes.extend(b"\n$EndElements\n");
    bytes
}

pub fn tetgen() -> [String; 2] {
    let numbered = |i: usize, p: &[f64; 3]| format!("{} {}\n", i + 1, line(p));
    let nodes: String = NODES.iter().enumerate().map(|(i, p)| numbered(i, p)).collect();
    let tet = |t: [u32; 4]| line(&t.map(|v| v + 1));
    let (a, b) = (tet(TETS[0]), tet(TETS[1]));
    [
        format!("# nodes\n5 3 0 0\n{nodes}# end\n"),
        format!("2 4 1\n 1 {a} 7 # region\n\n 2 {b} 0\n# end\n"),
    ]
}

pub fn vtk_start(encoding: &str) -> String {
    format!(
        "# vtk DataFile Version 3.0\ntwo tets\n{encoding}\nDATASET UNSTRUCTURED_GRID\n\
         POINTS 5 double\n"
    )
}

pub fn vtk_text() -> String {
    let (points, tets) = (rows("", &NODES), rows("4 ", &TETS));
    format!("{}{points}CELLS 3 14\n{tets}3 0 1 2\nCELL_TYPES 3\n10\n10\n5\n", vtk_start("ASCII"))
}

pub fn vtk_binary() -> Vec<u8> {
    let mut bytes = vtk_start("BINARY").into_bytes();
    NODES.as_flattened().iter().for_each(|x| bytes.extend(x.to_be_bytes()));
    bytes.extend(b"\nCELLS 2 10\n");
    for t in TETS {
        bytes.extend(4_u32.to_be_bytes());
        t.iter().for_each(|v| bytes.extend(v.to_be_bytes()));
    }
    bytes.extend(b"\nCELL_TYPES 2\n");
    [10_u32, 10].iter().for_each(|k| bytes.extend(k.to_be_bytes()));
    bytes.extend(b"\n");
    bytes
}

pub fn vtk_offsets() -> String {
    format!(
        "# vtk DataFile Version 5.1\ntwo tets\nASCII\nDATASET UNSTRUCTURED_GRID\n\
         FIELD FieldData 1\nTIME 1 1 double\n0.5\nPOINTS 5 float\n{}METADATA\nINFORMATION 0\n\n\
         CELLS 3 8\nOFFSETS vtktypeint64\n0 4 8\nCONNECTIVITY vtktypeint64\n{}CELL_TYPES 2\n\
         10 10\n",
        rows("", &NODES),
        rows("", &TETS)
    )
}

#[derive(Clone, Copy, PartialEq)]
pub enum Layout {
    Text,
    Base64,
    Zlib,
    Raw,
    RawZlib,
    Appended,
}

pub fn vtu(layout: Layout) -> Vec<u8> {
    let zlib = matches!(layout, Layout::Zlib | Layout::RawZlib);
    let mut appended = Vec::new();
    let mut array = |name: &str, kind: &str, text: String, binary: Vec<u8>| {
        let start = format!("<DataArray type=\"{kind}\" Name=\"{name}\"");
        let [header, data] = blocks(&binary, zlib);
        match layout {
            Layout::Text => format!("{start} format=\"ascii\">\n{text}\n</DataArray>\n"),
            Layout::Base64 | Layout::Zlib => {
                let data = match zlib {
                    true => base64(&header) + &base64(&data),
                    false => base64(&[header, data].concat()),
                };
                format!("{start} format=\"binary\">\n  {data}\n</DataArray>\n")
            }
            Layout::Raw | Layout::RawZlib | Layout::Appended => {
                let (offset, data) = (appended.len(), [header, data].concat());
                let text = layout == Layout::Appended;
                appended.extend(if text { base64(&data).into_bytes() } else { data });
                format!("{start} format=\"appended\" offset=\"{offset}\"/>\n")
            }
        }
    };
    let bytes = |list: &[u32]| list.iter().flat_map(|n| n.to_le_bytes()).collect::<Vec<_>>();
    let points = NODES.as_flattened();
    let points =
        array("p", "Float64", line(points), points.iter().flat_map(|x| x.to_le_bytes()).collect());
    let tets = TETS.as_flattened();
    let connectivity = array("connectivity", "Int32", line(tets), bytes(tets));
    let offsets = array("offsets", "UInt32", "4 8".to_owned(), bytes(&[4, 8]));
    let types = array("types", "UInt8", "10 10".to_owned(), vec![10, 10]);
    let compressor = if zlib { " compressor=\"vtkZLibDataCompressor\"" } else { "" };
    let mut file = format!(
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"0.1\" \
         byte_order=\"LittleEndian\"{compressor}>\n<!-- two tets -->\n<UnstructuredGrid>\n\
         <Piece NumberOfPoints=\"5\" NumberOfCells=\"2\">\n<Points>\n{points}</Points>\n<Cells>\n\
         {connectivity}{offsets}{types}</Cells>\n</Piece>\n</UnstructuredGrid>\n"
    )
    .into_bytes();
    if !appended.is_empty() {
        let encoding = if layout == Layout::Appended { "base64" } else { "raw" };
        file.extend(format!("<AppendedData encoding=\"{encoding}\">\n_").into_bytes());
        file.extend(&appended);
        file.extend(b"\n</AppendedData>\n");
    }
    file.extend(b"</VTKFile>\n");
    file
}

/// The header and the data of an array: as it is, or in two compressed blocks.
pub fn blocks(data: &[u8], zlib: bool) -> [Vec<u8>; 2] {
    let number = |n: usize| (n as u32).to_le_bytes();
    if !zlib {
        return [number(data.len()).to_vec(), data.to_vec()];
    }
    let size = data.len().div_ceil(2);
    let pack = |part: &[u8]| miniz_oxide::deflate::compress_to_vec_zlib(part, 6);
    let [a, b] = [pack(&data[..size]), pack(&data[size..])];
    let header = [2, size, data.len() - size, a.len(), b.len()].map(number).as_flattened().to_vec();
    [header, [a, b].concat()]
}
