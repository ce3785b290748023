//! glTF and GLB.

use pliant_io::import::Problem::*;

use super::{Case, case, changed, find_bytes, mebibyte, noise, patched};
use crate::samples::glb_of;

/// A description of one mesh whose positions are zeros that no buffer holds.
fn zeros(count: u64, nodes: &str) -> String {
    format!(
        r#"{{"asset":{{"version":"2.0"}},"nodes":[{nodes}],
        "meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}}}}]}}],
        "accessors":[{{"componentType":5126,"count":{count},"type":"VEC3"}}]}}"#
    )
}

pub fn all() -> Vec<Case> {
    let mut list = Vec::new();
    containers(&mut list);
    buffers(&mut list);
    scenes(&mut list);
    list
}

fn containers(list: &mut Vec<Case>) {
    let length = find_bytes("binary.glb", b"JSON") - 4;
    case!(list, "gltf", "empty file", "", Syntax { .. });
    case!(list, "gltf", "binary garbage", noise(5000, 4), Syntax { .. });
    case!(list, "gltf", "not JSON", "{\"asset\":", Syntax { .. });
    case!(list, "gltf", "JSON of another shape", "[1,2]", Syntax { .. });
    case!(list, "gltf", "no asset", "{}", Unsupported { .. });
    case!(list, "gltf", "glTF 1.0", r#"{"asset":{"version":"1.0"}}"#, Unsupported { .. });
    case!(list, "gltf", "GLB 1", patched("binary.glb", 4, &[1]), Unsupported { .. });
    case!(list, "gltf", "nothing in it", r#"{"asset":{"version":"2.0"}}"#, Empty);
    case!(
        list,
        "gltf",
        "compressed",
        r#"{"asset":{"version":"2.0"},"extensionsRequired":["KHR_draco_mesh_compression"]}"#,
        Unsupported { .. }
    );
    case!(list, "gltf", "header only", "glTF", Truncated { .. });
    case!(list, "gltf", "lying file length", patched("binary.glb", 8, &[255; 4]), Length { .. });
    case!(
        list,
        "gltf",
        "lying part length",
        patched("binary.glb", length, &[255; 4]),
        Length { .. }
    );
    case!(
        list,
        "gltf",
        "no JSON part",
        patched("binary.glb", length + 4, b"JOSN"),
        Truncated { .. }
    );
    case!(list, "gltf", "depth of brackets", mebibyte("["), Syntax { .. });
    case!(
        list,
        "gltf",
        "depth in what is passed over",
        format!("{{\"extras\":{}", mebibyte("{\"a\":")),
        Syntax { .. }
    );
}

fn buffers(list: &mut Vec<Case>) {
    let text = |from: &str, to: &str| {
        let (json, buffer) = crate::samples::gltf(None);
        assert!(json.contains(from), "{from}");
        glb_of(&json.replacen(from, to, 1), &buffer)
    };
    let points = r#""componentType":5126,"count":4"#;
    let with = |to: &str| text(points, to);
    case!(
        list,
        "gltf",
        "count 2^63",
        with(r#""componentType":5126,"count":9223372036854775808"#),
        TooLarge { .. }
    );
    case!(
        list,
        "gltf",
        "count 2^64",
        with(r#""componentType":5126,"count":18446744073709551616"#),
        Syntax { .. }
    );
    case!(
        list,
        "gltf",
        "negative count",
        with(r#""componentType":5126,"count":-4"#),
        Syntax { .. }
    );
    case!(
        list,
        "gltf",
        "one vertex too many",
        with(r#""componentType":5126,"count":5"#),
        Length { .. }
    );
    case!(
        list,
        "gltf",
        "unknown component type",
        with(r#""componentType":5124,"count":4"#),
        Syntax { .. }
    );
    case!(
        list,
        "gltf",
        "offset 2^64 - 1",
        with(r#""byteOffset":18446744073709551615,"componentType":5126,"count":4"#),
        Length { .. }
    );
    case!(list, "gltf", "wrong shape", text("VEC3", "MAT4"), Syntax { .. });
    case!(
        list,
        "gltf",
        "fewer vertices than indices say",
        with(r#""componentType":5126,"count":3"#),
        Index { count: 3, .. }
    );
    case!(
        list,
        "gltf",
        "no such view",
        text(r#""bufferView":0"#, r#""bufferView":7"#),
        Index { count: 2, .. }
    );
    case!(
        list,
        "gltf",
        "no such buffer",
        text(r#""buffer":0"#, r#""buffer":1"#),
        Index { count: 1, .. }
    );
    case!(
        list,
        "gltf",
        "view beyond its buffer",
        text(r#""byteLength":48"#, r#""byteLength":4800"#),
        Length { .. }
    );
    case!(
        list,
        "gltf",
        "view offset 2^64 - 1",
        text(r#""byteOffset":48"#, r#""byteOffset":18446744073709551615"#),
        Length { .. }
    );
    case!(
        list,
        "gltf",
        "stride 2^63",
        text(r#""byteLength":48"#, r#""byteLength":48,"byteStride":9223372036854775808"#),
        Length { .. }
    );
    case!(
        list,
        "gltf",
        "lying buffer length",
        text(r#""byteLength":72"#, r#""byteLength":73"#),
        Length { .. }
    );
    case!(
        list,
        "gltf",
        "buffer without address",
        text(r#"{"byteLength":72}"#, r#"{"byteLength":72},{"byteLength":1}"#),
        Missing { .. }
    );
    case!(
        list,
        "gltf",
        "indices not by three",
        text(r#""count":12"#, r#""count":11"#),
        Syntax { .. }
    );
    case!(
        list,
        "gltf",
        "no such mode",
        text(r#""indices":1"#, r#""indices":1,"mode":9"#),
        Syntax { .. }
    );
    case!(
        list,
        "gltf",
        "no such accessor",
        text(r#""indices":1"#, r#""indices":99"#),
        Index { .. }
    );
    case!(
        list,
        "gltf",
        "no such material",
        text(r#""indices":1"#, r#""indices":1,"material":0"#),
        Index { .. }
    );
    case!(
        list,
        "gltf",
        "fewer texture coordinates",
        text(r#""POSITION":0"#, r#""POSITION":0,"TEXCOORD_0":1"#),
        Length { .. }
    );
    let data = find_bytes("binary.glb", b"BIN\0") + 4;
    case!(
        list,
        "gltf",
        "NaN",
        patched("binary.glb", data, &f32::NAN.to_le_bytes()),
        NotFinite { .. }
    );
    case!(list, "gltf", "index out of range", patched("binary.glb", data + 48, &[4]), Index { .. });
    case!(
        list,
        "gltf",
        "not base64",
        changed("embedded.gltf", "base64,AA", "base64,!!"),
        Syntax { .. }
    );
    case!(
        list,
        "gltf",
        "unknown encoding",
        changed("embedded.gltf", ";base64,", ";base32,"),
        Syntax { .. }
    );
    case!(
        list,
        "gltf",
        "other file is missing",
        changed("external.gltf", "mesh%20data.bin", "other.bin"),
        Missing { .. }
    );
    for path in [
        "../mesh.bin",
        "/etc/hostname",
        "a/../../b",
        "%2e%2e%2fb",
        "C:\\b",
        "file:///etc/hostname",
        "https://host/b",
    ] {
        let json = String::from_utf8(changed(
            "external.gltf",
            "mesh%20data.bin",
            &path.replace('\\', "\\\\"),
        ))
        .unwrap();
        case!(list, "gltf", "path out of the folder", json, Outside { .. });
    }
    // One file of 60 MiB, named by 1000 buffers.
    let many = vec![r#"{"uri":"b","byteLength":1}"#; 1000].join(",");
    case!(
        list,
        "gltf",
        "the same file a thousand times",
        format!(r#"{{"asset":{{"version":"2.0"}},"buffers":[{many}]}}"#),
        TooLarge { .. }
    );
    list.last_mut().unwrap().beside.insert("b".to_owned(), vec![0; 60 << 20]);
    let sparse = |count: u64, index: u8| {
        let json = format!(
            r#"{{"asset":{{"version":"2.0"}},
            "meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}}}}]}}],
            "accessors":[{{"componentType":5126,"count":3,"type":"VEC3","sparse":{{"count":{count},
            "indices":{{"bufferView":0,"componentType":5121}},"values":{{"bufferView":0}}}}}}],
            "bufferViews":[{{"buffer":0,"byteLength":12}}],"buffers":[{{"byteLength":12}}]}}"#
        );
        glb_of(&json, &[index; 12])
    };
    case!(list, "gltf", "more sparse rows than rows", sparse(4, 0), Length { .. });
    case!(list, "gltf", "sparse row out of range", sparse(1, 3), Index { count: 3, .. });
}

fn scenes(list: &mut Vec<Case>) {
    let nodes = |nodes: &str| {
        format!(
            r#"{{"asset":{{"version":"2.0"}},"scene":0,"scenes":[{{"nodes":[0]}}],"nodes":[{nodes}]}}"#
        )
    };
    case!(
        list,
        "gltf",
        "cyclic nodes",
        nodes(r#"{"children":[1]},{"children":[0]}"#),
        Cycle { node: 0 }
    );
    case!(
        list,
        "gltf",
        "node that is its own child",
        nodes(r#"{"children":[0]}"#),
        Cycle { node: 0 }
    );
    case!(
        list,
        "gltf",
        "node of two parents",
        nodes(r#"{"children":[1,2]},{"children":[2]},{}"#),
        Cycle { .. }
    );
    case!(
        list,
        "gltf",
        "the same child a hundred thousand times",
        nodes(&format!(r#"{{"children":[{}1]}},{{}}"#, "1,".repeat(100_000))),
        Cycle { node: 1 }
    );
    let chain: Vec<_> = (1..100_000).map(|i| format!("{{\"children\":[{i}]}}")).collect();
    case!(list, "gltf", "nodes 1e5 deep", nodes(&(chain.join(",") + ",{}")), TooDeep { .. });
    case!(list, "gltf", "no such child", nodes(r#"{"children":[7]}"#), Index { count: 1, .. });
    case!(
        list,
        "gltf",
        "no such scene",
        r#"{"asset":{"version":"2.0"},"scene":3,"nodes":[{}]}"#,
        Index { .. }
    );
    case!(list, "gltf", "no such mesh", nodes(r#"{"mesh":0}"#), Index { count: 0, .. });
    case!(list, "gltf", "negative node", nodes(r#"{"children":[-1]}"#), Syntax { .. });
    case!(
        list,
        "gltf",
        "translation of 1e999",
        nodes(r#"{"translation":[1e999,0,0]}"#),
        Syntax { .. }
    );
    case!(list, "gltf", "rotation of zero", nodes(r#"{"rotation":[0,0,0,0]}"#), Number { .. });
    case!(
        list,
        "gltf",
        "matrix of twelve",
        nodes(r#"{"matrix":[1,0,0,0,0,1,0,0,0,0,1,0]}"#),
        Syntax { .. }
    );
    let pair = r#"{"mesh":0,"scale":[1e300,1,1],"translation":[1e308,0,0],"children":[1]},{"scale":[1e300,1,1],"translation":[1e308,0,0],"mesh":0}"#;
    case!(list, "gltf", "scales beyond measure", zeros(3, pair), NotFinite { .. });
    case!(
        list,
        "gltf",
        "zeros without end",
        zeros(4_000_000_000, r#"{"mesh":0}"#),
        TooLarge { .. }
    );
    let many = vec![r#"{"mesh":0}"#; 90_000].join(",");
    case!(list, "gltf", "instances of a large mesh", zeros(999_999, &many), TooLarge { .. });
    let empty = vec!["{}"; 150_000].join(",");
    let half = vec![r#"{"mesh":0}"#; 50_000].join(",");
    case!(
        list,
        "gltf",
        "instances of a mesh of nothing",
        format!(
            r#"{{"asset":{{"version":"2.0"}},"nodes":[{half}],"meshes":[{{"primitives":[{empty}]}}]}}"#
        ),
        TooLarge { .. }
    );
    let name = "n".repeat(500_000);
    case!(
        list,
        "gltf",
        "a name of half a mebibyte, instanced",
        format!(
            r#"{{"asset":{{"version":"2.0"}},"nodes":[{half}],"meshes":[{{"name":"{name}"}}]}}"#
        ),
        Empty
    );
    case!(list, "gltf", "nodes without end", nodes(&(mebibyte("{},") + "{}")), Empty);
}
