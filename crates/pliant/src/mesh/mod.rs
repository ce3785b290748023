//! Triangle and tetrahedral meshes.
