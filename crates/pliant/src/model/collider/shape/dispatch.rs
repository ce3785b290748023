//! Macro that makes the enum of shapes from their list, with static dispatch.

/// Declares the shapes: the enum and its static dispatch.
macro_rules! shapes {
    ($($(#[$doc:meta])* $name:ident($type:ty),)*) => {
        /// Shape of a collider, around its own origin \[m\].
        #[derive(Clone, Debug)]
        #[non_exhaustive]
        pub enum Shape {
            $($(#[$doc])* $name($type),)*
        }

        impl Shape {
            /// Name of the shape's type.
            pub fn name(&self) -> &'static str {
                match self {
                    $(Self::$name(_) => <$type as ColliderShape>::NAME,)*
                }
            }

            /// True if it is bounded: all shapes but planes.
            pub fn is_finite(&self) -> bool {
                match self {
                    $(Self::$name(_) => <$type as ColliderShape>::IS_FINITE,)*
                }
            }

            /// True if its exact surface has no edges: facets are only an approximation of it.
            pub fn is_round(&self) -> bool {
                match self {
                    $(Self::$name(_) => <$type as ColliderShape>::IS_ROUND,)*
                }
            }

            /// Returns the problem of an invalid shape, with a remedy.
            pub fn problem(&self) -> Option<&'static str> {
                match self {
                    $(Self::$name(shape) => ColliderShape::problem(shape),)*
                }
            }

            /// Returns the vertices \[m\] and triangles of polyhedral shapes, which thin bodies could pass
            /// between their own vertices.
            pub(crate) fn collision_mesh(&self) -> Option<TriMesh> {
                match self {
                    $(Self::$name(shape) => ColliderShape::collision_mesh(shape),)*
                }
            }

            /// True if a local point is certainly farther away than `reach` \[m\], by a test of few
            /// multiplications. False is always a valid answer.
            #[inline(always)]
            pub(crate) fn surely_farther(&self, p: Vec3<f64>, reach: f64) -> bool {
                // A margin for rounding errors of the distance.
                let reach = reach * (1.0 + 1e-9);
                match self {
                    $(Self::$name(shape) => ColliderShape::surely_farther(shape, p, reach),)*
                }
            }

            /// Signed distance of a local point; `None` if a mesh is certainly farther away than `reach` \[m\].
            pub fn nearest(&self, p: Vec3<f64>, reach: f64) -> Option<SignedDistance> {
                match self {
                    $(Self::$name(shape) => ColliderShape::nearest(shape, p, reach),)*
                }
            }

            /// Returns its surface as triangles that face outwards, around its own origin \[m\]. Round shapes are
            /// cut into facets with their corners on the surface; a plane is a square with sides of `extent` \[m\].
            pub fn surface_mesh(&self, extent: f64) -> TriMesh {
                match self {
                    $(Self::$name(shape) => ColliderShape::surface_mesh(shape, extent),)*
                }
            }

            /// Forms of all shapes in scene files.
            pub fn forms() -> impl Iterator<Item = &'static ShapeForm> {
                [$(<$type as ColliderShape>::FORMS),*].into_iter().flatten()
            }

            /// Samples of all shapes, with the tolerance of each.
            #[cfg(test)]
            fn samples() -> Vec<(Self, f64)> {
                let mut all = Vec::new();
                $(
                    let samples = <$type as ColliderShape>::samples().into_iter();
                    all.extend(samples.map(|s| (Self::$name(s), <$type as ColliderShape>::TOLERANCE)));
                )*
                all
            }
        }
    };
}
