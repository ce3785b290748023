//! Chart axes: the range of the data, ticks at round numbers, and their labels.

/// An axis of a chart.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    pub(super) title: String,
    log: bool,
    from_zero: bool,
}

impl Axis {
    /// Creates a linear axis; the title names the quantity and its unit.
    pub fn linear(title: &str) -> Self {
        Self { title: title.to_owned(), log: false, from_zero: false }
    }

    /// Creates a logarithmic axis of base ten.
    pub fn log(title: &str) -> Self {
        Self { title: title.to_owned(), log: true, from_zero: false }
    }

    /// Includes zero in the range of a linear axis.
    pub fn from_zero(mut self) -> Self {
        self.from_zero = true;
        self
    }

    /// Axis coordinate of a value, if it has one: the value itself, or its decimal logarithm.
    pub(super) fn to_axis(&self, value: f64) -> Option<f64> {
        match self.log {
            true => (value > 0.0 && value.is_finite()).then(|| log10(value)),
            false => value.is_finite().then_some(value),
        }
    }

    /// Range and ticks for these axis coordinates.
    pub(super) fn scale(&self, places: impl Iterator<Item = f64>) -> Scale {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for place in places {
            (low, high) = (low.min(place), high.max(place));
        }
        if low > high {
            (low, high) = (0.0, 1.0);
        }
        if self.log { log_scale(low, high) } else { self.linear_scale(low, high) }
    }

    fn linear_scale(&self, mut low: f64, mut high: f64) -> Scale {
        if self.from_zero {
            (low, high) = (low.min(0.0), high.max(0.0));
        }
        if high - low < 1e-12 * low.abs().max(high.abs()).max(1e-300) {
            let room = if low == 0.0 { 1.0 } else { 0.5 * low.abs() };
            (low, high) = (low - room, high + room);
        }
        let step = round_step((high - low) / 6.0);
        let (first, last) = ((low / step).floor(), (high / step).ceil());
        let ticks = (0..=(last - first) as usize)
            .map(|k| {
                let value = (first + k as f64) * step;
                Tick { place: value, label: Some(number(value, step)) }
            })
            .collect();
        Scale { low: first * step, high: last * step, ticks }
    }
}

/// A tick; minor ticks have no label.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Tick {
    pub place: f64,
    pub label: Option<String>,
}

/// Range of an axis and its ticks.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Scale {
    pub low: f64,
    pub high: f64,
    pub ticks: Vec<Tick>,
}

impl Scale {
    /// Relative position of an axis coordinate in the range, from 0 to 1.
    pub(super) fn fraction(&self, place: f64) -> f64 {
        (place - self.low) / (self.high - self.low)
    }
}

/// Whole decades, labelled as powers, with minor ticks between them if space permits.
fn log_scale(low: f64, high: f64) -> Scale {
    let low = (low + 1e-9).floor();
    let high = (high - 1e-9).ceil().max(low + 1.0);
    let decades = (high - low) as i64;
    let stride = (decades as u64).div_ceil(9).max(1) as i64;
    let mut ticks = Vec::new();
    for decade in 0..=decades {
        let place = low + decade as f64;
        // The stride counts from exponent 0, so that the value 1 keeps its label.
        let label = (place as i64 % stride == 0).then(|| power(place as i64));
        ticks.push(Tick { place, label });
        if decades <= 6 && decade < decades {
            let between = (2..10).map(|m| place + log10(f64::from(m)));
            ticks.extend(between.map(|place| Tick { place, label: None }));
        }
    }
    Scale { low, high, ticks }
}

/// Smallest round step (1, 2 or 5 times a power of ten) not below `raw`.
fn round_step(raw: f64) -> f64 {
    let mut unit = 1.0;
    while unit > raw {
        unit /= 10.0;
    }
    while unit * 10.0 <= raw {
        unit *= 10.0;
    }
    [1.0, 2.0, 5.0, 10.0].into_iter().map(|k| k * unit).find(|s| *s >= raw).unwrap_or(unit)
}

/// Formats a number with the decimals that the step requires.
fn number(value: f64, step: f64) -> String {
    let size = value.abs().max(step);
    if value != 0.0 && !(1e-4..1e6).contains(&size) {
        return scientific(value);
    }
    let mut digits = 0;
    let mut unit = step;
    while unit < 0.999 && digits < 9 {
        unit *= 10.0;
        digits += 1;
    }
    format!("{value:.digits$}").replace('-', "−")
}

/// Formats a number as in 2.5×10⁶.
fn scientific(value: f64) -> String {
    let text = format!("{value:e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let short: String = digits.chars().take(if value < 0.0 { 5 } else { 4 }).collect();
    let power = power(exponent.parse().unwrap_or(0));
    if short == "1" { power } else { format!("{short}×{power}").replace('-', "−") }
}

/// Formats a power of ten as in 10⁻³; 1, 10 and 100 are written out.
fn power(exponent: i64) -> String {
    match exponent {
        0 => "1".to_owned(),
        1 => "10".to_owned(),
        2 => "100".to_owned(),
        _ => {
            let raised = |c: char| match c {
                '-' => '⁻',
                '1' => '¹',
                '2' => '²',
                '3' => '³',
                // The other superscript digits are consecutive code points from '⁰'.
                digit => char::from_u32(0x2070 + digit.to_digit(10).unwrap_or(0)).unwrap_or('?'),
            };
            format!("10{}", exponent.to_string().chars().map(raised).collect::<String>())
        }
    }
}

/// Decimal logarithm, from the binary exponent and a series for the mantissa. With `s = (m − 1)/(m + 1)`, `ln m
/// = 2 (s + s³/3 + s⁵/5 + …)`.
fn log10(value: f64) -> f64 {
    const LOG10_2: f64 = std::f64::consts::LOG10_2;
    const SCALE: f64 = 18_014_398_509_481_984.0; // 2⁵⁴, to scale up subnormal numbers
    let (value, lift) = if value < f64::MIN_POSITIVE { (value * SCALE, -54) } else { (value, 0) };
    let bits = value.to_bits();
    let mut exponent = (bits >> 52) as i64 - 1023 + lift;
    let mut m = f64::from_bits(bits & ((1 << 52) - 1) | 1023 << 52);
    if m > std::f64::consts::SQRT_2 {
        m *= 0.5;
        exponent += 1;
    }
    let s = (m - 1.0) / (m + 1.0);
    let mut term = s;
    let mut sum = 0.0;
    for k in 0..16 {
        sum += term / f64::from(2 * k + 1);
        term *= s * s;
    }
    exponent as f64 * LOG10_2 + 2.0 * sum * std::f64::consts::LOG10_E
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_logarithm_is_exact_to_rounding() {
        let known = [(1.0, 0.0), (1000.0, 3.0), (5.0, 0.698_970_004_336_018_8), (1e-300, -300.0)];
        for (value, expected) in known {
            let error: f64 = log10(value) - expected;
            // measured 0 to 6e-14 (at 1e-300)
            assert!(error.abs() < 5e-13, "{value}: {error:e}");
        }
    }

    #[test]
    fn ticks_stand_at_round_numbers() {
        let scale = Axis::linear("t").scale([0.13, 9.7].into_iter());
        let labels: Vec<_> = scale.ticks.iter().filter_map(|t| t.label.clone()).collect();
        assert_eq!(labels, ["0", "2", "4", "6", "8", "10"]);
        let scale = Axis::linear("t").scale([-0.011, 0.02].into_iter());
        let labels: Vec<_> = scale.ticks.iter().filter_map(|t| t.label.clone()).collect();
        assert_eq!(labels[..3], ["−0.02", "−0.01", "0.00"]);
        let scale = Axis::log("e").scale([-3.2, 0.7].into_iter());
        let labels: Vec<_> = scale.ticks.iter().filter_map(|t| t.label.clone()).collect();
        assert_eq!(labels, ["10⁻⁴", "10⁻³", "10⁻²", "10⁻¹", "1", "10"]);
    }

    #[test]
    fn odd_data_still_have_a_scale() {
        for data in [vec![], vec![0.0], vec![5.0, 5.0], vec![-1e300, 1e300], vec![1e-300, 2e-300]] {
            for axis in [Axis::linear("x"), Axis::linear("x").from_zero()] {
                let scale = axis.scale(data.iter().copied());
                assert!(scale.low < scale.high && (2..40).contains(&scale.ticks.len()), "{data:?}");
            }
        }
        assert_eq!(Axis::log("x").to_axis(0.0), None);
        assert_eq!(Axis::log("x").to_axis(f64::NAN), None);
    }
}
