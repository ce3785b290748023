//! What is drawn of a simulation: bodies in one numbering of vertices, where these are, how they stretch.
//!
//! A body of a file shows the file's vertices, as [`Skin`] has them. One that has torn shows its present
//! triangles, so that both sides of a tear are there. All other bodies show their own surface.

use std::collections::BTreeMap;

use pliant::math::Vec3;
use pliant::{BodyInfo, Model, Simulation};
use pliant_io::Embedding;
use pliant_io::skin::{Binding, Shape, Skin};

use crate::protocol::{BodyKind, DrawnBody, DrawnCollider};
use crate::setup::Setup;

/// How the vertices of a drawn body follow the simulation.
enum Follow {
    /// Each is a vertex of the present model.
    Vertices(Vec<u32>),
    /// Each is a point in a tetrahedron of the body's vertices, the first of which is given.
    Embedded(usize, Embedding),
}

/// What is drawn of a simulation until its topology changes.
pub(crate) struct Drawing {
    /// The bodies.
    pub bodies: Vec<DrawnBody>,
    follow: Vec<Follow>,
    /// The edges whose stretch is shown: vertices of the present model and the length at rest \[m\].
    edges: Vec<([u32; 2], f32)>,
    /// Of each drawn vertex, the vertex of the present model that moves it most.
    pub vertex_of: Vec<u32>,
    /// How many tears and bodies it was made for.
    made_for: (usize, usize),
}

impl Drawing {
    /// Looks at a simulation.
    pub fn new(setup: &Setup, sim: &Simulation) -> Self {
        let model = sim.model();
        let mut own = Self {
            bodies: Vec::new(),
            follow: Vec::new(),
            edges: edges(model),
            vertex_of: Vec::new(),
            made_for: made_for(sim),
        };
        for (b, info) in model.bodies().iter().enumerate() {
            let torn =
                !info.split.is_empty() || info.triangles != sim.whole().bodies()[b].triangles;
            let skin = match setup.base.skins.get(b).filter(|_| b < setup.base.model.bodies().len())
            {
                Some(skin) => skin.clone(),
                None => Skin::of_body(model, b),
            };
            let kind = kind_of(setup, info, b);
            match skin.binding {
                Binding::Embedded(embedding) => {
                    own.add_embedded(info, kind, &skin.shape, embedding)
                }
                Binding::Vertices(list) if !torn => {
                    own.add_skin(model, info, kind, &skin.shape, list)
                }
                _ => own.add_plain(info, kind),
            }
        }
        own
    }

    /// Whether a simulation has torn, or got bodies, since.
    pub fn is_stale(&self, sim: &Simulation) -> bool {
        self.made_for != made_for(sim)
    }

    fn begin(&self, info: &BodyInfo, kind: BodyKind, count: usize) -> DrawnBody {
        let thickness = info.touch.map_or(0.002, |t| 2.0 * t.radius) as f32;
        DrawnBody {
            name: info.name.clone(),
            kind,
            first: self.vertex_of.len() as u32,
            count: count as u32,
            thickness,
            ..DrawnBody::default()
        }
    }

    fn add_embedded(&mut self, info: &BodyInfo, kind: BodyKind, shape: &Shape, e: Embedding) {
        let mut body = self.begin(info, kind, e.vertices.len());
        show(&mut body, shape);
        let first = info.vertices.start;
        for (corners, weights) in e.vertices.iter().zip(&e.weights) {
            let most = (0..4).max_by(|&a, &b| weights[a].total_cmp(&weights[b])).unwrap_or(0);
            self.vertex_of.push(first as u32 + corners[most]);
        }
        self.bodies.push(body);
        self.follow.push(Follow::Embedded(first, e));
    }

    fn add_skin(
        &mut self,
        model: &Model,
        info: &BodyInfo,
        kind: BodyKind,
        shape: &Shape,
        list: Vec<u32>,
    ) {
        if matches!(shape, Shape::Strands(_)) {
            return self.add_lines(model, info, kind);
        }
        let list: Vec<u32> = list.iter().map(|v| v + info.vertices.start as u32).collect();
        let mut body = self.begin(info, kind, list.len());
        show(&mut body, shape);
        body.welds = welds(&list, body.first);
        self.vertex_of.extend_from_slice(&list);
        self.bodies.push(body);
        self.follow.push(Follow::Vertices(list));
    }

    /// A body of lines: its segments, or the springs between its vertices.
    fn add_lines(&mut self, model: &Model, info: &BodyInfo, kind: BodyKind) {
        let list: Vec<u32> = info.shown().map(|v| v as u32).collect();
        let mut body = self.begin(info, kind, list.len());
        let place: BTreeMap<u32, u32> =
            list.iter().zip(body.first..).map(|(&v, drawn)| (v, drawn)).collect();
        let mut pairs = info.segments.clone();
        if pairs.is_empty() {
            pairs = springs(model, info);
        }
        let drawn = |[a, b]: [u32; 2]| Some([*place.get(&a)?, *place.get(&b)?]);
        body.segments = pairs.into_iter().filter_map(drawn).collect();
        self.vertex_of.extend_from_slice(&list);
        self.bodies.push(body);
        self.follow.push(Follow::Vertices(list));
    }

    /// A body by its present triangles.
    fn add_plain(&mut self, info: &BodyInfo, kind: BodyKind) {
        let mut list: Vec<u32> = info.triangles.iter().flatten().copied().collect();
        list.sort_unstable();
        list.dedup();
        let mut body = self.begin(info, kind, list.len());
        let first = body.first;
        let number = |v: u32| first + list.partition_point(|&u| u < v) as u32;
        body.triangles = info.triangles.iter().map(|t| t.map(number)).collect();
        if let Some(uvs) = &info.uvs {
            let of = |&v: &u32| info.place(v as usize).and_then(|p| uvs.get(p)).copied();
            let single = |uv: [f64; 2]| uv.map(|c| c as f32);
            body.uvs = list.iter().map(|v| single(of(v).unwrap_or_default())).collect();
        }
        self.vertex_of.extend_from_slice(&list);
        self.bodies.push(body);
        self.follow.push(Follow::Vertices(list));
    }

    /// Where all drawn vertices are \[m\].
    pub fn positions(&self, sim: &Simulation) -> Vec<f32> {
        let x = &sim.state().positions;
        let at = |v: usize| x.get(v).map_or([0.0; 3], |p| [p[0], p[1], p[2]]);
        let mut out = Vec::with_capacity(3 * self.vertex_of.len());
        for follow in &self.follow {
            match follow {
                Follow::Vertices(list) => list.iter().for_each(|&v| out.extend(at(v as usize))),
                Follow::Embedded(first, e) => {
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

    /// The stretch of all drawn vertices: of the edges at each, that which changed its length most, relative
    /// to its length at rest.
    pub fn strain(&self, sim: &Simulation) -> Vec<f32> {
        let x = &sim.state().positions;
        let mut most = vec![0.0_f32; x.len()];
        for &([a, b], rest) in &self.edges {
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
        let mut out = Vec::with_capacity(self.vertex_of.len());
        for follow in &self.follow {
            match follow {
                Follow::Vertices(list) => out.extend(list.iter().map(|&v| of(v as usize))),
                Follow::Embedded(first, e) => {
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

fn made_for(sim: &Simulation) -> (usize, usize) {
    (sim.tears().len(), sim.model().bodies().len())
}

/// The kind of a body: by the scene's own lists, which come in this order; thrown balls are rigid.
fn kind_of(setup: &Setup, info: &BodyInfo, body: usize) -> BodyKind {
    if info.carried.is_some() {
        return BodyKind::Rigid;
    }
    let scene = &setup.base.description;
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

/// Triangles and texture coordinates of a surface whose vertices are the body's.
fn show(body: &mut DrawnBody, shape: &Shape) {
    let Shape::Surface(surface) = shape else { return };
    body.triangles = surface.triangles.iter().map(|t| t.map(|v| v + body.first)).collect();
    if let Some(uvs) = &surface.uvs {
        body.uvs = vec![[0.0; 2]; body.count as usize];
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

/// Of each drawn vertex the first that follows the same one; none where all are different.
fn welds(list: &[u32], first: u32) -> Vec<u32> {
    let mut seen = BTreeMap::new();
    let welds: Vec<u32> =
        list.iter().zip(first..).map(|(&v, drawn)| *seen.entry(v).or_insert(drawn)).collect();
    if seen.len() == list.len() { Vec::new() } else { welds }
}

/// The pairs of a body's vertices that an element of two joins, each once.
fn springs(model: &Model, info: &BodyInfo) -> Vec<[u32; 2]> {
    let mut pairs = Vec::new();
    for set in model.elements() {
        for e in 0..set.len() {
            if let &[a, b] = set.vertices(e)
                && info.place(a as usize).is_some()
                && info.place(b as usize).is_some()
            {
                pairs.push([a.min(b), a.max(b)]);
            }
        }
    }
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

/// The edges of all surfaces and strands with a length at rest, each once.
fn edges(model: &Model) -> Vec<([u32; 2], f32)> {
    let mut pairs = Vec::new();
    for info in model.bodies().iter().filter(|b| b.carried.is_none()) {
        for &[a, b, c] in &info.triangles {
            pairs.extend([[a, b], [b, c], [c, a]].map(|[p, q]| [p.min(q), p.max(q)]));
        }
        pairs.extend(info.segments.iter().map(|&[a, b]| [a.min(b), a.max(b)]));
        if info.triangles.is_empty() && info.segments.is_empty() {
            pairs.extend(springs(model, info));
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

/// The colliders of a setup as they are drawn at the start.
pub(crate) fn colliders(setup: &Setup) -> Vec<DrawnCollider> {
    let props = setup.base.skins.iter().filter_map(|s| s.shape.prop());
    let drawn = |prop: &pliant_io::prop::Prop| DrawnCollider {
        name: prop.surface.name.clone(),
        positions: prop.surface.positions.iter().flatten().map(|&c| c as f32).collect(),
        triangles: prop.surface.triangles.clone(),
        still: prop.still,
        endless: prop.endless,
        round: prop.round,
        closed: prop.closed,
    };
    props.map(drawn).collect()
}

/// Three rows of four numbers for each collider: what takes it from the start to a time \[s\].
pub(crate) fn collider_poses(model: &Model, time: f64) -> Vec<[f32; 12]> {
    let axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(Vec3::<f64>::of);
    let one = |collider: &pliant::contact::Collider| {
        if !collider.moves() {
            return [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0];
        }
        let (from, to) = (collider.pose(0.0), collider.pose(time));
        let image = |p: Vec3<f64>| to.place(from.local(p));
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

/// The corners of a box around all bodies and colliders that end somewhere \[m\].
pub(crate) fn bounds(model: &Model, colliders: &[DrawnCollider]) -> [[f32; 3]; 2] {
    let (mut low, mut high) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
    let mut add = |p: [f32; 3]| {
        for c in 0..3 {
            (low[c], high[c]) = (low[c].min(p[c]), high[c].max(p[c]));
        }
    };
    model.start_positions().iter().for_each(|p| add(p.map(|c| c as f32)));
    for collider in colliders.iter().filter(|c| !c.endless) {
        collider.positions.chunks_exact(3).for_each(|p| add([p[0], p[1], p[2]]));
    }
    [low, high]
}
