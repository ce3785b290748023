//! Small sound files of every format, written here: the same tetrahedral surface, and the same
//! solid of two tets, in each.
//!
//! All numbers are exact in single precision, so they must come back as they are.

#![allow(dead_code)] // every test uses its part

use std::collections::BTreeMap;

use pliant_io::import::{Format, ImportError, Imported, Limits, read_bytes};

/// The corners of a closed tetrahedron.
pub const POINTS: [[f64; 3]; 4] =
    [[0.0, 0.0, 0.0], [1.5, 0.0, 0.25], [0.0, 2.0, -0.5], [0.125, 0.0, 3.0]];
/// Its faces, outwards.
pub const TRIANGLES: [[u32; 3]; 4] = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];

/// The points of a solid of two tets.
pub const NODES: [[f64; 3]; 5] =
    [[0.0, 0.0, 0.0], [1.5, 0.0, 0.25], [0.0, 2.0, -0.5], [0.125, 0.0, 3.0], [2.0, 2.0, 2.0]];
/// Its tets.
pub const TETS: [[u32; 4]; 2] = [[0, 1, 2, 3], [1, 2, 3, 4]];

/// A file: a name for messages, its format, its bytes, and the files beside it.
pub struct Sample {
    pub name: &'static str,
    pub format: Format,
    pub bytes: Vec<u8>,
    pub beside: BTreeMap<String, Vec<u8>>,
}

impl Sample {
    fn new(name: &'static str, format: Format, bytes: impl Into<Vec<u8>>) -> Self {
        Self { name, format, bytes: bytes.into(), beside: BTreeMap::new() }
    }

    pub fn read(&self) -> Result<Imported, ImportError> {
        self.read_changed(&self.bytes)
    }

    /// Reads other bytes in place of the file's own.
    pub fn read_changed(&self, bytes: &[u8]) -> Result<Imported, ImportError> {
        read_bytes(self.name, bytes, self.format, &Limits::default(), &self.beside)
    }
}

/// Surfaces: each is read as [`POINTS`] and [`TRIANGLES`], or as one point for each corner.
pub fn surfaces() -> Vec<Sample> {
    let (gltf, buffer) = gltf(Some("mesh%20data.bin"));
    let mut external = Sample::new("external.gltf", Format::Gltf, gltf);
    external.beside.insert("mesh data.bin".to_owned(), buffer);
    vec![
        Sample::new("text.obj", Format::Obj, obj()),
        Sample::new("text.ply", Format::Ply, ply_text()),
        Sample::new("little.ply", Format::Ply, ply_binary(false)),
        Sample::new("big.ply", Format::Ply, ply_binary(true)),
        Sample::new("text.stl", Format::Stl, stl_text()),
        Sample::new("binary.stl", Format::Stl, stl_binary()),
        Sample::new("embedded.gltf", Format::Gltf, gltf_embedded()),
        external,
        Sample::new("binary.glb", Format::Gltf, glb()),
        Sample::new("polydata.vtk", Format::Vtk, vtk_polydata()),
    ]
}

/// Solids: each is read as [`NODES`] and [`TETS`].
pub fn solids() -> Vec<Sample> {
    let [node, ele] = tetgen();
    let mut from_ele = Sample::new("two.ele", Format::TetgenEle, ele.clone());
    from_ele.beside.insert("two.node".to_owned(), node.clone().into());
    let mut from_node = Sample::new("two.node", Format::TetgenNode, node);
    from_node.beside.insert("two.ele".to_owned(), ele.into());
    vec![
        Sample::new("two.msh", Format::Msh, msh2_text()),
        Sample::new("two_binary.msh", Format::Msh, msh2_binary()),
        Sample::new("four.msh", Format::Msh, msh4_text()),
        Sample::new("four_binary.msh", Format::Msh, msh4_binary(false)),
        Sample::new("four_big.msh", Format::Msh, msh4_binary(true)),
        from_ele,
        from_node,
        Sample::new("text.vtk", Format::Vtk, vtk_text()),
        Sample::new("binary.vtk", Format::Vtk, vtk_binary()),
        Sample::new("offsets.vtk", Format::Vtk, vtk_offsets()),
        Sample::new("text.vtu", Format::Vtu, vtu(Layout::Text)),
        Sample::new("base64.vtu", Format::Vtu, vtu(Layout::Base64)),
        Sample::new("zlib.vtu", Format::Vtu, vtu(Layout::Zlib)),
        Sample::new("raw.vtu", Format::Vtu, vtu(Layout::Raw)),
        Sample::new("raw_zlib.vtu", Format::Vtu, vtu(Layout::RawZlib)),
    ]
}

pub fn all() -> Vec<Sample> {
    surfaces().into_iter().chain(solids()).collect()
}

fn line<T: ToString>(numbers: &[T]) -> String {
    numbers.iter().map(T::to_string).collect::<Vec<_>>().join(" ")
}

/// One line for each row, after a start.
fn rows<T: ToString, const N: usize>(start: &str, rows: &[[T; N]]) -> String {
    rows.iter().map(|row| format!("{start}{}\n", line(row))).collect()
}

fn obj() -> String {
    let faces = TRIANGLES.map(|t| t.map(|v| v + 1));
    format!("# a comment\no shape\n{}{}", rows("v ", &POINTS), rows("f ", &faces))
}

fn ply_header(format: &str) -> String {
    format!(
        "ply\nformat {format} 1.0\ncomment made here\nelement vertex 4\nproperty float x\n\
         property float y\nproperty float z\nproperty uchar red\nelement face 4\n\
         property list uchar int vertex_indices\nend_header\n"
    )
}

fn ply_text() -> String {
    let points: String = POINTS.iter().map(|p| format!("{} 255\n", line(p))).collect();
    format!("{}{points}{}", ply_header("ascii"), rows("3 ", &TRIANGLES))
}

fn ply_binary(big: bool) -> Vec<u8> {
    let name = if big { "binary_big_endian" } else { "binary_little_endian" };
    let mut bytes = ply_header(name).into_bytes();
    for p in POINTS {
        p.iter().for_each(|&x| put(&mut bytes, (x as f32).to_le_bytes(), big));
        bytes.push(255);
    }
    for t in TRIANGLES {
        bytes.push(3);
        t.iter().for_each(|&v| put(&mut bytes, v.to_le_bytes(), big));
    }
    bytes
}

fn put<const N: usize>(bytes: &mut Vec<u8>, mut number: [u8; N], big: bool) {
    if big {
        number.reverse();
    }
    bytes.extend(number);
}

fn stl_text() -> String {
    let mut text = String::from("solid the shape\n");
    for t in TRIANGLES {
        text += "facet normal 0 0 nan\nouter loop\n";
        text += &rows("vertex ", &t.map(|v| POINTS[v as usize]));
        text += "endloop\nendfacet\n";
    }
    text + "endsolid the shape\n"
}

fn stl_binary() -> Vec<u8> {
    // The word that marks a text, as some programs write it into binary files.
    let mut bytes = b"solid but binary".to_vec();
    bytes.resize(80, b' ');
    bytes.extend(4_u32.to_le_bytes());
    for t in TRIANGLES {
        bytes.extend([0; 12]);
        for v in t {
            POINTS[v as usize].iter().for_each(|&x| bytes.extend((x as f32).to_le_bytes()));
        }
        bytes.extend([0; 2]);
    }
    bytes
}

/// The description, with the buffer at an address, and the buffer.
pub fn gltf(uri: Option<&str>) -> (String, Vec<u8>) {
    let mut buffer = Vec::new();
    POINTS.as_flattened().iter().for_each(|&x| buffer.extend((x as f32).to_le_bytes()));
    TRIANGLES.as_flattened().iter().for_each(|&v| buffer.extend((v as u16).to_le_bytes()));
    let uri = uri.map_or(String::new(), |uri| format!("\"uri\":\"{uri}\","));
    let text = format!(
        r#"{{"asset":{{"version":"2.0"}},"scene":0,"scenes":[{{"nodes":[0]}}],
        "nodes":[{{"mesh":0,"name":"shape"}}],
        "meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}},"indices":1}}]}}],
        "accessors":[{{"bufferView":0,"componentType":5126,"count":4,"type":"VEC3"}},
        {{"bufferView":1,"componentType":5123,"count":12,"type":"SCALAR"}}],
        "bufferViews":[{{"buffer":0,"byteLength":48}},
        {{"buffer":0,"byteOffset":48,"byteLength":24}}],
        "buffers":[{{{uri}"byteLength":72}}]}}"#
    );
    (text, buffer)
}

fn gltf_embedded() -> String {
    let (_, buffer) = gltf(None);
    gltf(Some(&format!("data:application/octet-stream;base64,{}", base64(&buffer)))).0
}

fn glb() -> Vec<u8> {
    let (text, buffer) = gltf(None);
    glb_of(&text, &buffer)
}

pub fn glb_of(text: &str, buffer: &[u8]) -> Vec<u8> {
    let mut json = text.as_bytes().to_vec();
    json.resize(json.len().next_multiple_of(4), b' ');
    let total = 12 + 8 + json.len() + 8 + buffer.len();
    let mut bytes = b"glTF".to_vec();
    for number in [2, total as u32, json.len() as u32] {
        bytes.extend(number.to_le_bytes());
    }
    bytes.extend(b"JSON");
    bytes.extend(&json);
    bytes.extend((buffer.len() as u32).to_le_bytes());
    bytes.extend(b"BIN\0");
    bytes.extend(buffer);
    bytes
}

pub fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for three in bytes.chunks(3) {
        let bits = (0..3).fold(0, |bits, k| bits << 8 | u32::from(*three.get(k).unwrap_or(&0)));
        for k in 0..4 {
            let digit = DIGITS[(bits >> (18 - 6 * k) & 63) as usize] as char;
            text.push(if k <= three.len() { digit } else { '=' });
        }
    }
    text
}

fn vtk_polydata() -> String {
    format!(
        "# vtk DataFile Version 3.0\nshape\nASCII\nDATASET POLYDATA\nPOINTS 4 float\n{}\
         POLYGONS 4 16\n{}CELL_DATA 4\nSCALARS a int\n",
        rows("", &POINTS),
        rows("3 ", &TRIANGLES)
    )
}

fn msh2_text() -> String {
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

fn msh2_binary() -> Vec<u8> {
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

fn msh4_text() -> String {
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

fn msh4_binary(big: bool) -> Vec<u8> {
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

fn tetgen() -> [String; 2] {
    let numbered = |i: usize, p: &[f64; 3]| format!("{} {}\n", i + 1, line(p));
    let nodes: String = NODES.iter().enumerate().map(|(i, p)| numbered(i, p)).collect();
    let tet = |t: [u32; 4]| line(&t.map(|v| v + 1));
    let (a, b) = (tet(TETS[0]), tet(TETS[1]));
    [
        format!("# nodes\n5 3 0 0\n{nodes}# end\n"),
        format!("2 4 1\n 1 {a} 7 # region\n\n 2 {b} 0\n# end\n"),
    ]
}

fn vtk_start(encoding: &str) -> String {
    format!(
        "# vtk DataFile Version 3.0\ntwo tets\n{encoding}\nDATASET UNSTRUCTURED_GRID\n\
         POINTS 5 double\n"
    )
}

fn vtk_text() -> String {
    let (points, tets) = (rows("", &NODES), rows("4 ", &TETS));
    format!("{}{points}CELLS 3 14\n{tets}3 0 1 2\nCELL_TYPES 3\n10\n10\n5\n", vtk_start("ASCII"))
}

fn vtk_binary() -> Vec<u8> {
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

fn vtk_offsets() -> String {
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
enum Layout {
    Text,
    Base64,
    Zlib,
    Raw,
    RawZlib,
}

fn vtu(layout: Layout) -> Vec<u8> {
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
            Layout::Raw | Layout::RawZlib => {
                let offset = appended.len();
                appended.extend([header, data].concat());
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
        file.extend(b"<AppendedData encoding=\"raw\">\n_");
        file.extend(&appended);
        file.extend(b"\n</AppendedData>\n");
    }
    file.extend(b"</VTKFile>\n");
    file
}

/// The header and the data of an array: as it is, or in two compressed blocks.
fn blocks(data: &[u8], zlib: bool) -> [Vec<u8>; 2] {
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
