use std::hash::{BuildHasher, RandomState};
use std::io::ErrorKind;
use std::time::Duration;

use crate::error::io_error;

/// How long a failing call is repeated. A store's own client gives up after seconds; an outage of
/// minutes must not end a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backoff {
    /// The wait before the first repetition; each further wait is twice as long.
    pub first: Duration,
    /// The longest single wait.
    pub longest: Duration,
    /// The sum of waits after which the call fails.
    pub total: Duration,
}

impl Default for Backoff {
    /// From 0.2 to 20 seconds, 5 minutes in all.
    fn default() -> Backoff {
        Backoff {
            first: Duration::from_millis(200),
            longest: Duration::from_secs(20),
            total: Duration::from_secs(300),
        }
    }
}

impl Backoff {
    /// Repeats nothing.
    pub const NONE: Backoff = Backoff {
        first: Duration::ZERO,
        longest: Duration::ZERO,
        total: Duration::ZERO,
    };

    /// The waits before repetitions, each shortened at random by up to a half so that many workers
    /// do not return in step after an outage.
    pub(crate) fn waits(self) -> impl Iterator<Item = Duration> {
        let mut left = self.total;
        let mut next = self.first.min(self.longest);
        std::iter::from_fn(move || {
            if left.is_zero() || next.is_zero() {
                return None;
            }
            let share = 0.5 + 0.5 * random_share();
            let wait = next.mul_f64(share).min(left);
            left -= wait;
            next = (2 * next).min(self.longest);
            Some(wait)
        })
    }
}

/// One repetition, told to a [`crate::Store`]'s observer before its wait.
#[derive(Clone, Debug)]
pub struct Retry {
    /// What failed: an error's one-line message.
    pub message: String,
    /// The wait until the call is made again.
    pub wait: Duration,
}

/// How the standard library begins the failure of a name service, which has no kind of its own.
/// In clusters such failures are common, and pass.
const NO_ADDRESS: &str = "failed to lookup address information";

/// Whether a failed call may succeed if repeated. What is certain to fail again, such as a full
/// disk or a folder without permission, must end at once.
pub(crate) fn is_transient(error: &object_store::Error) -> bool {
    use object_store::Error;
    match error {
        Error::Generic { .. } | Error::JoinError { .. } => {}
        _ => return false, // answers about the object, the request or the credentials
    }
    // Without an input/output error it is the service that failed, a 500 or 503.
    io_error(error).is_none_or(|error| {
        let passes = matches!(
            error.kind(),
            ErrorKind::Interrupted
                | ErrorKind::WouldBlock
                | ErrorKind::TimedOut
                | ErrorKind::ResourceBusy
                | ErrorKind::StaleNetworkFileHandle
                | ErrorKind::ConnectionRefused
                | ErrorKind::ConnectionReset
                | ErrorKind::ConnectionAborted
                | ErrorKind::NotConnected
                | ErrorKind::HostUnreachable
                | ErrorKind::NetworkUnreachable
                | ErrorKind::NetworkDown
                | ErrorKind::BrokenPipe
                | ErrorKind::UnexpectedEof
        );
        passes || error.to_string().contains(NO_ADDRESS)
    })
}

/// A number from 0 to 1 that differs from process to process; nothing reproducible hangs on it.
fn random_share() -> f64 {
    (random_bits() >> 11) as f64 / (1u64 << 53) as f64
}

/// 64 bits from the seeds that the standard library gives its hash maps.
pub(crate) fn random_bits() -> u64 {
    RandomState::new().hash_one(std::process::id())
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;

    fn generic(source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> object_store::Error {
        object_store::Error::Generic {
            store: "test",
            source: source.into(),
        }
    }

    #[test]
    fn waits_grow_and_add_up() {
        let backoff = Backoff::default();
        let waits: Vec<_> = backoff.waits().collect();
        assert_eq!(waits.iter().sum::<Duration>(), backoff.total);
        assert!(waits[0] >= backoff.first / 2 && waits[0] <= backoff.first);
        assert!(waits.iter().all(|wait| *wait <= backoff.longest));
        assert!((15..50).contains(&waits.len()), "{}", waits.len());
        assert_eq!(Backoff::NONE.waits().count(), 0);
    }

    #[test]
    fn only_what_may_pass_is_repeated() {
        for kind in [
            ErrorKind::TimedOut,
            ErrorKind::ConnectionRefused,
            ErrorKind::Interrupted,
        ] {
            assert!(is_transient(&generic(io::Error::from(kind))), "{kind:?}");
        }
        for kind in [
            ErrorKind::PermissionDenied,
            ErrorKind::StorageFull,
            ErrorKind::QuotaExceeded,
            ErrorKind::ReadOnlyFilesystem,
            ErrorKind::NotADirectory,
            ErrorKind::Other,
        ] {
            assert!(!is_transient(&generic(io::Error::from(kind))), "{kind:?}");
        }
        assert!(is_transient(&generic("503 Slow Down")));
        let message = format!("{NO_ADDRESS}: Temporary failure in name resolution");
        assert!(is_transient(&generic(io::Error::other(message))));
        let source = "no".into();
        let denied = object_store::Error::PermissionDenied {
            path: "x".into(),
            source,
        };
        assert!(!is_transient(&denied));
    }
}
