//! Greedy vertex colouring: no two vertices of one colour share an element.

/// Returns the colour of each vertex and the number of colours, given the elements by their vertices.
/// Vertices for which `free` is false get [`NO_COLOR`].
///
/// Vertices are coloured in order with the first colour that no neighbour has, so the result depends
/// only on the scene.
pub fn color_vertices(free: &[bool], elements: &[&[u32]]) -> (Vec<u32>, usize) {
    let mut start = vec![0_usize; free.len() + 1];
    for &v in elements.iter().copied().flatten() {
        start[v as usize + 1] += 1;
    }
    for v in 0..free.len() {
        start[v + 1] += start[v];
    }
    let mut touching = vec![0_u32; start[free.len()]];
    let mut fill = start.clone();
    for (e, element) in elements.iter().enumerate() {
        for &v in *element {
            touching[fill[v as usize]] = e as u32;
            fill[v as usize] += 1;
        }
    }
    let mut color = vec![NO_COLOR; free.len()];
    // For each colour, the last vertex that had a neighbour of that colour.
    let mut seen: Vec<usize> = Vec::new();
    for v in (0..free.len()).filter(|&v| free[v]) {
        for &e in &touching[start[v]..start[v + 1]] {
            for &u in elements[e as usize] {
                if color[u as usize] != NO_COLOR {
                    seen[color[u as usize] as usize] = v;
                }
            }
        }
        let first = seen.iter().position(|&s| s != v).unwrap_or(seen.len());
        if first == seen.len() {
            seen.push(usize::MAX);
        }
        color[v] = first as u32;
    }
    (color, seen.len())
}

/// Marks a vertex without a colour, one that is not free.
pub const NO_COLOR: u32 = u32::MAX;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_vertices_of_an_element_have_one_colour() {
        let mut elements: Vec<Vec<u32>> =
            (0..300_u32).map(|e| [0, 1, 2, 3].map(|k| (e * 37 + k * 11) % 200).to_vec()).collect();
        // A fan needs as many colours as it has vertices.
        elements.push((0..100).collect());
        let lists: Vec<&[u32]> = elements.iter().map(Vec::as_slice).collect();
        let free: Vec<bool> = (0..200).map(|v| v % 13 != 0).collect();
        let (color, count) = color_vertices(&free, &lists);
        for element in &elements {
            let mut own: Vec<u32> =
                element.iter().map(|&v| color[v as usize]).filter(|&c| c != NO_COLOR).collect();
            let before = own.len();
            own.sort_unstable();
            own.dedup();
            assert_eq!(own.len(), before, "{element:?}");
        }
        assert!((92..120).contains(&count), "{count}");
        assert!((0..200).all(|v| (color[v] != NO_COLOR) == free[v]));
        assert!(color.iter().all(|&c| c == NO_COLOR || (c as usize) < count));
    }

    #[test]
    fn a_path_needs_two_colours() {
        let path: Vec<[u32; 2]> = (0..99).map(|i| [i, i + 1]).collect();
        let lists: Vec<&[u32]> = path.iter().map(|e| e.as_slice()).collect();
        assert_eq!(color_vertices(&[true; 100], &lists).1, 2);
    }
}
