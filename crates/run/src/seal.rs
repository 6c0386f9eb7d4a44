//! Digests inside the text files of a run, so that a changed character is noticed.
//!
//! A seal is the end of its file and holds the SHA-256 of all bytes before it. In JSON it is one
//! more field of the object, in TOML a comment, so that other readers need not know of it. Runs that
//! earlier versions made have files without.

use outflank_records::chunk::digest;

/// How a seal looks in a file format: what stands before and after its digest.
pub(crate) struct Seal {
    before: &'static str,
    after: &'static str,
}

/// The last field of an object that is written over several lines.
pub(crate) const JSON: Seal = Seal {
    before: ",\n  \"sha256\": \"",
    after: "\"\n}\n",
};

/// The last line.
pub(crate) const TOML: Seal = Seal {
    before: "# sha256 = \"",
    after: "\"\n",
};

/// Hexadecimal digits of a digest.
const DIGITS: usize = 64;

/// What is said of a file whose content and seal do not belong together.
pub(crate) const BROKEN: &str = "it is not what was written, its SHA-256 is another";

/// What is said of a file that should have a seal.
pub(crate) const MISSING: &str = "it is not what was written, which ended with its SHA-256";

impl Seal {
    /// A file with this content.
    pub fn put(&self, content: &str) -> String {
        let digest = digest(content.as_bytes());
        format!("{content}{}{digest}{}", self.before, self.after)
    }

    /// The content of a file with a seal, [`BROKEN`] if it is another than was sealed; `None` for a
    /// file without one.
    pub fn take<'a>(&self, file: &'a [u8]) -> Result<Option<&'a [u8]>, &'static str> {
        let found = file
            .strip_suffix(self.after.as_bytes())
            .and_then(|rest| rest.split_at_checked(rest.len().checked_sub(DIGITS)?))
            .and_then(|(rest, sealed)| Some((rest.strip_suffix(self.before.as_bytes())?, sealed)));
        match found {
            Some((content, sealed)) if digest(content).as_bytes() == sealed => Ok(Some(content)),
            Some(_) => Err(BROKEN),
            None => Ok(None),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_bit_is_noticed() {
        let content = "{\n  \"seed\": 1";
        let file = JSON.put(content).into_bytes();
        assert_eq!(JSON.take(&file), Ok(Some(content.as_bytes())));
        for bit in 0..8 * file.len() {
            let mut damaged = file.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            let noticed = !matches!(JSON.take(&damaged), Ok(Some(_)));
            assert!(noticed, "bit {bit}");
        }
    }

    #[test]
    fn files_without_a_seal_are_known() {
        for file in ["", "\"\n}\n", "{}\n", ",\n  \"sha256\": \"ab\"\n}\n"] {
            assert_eq!(JSON.take(file.as_bytes()), Ok(None), "{file}");
        }
    }
}
