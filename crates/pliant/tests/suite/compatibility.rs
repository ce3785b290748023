//! Contract: what the matrix of elements and solvers says holds in both precisions.

use pliant::elements::registry;
use pliant::{compatibility_matrix, compatibility_of};

#[test]
fn both_precisions_run_the_same_pairs() {
    let all = compatibility_matrix();
    let one = registry().iter().flat_map(|info| compatibility_of(info.name));
    for (double, single) in all.iter().zip(one) {
        assert_eq!(double.refusal.is_some(), single.refusal.is_some(), "{double:?} {single:?}");
    }
    assert!(compatibility_of("no such element").is_empty());
}
