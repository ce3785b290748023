//! Every scene once, as a function of its size.
