//! The tree of supernodes cut into chunks that can be solved at the same time.
//!
//! A chunk either is a leaf, or it is the top of the tree above two halves of about equal work that
//! share nothing:
//!
//! ```text
//!          top            The cut depends on the structure alone, never on the number of
//!         /   \           threads, and each chunk hands its contributions to the chunk above
//!     chunk   chunk       in a buffer of its own, so the sums are the same whoever runs them.
//! ```

use super::etree::ROOT;

/// Halving stops at this depth: eight leaves.
const DEPTH: usize = 3;
/// Chunks of less than twice this work (entries of L) are not halved. A fork costs about a
/// microsecond, which is little, but handing rows up and down costs: with a quarter of this work a
/// solve on one thread took 6 % longer.
const LEAST_WORK: u64 = 250_000;
/// How many supernodes may be moved to the top in search of balance.
const MOVES: usize = 96;

/// Some supernodes and the two chunks below them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// The positions in the list of groups of the two halves, both earlier than this one.
    pub children: Option<[u32; 2]>,
    /// The supernodes, ascending.
    pub members: Vec<u32>,
}

/// Cuts a forest, given by the parent (later than the child) and the work of each node. The last
/// group is the top of all.
pub fn partition(parent: &[u32], work: &[u64]) -> Vec<Group> {
    let n = parent.len();
    let mut children = vec![Vec::new(); n];
    let mut total = work.to_vec();
    let mut roots = Vec::new();
    for node in 0..n {
        if parent[node] == ROOT {
            roots.push(node as u32);
        } else {
            total[parent[node] as usize] += total[node];
            children[parent[node] as usize].push(node as u32);
        }
    }
    let mut cutter = Cutter { children, work, total, groups: Vec::new() };
    cutter.cut(roots, 0);
    cutter.groups
}

struct Cutter<'a> {
    children: Vec<Vec<u32>>,
    work: &'a [u64],
    /// Work of whole subtrees.
    total: Vec<u64>,
    groups: Vec<Group>,
}

impl Cutter<'_> {
    fn cut(&mut self, roots: Vec<u32>, depth: usize) -> u32 {
        let sum: u64 = roots.iter().map(|&r| self.total[r as usize]).sum();
        let halves = if depth < DEPTH && sum >= 2 * LEAST_WORK { self.halve(&roots) } else { None };
        let group = match halves {
            Some((mut top, a, b)) => {
                let children = Some([self.cut(a, depth + 1), self.cut(b, depth + 1)]);
                top.sort_unstable();
                Group { children, members: top }
            }
            None => Group { children: None, members: self.subtrees(roots) },
        };
        self.groups.push(group);
        self.groups.len() as u32 - 1
    }

    /// All nodes of some subtrees.
    fn subtrees(&self, roots: Vec<u32>) -> Vec<u32> {
        let mut members = roots;
        let mut next = 0;
        while next < members.len() {
            members.extend(&self.children[members[next] as usize]);
            next += 1;
        }
        members.sort_unstable();
        members
    }

    /// Moves the heaviest roots to the top, one by one, and keeps the number of moves after which
    /// the top and the heavier half together take least; `None` if two threads would gain little.
    fn halve(&self, roots: &[u32]) -> Option<(Vec<u32>, Vec<u32>, Vec<u32>)> {
        let sum: u64 = roots.iter().map(|&r| self.total[r as usize]).sum();
        let mut best = (u64::MAX, 0);
        let mut trial = (Vec::new(), roots.to_vec());
        let mut top_work = 0;
        for moves in 0..MOVES {
            let [a, b] = self.deal(&mut trial.1);
            let time = top_work + self.sum(&a).max(self.sum(&b));
            if time < best.0 {
                best = (time, moves);
            }
            if top_work >= best.0 || trial.1.is_empty() {
                break;
            }
            top_work += self.move_heaviest(&mut trial);
        }
        if 4 * best.0 > 3 * sum {
            return None;
        }
        let mut chosen = (Vec::new(), roots.to_vec());
        for _ in 0..best.1 {
            self.deal(&mut chosen.1);
            self.move_heaviest(&mut chosen);
        }
        let [a, b] = self.deal(&mut chosen.1);
        Some((chosen.0, a, b))
    }

    /// Moves the first of the dealt roots to the top and puts its children in its place.
    fn move_heaviest(&self, (top, roots): &mut (Vec<u32>, Vec<u32>)) -> u64 {
        let heaviest = roots.remove(0);
        roots.extend(&self.children[heaviest as usize]);
        top.push(heaviest);
        self.work[heaviest as usize]
    }

    /// Sorts by descending work and gives each subtree to the lighter half.
    fn deal(&self, roots: &mut [u32]) -> [Vec<u32>; 2] {
        roots.sort_unstable_by_key(|&r| (std::cmp::Reverse(self.total[r as usize]), r));
        let mut halves = [Vec::new(), Vec::new()];
        let mut load = [0, 0];
        for &root in roots.iter() {
            let lighter = usize::from(load[1] < load[0]);
            halves[lighter].push(root);
            load[lighter] += self.total[root as usize];
        }
        halves
    }

    fn sum(&self, roots: &[u32]) -> u64 {
        roots.iter().map(|&r| self.total[r as usize]).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_balanced_tree_is_halved_below_its_root() {
        let groups = partition(&[2, 2, ROOT], &[300_000, 310_000, 5_000]);
        assert_eq!(groups.len(), 3);
        let top = &groups[2];
        assert_eq!((top.children, &top.members[..]), (Some([0, 1]), &[2][..]));
        assert_eq!([&groups[0].members[..], &groups[1].members[..]], [[1], [0]]);
    }

    #[test]
    fn a_chain_and_a_small_tree_stay_whole() {
        let chain = partition(&[1, 2, ROOT], &[300_000; 3]);
        assert_eq!(chain, [Group { children: None, members: vec![0, 1, 2] }]);
        assert_eq!(partition(&[2, 2, ROOT], &[10; 3]).len(), 1);
        assert_eq!(partition(&[], &[]).len(), 1);
    }
}
