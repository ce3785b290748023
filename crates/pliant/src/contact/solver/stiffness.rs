//! Stiffness of contacts as blocks of three rows and columns, for solvers with a matrix.

use crate::contact::solver::constraint::PenaltyContact;
use crate::contact::solver::set::ContactSet;
use crate::math::Scalar;
use crate::simd::Point;

/// Stiffness of a contact between several vertices that acts, as entries xx, yy, zz, xy, yz, zx.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CoupledBlock {
    /// Index in the list of contacts.
    contact: u32,
    block: [f64; 6],
}

impl ContactSet {
    /// Collects the stiffness of the contacts at `x` that act: of those with one vertex in `single`, with the vertex; of
    /// the others in `coupled`.
    pub(crate) fn stiffness_blocks<S: Scalar>(
        &self,
        x: &[Point<S>],
        single: &mut Vec<(u32, [f64; 6])>,
        coupled: &mut Vec<CoupledBlock>,
    ) {
        single.clear();
        coupled.clear();
        for (index, own) in self.penalty_contacts().enumerate() {
            let block = own.block(x);
            if block == [0.0; 6] {
                continue;
            }
            match own.contact.vertices() {
                &[v] => {
                    let share = own.share(0);
                    single.push((v, block.map(|b| share * b)));
                }
                _ => coupled.push(CoupledBlock { contact: index as u32, block }),
            }
        }
    }

    /// Adds the products of the stiffness of contacts between several vertices with `x` to `y`, three numbers for each
    /// vertex. Vertices that are not `free` count as zero.
    pub(crate) fn add_coupled_products(
        &self,
        blocks: &[CoupledBlock],
        free: impl Fn(usize) -> bool,
        x: &[f64],
        y: &mut [f64],
    ) {
        for own in blocks {
            let contact = &self.list[own.contact as usize];
            let pairs = || contact.vertices().iter().zip(contact.coefficients());
            let mut d = [0.0; 3];
            for (&v, a) in pairs().filter(|(v, _)| free(**v as usize)) {
                (0..3).for_each(|c| d[c] += a * x[3 * v as usize + c]);
            }
            let [xx, yy, zz, xy, yz, zx] = own.block;
            let f = [
                xx * d[0] + xy * d[1] + zx * d[2],
                xy * d[0] + yy * d[1] + yz * d[2],
                zx * d[0] + yz * d[1] + zz * d[2],
            ];
            for (&v, a) in pairs().filter(|(v, _)| free(**v as usize)) {
                (0..3).for_each(|c| y[3 * v as usize + c] += a * f[c]);
            }
        }
    }

    /// Calls `add` with a bound of the stiffness of each vertex of these contacts alone.
    pub(crate) fn bound_coupled_blocks(
        &self,
        blocks: &[CoupledBlock],
        mut add: impl FnMut(usize, [f64; 6]),
    ) {
        for own in blocks {
            let (contact, stiffness) = (&self.list[own.contact as usize], 0.0);
            for (place, &v) in contact.vertices().iter().enumerate() {
                let share = PenaltyContact { contact, stiffness }.share(place);
                add(v as usize, own.block.map(|b| share * b));
            }
        }
    }
}
