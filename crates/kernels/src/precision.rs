//! In which numbers a tower computes.

use crate::Isa;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// In which numbers a tower computes. Configurations name them in lower case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Precision {
    /// 32-bit floating point.
    F32,
    /// 16-bit integers, [`QuantizedTower`](crate::QuantizedTower): faster than f32 where vectors are AVX2's.
    Int16,
    /// 8-bit integers, [`ByteTower`](crate::ByteTower): fastest with AMX, then AVX-512 VNNI,
    /// about as fast as f32 with AVX2, slow without any of them.
    Int8,
    /// The fastest on the machine: `int8` with AVX-512 VNNI or AMX, `int16` with AVX2 alone, else `f32`.
    Auto,
}

impl Precision {
    const ALL: [Precision; 4] = [
        Precision::F32,
        Precision::Int16,
        Precision::Int8,
        Precision::Auto,
    ];

    /// What [`Self::Auto`] means with these instructions; the others stay what they are.
    pub fn on(self, isa: Isa) -> Precision {
        match self {
            Precision::Auto if isa.has_byte_products() => Precision::Int8,
            Precision::Auto if isa.has_pair_products() => Precision::Int16,
            Precision::Auto => Precision::F32,
            chosen => chosen,
        }
    }
}

impl fmt::Display for Precision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Precision::F32 => "f32",
            Precision::Int16 => "int16",
            Precision::Int8 => "int8",
            Precision::Auto => "auto",
        })
    }
}

/// A precision's name that there is not.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected f32, int16, int8 or auto, not '{0}'")]
pub struct UnknownPrecision(String);

impl FromStr for Precision {
    type Err = UnknownPrecision;

    fn from_str(name: &str) -> Result<Precision, UnknownPrecision> {
        Precision::ALL
            .into_iter()
            .find(|precision| precision.to_string() == name)
            .ok_or_else(|| UnknownPrecision(name.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_they_are_written() {
        for precision in Precision::ALL {
            assert_eq!(precision.to_string().parse(), Ok(precision));
        }
        assert_eq!(
            "int4".parse::<Precision>().unwrap_err().to_string(),
            "expected f32, int16, int8 or auto, not 'int4'"
        );
    }

    #[test]
    fn portable_code_computes_in_floating_point() {
        assert_eq!(Precision::Auto.on(Isa::portable()), Precision::F32);
        assert_eq!(Precision::Int8.on(Isa::portable()), Precision::Int8);
    }
}
