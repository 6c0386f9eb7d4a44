//! Words of the command line that are, or hold, paths: these need not be UTF-8.

use std::ffi::OsStr;

/// The parts before and after the first of these ASCII characters.
pub fn split_once(text: &OsStr, at: u8) -> Option<(&OsStr, &OsStr)> {
    let place = bytes(text)?.iter().position(|&byte| byte == at)?;
    parts(text, place)
}

/// The parts before and after the last of these ASCII characters.
pub fn rsplit_once(text: &OsStr, at: u8) -> Option<(&OsStr, &OsStr)> {
    let place = bytes(text)?.iter().rposition(|&byte| byte == at)?;
    parts(text, place)
}

#[cfg(unix)]
fn bytes(text: &OsStr) -> Option<&[u8]> {
    Some(std::os::unix::ffi::OsStrExt::as_bytes(text))
}

#[cfg(unix)]
fn parts(text: &OsStr, place: usize) -> Option<(&OsStr, &OsStr)> {
    use std::os::unix::ffi::OsStrExt;
    let bytes = text.as_bytes();
    let part = OsStr::from_bytes;
    Some((part(&bytes[..place]), part(&bytes[place + 1..])))
}

// Elsewhere what is no text is one whole path.
#[cfg(not(unix))]
fn bytes(text: &OsStr) -> Option<&[u8]> {
    text.to_str().map(str::as_bytes)
}

#[cfg(not(unix))]
fn parts(text: &OsStr, place: usize) -> Option<(&OsStr, &OsStr)> {
    let text = text.to_str()?;
    Some((text[..place].as_ref(), text[place + 1..].as_ref()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_split_at_one_character() {
        let text = OsStr::new("a@b@c,d");
        let of = |parts: Option<(&OsStr, &OsStr)>| parts.map(|(a, b)| [a.to_owned(), b.to_owned()]);
        assert_eq!(
            of(split_once(text, b'@')),
            Some(["a", "b@c,d"].map(Into::into))
        );
        assert_eq!(
            of(rsplit_once(text, b'@')),
            Some(["a@b", "c,d"].map(Into::into))
        );
        assert_eq!(split_once(text, b'!'), None);
    }
}
