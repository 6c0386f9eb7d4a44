//! Text that is not UTF-8.

/// Windows-1252 above 0x80, where it differs from ISO-8859-1. The five bytes that it leaves open
/// stand for the control characters of the same number, as browsers read them: so every byte has
/// its own character, and text goes there and back unchanged.
const WINDOWS_1252: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}',
    '\u{90}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

/// Windows-1252 bytes as text.
pub(crate) fn from_windows_1252(bytes: &[u8]) -> String {
    let decode = |&byte: &u8| match byte {
        0x80..=0x9f => WINDOWS_1252[usize::from(byte - 0x80)],
        _ => char::from(byte),
    };
    bytes.iter().map(decode).collect()
}

/// The Windows-1252 byte of a character, if it has one.
pub(crate) fn to_windows_1252(character: char) -> Option<u8> {
    match u32::from(character) {
        code @ (0..=0x7f | 0xa0..=0xff) => Some(code as u8),
        _ => WINDOWS_1252
            .iter()
            .position(|&c| c == character)
            .map(|i| 0x80 + i as u8),
    }
}

/// A piece of a text file: UTF-8 where it is valid UTF-8, else Windows-1252, which is what older
/// programs wrote.
pub(crate) fn decode(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => from_windows_1252(bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_goes_there_and_back() {
        for byte in 0..=255 {
            let text = from_windows_1252(&[byte]);
            assert_eq!(text.chars().count(), 1);
            assert_eq!(to_windows_1252(text.chars().next().unwrap()), Some(byte));
        }
        assert_eq!(from_windows_1252(b"Pr\xe9qualif \x80"), "Préqualif €");
        assert_eq!(to_windows_1252('漢'), None);
    }

    #[test]
    fn utf8_is_preferred() {
        assert_eq!(decode("Préqualif".as_bytes()), "Préqualif");
        assert_eq!(decode(b"Pr\xe9qualif"), "Préqualif");
    }
}
