//! Arithmetic: `#{e|+:1,2}`, with decimal places if wanted: `#{e|/|f|2:1,3}`.

use super::modifiers::Modifier;

/// More decimal places than a number has.
const PLACES: usize = 20;

/// The result as text; nothing if an operand is not a number.
pub(super) fn calculated(modifier: &Modifier, left: &str, right: &str) -> String {
    let (Ok(left), Ok(right)) = (left.trim().parse::<f64>(), right.trim().parse::<f64>()) else {
        return String::new();
    };
    let is_float = modifier.argument(1).contains('f');
    let (left, right) = if is_float { (left, right) } else { (left.trunc(), right.trunc()) };
    let truth = |truth: bool| f64::from(u8::from(truth));
    let result = match modifier.argument(0) {
        "+" => left + right,
        "-" => left - right,
        "*" => left * right,
        "/" => left / right,
        "%" | "%%" | "m" => left % right,
        "==" => truth((left - right).abs() < 1e-9),
        "!=" => truth((left - right).abs() >= 1e-9),
        "<" => truth(left < right),
        ">" => truth(left > right),
        "<=" => truth(left <= right),
        ">=" => truth(left >= right),
        _ => return String::new(),
    };
    if !result.is_finite() {
        return String::new();
    }
    let places = modifier.argument(2).parse::<usize>().unwrap_or(if is_float { 2 } else { 0 });
    let result = if is_float { result } else { result.trunc() };
    format!("{result:.*}", places.min(PLACES))
}
