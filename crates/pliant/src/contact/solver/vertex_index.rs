//! Vertex index: the contacts that each vertex takes part in.
//!
//! Built by counting sort in the layout of a compressed sparse row matrix: ascending vertices, the start of each one's
//! range, and the entries. Solvers that work vertex by vertex use it to gather contact forces and stiffness.

use crate::contact::ContactConstraint;

/// Index from vertices to the contacts that they take part in.
#[derive(Clone, Debug, Default)]
pub(in crate::contact) struct VertexContacts {
    /// Vertices that take part in any contact, ascending.
    pub vertices: Vec<u32>,
    /// Start of each vertex's range in `entries`, with the end.
    pub starts: Vec<u32>,
    /// Entries (vertex, contact, local index of the vertex in the contact), sorted.
    pub entries: Vec<(u32, u32, u32)>,
    /// Scratch: position of the next entry of each vertex.
    next: Vec<u32>,
}

impl VertexContacts {
    /// Returns an index with room for a number of contacts between a number of vertices.
    pub fn with_capacity(count: usize, vertices: usize) -> Self {
        Self {
            vertices: Vec::with_capacity(4 * count),
            starts: Vec::with_capacity(4 * count),
            entries: Vec::with_capacity(4 * count),
            next: Vec::with_capacity(vertices),
        }
    }

    /// Rebuilds the index for a list of contacts.
    pub fn rebuild(&mut self, list: &[ContactConstraint]) {
        // Counting instead of comparison sort: there may be tens of thousands, and the index is rebuilt in each round.
        let of = |contact: &ContactConstraint| contact.vertices().iter().copied().max();
        let most = list.iter().filter_map(of).max().map_or(0, |v| v as usize + 1);
        self.next.clear();
        self.next.resize(most, 0);
        for contact in list {
            contact.vertices().iter().for_each(|&v| self.next[v as usize] += 1);
        }
        self.vertices.clear();
        self.starts.clear();
        let mut all = 0;
        for (v, next) in self.next.iter_mut().enumerate() {
            if *next > 0 {
                self.vertices.push(v as u32);
                self.starts.push(all);
            }
            all += std::mem::replace(next, all);
        }
        self.starts.push(all);
        self.entries.clear();
        self.entries.resize(all as usize, (0, 0, 0));
        for (c, contact) in list.iter().enumerate() {
            for (place, &v) in contact.vertices().iter().enumerate() {
                let next = &mut self.next[v as usize];
                self.entries[*next as usize] = (v, c as u32, place as u32);
                *next += 1;
            }
        }
    }

    /// Returns the contacts of a vertex.
    pub fn contacts_of(&self, vertex: u32) -> &[(u32, u32, u32)] {
        match self.vertices.binary_search(&vertex) {
            Ok(i) => &self.entries[self.starts[i] as usize..self.starts[i + 1] as usize],
            Err(_) => &[],
        }
    }

    /// Returns the allocated memory in bytes.
    pub fn bytes(&self) -> usize {
        12 * self.entries.capacity()
            + 4 * (self.vertices.capacity() + self.starts.capacity() + self.next.capacity())
    }
}
