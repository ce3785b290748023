//! Sparse symmetric linear algebra.
