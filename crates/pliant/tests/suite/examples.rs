//! Every example runs to its end without an error.

#[path = "../../../../examples/custom_element.rs"]
mod custom_element;
#[path = "../../../../examples/energy_table.rs"]
mod energy_table;
#[path = "../../../../examples/hello_cloth.rs"]
mod hello_cloth;
#[path = "../../../../examples/ragdoll.rs"]
mod ragdoll;

#[test]
fn hello_cloth_runs() {
    assert_eq!(hello_cloth::main(), Ok(()));
}

#[test]
fn custom_element_runs_under_every_solver() {
    assert_eq!(custom_element::main(), Ok(()));
}

#[test]
fn ragdoll_swings() {
    assert_eq!(ragdoll::main(), Ok(()));
}

#[test]
fn energy_table_runs() {
    assert_eq!(energy_table::main(), Ok(()));
}
