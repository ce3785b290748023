//! Tearing: which edges give way, and how that is written down.
//!
//! Two ways, one for each paper:
//!
//! ```text
//! split   an edge longer than allowed picks one of its ends; the plane through that vertex perpendicular
//!         to the edge parts the triangles around it, and those beyond it get a vertex of their own
//!                                                                Position Based Dynamics §5
//! break   an edge longer than allowed loses its constraints, and the triangles beside it are open
//!                                                                Projective Dynamics §7.1
//! ```
//!
//! What happened is a list of [`Tear`]s, which is part of the state; the model with the tears in it follows
//! from the whole one and that list alone (`torn.rs`).

use crate::Error;
use crate::build::{Body, ModelBuilder};
use crate::linalg::Followed;
use crate::math::Vec3;
use crate::model::Model;
use crate::simd::Point;
use crate::system::Precision;
use crate::torn::{Sheet, Topology};

/// How a body gives way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TearMode {
    /// Vertices split, and the surface opens between triangles: Position Based Dynamics §5.
    #[default]
    Split,
    /// Constraints of edges vanish, with the triangles beside them: Projective Dynamics §7.1. No vertex is
    /// added, and a factor is brought up to date by downdates where that is cheaper.
    Break,
}

/// When a body tears, and how.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tearing {
    /// The longest that an edge gets, in parts of its length at rest; above 1.
    pub stretch: f64,
    /// What gives way.
    pub mode: TearMode,
    /// Edges that give way in one step, at most; the longest first. The rest sees what that relieved.
    pub most: usize,
}

/// Edges that give way in a step unless set.
const MOST: usize = 64;

impl Tearing {
    /// Vertices split where an edge is longer than this many times its length at rest.
    pub fn split(stretch: f64) -> Self {
        Self { stretch, mode: TearMode::Split, most: MOST }
    }

    /// Edges break that are longer than this many times their length at rest.
    pub fn breaking(stretch: f64) -> Self {
        Self { stretch, mode: TearMode::Break, most: MOST }
    }

    /// The same with another number of edges at most in one step.
    pub fn most(self, most: usize) -> Self {
        Self { most, ..self }
    }

    fn validate(&self) -> Result<(), Error> {
        let refuse =
            |field, value, remedy| Err(Error::Quantity { name: "tearing", field, value, remedy });
        if !(self.stretch > 1.0 && self.stretch.is_finite()) {
            return refuse("stretch", self.stretch, "give a finite length above 1");
        }
        if self.most == 0 {
            return refuse("number of edges", 0.0, "let at least one give way in a step");
        }
        Ok(())
    }
}

/// One thing that gave way, by the numbers of the whole model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tear {
    /// A triangle no longer hangs together with its neighbour along a side.
    Sever {
        /// The body.
        body: u32,
        /// The triangle, by its place in the body's list.
        triangle: u32,
        /// The side: from corner `side` to the next.
        side: u32,
    },
    /// The edge between two vertices is gone.
    Break {
        /// The body.
        body: u32,
        /// The vertices, ascending.
        edge: [u32; 2],
    },
}

impl Tear {
    /// As two words of a snapshot.
    pub(crate) fn words(&self) -> [u64; 2] {
        match *self {
            Self::Sever { body, triangle, side } => {
                [u64::from(body), u64::from(triangle) << 2 | u64::from(side)]
            }
            Self::Break { body, edge } => {
                [1 << 32 | u64::from(body), u64::from(edge[0]) << 32 | u64::from(edge[1])]
            }
        }
    }

    /// Of two words of a snapshot; none where they say nothing.
    pub(crate) fn of_words([head, rest]: [u64; 2]) -> Option<Self> {
        let body = head as u32;
        match head >> 32 {
            0 => {
                let triangle = u32::try_from(rest >> 2).ok()?;
                Some(Self::Sever { body, triangle, side: (rest & 3) as u32 })
            }
            1 => Some(Self::Break { body, edge: [(rest >> 32) as u32, rest as u32] }),
            _ => None,
        }
    }
}

/// What gave way in a step or by a cut.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TearReport {
    /// Edges along which two triangles came apart.
    pub severed: usize,
    /// Vertices that are new.
    pub split: usize,
    /// Edges whose constraints vanished.
    pub broken: usize,
    /// Elements that are no more: those across a tear, and those of broken edges.
    pub removed: usize,
    /// How a factor was brought up to date; none where the solver was made ready anew.
    pub followed: Option<Followed>,
}

impl TearReport {
    /// Whether anything gave way.
    pub fn is_empty(&self) -> bool {
        self.severed + self.broken == 0
    }
}

impl ModelBuilder {
    /// Lets a cloth or a net tear. The last word on a body counts.
    ///
    /// It refuses bodies that are neither, and nets without triangles unless their edges break.
    pub fn tear(&mut self, body: &Body, tearing: Tearing) -> Result<(), Error> {
        tearing.validate()?;
        let info = &mut self.model.bodies[body.index];
        let surface = !info.triangles.is_empty();
        if !info.sheet || (tearing.mode == TearMode::Split && !surface) {
            return Err(Error::NoSheet { body: info.name.clone() });
        }
        info.tearing = Some(tearing);
        Ok(())
    }
}

/// Refuses bodies whose edges should break and have no constraints of their own.
pub(crate) fn check_edges(model: &Model) -> Result<(), Error> {
    for body in &model.bodies {
        let own = |v: &u32| body.vertices.contains(&(*v as usize));
        let edge = |v: &[u32]| v.len() == 2 && v.iter().all(own);
        let sets = || model.elements.iter();
        let breaks = body.tearing.is_some_and(|t| t.mode == TearMode::Break);
        if breaks && !sets().any(|set| (0..set.len()).any(|e| edge(set.vertices(e)))) {
            return Err(Error::NothingToBreak { body: body.name.clone() });
        }
    }
    Ok(())
}

/// An edge that is too long: by how much, and which.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate {
    pub ratio: f64,
    /// The side of a triangle (three times its number plus the side), or the place among watched edges.
    pub key: u32,
}

impl Topology {
    /// Lists what is stretched too far at `x`, and then what gives way for it in `tears`.
    pub(crate) fn give_way<S: Precision>(&mut self, x: &[Point<S>], tears: &mut Vec<Tear>) {
        let mut found = std::mem::take(&mut self.found);
        let whole = self.whole().clone();
        for (b, info) in whole.bodies().iter().enumerate() {
            let Some(tearing) = &info.tearing else { continue };
            found.clear();
            match tearing.mode {
                TearMode::Split => self.long_sides(b, tearing.stretch, x, &mut found),
                TearMode::Break => self.long_edges(b, tearing.stretch, x, &mut found),
            }
            if found.is_empty() {
                continue;
            }
            found.sort_by(|p, q| q.ratio.total_cmp(&p.ratio).then(p.key.cmp(&q.key)));
            match tearing.mode {
                TearMode::Split => self.split_some(b, tearing.most, x, &found, tears),
                TearMode::Break => tears.extend(found.iter().take(tearing.most).map(|c| {
                    Tear::Break { body: b as u32, edge: self.watched(c.key as usize).whole }
                })),
            }
        }
        self.found = found;
    }

    /// The sides of triangles that are too long, each edge once.
    fn long_sides<S: Precision>(
        &self,
        body: usize,
        stretch: f64,
        x: &[Point<S>],
        found: &mut Vec<Candidate>,
    ) {
        let Some(sheet) = self.sheet(body) else { return };
        for side in (0..sheet.sides()).filter(|&h| sheet.is_first(h)) {
            let ratio = length(sheet.ends(side), x) / sheet.rest_length(side);
            if ratio > stretch && ratio.is_finite() {
                found.push(Candidate { ratio, key: side });
            }
        }
    }

    /// The edges with constraints of their own that are too long.
    fn long_edges<S: Precision>(
        &self,
        body: usize,
        stretch: f64,
        x: &[Point<S>],
        found: &mut Vec<Candidate>,
    ) {
        for (key, edge) in self.watched_edges().iter().enumerate() {
            let ratio = length(edge.ends, x) / edge.length;
            if edge.body as usize == body && ratio > stretch && ratio.is_finite() {
                found.push(Candidate { ratio, key: key as u32 });
            }
        }
    }

    /// Splits a vertex of each edge in turn, unless what is around it has just been relieved.
    fn split_some<S: Precision>(
        &self,
        body: usize,
        most: usize,
        x: &[Point<S>],
        found: &[Candidate],
        tears: &mut Vec<Tear>,
    ) {
        let Some(sheet) = self.sheet(body) else { return };
        let mut relieved: Vec<u32> = Vec::new();
        let mut done = 0;
        for candidate in found {
            let [a, b] = sheet.ends(candidate.key);
            if done == most {
                break;
            }
            if relieved.contains(&a) || relieved.contains(&b) {
                continue;
            }
            // A tear goes on where one has begun: ends at a border come first.
            let mut ends = [[a, b], [b, a]];
            if sheet.is_at_border(b) && !sheet.is_at_border(a) {
                ends.swap(0, 1);
            }
            for [vertex, other] in ends {
                if !(x[vertex as usize][3] > S::default()) {
                    continue;
                }
                let before = tears.len();
                part(sheet, body, vertex, other, x, tears);
                if tears.len() > before {
                    for &t in sheet.fan(vertex) {
                        relieved.extend(sheet.corners(t as usize));
                    }
                    done += 1;
                    break;
                }
            }
        }
    }
}

/// Severs what is on both sides of the plane through a vertex perpendicular to its edge to another.
fn part<S: Precision>(
    sheet: &Sheet,
    body: usize,
    vertex: u32,
    other: u32,
    x: &[Point<S>],
    tears: &mut Vec<Tear>,
) {
    let at = |v: u32| point(&x[v as usize]);
    let (home, normal) = (at(vertex), at(other) - at(vertex));
    let above = |t: usize| {
        let middle = sheet.corners(t).map(|v| at(v) - home);
        (middle[0] + middle[1] + middle[2]).dot(normal) > 0.0
    };
    for &t in sheet.fan(vertex) {
        let t = t as usize;
        if !above(t) {
            continue;
        }
        for side in 0..3 {
            let h = 3 * t as u32 + side;
            let across = sheet.ends(h).contains(&vertex)
                && sheet.neighbours(h).any(|n| !above(n as usize / 3));
            if across {
                tears.push(Tear::Sever { body: body as u32, triangle: t as u32, side });
            }
        }
    }
}

fn length<S: Precision>(ends: [u32; 2], x: &[Point<S>]) -> f64 {
    (point(&x[ends[0] as usize]) - point(&x[ends[1] as usize])).norm()
}

pub(crate) fn point<S: Precision>(p: &Point<S>) -> Vec3<f64> {
    Vec3::new(p[0].to_f64(), p[1].to_f64(), p[2].to_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tears_come_back_from_words() {
        let sever = Tear::Sever { body: 3, triangle: u32::MAX >> 2, side: 2 };
        let gone = Tear::Break { body: u32::MAX, edge: [7, u32::MAX] };
        for tear in [sever, gone] {
            assert_eq!(Tear::of_words(tear.words()), Some(tear));
        }
        assert_eq!(Tear::of_words([2 << 32, 0]), None);
        assert_eq!(Tear::of_words([0, u64::MAX]), None);
    }
}
