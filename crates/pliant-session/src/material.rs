//! Material parameters: labels, units, and their fields in a description.
//!
//! A parameter is named by its path, such as `cloth[0].young`. Its value is that of the built material: a
//! preset's, unless the scene overrides it.

use pliant::material::{Fabric, Solid, Springs, Thread};
use pliant_scenes::SceneDescription;
use pliant_scenes::describe::{DampingSpec, FabricSpec, SolidSpec, SpringsSpec, ThreadSpec};

use crate::protocol::{Owner, Parameter};

/// A parameter of one kind of material.
struct MaterialParameter<M: 'static, S: 'static> {
    field: &'static str,
    label: &'static str,
    unit: &'static str,
    range: [f64; 2],
    logarithmic: bool,
    get: fn(&M) -> f64,
    set: fn(&mut S, f64),
}

/// Declares the parameters of a material: field, label, unit, range, and the logarithmic flag of its
/// slider.
macro_rules! numbers {
    ($material:ty, $spec:ty; $($field:ident $label:literal $unit:literal $low:literal $high:literal $log:literal)*) => {
        &[
            $(MaterialParameter {
                field: stringify!($field),
                label: $label,
                unit: $unit,
                range: [$low, $high],
                logarithmic: $log,
                get: |m: &$material| m.$field,
                set: |s: &mut $spec, v: f64| numbers!(@set s $field v),
            },)*
            MaterialParameter {
                field: "drag",
                label: "drag",
                unit: "1/s",
                range: [0.0, 10.0],
                logarithmic: false,
                get: |m: &$material| m.damping.drag,
                set: |s: &mut $spec, v: f64| damping(&mut s.damping).drag = Some(v),
            },
            MaterialParameter {
                field: "internal_damping",
                label: "internal damping",
                unit: "1/s",
                range: [0.0, 20.0],
                logarithmic: false,
                get: |m: &$material| m.damping.internal,
                set: |s: &mut $spec, v: f64| damping(&mut s.damping).internal = Some(v),
            },
        ]
    };
    (@set $s:ident constant $v:ident) => { $s.constant = $v };
    (@set $s:ident mass $v:ident) => { $s.mass = $v };
    (@set $s:ident $field:ident $v:ident) => { $s.$field = Some($v) };
}

fn damping(spec: &mut Option<DampingSpec>) -> &mut DampingSpec {
    spec.get_or_insert_with(DampingSpec::default)
}

const FABRIC: &[MaterialParameter<Fabric, FabricSpec>] = numbers! { Fabric, FabricSpec;
    density "mass per area" "kg/m²" 0.01 10.0 true
    young "Young's modulus" "Pa" 1e2 1e10 true
    poisson "Poisson's ratio" "" 0.0 0.9 false
    bending "bending stiffness" "N m" 1e-8 1e-1 true
    thickness "thickness" "m" 1e-4 1e-1 true
};

const SOLID: &[MaterialParameter<Solid, SolidSpec>] = numbers! { Solid, SolidSpec;
    density "density" "kg/m³" 1.0 2e4 true
    young "Young's modulus" "Pa" 1e2 1e9 true
    poisson "Poisson's ratio" "" 0.0 0.49 false
};

const THREAD: &[MaterialParameter<Thread, ThreadSpec>] = numbers! { Thread, ThreadSpec;
    density "density" "kg/m³" 1.0 2e4 true
    young "Young's modulus" "Pa" 1e2 1e11 true
    radius "radius" "m" 1e-4 1e-1 true
};

const SPRINGS: &[MaterialParameter<Springs, SpringsSpec>] = numbers! { Springs, SpringsSpec;
    constant "spring constant" "N/m" 1e-2 1e6 true
    mass "mass" "kg" 1e-3 1e2 true
};

/// Material parameters of all bodies of a scene.
pub(crate) fn parameters(scene: &SceneDescription) -> Vec<Parameter> {
    let mut all = Vec::new();
    let mut body = 0;
    macro_rules! of {
        ($list:ident $kind:literal $numbers:ident) => {
            for (i, own) in scene.$list.iter().enumerate() {
                if let Ok(material) = own.material.build() {
                    all.extend($numbers.iter().map(|n| Parameter {
                        id: format!("{}[{i}].{}", $kind, n.field),
                        label: n.label.to_owned(),
                        tip: String::new(),
                        unit: n.unit.to_owned(),
                        value: (n.get)(&material),
                        range: n.range,
                        logarithmic: n.logarithmic,
                        is_integer: false,
                        choices: Vec::new(),
                        owner: Owner::Body(body),
                    }));
                }
                body += 1;
            }
        };
    }
    of!(cloth "cloth" FABRIC);
    of!(solid "solid" SOLID);
    of!(strand "strand" THREAD);
    of!(springs "springs" SPRINGS);
    all
}

/// Sets a material parameter by its name.
pub(crate) fn set_parameter(
    scene: &mut SceneDescription,
    name: &str,
    value: f64,
) -> Result<(), String> {
    let unknown = || format!("the scene has no parameter \"{name}\"");
    if !value.is_finite() {
        return Err(format!("{name} is {value}; it must be finite"));
    }
    let (kind, rest) = name.split_once('[').ok_or_else(unknown)?;
    let (index, field) = rest.split_once("].").ok_or_else(unknown)?;
    let index: usize = index.parse().map_err(|_| unknown())?;
    macro_rules! of {
        ($list:ident $numbers:ident) => {{
            let own = scene.$list.get_mut(index).ok_or_else(unknown)?;
            let number = $numbers.iter().find(|n| n.field == field).ok_or_else(unknown)?;
            (number.set)(&mut own.material, value);
        }};
    }
    match kind {
        "cloth" => of!(cloth FABRIC),
        "solid" => of!(solid SOLID),
        "strand" => of!(strand THREAD),
        "springs" => of!(springs SPRINGS),
        _ => return Err(unknown()),
    }
    Ok(())
}
