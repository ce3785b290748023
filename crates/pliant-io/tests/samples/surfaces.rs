//! Surfaces in every format.

use super::{POINTS, TRIANGLES, base64, line, put, rows};

pub fn obj() -> String {
    let faces = TRIANGLES.map(|t| t.map(|v| v + 1));
    format!("# a comment\no shape\n{}{}", rows("v ", &POINTS), rows("f ", &faces))
}

pub fn ply_header(format: &str) -> String {
    format!(
        "ply\nformat {format} 1.0\ncomment made here\nelement vertex 4\nproperty float x\n\
         property float y\nproperty float z\nproperty uchar red\nelement face 4\n\
         property list uchar int vertex_indices\nend_header\n"
    )
}

pub fn ply_text() -> String {
    let points: String = POINTS.iter().map(|p| format!("{} 255\n", line(p))).collect();
    format!("{}{points}{}", ply_header("ascii"), rows("3 ", &TRIANGLES))
}

pub fn ply_binary(big: bool) -> Vec<u8> {
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

pub fn stl_text() -> String {
    let mut text = String::from("solid the shape\n");
    for t in TRIANGLES {
        text += "facet normal 0 0 nan\nouter loop\n";
        text += &rows("vertex ", &t.map(|v| POINTS[v as usize]));
        text += "endloop\nendfacet\n";
    }
    text + "endsolid the shape\n"
}

pub fn stl_binary() -> Vec<u8> {
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

pub fn gltf_embedded() -> String {
    let (_, buffer) = gltf(None);
    gltf(Some(&format!("data:application/octet-stream;base64,{}", base64(&buffer)))).0
}

pub fn glb() -> Vec<u8> {
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

pub fn vtk_polydata() -> String {
    format!(
        "# vtk DataFile Version 3.0\nshape\nASCII\nDATASET POLYDATA\nPOINTS 4 float\n{}\
         POLYGONS 4 16\n{}CELL_DATA 4\nSCALARS a int\n",
        rows("", &POINTS),
        rows("3 ", &TRIANGLES)
    )
}
