//! Many games as bytes.
//!
//! | bytes | content |
//! |---|---|
//! | 0..8 | `OUTFLREC` |
//! | 8..12 | format version |
//! | 12..16 | number of games |
//! | 16..20 | length of the payload |
//! | 20..52 | SHA-256 of bytes 0..20 and the payload |
//! | 52.. | payload in bincode 2 (standard configuration), deflated: a list of [`GameRecord`]s, then a list with the surprise of each of their searches |
//!
//! Version 1 had no surprises; it is read as if they were all 0.
//!
//! Numbers are little-endian. Nothing in the bytes is trusted: the checksum is verified before
//! anything is unpacked, and unpacking stops at [`MAX_UNPACKED`] whatever the header claims.

use std::io::{Read, Write};

use flate2::{Compression, read::DeflateDecoder, write::DeflateEncoder};
use sha2::{Digest, Sha256};

use crate::{GameRecord, SearchRecord};

/// The version that this build writes, and the newest it reads.
pub const VERSION: u32 = 2;

/// The most bytes that a chunk may hold before compression, about 10,000 games.
pub const MAX_UNPACKED: usize = 32 << 20;

const MAGIC: &[u8; 8] = b"OUTFLREC";
const CHECKSUM_AT: usize = 20;
const PAYLOAD_AT: usize = 52;

/// Why bytes are not a readable chunk, or games do not make one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ChunkError {
    /// The bytes do not begin like a chunk.
    #[error("not a chunk of game records")]
    NotAChunk,
    /// A newer build wrote the chunk.
    #[error("the chunk has format version {found}, this build reads up to {VERSION}")]
    NewerVersion {
        /// The version in its header.
        found: u32,
    },
    /// The chunk's end is missing.
    #[error("the chunk is truncated: {found} bytes of {expected}")]
    Truncated {
        /// How long its header says it is.
        expected: u64,
        /// How long it is.
        found: u64,
    },
    /// Something follows the chunk.
    #[error("the chunk has {0} bytes after its end")]
    Trailing(u64),
    /// The bytes are not those that were written.
    #[error("the chunk is damaged: its checksum does not match")]
    Checksum,
    /// The checksum matches, but the content is not a list of games: a faulty writer.
    #[error("the chunk's content is damaged: {0}")]
    Content(String),
    /// The games are too many for one chunk.
    #[error("{games} games are too large for one chunk: the limit is {MAX_UNPACKED} bytes")]
    TooLarge {
        /// How many games.
        games: usize,
    },
}

/// The bytes of a chunk with these games.
pub fn encode(games: &[GameRecord]) -> Result<Vec<u8>, ChunkError> {
    let too_large = || ChunkError::TooLarge { games: games.len() };
    let surprises: Vec<f32> = searches(games).map(|search| search.surprise).collect();
    let unpacked = bincode::serde::encode_to_vec((games, surprises), bincode::config::standard())
        .map_err(|error| ChunkError::Content(error.to_string()))?;
    if unpacked.len() > MAX_UNPACKED {
        return Err(too_large());
    }
    let count = u32::try_from(games.len()).map_err(|_| too_large())?;
    Ok(seal(VERSION, count, &unpacked))
}

/// The games of a chunk, as they were encoded. They are well-formed, but not yet checked against
/// the rules: that is [`GameRecord::replay`].
pub fn decode(bytes: &[u8]) -> Result<Vec<GameRecord>, ChunkError> {
    let (version, count, payload) = open(bytes)?;
    let mut unpacked = Vec::new();
    DeflateDecoder::new(payload)
        .take(MAX_UNPACKED as u64 + 1)
        .read_to_end(&mut unpacked)
        .map_err(|error| ChunkError::Content(error.to_string()))?;
    if unpacked.len() > MAX_UNPACKED {
        return Err(ChunkError::Content(format!(
            "it unpacks to over {MAX_UNPACKED} bytes"
        )));
    }
    let config = bincode::config::standard().with_limit::<MAX_UNPACKED>();
    let content = |error: bincode::error::DecodeError| ChunkError::Content(error.to_string());
    let (mut games, mut read): (Vec<GameRecord>, usize) =
        bincode::serde::decode_from_slice(&unpacked, config).map_err(content)?;
    if version > 1 {
        let (surprises, length): (Vec<f32>, usize) =
            bincode::serde::decode_from_slice(&unpacked[read..], config).map_err(content)?;
        read += length;
        take_surprises(&mut games, &surprises)?;
    }
    if read != unpacked.len() {
        return Err(ChunkError::Content(format!(
            "{} bytes are left over",
            unpacked.len() - read
        )));
    }
    if games.len() != count as usize {
        return Err(ChunkError::Content(format!(
            "{} games instead of {count}",
            games.len()
        )));
    }
    Ok(games)
}

/// The searches of all games, in order.
fn searches(games: &[GameRecord]) -> impl Iterator<Item = &SearchRecord> {
    let plies = games.iter().flat_map(|game| &game.plies);
    plies.filter_map(|ply| ply.search.as_ref())
}

/// Gives each search its surprise.
fn take_surprises(games: &mut [GameRecord], surprises: &[f32]) -> Result<(), ChunkError> {
    let count = searches(games).count();
    if surprises.len() != count {
        return Err(ChunkError::Content(format!(
            "{} surprises for {count} searches",
            surprises.len()
        )));
    }
    if let Some(wrong) = surprises.iter().find(|x| !(x.is_finite() && **x >= 0.0)) {
        return Err(ChunkError::Content(format!("{wrong} is not a surprise")));
    }
    let plies = games.iter_mut().flat_map(|game| &mut game.plies);
    let searches = plies.filter_map(|ply| ply.search.as_mut());
    for (search, &surprise) in searches.zip(surprises) {
        search.surprise = surprise;
    }
    Ok(())
}

/// The SHA-256 of these bytes in hexadecimal, as `sha256sum` prints it: the identity of a chunk in
/// a run's log.
pub fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

/// Header and checksum around a compressed payload.
fn seal(version: u32, games: u32, unpacked: &[u8]) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    bytes.extend(version.to_le_bytes());
    bytes.extend(games.to_le_bytes());
    bytes.resize(PAYLOAD_AT, 0);
    // Policy weights hardly compress: the best level saves 4 % more, at several times the cost.
    let mut encoder = DeflateEncoder::new(bytes, Compression::fast());
    encoder
        .write_all(unpacked)
        .expect("writing to memory does not fail");
    let mut bytes = encoder.finish().expect("writing to memory does not fail");
    let length = u32::try_from(bytes.len() - PAYLOAD_AT).expect("deflate hardly ever expands");
    bytes[16..CHECKSUM_AT].copy_from_slice(&length.to_le_bytes());
    let checksum = checksum(&bytes);
    bytes[CHECKSUM_AT..PAYLOAD_AT].copy_from_slice(&checksum);
    bytes
}

/// The version, the claimed number of games and the payload of a chunk whose header and checksum
/// hold.
fn open(bytes: &[u8]) -> Result<(u32, u32, &[u8]), ChunkError> {
    if !bytes.starts_with(&MAGIC[..bytes.len().min(MAGIC.len())]) || bytes.is_empty() {
        return Err(ChunkError::NotAChunk);
    }
    let found = bytes.len() as u64;
    let truncated = |expected| ChunkError::Truncated { expected, found };
    let number = |at: usize| match bytes.get(at..at + 4) {
        Some(&[a, b, c, d]) => Ok(u32::from_le_bytes([a, b, c, d])),
        _ => Err(truncated(PAYLOAD_AT as u64)),
    };
    let version = number(8)?;
    if version > VERSION {
        return Err(ChunkError::NewerVersion { found: version });
    }
    let expected = PAYLOAD_AT as u64 + u64::from(number(16)?);
    if found < expected {
        return Err(truncated(expected));
    }
    if found > expected {
        return Err(ChunkError::Trailing(found - expected));
    }
    if checksum(bytes) != bytes[CHECKSUM_AT..PAYLOAD_AT] {
        return Err(ChunkError::Checksum);
    }
    if version == 0 {
        return Err(ChunkError::Content("there is no format version 0".into()));
    }
    Ok((version, number(12)?, &bytes[PAYLOAD_AT..]))
}

/// SHA-256 of everything but the checksum's own place.
fn checksum(bytes: &[u8]) -> [u8; 32] {
    let mut hasher = Sha256::new();
    hasher.update(&bytes[..CHECKSUM_AT]);
    hasher.update(&bytes[PAYLOAD_AT..]);
    hasher.finalize().into()
}

#[cfg(test)]
mod tests {
    use rand::{Rng, RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    fn content_error(bytes: &[u8]) -> String {
        match decode(bytes) {
            Err(ChunkError::Content(message)) => message,
            other => panic!("expected damaged content, got {other:?}"),
        }
    }

    #[test]
    fn a_chunk_without_games_is_a_chunk() {
        assert_eq!(decode(&encode(&[]).expect("small")), Ok(Vec::new()));
    }

    #[test]
    fn random_content_under_a_right_checksum_is_refused() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        for _ in 0..2000 {
            let mut unpacked = vec![0; rng.random_range(1..200)];
            rng.fill_bytes(&mut unpacked);
            // A list of one to three games, then noise: gets further than pure noise.
            unpacked[0] = rng.random_range(1..4);
            content_error(&seal(VERSION, unpacked[0].into(), &unpacked));
        }
    }

    #[test]
    fn claimed_lengths_allocate_nothing() {
        // bincode's varint: 253 announces eight bytes of length.
        let mut unpacked = vec![253];
        unpacked.extend(u64::MAX.to_le_bytes());
        content_error(&seal(VERSION, 1, &unpacked));
        let mut unpacked = vec![1, 8, 0, 0, 253];
        unpacked.extend((1u64 << 40).to_le_bytes());
        content_error(&seal(VERSION, 1, &unpacked));
    }

    #[test]
    fn unpacking_stops_at_the_limit() {
        let bomb = seal(VERSION, 1, &vec![0; MAX_UNPACKED + 1]);
        assert!(bomb.len() < 1 << 20);
        assert!(content_error(&bomb).contains("unpacks to over"));
    }

    #[test]
    fn wrong_counts_and_versions_are_refused() {
        let games: Vec<GameRecord> = Vec::new();
        let surprises: Vec<f32> = Vec::new();
        let none = bincode::serde::encode_to_vec((&games, &surprises), bincode::config::standard())
            .expect("encodes");
        assert!(decode(&seal(VERSION, 0, &none)).is_ok());
        assert!(content_error(&seal(VERSION, 1, &none)).contains("0 games instead of 1"));
        assert!(content_error(&seal(0, 0, &none)).contains("no format version 0"));
        let newer = decode(&seal(VERSION + 1, 0, &none)).expect_err("newer");
        assert_eq!(
            newer.to_string(),
            "the chunk has format version 3, this build reads up to 2"
        );
        let surplus = vec![0.5f32];
        let surplus =
            bincode::serde::encode_to_vec((&games, &surplus), bincode::config::standard())
                .expect("encodes");
        assert!(content_error(&seal(VERSION, 0, &surplus)).contains("1 surprises for 0 searches"));
        let left_over = [none, vec![0]].concat();
        assert!(content_error(&seal(VERSION, 0, &left_over)).contains("left over"));
    }

    #[test]
    fn the_digest_is_sha256() {
        // FIPS 180-2, appendix B.1.
        assert_eq!(
            digest(b"abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
    }
}
