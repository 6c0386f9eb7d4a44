//! Numbers that several commands take, each with its range.

use std::hint::black_box;

use clap::builder::{RangedI64ValueParser, RangedU64ValueParser};

/// The most threads that are started: more than any machine has cores for.
const MOST_THREADS: u64 = 512;

/// The most simulations of a search, which keeps its tree to some 300 MB.
pub const MOST_SIMULATIONS: u32 = 1_000_000;

/// The largest table of the endgame solver, in megabytes.
const MOST_TABLE: usize = 65_536;

/// Reads a number of threads, 1 to 512.
pub fn threads() -> RangedU64ValueParser<usize> {
    RangedU64ValueParser::new().range(1..=MOST_THREADS)
}

/// Reads the simulations of a search, 0 to [`MOST_SIMULATIONS`].
pub fn simulations() -> RangedI64ValueParser<u32> {
    RangedI64ValueParser::new().range(0..=i64::from(MOST_SIMULATIONS))
}

/// Reads a number of games to play, which are all kept until the last has ended.
pub fn games() -> RangedU64ValueParser<usize> {
    RangedU64ValueParser::new().range(0..=1_000_000)
}

/// Reads a number of positions, of which each may take some KB.
pub fn positions() -> RangedU64ValueParser<usize> {
    RangedU64ValueParser::new().range(1..=100_000)
}

/// Reads the memory of a table in megabytes, 1 to 65536, which this machine must have.
pub fn table(text: &str) -> Result<usize, String> {
    let megabytes = text.parse().ok().filter(|n| (1..=MOST_TABLE).contains(n));
    let megabytes = megabytes.ok_or_else(|| format!("expected 1 to {MOST_TABLE}"))?;
    // An allocation that fails ends the program, so it is tried where it may fail.
    let mut probe = Vec::<u8>::new();
    let found = probe.try_reserve_exact(megabytes << 20);
    black_box(&probe);
    match found {
        Ok(()) => Ok(megabytes),
        Err(_) => Err("this machine does not have so much memory".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_out_of_range_are_refused() {
        assert_eq!(table("1"), Ok(1));
        for text in ["0", "65537", "-1", "x", "", "99999999999999999999"] {
            let message = table(text).expect_err(text);
            assert_eq!(message, "expected 1 to 65536");
        }
    }
}
