//! Which contacts each vertex takes part in.

use super::Contact;

/// Which contacts each vertex takes part in.
#[derive(Clone, Debug, Default)]
pub(super) struct OfVertex {
    /// The vertices that take part in any, ascending.
    pub vertices: Vec<u32>,
    /// Where the contacts of each start in `entries`, and the end.
    pub starts: Vec<u32>,
    /// (Vertex, contact, place of the vertex in it), sorted.
    pub entries: Vec<(u32, u32, u32)>,
    /// For making it: where the next entry of each vertex belongs.
    next: Vec<u32>,
}

impl OfVertex {
    /// Room for a number of contacts between a number of vertices.
    pub fn with_room(count: usize, vertices: usize) -> Self {
        Self {
            vertices: Vec::with_capacity(4 * count),
            starts: Vec::with_capacity(4 * count),
            entries: Vec::with_capacity(4 * count),
            next: Vec::with_capacity(vertices),
        }
    }

    /// Makes the index of a list of contacts.
    pub fn rebuild(&mut self, list: &[Contact]) {
        // Counted instead of sorted: there may be tens of thousands, and they are asked for in each round.
        let of = |contact: &Contact| contact.vertices().iter().copied().max();
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

    /// The contacts of a vertex.
    pub fn entries_of(&self, vertex: u32) -> &[(u32, u32, u32)] {
        match self.vertices.binary_search(&vertex) {
            Ok(i) => &self.entries[self.starts[i] as usize..self.starts[i + 1] as usize],
            Err(_) => &[],
        }
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        12 * self.entries.capacity()
            + 4 * (self.vertices.capacity() + self.starts.capacity() + self.next.capacity())
    }
}
