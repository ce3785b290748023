//! glTF 2.0: a tree of nodes with meshes, as JSON with buffers or as one binary file (GLB).
//!
//! Every node with a mesh gives one surface in scene coordinates, with its primitives in order, each a group
//! named after its material. Triangle lists, strips and fans are read; points and lines are ignored. Skins and
//! morph targets are ignored too: a body starts in the pose of its file's geometry. Buffers may be the binary
//! chunk, `data:` URIs, or files beside the file.

mod accessor;
mod json;
mod transform;

use super::cursor::{ByteOrder, name_of};
use super::error::excerpt;
use super::{Format, Groups, ImportError, Imported, Location, Problem, Source, base64};
use crate::surface::{Surface, Uvs};
use accessor::Document;
use json::{Mesh, Primitive, Root};
use transform::Affine;

/// Maximum node depth, far beyond any practical hierarchy.
const MAX_NODE_DEPTH: usize = 1000;

pub(super) const FORMAT: Format = Format {
    name: "glTF 2.0",
    extensions: &["gltf", "glb"],
    content: "triangles, texture coordinates, node transforms",
    read,
};

fn read(source: &Source) -> Result<Imported, ImportError> {
    let (text, binary) = container(source)?;
    let root: Root = serde_json::from_slice(text).map_err(|error| {
        let found = excerpt(error.to_string().as_bytes());
        let problem = Problem::Syntax { expected: "a glTF document", found };
        problem.at(source.file, Location::Line(error.line()))
    })?;
    refuse_unreadable(source, &root)?;
    let buffers = load_buffers(source, &root, binary)?;
    let document = Document { source, root, buffers };
    let placed = placed_meshes(&document)?;
    let mut surfaces = Vec::new();
    let mut total = Total::default();
    for (name, mesh, transform) in placed {
        surfaces.push(surface(&document, name, mesh, &transform, &mut total)?);
    }
    source.surfaces(surfaces)
}

/// Splits a file into its JSON and binary chunks.
fn container<'a>(source: &Source<'a>) -> Result<(&'a [u8], Option<&'a [u8]>), ImportError> {
    const WHAT: &str = "the header of a GLB file";
    let mut cursor = source.cursor();
    if !source.bytes.starts_with(b"glTF") {
        return Ok((source.bytes, None));
    }
    cursor.take(4, WHAT)?;
    let version = cursor.int(ByteOrder::Little, WHAT)?;
    if version != 2 {
        let problem = Problem::Unsupported {
            what: format!("GLB version {version}"),
            remedy: "export it as glTF 2.0",
        };
        return Err(cursor.byte_error(problem));
    }
    let announced = u64::from(cursor.int(ByteOrder::Little, WHAT)? as u32);
    let available = source.bytes.len() as u64;
    if announced > available {
        return Err(cursor.byte_error(Problem::Length { what: "bytes", announced, available }));
    }
    let mut parts = [None, None];
    // A chunk has a length, a type and its bytes. Unknown types may be skipped.
    while cursor.remaining() > 0 && parts[1].is_none() {
        let length = u64::from(cursor.int(ByteOrder::Little, WHAT)? as u32);
        let kind: [u8; 4] = cursor.raw(ByteOrder::Little, WHAT)?;
        let available = cursor.remaining() as u64;
        if length > available {
            let what = "bytes of a chunk";
            let problem = Problem::Length { what, announced: length, available };
            return Err(cursor.byte_error(problem));
        }
        let bytes = cursor.take(length as usize, WHAT)?;
        match &kind {
            b"JSON" if parts[0].is_none() => parts[0] = Some(bytes),
            b"BIN\0" => parts[1] = Some(bytes),
            _ => {}
        }
    }
    match parts {
        [Some(json), binary] => Ok((json, binary)),
        _ => Err(cursor.byte_error(Problem::Truncated { what: "a GLB file (no JSON chunk)" })),
    }
}

fn refuse_unreadable(source: &Source, root: &Root) -> Result<(), ImportError> {
    let refused = |what: String, remedy| Err(source.error(Problem::Unsupported { what, remedy }));
    if !root.asset.version.starts_with("2.") {
        let what = format!("glTF version {:?}", excerpt(root.asset.version.as_bytes()));
        return refused(what, "export it as glTF 2.0");
    }
    let compressed = |name: &&String| name.contains("draco") || name.contains("meshopt");
    match root.extensions_required.iter().find(compressed) {
        Some(name) => refused(excerpt(name.as_bytes()), "export it without mesh compression"),
        None => Ok(()),
    }
}

fn load_buffers(
    source: &Source,
    root: &Root,
    binary: Option<&[u8]>,
) -> Result<Vec<Vec<u8>>, ImportError> {
    let mut buffers = Vec::with_capacity(root.buffers.len());
    // Many buffers may name the same file, so the limit applies to the sum.
    let mut left = source.limits.bytes;
    for (i, buffer) in root.buffers.iter().enumerate() {
        let error =
            |problem: Problem| problem.at(source.file, Location::Item(format!("buffers[{i}]")));
        let mut bytes = match (&buffer.uri, binary) {
            (Some(uri), _) => content(source, uri, left).map_err(error)?,
            (None, Some(binary)) if i == 0 => binary.to_vec(),
            (None, _) => {
                let (reference, reason) = (String::new(), "the buffer has no URI".to_owned());
                return Err(error(Problem::Missing { reference, reason }));
            }
        };
        let (announced, available) = (buffer.byte_length, bytes.len() as u64);
        if announced > available {
            return Err(error(Problem::Length { what: "bytes", announced, available }));
        }
        bytes.truncate(announced as usize);
        left -= left.min(available);
        buffers.push(bytes);
    }
    Ok(buffers)
}

/// Content of a URI: inline data, or another file.
fn content(source: &Source, uri: &str, most: u64) -> Result<Vec<u8>, Problem> {
    let Some(data) = uri.strip_prefix("data:") else { return source.resolver.read(uri, most) };
    let text = data.split_once(";base64,").map(|(_, text)| text);
    text.and_then(|text| base64::decode(text.as_bytes()))
        .ok_or_else(|| Problem::Syntax { expected: "base64 data", found: excerpt(uri.as_bytes()) })
}

type Placed<'a> = (&'a str, &'a Mesh, Affine);

/// Meshes of the scene in tree order, each with its transform.
fn placed_meshes<'a>(document: &'a Document) -> Result<Vec<Placed<'a>>, ImportError> {
    let root = &document.root;
    // A mesh library without a scene.
    if root.nodes.is_empty() {
        return Ok(root.meshes.iter().map(|mesh| ("", mesh, Affine::default())).collect());
    }
    let mut placed = Vec::new();
    let mut met = vec![false; root.nodes.len()];
    let mut stack: Vec<_> =
        start_nodes(document)?.into_iter().rev().map(|n| (n, 1, Affine::default())).collect();
    while let Some((n, depth, above)) = stack.pop() {
        let item = || format!("nodes[{n}]");
        let node = document.entry(
            &root.nodes,
            n,
            "node",
            "the root nodes of the scene or the children of a node",
        )?;
        if std::mem::replace(&mut met[n], true) {
            return Err(document.error(item(), Problem::Cycle { node: n }));
        }
        if depth > MAX_NODE_DEPTH {
            let problem = Problem::TooDeep { what: "nodes", most: MAX_NODE_DEPTH };
            return Err(document.error(item(), problem));
        }
        let own = Affine::of(node).map_err(|problem| document.error(item(), problem))?;
        let here = above.then(&own);
        if let Some(mesh) = node.mesh {
            let mesh = document.entry(&root.meshes, mesh, "mesh", &item())?;
            placed.push((node.name.as_str(), mesh, here));
        }
        stack.extend(node.children.iter().rev().map(|&child| (child, depth + 1, here)));
    }
    Ok(placed)
}

/// Root nodes of the default scene.
fn start_nodes(document: &Document) -> Result<Vec<usize>, ImportError> {
    let root = &document.root;
    if let Some(scene) = root.scene.or((!root.scenes.is_empty()).then_some(0)) {
        return Ok(document.entry(&root.scenes, scene, "scene", "scene")?.nodes.clone());
    }
    let mut top = vec![true; root.nodes.len()];
    for &child in root.nodes.iter().flat_map(|node| &node.children) {
        if let Some(top) = top.get_mut(child) {
            *top = false;
        }
    }
    Ok((0..top.len()).filter(|&n| top[n]).collect())
}

/// Total size of all surfaces: an instance adds nothing to the file, but much to memory.
#[derive(Default)]
struct Total {
    vertices: usize,
    cells: usize,
}

fn surface(
    document: &Document,
    name: &str,
    mesh: &Mesh,
    transform: &Affine,
    total: &mut Total,
) -> Result<Surface, ImportError> {
    let name = [name, &mesh.name].into_iter().find(|name| !name.is_empty());
    let name = name.map_or_else(|| document.source.stem(), |name| name_of(name.as_bytes()));
    let mut result = Surface { name, ..Surface::default() };
    let (mut uvs, mut textured, mut groups) = (Vec::new(), false, Groups::default());
    for (p, primitive) in mesh.primitives.iter().enumerate() {
        // An empty primitive takes time as well, in every instance of its mesh.
        total.cells += 1;
        document.source.check_cells(total.cells)?;
        // Points, lines and primitives without positions are skipped.
        let Some(&position) = primitive.attributes.get("POSITION") else { continue };
        if primitive.mode.unwrap_or(4) < 4 {
            continue;
        }
        let by = format!("{:?}, primitives[{p}]", excerpt(mesh.name.as_bytes()));
        let triangles = triangles(document, primitive, position, &by, total)?;
        let first = result.positions.len();
        let points = document.rows(position, &by)?;
        result.positions.extend(points.into_iter().map(|p| transform.point(p)));
        let group = material_name(document, primitive, &by)?.map(|name| groups.named(name));
        for mut triangle in triangles {
            // A mirrored mesh is inside out.
            if transform.mirrors() {
                triangle.swap(1, 2);
            }
            group.iter().for_each(|&group| groups.add(group, result.triangles.len()));
            result.triangles.push(triangle.map(|v| v + first as u32));
        }
        if let Some(&uv) = primitive.attributes.get("TEXCOORD_0") {
            let (announced, available) = (result.positions.len() - first, document.count(uv, &by)?);
            if announced != available {
                let (announced, available) = (announced as u64, available as u64);
                let what = "texture coordinates";
                return Err(document.error(by, Problem::Length { what, announced, available }));
            }
            uvs.extend(document.rows(uv, &by)?.into_iter().map(|[u, v]: [f64; 2]| [u, 1.0 - v]));
            textured = true;
        }
        uvs.resize(result.positions.len(), [0.0; 2]);
    }
    if let Some(p) = result.positions.iter().find(|p| !p.iter().all(|x| x.is_finite())) {
        let problem = Problem::NotFinite { what: "transformed position", found: format!("{p:?}") };
        return Err(document.error(excerpt(result.name.as_bytes()), problem));
    }
    result.uvs = textured.then(|| Uvs { values: uvs, corners: result.triangles.clone() });
    result.groups = groups.finish();
    Ok(result)
}

/// Triangles of a primitive, as indices of its own vertices.
fn triangles(
    document: &Document,
    primitive: &Primitive,
    position: usize,
    by: &str,
    total: &mut Total,
) -> Result<Vec<[u32; 3]>, ImportError> {
    let vertices = document.count(position, by)?;
    total.vertices = total.vertices.saturating_add(vertices);
    document.source.check_vertices(total.vertices)?;
    let corners = primitive.indices.map_or(Ok(vertices), |i| document.count(i, by))?;
    let cells = if primitive.mode.unwrap_or(4) == 4 { corners / 3 } else { corners };
    total.cells = total.cells.saturating_add(cells);
    document.source.check_cells(total.cells)?;

    let indices: Vec<u32> = match primitive.indices {
        None => (0..vertices as u32).collect(),
        Some(i) => document.rows(i, by)?.into_iter().map(|[x]: [f64; 1]| x as u32).collect(),
    };
    if let Some(index) = indices.iter().find(|&&v| v as usize >= vertices) {
        let (found, count) = (index.to_string(), vertices);
        return Err(document.error(by, Problem::Index { what: "vertex", found, count }));
    }
    let refused =
        |found: String, expected| Err(document.error(by, Problem::Syntax { expected, found }));
    Ok(match primitive.mode.unwrap_or(4) {
        4 if !indices.len().is_multiple_of(3) => {
            return refused(format!("{} indices", indices.len()), "three indices per triangle");
        }
        4 => indices.as_chunks().0.to_vec(),
        5 => {
            // Every second triangle of a strip is reversed.
            let triple = |(k, w): (usize, &[u32])| [w[0], w[1 + k % 2], w[2 - k % 2]];
            indices.windows(3).enumerate().map(triple).collect()
        }
        6 => super::fan(&indices).collect(),
        other => return refused(other.to_string(), "a primitive mode from 0 to 6"),
    })
}

fn material_name(
    document: &Document,
    primitive: &Primitive,
    by: &str,
) -> Result<Option<String>, ImportError> {
    let Some(m) = primitive.material else { return Ok(None) };
    let material = document.entry(&document.root.materials, m, "material", by)?;
    let name = name_of(material.name.as_bytes());
    Ok(Some(if name.is_empty() { format!("material {m}") } else { name }))
}
