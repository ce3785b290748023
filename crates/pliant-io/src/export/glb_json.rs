//! JSON chunk of a GLB, which describes the layout of the binary chunk.

use serde_json::{Value, json};

/// Muted material colours, in linear light.
const COLORS: [[f64; 3]; 6] = [
    [0.67, 0.09, 0.065],
    [0.055, 0.22, 0.55],
    [0.065, 0.35, 0.19],
    [0.80, 0.43, 0.06],
    [0.24, 0.12, 0.41],
    [0.30, 0.33, 0.38],
];

/// Grey of colliders, in linear light.
const COLLIDER_COLOR: [f64; 3] = [0.30, 0.33, 0.38];

/// Regions of the binary chunk, each an accessor with its own buffer view. All components have four bytes, so
/// every region is aligned.
#[derive(Default)]
pub(crate) struct Data {
    accessors: Vec<Value>,
    views: Vec<Value>,
    bytes: u64,
}

impl Data {
    /// Current length of the binary chunk.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Adds an accessor of vertex indices.
    pub(crate) fn indices(&mut self, count: usize) -> usize {
        self.add(count * 4, Some(34963), json!({"type": "SCALAR", "componentType": 5125}), count)
    }

    /// Adds an accessor of texture coordinates.
    pub(crate) fn pairs(&mut self, count: usize) -> usize {
        self.add(count * 8, Some(34962), json!({"type": "VEC2", "componentType": 5126}), count)
    }

    /// Adds an accessor of positions, normals or their differences.
    pub(crate) fn vectors(&mut self, count: usize, low: [f32; 3], high: [f32; 3]) -> usize {
        let kind = json!({"type": "VEC3", "componentType": 5126, "min": low, "max": high});
        self.add(count * 12, Some(34962), kind, count)
    }

    /// Adds an accessor of animation values.
    pub(crate) fn scalars(&mut self, count: usize) -> usize {
        self.add(count * 4, None, json!({"type": "SCALAR", "componentType": 5126}), count)
    }

    /// Adds an accessor of increasing animation times \[s\].
    pub(crate) fn times(&mut self, times: &[f32]) -> usize {
        let (first, last) = (times.first().unwrap_or(&0.0), times.last().unwrap_or(&0.0));
        let kind = json!({"type": "SCALAR", "componentType": 5126, "min": [first], "max": [last]});
        self.add(times.len() * 4, None, kind, times.len())
    }

    /// Adds an image of `length` bytes, padded to `padded`; returns its buffer view.
    pub(crate) fn image(&mut self, length: usize, padded: usize) -> usize {
        let view = json!({"buffer": 0, "byteOffset": self.bytes, "byteLength": length});
        self.views.push(view);
        self.bytes += padded as u64;
        self.views.len() - 1
    }

    fn add(&mut self, bytes: usize, target: Option<u32>, mut kind: Value, count: usize) -> usize {
        let mut view = json!({"buffer": 0, "byteOffset": self.bytes, "byteLength": bytes});
        if let Some(target) = target {
            view["target"] = json!(target);
        }
        kind["bufferView"] = json!(self.views.len());
        kind["count"] = json!(count);
        self.views.push(view);
        self.accessors.push(kind);
        self.bytes += bytes as u64;
        self.accessors.len() - 1
    }
}

/// A body: names and accessor indices.
#[derive(Default)]
pub(crate) struct Body {
    pub name: String,
    /// Groups and their index accessors.
    pub parts: Vec<(Option<String>, usize)>,
    pub uvs: Option<usize>,
    pub lines: bool,
    /// True if the body is a collider.
    pub is_collider: bool,
    /// Colour of its materials, sRGB; by their number without one.
    pub color: Option<[u8; 3]>,
    /// Buffer view of its base colour texture.
    pub texture: Option<usize>,
    /// True if one frame represents the whole animation.
    pub still: bool,
    /// Accessors of the positions and normals of each frame; after the first frame, of their differences.
    pub frames: Vec<(usize, Option<usize>)>,
}

/// The complete JSON chunk. `animation` holds the accessors of times and weights.
pub(crate) fn document(data: &Data, bodies: &[Body], animation: Option<(usize, usize)>) -> String {
    let mut materials = Vec::new();
    let mut images = Vec::new();
    let meshes: Vec<Value> = bodies
        .iter()
        .map(|body| {
            let texture = body.texture.map(|view| {
                images.push(json!({"mimeType": "image/png", "bufferView": view}));
                images.len() - 1
            });
            mesh(body, texture, &mut materials)
        })
        .collect();
    let nodes: Vec<Value> =
        bodies.iter().enumerate().map(|(k, body)| json!({"name": body.name, "mesh": k})).collect();
    let all: Vec<usize> = (0..bodies.len()).collect();
    let mut document = json!({
        "asset": {"version": "2.0", "generator": "Pliant"},
        "scene": 0,
        "scenes": [{"nodes": all}],
        "nodes": nodes,
        "meshes": meshes,
        "materials": materials,
        "accessors": data.accessors,
        "bufferViews": data.views,
        "buffers": [{"byteLength": data.bytes}],
    });
    if !images.is_empty() {
        let textures = (0..images.len()).map(|source| json!({"source": source, "sampler": 0}));
        document["textures"] = textures.collect();
        document["images"] = json!(images);
        // Linear filters with mipmaps; the texture repeats.
        let sampler = json!({"magFilter": 9729, "minFilter": 9987, "wrapS": 10497, "wrapT": 10497});
        document["samplers"] = json!([sampler]);
    }
    let moving: Vec<usize> = all.into_iter().filter(|&k| !bodies[k].still).collect();
    if let Some((input, output)) = animation.filter(|_| !moving.is_empty()) {
        let channel =
            |node: &usize| json!({"sampler": 0, "target": {"node": node, "path": "weights"}});
        document["animations"] = json!([{
            "name": "Simulation",
            "samplers": [{"input": input, "output": output, "interpolation": "LINEAR"}],
            "channels": moving.iter().map(channel).collect::<Vec<Value>>(),
        }]);
    }
    document.to_string()
}

fn mesh(body: &Body, texture: Option<usize>, materials: &mut Vec<Value>) -> Value {
    let attributes = |&(position, normal): &(usize, Option<usize>)| {
        let mut attributes = json!({"POSITION": position});
        if let Some(normal) = normal {
            attributes["NORMAL"] = json!(normal);
        }
        attributes
    };
    let targets: Vec<Value> = body.frames.iter().skip(1).map(attributes).collect();
    let mut base = body.frames.first().map_or_else(|| json!({}), attributes);
    if let Some(uvs) = body.uvs {
        base["TEXCOORD_0"] = json!(uvs);
    }
    let mut primitives = Vec::new();
    for (name, indices) in &body.parts {
        let name = name.as_ref().unwrap_or(&body.name);
        let [r, g, b] = match body.color {
            // The texture contains the colours.
            _ if texture.is_some() => [1.0; 3],
            Some(color) => color.map(linear),
            None if body.is_collider => COLLIDER_COLOR,
            None => COLORS[materials.len() % COLORS.len()],
        };
        let mut surface = json!({
            "baseColorFactor": [r, g, b, 1.0], "metallicFactor": 0.0, "roughnessFactor": 0.75,
        });
        if let Some(texture) = texture {
            surface["baseColorTexture"] = json!({"index": texture});
        }
        materials.push(json!({
            "name": name, "doubleSided": true, "pbrMetallicRoughness": surface,
        }));
        let mut primitive = json!({
            "attributes": base,
            "indices": indices,
            "material": materials.len() - 1,
            "mode": if body.lines { 1 } else { 4 },
        });
        if !targets.is_empty() {
            primitive["targets"] = json!(targets);
        }
        primitives.push(primitive);
    }
    let mut mesh = json!({"name": body.name, "primitives": primitives});
    if !targets.is_empty() {
        let names: Vec<String> =
            (1..=targets.len()).map(|k| format!("frame_{:04}", k + 1)).collect();
        mesh["extras"] = json!({"targetNames": names});
    }
    mesh
}

/// Linear light of an sRGB value.
fn linear(value: u8) -> f64 {
    let s = f64::from(value) / 255.0;
    if s <= 0.04045 { s / 12.92 } else { pliant::math::pow((s + 0.055) / 1.055, 2.4) }
}
