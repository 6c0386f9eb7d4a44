//! What the graph of games says before any number is fitted: who can be compared with whom.

/// Labels each of `count` players with the smallest one that edges, in any direction, lead to.
pub fn components(count: usize, edges: impl Iterator<Item = (usize, usize)>) -> Vec<usize> {
    let mut label: Vec<usize> = (0..count).collect();
    for (a, b) in edges {
        let (low, high) = (label[a].min(label[b]), label[a].max(label[b]));
        if low < high {
            for l in label.iter_mut().filter(|l| **l == high) {
                *l = low;
            }
        }
    }
    label
}

/// Whether edges lead from one player to another: `[from][to]`, by a walk from each.
pub fn reachable(count: usize, edges: &[(usize, usize)]) -> Vec<Vec<bool>> {
    let mut next = vec![Vec::new(); count];
    for &(a, b) in edges {
        next[a].push(b);
    }
    (0..count)
        .map(|from| {
            let mut seen = vec![false; count];
            let mut stack = vec![from];
            while let Some(player) = stack.pop() {
                if !std::mem::replace(&mut seen[player], true) {
                    stack.extend(&next[player]);
                }
            }
            seen
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_and_walks_of_a_small_graph() {
        // 0 -> 1 -> 2 -> 0 is a circle that leads to 3; 4 and 5 are apart.
        let edges = [(0, 1), (1, 2), (2, 0), (2, 3), (5, 4)];
        assert_eq!(components(6, edges.iter().copied()), [0, 0, 0, 0, 4, 4]);
        let reach = reachable(6, &edges);
        assert!(reach[0][3] && reach[1][0] && !reach[3][0]);
        assert!(reach[5][4] && !reach[4][5] && !reach[0][4]);
    }
}
