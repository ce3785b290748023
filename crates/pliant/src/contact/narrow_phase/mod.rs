//! Narrow phase: continuous tests of feature pairs, and the contacts that result.
//!
//! ```text
//! collider.rs      contacts of vertices with colliders, by signed distance along the path
//! feature_pair.rs  vertex–triangle and edge–edge pairs: distances, and cheap separation tests
//! ccd.rs           continuous collision detection of a feature pair; the resulting contact
//! cache.rs         hash table of the feature pairs that became contacts
//! ```

pub(crate) mod cache;
pub(crate) mod ccd;
pub(crate) mod collider;
pub(crate) mod feature_pair;
