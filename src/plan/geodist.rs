//! GEODIST's last argument: in what the points are given, in what the distance is wanted, and on which sphere.

use super::PlanError;
use crate::sql::ast;

/// Radius in metres where nothing is said about the method.
const EARTH: f64 = 6_371_000.0;
/// Radius in metres of `method=haversine`, as recorded.
const HAVERSINE: f64 = 6_384_000.0;

/// What is taken for radians and metres.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Units {
    /// Radians in one unit of the coordinates.
    pub angle: f64,
    /// Radius of the sphere in units of the distance.
    pub radius: f64,
}

/// Reads `{in=…, out=…, method=…}`. Unknown options and units are errors: a distance in a unit that nobody asked for looks like any other.
pub(super) fn units(options: &[(String, ast::Expr)]) -> Result<Units, PlanError> {
    let (mut angle, mut metres, mut radius) = (1.0, 1.0, EARTH);
    for (name, value) in options {
        let word = match value {
            ast::Expr::Column(word) | ast::Expr::Text(word) => word.to_ascii_lowercase(),
            _ => return Err(PlanError::rejected(format!("geodist(): option {name} takes a word"))),
        };
        let unknown = |known: &str| PlanError::rejected(format!("geodist(): option {name} takes {known}, not '{word}'"));
        match name.as_str() {
            "in" => {
                angle = match word.as_str() {
                    "deg" | "degrees" => 1f64.to_radians(),
                    "rad" | "radians" => 1.0,
                    _ => return Err(unknown("deg, degrees, rad, radians")),
                }
            }
            "out" => {
                metres = match word.as_str() {
                    "m" | "meters" => 1.0,
                    "km" | "kilometers" => 1_000.0,
                    "ft" | "feet" => 0.3048,
                    "mi" | "miles" => 1_609.344,
                    "yd" | "yards" => 0.9144,
                    "in" | "inch" => 0.0254,
                    "cm" | "centimeters" => 0.01,
                    "mm" | "millimeters" => 0.001,
                    "nm" | "nmi" | "nauticalmiles" => 1_852.0,
                    _ => return Err(unknown("m, km, ft, mi, yd, inch, cm, mm, nmi")),
                }
            }
            "method" => {
                radius = match word.as_str() {
                    "adaptive" => EARTH,
                    "haversine" => HAVERSINE,
                    _ => return Err(unknown("adaptive, haversine")),
                }
            }
            _ => return Err(PlanError::rejected(format!("geodist(): unknown option '{name}'"))),
        }
    }
    Ok(Units { angle, radius: radius / metres })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_known_or_refused() {
        let read = |name: &str, word: &str| units(&[(name.to_owned(), ast::Expr::Column(word.to_owned()))]).map_err(|e| e.to_string());
        assert_eq!(units(&[]), Ok(Units { angle: 1.0, radius: EARTH }));
        assert_eq!(read("in", "degrees"), Ok(Units { angle: std::f64::consts::PI / 180.0, radius: EARTH }));
        assert_eq!(read("out", "km"), Ok(Units { angle: 1.0, radius: 6_371.0 }));
        assert_eq!(read("method", "haversine"), Ok(Units { angle: 1.0, radius: HAVERSINE }));
        assert_eq!(read("out", "parsec"), Err("geodist(): option out takes m, km, ft, mi, yd, inch, cm, mm, nmi, not 'parsec'".into()));
        assert_eq!(read("into", "km"), Err("geodist(): unknown option 'into'".into()));
        assert_eq!(
            units(&[("in".to_owned(), ast::Expr::Int(1))]).map_err(|e| e.to_string()),
            Err("geodist(): option in takes a word".into())
        );
    }
}
