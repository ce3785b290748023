//! Partition of the supernode tree into groups that can be solved in parallel.
//!
//! A group is either a leaf, or the top of the tree above two halves of about equal work that share no
//! data:
//!
//! ```text
//!         top
//!        /   \
//!    group   group
//! ```
//!
//! The partition depends on the structure alone, never on the number of threads. Each group passes its
//! contributions to the group above in a buffer of its own, so the sums do not depend on which thread runs
//! them.

use crate::linalg::etree::NO_PARENT;

/// Maximum depth of the bisection: eight leaves.
const MAX_DEPTH: usize = 3;
/// Groups with less than twice this work (entries of L) are not bisected. A fork costs only about a
/// microsecond, but passing rows up and down costs more: with a quarter of this work a solve on one
/// thread took 6 % longer.
const MIN_SPLIT_WORK: u64 = 250_000;
/// Maximum number of supernodes moved to the top in search of balance.
const MAX_BALANCE_MOVES: usize = 96;

/// A group of supernodes and the two groups below it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SupernodeGroup {
    /// Indices in the list of groups of the two halves, both before this one.
    pub children: Option<[u32; 2]>,
    /// Supernodes, ascending.
    pub members: Vec<u32>,
}

/// Partitions a forest, given by the parent (later than the child) and the work of each node. The last
/// group is the top of all.
pub fn partition(parent: &[u32], work: &[u64]) -> Vec<SupernodeGroup> {
    let n = parent.len();
    let mut children = vec![Vec::new(); n];
    let mut total = work.to_vec();
    let mut roots = Vec::new();
    for node in 0..n {
        if parent[node] == NO_PARENT {
            roots.push(node as u32);
        } else {
            total[parent[node] as usize] += total[node];
            children[parent[node] as usize].push(node as u32);
        }
    }
    let mut cutter = Partitioner { children, work, subtree_work: total, groups: Vec::new() };
    cutter.cut(roots, 0);
    cutter.groups
}

struct Partitioner<'a> {
    children: Vec<Vec<u32>>,
    work: &'a [u64],
    /// Total work of each node's subtree.
    subtree_work: Vec<u64>,
    groups: Vec<SupernodeGroup>,
}

impl Partitioner<'_> {
    fn cut(&mut self, roots: Vec<u32>, depth: usize) -> u32 {
        let sum: u64 = roots.iter().map(|&r| self.subtree_work[r as usize]).sum();
        let halves =
            if depth < MAX_DEPTH && sum >= 2 * MIN_SPLIT_WORK { self.bisect(&roots) } else { None };
        let group = match halves {
            Some((mut top, a, b)) => {
                let children = Some([self.cut(a, depth + 1), self.cut(b, depth + 1)]);
                top.sort_unstable();
                SupernodeGroup { children, members: top }
            }
            None => SupernodeGroup { children: None, members: self.descendants(roots) },
        };
        self.groups.push(group);
        self.groups.len() as u32 - 1
    }

    /// Returns all nodes of some subtrees, ascending.
    fn descendants(&self, roots: Vec<u32>) -> Vec<u32> {
        let mut members = roots;
        let mut next = 0;
        while next < members.len() {
            members.extend(&self.children[members[next] as usize]);
            next += 1;
        }
        members.sort_unstable();
        members
    }

    /// Moves the heaviest roots to the top, one by one, and keeps the number of moves after which the
    /// top plus the heavier half take the least time. Returns `None` if two threads would gain little.
    fn bisect(&self, roots: &[u32]) -> Option<(Vec<u32>, Vec<u32>, Vec<u32>)> {
        let sum: u64 = roots.iter().map(|&r| self.subtree_work[r as usize]).sum();
        let mut best = (u64::MAX, 0);
        let mut trial = (Vec::new(), roots.to_vec());
        let mut top_work = 0;
        for move_count in 0..MAX_BALANCE_MOVES {
            let [a, b] = self.balance(&mut trial.1);
            let time = top_work + self.total_work(&a).max(self.total_work(&b));
            if time < best.0 {
                best = (time, move_count);
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
            self.balance(&mut chosen.1);
            self.move_heaviest(&mut chosen);
        }
        let [a, b] = self.balance(&mut chosen.1);
        Some((chosen.0, a, b))
    }

    /// Moves the heaviest of the sorted roots to the top, adds its children to the roots and returns
    /// its work.
    fn move_heaviest(&self, (top, roots): &mut (Vec<u32>, Vec<u32>)) -> u64 {
        let heaviest = roots.remove(0);
        roots.extend(&self.children[heaviest as usize]);
        top.push(heaviest);
        self.work[heaviest as usize]
    }

    /// Sorts by descending work and assigns each subtree to the lighter half.
    fn balance(&self, roots: &mut [u32]) -> [Vec<u32>; 2] {
        roots.sort_unstable_by_key(|&r| (std::cmp::Reverse(self.subtree_work[r as usize]), r));
        let mut halves = [Vec::new(), Vec::new()];
        let mut load = [0, 0];
        for &root in roots.iter() {
            let lighter = usize::from(load[1] < load[0]);
            halves[lighter].push(root);
            load[lighter] += self.subtree_work[root as usize];
        }
        halves
    }

    fn total_work(&self, roots: &[u32]) -> u64 {
        roots.iter().map(|&r| self.subtree_work[r as usize]).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_balanced_tree_is_halved_below_its_root() {
        let groups = partition(&[2, 2, NO_PARENT], &[300_000, 310_000, 5_000]);
        assert_eq!(groups.len(), 3);
        let top = &groups[2];
        assert_eq!((top.children, &top.members[..]), (Some([0, 1]), &[2][..]));
        assert_eq!([&groups[0].members[..], &groups[1].members[..]], [[1], [0]]);
    }

    #[test]
    fn a_chain_and_a_small_tree_stay_whole() {
        let chain = partition(&[1, 2, NO_PARENT], &[300_000; 3]);
        assert_eq!(chain, [SupernodeGroup { children: None, members: vec![0, 1, 2] }]);
        assert_eq!(partition(&[2, 2, NO_PARENT], &[10; 3]).len(), 1);
        assert_eq!(partition(&[], &[]).len(), 1);
    }
}
