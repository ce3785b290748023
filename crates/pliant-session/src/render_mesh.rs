//! Rendered geometry of a simulation: bodies in one numbering of vertices, their positions and their
//! strain.
//!
//! A body from a file shows the vertices of the file, through its [`Skin`]. A torn body shows its present
//! triangles, so that both sides of a tear are visible. All other bodies show their own surface.

use std::collections::BTreeMap;

use pliant::math::Vec3;
use pliant::{BodyInfo, Model, Simulation};
use pliant_io::skin::{Binding, Skin, SkinShape};
use pliant_io::{Embedding, Surface};

use crate::edited_scene::EditedScene;
use crate::protocol::{BodyKind, RenderAppearance, RenderBody, RenderCollider, RenderPattern};

/// Mapping from the simulation to the vertices of a drawn body.
enum VertexBinding {
    /// Each is a vertex of the present model.
    Vertices(Vec<u32>),
    /// Each is embedded in a tetrahedron of the body's vertices; the number is that of the body's first
    /// vertex.
    Embedded(usize, Embedding),
}

/// Rendered geometry of a simulation until its topology changes.
pub(crate) struct RenderMesh {
    /// The bodies.
    pub bodies: Vec<RenderBody>,
    bindings: Vec<VertexBinding>,
    /// Edges whose strain is shown: vertices of the present model and rest length \[m\].
    strain_edges: Vec<([u32; 2], f32)>,
    /// For each drawn vertex, the vertex of the present model with the largest influence on it.
    pub simulated_vertex: Vec<u32>,
    /// Counts of tears and of bodies for which it was built.
    topology_key: (usize, usize),
}

impl RenderMesh {
    /// Builds the geometry of a simulation.
    pub fn new(edited_scene: &EditedScene, sim: &Simulation) -> Self {
        let model = sim.model();
        let mut own = Self {
            bodies: Vec::new(),
            bindings: Vec::new(),
            strain_edges: rest_edges(model),
            simulated_vertex: Vec::new(),
            topology_key: topology_key(sim),
        };
        for (b, info) in model.bodies().iter().enumerate() {
            let torn = !info.split_vertices.is_empty()
                || info.triangles != sim.original_model().bodies()[b].triangles;
            let skin = match edited_scene
                .built
                .skins
                .get(b)
                .filter(|_| b < edited_scene.built.model.bodies().len())
            {
                Some(skin) => skin.clone(),
                None => Skin::of_body(model, b),
            };
            let kind = kind_of(edited_scene, info, b);
            let appearance = render_appearance(&skin.shape);
            match skin.binding {
                Binding::Embedded(embedding) => {
                    own.add_embedded(info, kind, &skin.shape, embedding)
                }
                Binding::Vertices(list) if !torn => {
                    own.add_skin(model, info, kind, &skin.shape, list)
                }
                _ => own.add_current_surface(info, kind),
            }
            if let Some(body) = own.bodies.last_mut() {
                body.appearance = appearance;
            }
        }
        own
    }

    /// True if the simulation has torn, or has gained bodies, since.
    pub fn is_stale(&self, sim: &Simulation) -> bool {
        self.topology_key != topology_key(sim)
    }

    fn new_body(&self, info: &BodyInfo, kind: BodyKind, count: usize) -> RenderBody {
        let thickness = info.contact_material.map_or(0.002, |t| 2.0 * t.radius) as f32;
        RenderBody {
            name: info.name.clone(),
            kind,
            first_vertex: self.simulated_vertex.len() as u32,
            vertex_count: count as u32,
            thickness,
            ..RenderBody::default()
        }
    }

    fn add_embedded(&mut self, info: &BodyInfo, kind: BodyKind, shape: &SkinShape, e: Embedding) {
        let mut body = self.new_body(info, kind, e.vertices.len());
        copy_surface(&mut body, shape);
        let first = info.vertices.start;
        for (corners, weights) in e.vertices.iter().zip(&e.weights) {
            let most = (0..4).max_by(|&a, &b| weights[a].total_cmp(&weights[b])).unwrap_or(0);
            self.simulated_vertex.push(first as u32 + corners[most]);
        }
        self.bodies.push(body);
        self.bindings.push(VertexBinding::Embedded(first, e));
    }

    fn add_skin(
        &mut self,
        model: &Model,
        info: &BodyInfo,
        kind: BodyKind,
        shape: &SkinShape,
        list: Vec<u32>,
    ) {
        if matches!(shape, SkinShape::Strands(_)) {
            return self.add_lines(model, info, kind);
        }
        let mut list: Vec<u32> = list.iter().map(|v| v + info.vertices.start as u32).collect();
        let mut body = self.new_body(info, kind, list.len());
        copy_surface(&mut body, shape);
        if let SkinShape::Surface(surface) = shape
            && surface.appearance.is_some_and(|a| a.pattern.is_some())
        {
            split_seams(&mut body, surface, &mut list);
        }
        body.welds = welds(&list, body.first_vertex);
        self.simulated_vertex.extend_from_slice(&list);
        self.bodies.push(body);
        self.bindings.push(VertexBinding::Vertices(list));
    }

    /// Adds a body of lines: its segments, or the springs between its vertices.
    fn add_lines(&mut self, model: &Model, info: &BodyInfo, kind: BodyKind) {
        let list: Vec<u32> = info.visible_vertices().map(|v| v as u32).collect();
        let mut body = self.new_body(info, kind, list.len());
        let place: BTreeMap<u32, u32> = list
            .iter()
            .zip(body.first_vertex..)
            .map(|(&v, render_vertex)| (v, render_vertex))
            .collect();
        let mut pairs = info.segments.clone();
        if pairs.is_empty() {
            pairs = spring_edges(model, info);
        }
        let render_vertex = |[a, b]: [u32; 2]| Some([*place.get(&a)?, *place.get(&b)?]);
        body.segments = pairs.into_iter().filter_map(render_vertex).collect();
        self.simulated_vertex.extend_from_slice(&list);
        self.bodies.push(body);
        self.bindings.push(VertexBinding::Vertices(list));
    }

    /// Adds a body by its present triangles.
    fn add_current_surface(&mut self, info: &BodyInfo, kind: BodyKind) {
        let mut list: Vec<u32> = info.triangles.iter().flatten().copied().collect();
        list.sort_unstable();
        list.dedup();
        let mut body = self.new_body(info, kind, list.len());
        let first = body.first_vertex;
        let number = |v: u32| first + list.partition_point(|&u| u < v) as u32;
        body.triangles = info.triangles.iter().map(|t| t.map(number)).collect();
        if let Some(uvs) = &info.uvs {
            let of = |&v: &u32| info.local_index(v as usize).and_then(|p| uvs.get(p)).copied();
            let single = |uv: [f64; 2]| uv.map(|c| c as f32);
            body.uvs = list.iter().map(|v| single(of(v).unwrap_or_default())).collect();
        }
        self.simulated_vertex.extend_from_slice(&list);
        self.bodies.push(body);
        self.bindings.push(VertexBinding::Vertices(list));
    }

    /// Positions of all drawn vertices \[m\].
    pub fn positions(&self, sim: &Simulation) -> Vec<f32> {
        let x = &sim.state().positions;
        let at = |v: usize| x.get(v).map_or([0.0; 3], |p| [p[0], p[1], p[2]]);
        let mut out = Vec::with_capacity(3 * self.simulated_vertex.len());
        for follow in &self.bindings {
            match follow {
                VertexBinding::Vertices(list) => {
                    list.iter().for_each(|&v| out.extend(at(v as usize)))
                }
                VertexBinding::Embedded(first, e) => {
                    for (corners, weights) in e.vertices.iter().zip(&e.weights) {
                        let mut p = [0.0; 3];
                        for (&v, w) in corners.iter().zip(weights) {
                            let q = at(first + v as usize);
                            (0..3).for_each(|c| p[c] += w * f64::from(q[c]));
                        }
                        out.extend(p.map(|c| c as f32));
                    }
                }
            }
        }
        out
    }

    /// Strain of all drawn vertices: of the edges at each, the relative length change of largest magnitude.
    pub fn strain(&self, sim: &Simulation) -> Vec<f32> {
        let x = &sim.state().positions;
        let mut most = vec![0.0_f32; x.len()];
        for &([a, b], rest) in &self.strain_edges {
            let (a, b) = (a as usize, b as usize);
            let (Some(p), Some(q)) = (x.get(a), x.get(b)) else { continue };
            let square: f32 = (0..3).map(|c| (p[c] - q[c]) * (p[c] - q[c])).sum();
            let strain = square.sqrt() / rest - 1.0;
            for v in [a, b] {
                if strain.abs() > most[v].abs() {
                    most[v] = strain;
                }
            }
        }
        let of = |v: usize| most.get(v).copied().unwrap_or(0.0);
        let mut out = Vec::with_capacity(self.simulated_vertex.len());
        for follow in &self.bindings {
            match follow {
                VertexBinding::Vertices(list) => out.extend(list.iter().map(|&v| of(v as usize))),
                VertexBinding::Embedded(first, e) => {
                    let all = e.vertices.iter().zip(&e.weights);
                    out.extend(all.map(|(corners, weights)| {
                        let terms = corners.iter().zip(weights);
                        terms.map(|(&v, w)| *w as f32 * of(first + v as usize)).sum::<f32>()
                    }));
                }
            }
        }
        out
    }
}

fn topology_key(sim: &Simulation) -> (usize, usize) {
    (sim.tears().len(), sim.model().bodies().len())
}

/// Kind of a body, from the scene's lists, which come in this order; thrown balls are rigid.
fn kind_of(edited_scene: &EditedScene, info: &BodyInfo, body: usize) -> BodyKind {
    if info.rigid_frame.is_some() {
        return BodyKind::Rigid;
    }
    let scene = &edited_scene.built.description;
    let kinds = [
        (scene.cloth.len(), BodyKind::Cloth),
        (scene.solid.len(), BodyKind::Solid),
        (scene.strand.len(), BodyKind::Strand),
        (scene.springs.len(), BodyKind::Springs),
        (scene.rigid.len(), BodyKind::Rigid),
        (scene.animated.len(), BodyKind::Animated),
    ];
    let mut end = 0;
    for (count, kind) in kinds {
        end += count;
        if body < end {
            return kind;
        }
    }
    BodyKind::Rigid
}

/// Copies triangles and texture coordinates of a surface whose vertices are those of the body.
fn copy_surface(body: &mut RenderBody, shape: &SkinShape) {
    let SkinShape::Surface(surface) = shape else { return };
    body.triangles = surface.triangles.iter().map(|t| t.map(|v| v + body.first_vertex)).collect();
    if let Some(uvs) = &surface.uvs {
        body.uvs = vec![[0.0; 2]; body.vertex_count as usize];
        for (triangle, corners) in surface.triangles.iter().zip(&uvs.corners) {
            for (&v, &uv) in triangle.iter().zip(corners) {
                let value = uvs.values.get(uv as usize).copied().unwrap_or_default();
                if let Some(place) = body.uvs.get_mut(v as usize) {
                    *place = value.map(|c| c as f32);
                }
            }
        }
    }
}

/// Duplicates the drawn vertices of a body that have several texture coordinates; `list` has the simulated vertex of
/// each drawn one.
fn split_seams(body: &mut RenderBody, surface: &Surface, list: &mut Vec<u32>) {
    let Some(uvs) = &surface.uvs else { return };
    let mut uv_of: Vec<Option<u32>> = vec![None; list.len()];
    let mut twins = BTreeMap::new();
    for (triangle, corners) in body.triangles.iter_mut().zip(&uvs.corners) {
        for (vertex, &uv) in triangle.iter_mut().zip(corners) {
            let own = (*vertex - body.first_vertex) as usize;
            if *uv_of[own].get_or_insert(uv) == uv {
                continue;
            }
            let twin = *twins.entry((own, uv)).or_insert_with(|| {
                list.push(list[own]);
                uv_of.push(Some(uv));
                list.len() - 1
            });
            *vertex = body.first_vertex + twin as u32;
        }
    }
    let value = |uv: Option<u32>| uv.and_then(|k| uvs.values.get(k as usize)).copied();
    body.uvs = uv_of.iter().map(|uv| value(*uv).unwrap_or_default().map(|c| c as f32)).collect();
    body.vertex_count = list.len() as u32;
}

/// Colours and pattern of a shape.
fn render_appearance(shape: &SkinShape) -> RenderAppearance {
    let appearance = shape.appearance().unwrap_or_default();
    RenderAppearance {
        color: appearance.color.map(|color| color.0),
        back: appearance.back.map(|color| color.0),
        pattern: appearance.pattern.map(|pattern| RenderPattern {
            kind: pattern.kind,
            color: pattern.color.0,
            repeat: pattern.repeat.map(|c| c as f32),
        }),
    }
}

/// For each drawn vertex, the first that follows the same vertex; empty if all are different.
fn welds(list: &[u32], first: u32) -> Vec<u32> {
    let mut seen = BTreeMap::new();
    let welds: Vec<u32> = list
        .iter()
        .zip(first..)
        .map(|(&v, render_vertex)| *seen.entry(v).or_insert(render_vertex))
        .collect();
    if seen.len() == list.len() { Vec::new() } else { welds }
}

/// Pairs of vertices joined by a two-vertex element of a body, each once.
fn spring_edges(model: &Model, info: &BodyInfo) -> Vec<[u32; 2]> {
    let mut pairs = Vec::new();
    for set in model.elements() {
        for e in 0..set.len() {
            if let &[a, b] = set.vertices(e)
                && info.local_index(a as usize).is_some()
                && info.local_index(b as usize).is_some()
            {
                pairs.push([a.min(b), a.max(b)]);
            }
        }
    }
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

/// Edges of all deformable surfaces, strands and spring networks with their rest lengths, each once.
fn rest_edges(model: &Model) -> Vec<([u32; 2], f32)> {
    let mut pairs = Vec::new();
    for info in model.bodies().iter().filter(|b| b.rigid_frame.is_none()) {
        for &[a, b, c] in &info.triangles {
            pairs.extend([[a, b], [b, c], [c, a]].map(|[p, q]| [p.min(q), p.max(q)]));
        }
        pairs.extend(info.segments.iter().map(|&[a, b]| [a.min(b), a.max(b)]));
        if info.triangles.is_empty() && info.segments.is_empty() {
            pairs.extend(spring_edges(model, info));
        }
    }
    pairs.sort_unstable();
    pairs.dedup();
    let rest = model.rest_positions();
    let long = |[a, b]: [u32; 2]| {
        let [p, q] = [rest[a as usize], rest[b as usize]].map(Vec3::<f64>::of);
        let length: f64 = (p - q).norm();
        (length > 0.0).then_some(([a, b], length as f32))
    };
    pairs.into_iter().filter_map(long).collect()
}

/// Colliders of an edited scene, as drawn at the start.
pub(crate) fn colliders(edited_scene: &EditedScene) -> Vec<RenderCollider> {
    let props = edited_scene.built.skins.iter().filter_map(|s| s.shape.collider_mesh());
    let render_collider = |collider: &pliant_io::collider_mesh::ColliderMesh| RenderCollider {
        name: collider.surface.name.clone(),
        positions: collider.surface.positions.iter().flatten().map(|&c| c as f32).collect(),
        triangles: collider.surface.triangles.clone(),
        is_static: collider.still,
        infinite: collider.infinite,
        smooth: collider.round,
        closed: collider.closed,
        color: collider.surface.appearance.and_then(|a| a.color).map(|color| color.0),
    };
    props.map(render_collider).collect()
}

/// Three rows of four numbers for each collider: the transform from the start to a time \[s\].
pub(crate) fn collider_poses(model: &Model, time: f64) -> Vec<[f32; 12]> {
    let axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(Vec3::<f64>::of);
    let one = |collider: &pliant::contact::Collider| {
        if !collider.is_moving() {
            return [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0];
        }
        let (from, to) = (collider.pose(0.0), collider.pose(time));
        let image = |p: Vec3<f64>| to.transform_point(from.inverse_transform_point(p));
        let origin = image(Vec3::zero());
        let columns = axes.map(|a| image(a) - origin);
        let row = |pick: fn(&Vec3<f64>) -> f64| {
            [&columns[0], &columns[1], &columns[2], &origin].map(|v| pick(v) as f32)
        };
        let rows = [row(|v| v.x), row(|v| v.y), row(|v| v.z)];
        std::array::from_fn(|k| rows[k / 4][k % 4])
    };
    model.colliders().iter().map(one).collect()
}

/// Corners of the bounding box of all bodies and finite colliders \[m\].
pub(crate) fn bounds(model: &Model, colliders: &[RenderCollider]) -> [[f32; 3]; 2] {
    let (mut low, mut high) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
    let mut add = |p: [f32; 3]| {
        for c in 0..3 {
            (low[c], high[c]) = (low[c].min(p[c]), high[c].max(p[c]));
        }
    };
    model.start_positions().iter().for_each(|p| add(p.map(|c| c as f32)));
    for collider in colliders.iter().filter(|c| !c.infinite) {
        collider.positions.chunks_exact(3).for_each(|p| add([p[0], p[1], p[2]]));
    }
    [low, high]
}
