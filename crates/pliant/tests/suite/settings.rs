//! Contract: every setting of every solver is described, can be changed by its name, and refuses what is invalid.

use pliant::prelude::*;
use pliant::solvers::{ACCELERATED, INTEGRATED, LIST, SettingInfo, SettingKind, SettingValue};

/// Fields that are part of a solver's name instead.
const IN_THE_NAME: [&str; 4] = ["acceleration", "integrator", "sweep", "chebyshev"];

fn solvers() -> impl Iterator<Item = AnySolver> {
    let names = LIST.iter().chain(ACCELERATED).chain(INTEGRATED);
    names.map(|(name, _)| AnySolver::by_name(name).unwrap())
}

/// Names of the fields of a solver's settings, from their debug output.
fn fields(solver: &AnySolver) -> Vec<String> {
    let text = format!("{solver:#?}");
    // Two levels: the variant, and the settings in it.
    let fields = text.lines().filter_map(|line| line.strip_prefix("        "));
    let fields = fields.filter(|line| !line.starts_with([' ', '}', ']', ')']));
    fields.filter_map(|line| line.split_once(':')).map(|(name, _)| name.to_owned()).collect()
}

/// A valid value other than the current one.
fn another(setting: &SettingInfo) -> SettingValue {
    match (&setting.kind, &setting.value) {
        (SettingKind::Count, SettingValue::Number(n)) => SettingValue::Number(n + 3.0),
        (SettingKind::Number, SettingValue::Number(n)) if n.is_finite() => {
            SettingValue::Number(0.5 * n + 1e-4)
        }
        (SettingKind::Number, _) => SettingValue::Number(1e6),
        (SettingKind::Flag, SettingValue::Flag(flag)) => SettingValue::Flag(!flag),
        (SettingKind::Choice(names), value) => {
            let other = names.iter().find(|name| SettingValue::from(**name) != *value);
            SettingValue::from(*other.expect("a choice has several names"))
        }
        other => panic!("{}: {other:?}", setting.name),
    }
}

#[test]
fn every_field_is_a_setting_or_part_of_the_name() {
    for solver in solvers() {
        let settings = solver.settings();
        let fields = fields(&solver);
        assert!(fields.iter().any(|f| f == "substeps"), "{fields:?}");
        for field in fields {
            let described = settings.iter().any(|setting| setting.name == field);
            let exempt = IN_THE_NAME.contains(&field.as_str());
            assert!(described || exempt, "{}: `{field}` has no description", solver.name());
        }
    }
}

#[test]
fn every_setting_changes_the_solver_and_changes_back() {
    for solver in solvers() {
        for setting in solver.settings() {
            let label = format!("{} of {}", setting.name, solver.name());
            let mut changed = solver.clone();
            let value = another(&setting);
            changed.set(setting.name, &value).expect(&label);
            assert_ne!(changed, solver, "{label}");
            let now = changed.settings().into_iter().find(|s| s.name == setting.name).unwrap();
            assert_eq!(now.value, value, "{label}");
            changed.set(setting.name, &setting.value).expect(&label);
            assert_eq!(changed, solver, "{label}");
        }
    }
}

#[test]
fn values_survive_their_text() {
    for (solver, setting) in AnySolver::all_settings() {
        let text = setting.value.to_string();
        assert_eq!(SettingValue::parse(&text), setting.value, "{} of {solver}", setting.name);
    }
}

#[test]
fn invalid_values_leave_the_solver_unchanged_and_name_the_setting() {
    for solver in solvers() {
        for setting in solver.settings() {
            let wrong: &[SettingValue] = match setting.kind {
                SettingKind::Count => &[
                    SettingValue::Number(setting.range[0] - 1.0),
                    SettingValue::Number(2.5),
                    SettingValue::Number(1e300),
                    SettingValue::Number(f64::NAN),
                    SettingValue::Flag(true),
                ],
                SettingKind::Number => &[
                    SettingValue::Number(-1.0),
                    SettingValue::Number(f64::NAN),
                    SettingValue::Choice("fast".to_owned()),
                ],
                SettingKind::Flag => &[SettingValue::Number(1.0)],
                SettingKind::Choice(_) => {
                    &[SettingValue::Choice("best".to_owned()), SettingValue::Number(1.0)]
                }
            };
            for value in wrong {
                let mut changed = solver.clone();
                let problem = changed.set(setting.name, value).unwrap_err().to_string();
                assert_eq!(changed, solver);
                assert!(problem.contains(setting.name), "{problem}");
                assert!(problem.contains(solver.name()), "{problem}");
            }
        }
        let problem = solver.clone().set("speed", &SettingValue::from(1.0)).unwrap_err();
        assert!(problem.to_string().contains("substeps"), "{problem}");
    }
}

#[test]
fn several_settings_apply_in_any_order_or_not_at_all() {
    let mut newton = AnySolver::by_name("newton").unwrap();
    let tolerance = SettingValue::from(1e-6);
    assert!(newton.set("cg_tolerance", &tolerance).is_err());
    let choice = SettingValue::from("conjugate-gradients");
    newton.set_all([("cg_tolerance", &tolerance), ("linear_solver", &choice)]).unwrap();
    let cg = newton.settings().into_iter().find(|s| s.name == "cg_tolerance").unwrap();
    assert_eq!(cg.value, tolerance);
    let before = newton.clone();
    let (good, bad) = (SettingValue::from(7_usize), SettingValue::from(-1.0));
    assert!(newton.set_all([("iterations", &good), ("tolerance", &bad)]).is_err());
    assert_eq!(newton, before);
}

#[test]
fn names_of_newtons_forms_stand_for_their_settings() {
    let forms = [
        ("newton_pcg", Newton::pcg()),
        ("newton_shifted", Newton::shifted()),
        ("newton_hybrid", Newton::hybrid(10)),
        ("semi_implicit", Newton::semi_implicit()),
        ("semi_implicit_projected", Newton::semi_implicit_projected()),
    ];
    for (name, settings) in forms {
        let solver = AnySolver::by_name(name).unwrap();
        assert_eq!(solver, settings.into(), "{name}");
        assert_eq!(solver.name(), name);
        assert_eq!(AnySolver::by_name(&name.replace('_', "-")).unwrap(), solver);
        let bdf2 = AnySolver::by_name(&format!("{name}@bdf2")).unwrap();
        assert_eq!(bdf2.name(), format!("{name}@bdf2"));
        assert!(AnySolver::by_name(&format!("{name}+anderson")).is_err());
    }
}
