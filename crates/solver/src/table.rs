//! The transposition table: bounds that are proven for positions already searched.

use std::sync::atomic::{AtomicU8, AtomicU64, Ordering::Relaxed};

use crate::isa::Isa;

/// No best move is known.
pub(crate) const NO_SQUARE: u8 = 64;

/// What is known about a position, from its mover's view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    /// The score is at least this.
    pub lower: i8,
    /// The score is at most this.
    pub upper: i8,
    /// The square that did best, or [`NO_SQUARE`].
    pub best: u8,
}

impl Entry {
    /// Nothing is known.
    pub const UNKNOWN: Entry = Entry {
        lower: -64,
        upper: 64,
        best: NO_SQUARE,
    };
}

/// Where a position is kept, and what it is recognised by there: two hashes that do not depend on
/// each other, so that a false match needs both to agree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Key {
    place: u64,
    check: u64,
}

impl Key {
    /// The key of a position. The salt tells apart what must not meet in one table: board sizes
    /// and ways to count.
    #[inline(always)]
    pub fn new(own: u64, opp: u64, salt: u64) -> Key {
        let wide = |bits: u64, odd: u64| {
            let product = u128::from(bits) * u128::from(odd);
            (product as u64, (product >> 64) as u64)
        };
        let (own_low, own_high) = wide(own, 0x9e37_79b9_7f4a_7c15);
        let (opp_low, opp_high) = wide(opp, 0xd1b5_4a32_d192_ed03);
        Key {
            place: own_low.wrapping_add(opp_low.rotate_left(23)) ^ opp_high,
            check: (own_low ^ own_high) ^ (opp_low ^ opp_high).rotate_left(31) ^ salt,
        }
    }
}

/// One position in two words. The first is the check exclusive-or the second: words of two
/// different writes do not fit each other, so threads share the table without locks (R. Hyatt and
/// T. Mann, "A lock-less transposition table implementation", 2002).
#[derive(Default)]
struct Slot {
    check: AtomicU64,
    data: AtomicU64,
}

/// The slots that a position may be in: one cache line.
#[repr(align(64))]
#[derive(Default)]
struct Bucket([Slot; 4]);

/// A table of a fixed size. Entries are facts about positions, so they stay true from one search
/// to the next.
pub(crate) struct Table {
    buckets: Box<[Bucket]>,
    /// Keeps the upper bits of a key's place.
    shift: u32,
    /// Counts searches, so that entries of earlier ones are replaced first.
    generation: AtomicU8,
}

const GENERATIONS: u8 = 64;

fn pack(entry: Entry, empties: u32, generation: u8) -> u64 {
    u64::from_le_bytes([
        entry.lower as u8,
        entry.upper as u8,
        entry.best,
        empties as u8,
        generation,
        1, // a used slot is never all zero
        0,
        0,
    ])
}

fn unpack(data: u64) -> (Entry, u8, u8) {
    let [lower, upper, best, empties, generation, ..] = data.to_le_bytes();
    (
        Entry {
            lower: lower as i8,
            upper: upper as i8,
            best,
        },
        empties,
        generation,
    )
}

impl Table {
    /// A table of at most `bytes` bytes, and at least a few kilobytes: a power of two of buckets.
    pub fn new(bytes: usize) -> Table {
        let buckets = (bytes / size_of::<Bucket>()).max(64);
        let log2 = buckets.ilog2();
        Table {
            buckets: (0..1usize << log2).map(|_| Bucket::default()).collect(),
            shift: 64 - log2,
            generation: AtomicU8::new(0),
        }
    }

    /// Starts a search: what earlier ones left stays, until its place is needed.
    pub fn start_search(&self) {
        let next = (self.generation.load(Relaxed) + 1) % GENERATIONS;
        self.generation.store(next, Relaxed);
    }

    /// Forgets everything.
    pub fn clear(&self) {
        for slot in self.buckets.iter().flat_map(|bucket| &bucket.0) {
            slot.check.store(0, Relaxed);
            slot.data.store(0, Relaxed);
        }
    }

    #[inline(always)]
    fn bucket(&self, key: Key) -> &Bucket {
        &self.buckets[(key.place >> self.shift) as usize]
    }

    /// Brings the key's bucket to the cache.
    #[inline(always)]
    pub fn prefetch<I: Isa>(&self, isa: I, key: Key) {
        isa.prefetch(self.bucket(key));
    }

    /// What is known of a position.
    #[inline(always)]
    pub fn probe(&self, key: Key) -> Option<Entry> {
        for slot in &self.bucket(key).0 {
            let data = slot.data.load(Relaxed);
            if slot.check.load(Relaxed) ^ data == key.check && data != 0 {
                return Some(unpack(data).0);
            }
        }
        None
    }

    /// Adds what a search has proven, in the place of what matters least in its bucket: earlier
    /// searches' entries, then those with the fewest empties.
    #[inline(always)]
    pub fn store(&self, key: Key, empties: u32, entry: Entry) {
        let generation = self.generation.load(Relaxed);
        let bucket = self.bucket(key);
        let mut victim = &bucket.0[0];
        let mut least = u32::MAX;
        let mut merged = entry;
        for slot in &bucket.0 {
            let data = slot.data.load(Relaxed);
            let (known, known_empties, known_generation) = unpack(data);
            if slot.check.load(Relaxed) ^ data == key.check && data != 0 {
                merged.lower = entry.lower.max(known.lower);
                merged.upper = entry.upper.min(known.upper);
                if entry.best == NO_SQUARE {
                    merged.best = known.best;
                }
                victim = slot;
                break;
            }
            let worth = u32::from(known_empties) + 64 * u32::from(known_generation == generation);
            if worth < least {
                least = worth;
                victim = slot;
            }
        }
        let data = pack(merged, empties, generation);
        victim.data.store(data, Relaxed);
        victim.check.store(key.check ^ data, Relaxed);
    }
}
