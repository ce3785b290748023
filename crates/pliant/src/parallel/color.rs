//! Greedy colouring: elements of one colour share no vertex.

/// Returns the colour of each element over `vertices` vertices, given the elements' indices.
///
/// Elements are coloured in order with the first free colour, so the result depends only on the scene.
/// Colours are tried in rounds of 64, so that one word per vertex suffices.
pub fn greedy<const N: usize>(vertices: usize, elements: &[[u32; N]]) -> Vec<u32> {
    let mut color = vec![u32::MAX; elements.len()];
    let mut open: Vec<u32> = (0..elements.len() as u32).collect();
    let mut base = 0;
    while !open.is_empty() {
        let mut used = vec![0u64; vertices];
        open.retain(|&e| {
            let stencil = &elements[e as usize];
            let taken = stencil.iter().fold(0, |t, &v| t | used[v as usize]);
            let free = (!taken).trailing_zeros();
            if free == 64 {
                return true;
            }
            stencil.iter().for_each(|&v| used[v as usize] |= 1 << free);
            color[e as usize] = base + free;
            false
        });
        base += 64;
    }
    color
}

#[cfg(test)]
mod tests {
    use super::greedy;

    #[test]
    fn no_two_elements_of_a_colour_share_a_vertex_even_with_hundreds_of_colours() {
        // A fan: 200 elements all share vertex 0, so each needs its own colour.
        let fan: Vec<[u32; 2]> = (1..=200).map(|i| [0, i]).collect();
        let mut colors = greedy(201, &fan);
        colors.sort_unstable();
        colors.dedup();
        assert_eq!(colors.len(), 200);
    }

    #[test]
    fn a_path_needs_two_colours() {
        let path: Vec<[u32; 2]> = (0..100).map(|i| [i, i + 1]).collect();
        assert!(greedy(101, &path).iter().all(|&c| c < 2));
    }
}
