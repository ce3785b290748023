//! Topology changes: tearing and cutting of sheets and nets.
//!
//! * `split/`: the topology of a model with tears: surfaces by half-edges, split vertices, the model that results
//! * `tear.rs`: selection of the edges that tear under strain
//! * `blade.rs`: selection of the edges that a moving blade cuts
//! * `remap.rs`: elements of the original model on the vertices of the split one
//!
//! The rule by which a body tears and the list of tears are in `model/tearing.rs`; the simulation applies them
//! in `simulation/topology.rs`.

pub(crate) mod blade;
pub(crate) mod remap;
pub(crate) mod split;
pub(crate) mod tear;
