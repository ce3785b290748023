//! No code: the manifest lists the features that every build of this workspace shares.
