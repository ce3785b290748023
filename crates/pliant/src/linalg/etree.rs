//! Elimination tree of a permuted graph, and entry counts of the columns of L.
//!
//! The parent of column j is the row of the first entry below the diagonal in column j of L
//! (Liu, "The role of elimination trees in sparse factorization", 1990). Columns in different
//! subtrees do not depend on each other.

use crate::linalg::ordering::{AdjacencyGraph, Permutation};

/// Marks a column without a parent: the root of a connected component.
pub const NO_PARENT: u32 = u32::MAX;

/// Returns the parent of each column, in the numbering of the permutation.
pub fn elimination_tree(graph: &AdjacencyGraph, order: &Permutation) -> Vec<u32> {
    let n = graph.size();
    let mut parent = vec![NO_PARENT; n];
    // Shortcuts towards the root of the part of the tree built so far.
    let mut ancestor = vec![NO_PARENT; n];
    for row in 0..n {
        for &neighbour in graph.neighbours(order.to_old[row] as usize) {
            let mut column = order.to_new[neighbour as usize];
            while (column as usize) < row {
                let next = std::mem::replace(&mut ancestor[column as usize], row as u32);
                if next == NO_PARENT {
                    parent[column as usize] = row as u32;
                    break;
                }
                column = next;
            }
        }
    }
    parent
}

/// Returns the number of entries of each column of L, including the diagonal.
pub fn column_counts(graph: &AdjacencyGraph, order: &Permutation, parent: &[u32]) -> Vec<u32> {
    let n = graph.size();
    let mut count = vec![1; n];
    let mut seen_by = vec![NO_PARENT; n];
    // Row i of L is the union of the paths from the neighbours of i up to i.
    for row in 0..n {
        seen_by[row] = row as u32;
        for &neighbour in graph.neighbours(order.to_old[row] as usize) {
            let mut column = order.to_new[neighbour as usize] as usize;
            while column < row && seen_by[column] != row as u32 {
                seen_by[column] = row as u32;
                count[column] += 1;
                column = parent[column] as usize;
            }
        }
    }
    count
}

/// Returns the columns in an order in which every subtree is contiguous and children precede parents.
pub fn postorder(parent: &[u32]) -> Vec<u32> {
    let n = parent.len();
    let mut first_child = vec![NO_PARENT; n];
    let mut next_sibling = vec![NO_PARENT; n];
    let mut roots = Vec::new();
    for column in (0..n).rev() {
        match parent[column] {
            NO_PARENT => roots.push(column as u32),
            p => {
                next_sibling[column] = first_child[p as usize];
                first_child[p as usize] = column as u32;
            }
        }
    }
    let mut listed = Vec::with_capacity(n);
    let mut stack = roots;
    while let Some(&top) = stack.last() {
        let child = first_child[top as usize];
        if child == NO_PARENT {
            listed.push(top);
            stack.pop();
        } else {
            first_child[top as usize] = next_sibling[child as usize];
            stack.push(child);
        }
    }
    listed
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::SymmetricMatrix;

    #[test]
    fn a_path_fills_nothing_and_an_arrow_fills_everything() {
        let path = (1..5).map(|i| (i, i - 1, -1.0));
        let graph = AdjacencyGraph::of(&SymmetricMatrix::from_triplets(5, path), 1);
        let order = Permutation::identity(5);
        let parent = elimination_tree(&graph, &order);
        assert_eq!(parent, [1, 2, 3, 4, NO_PARENT]);
        assert_eq!(column_counts(&graph, &order, &parent), [2, 2, 2, 2, 1]);

        let arrow = (1..5).map(|i| (i, 0, -1.0));
        let graph = AdjacencyGraph::of(&SymmetricMatrix::from_triplets(5, arrow), 1);
        let parent = elimination_tree(&graph, &order);
        assert_eq!(column_counts(&graph, &order, &parent), [5, 4, 3, 2, 1]);
    }

    #[test]
    fn postorder_puts_children_first() {
        assert_eq!(postorder(&[4, 3, 4, NO_PARENT, NO_PARENT]), [1, 3, 0, 2, 4]);
    }
}
