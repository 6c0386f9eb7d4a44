//! How long a client is waited for.

use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{Instant, timeout_at};

/// The time until which one client is waited for; clones share it.
#[derive(Clone)]
pub struct Patience {
    length: Duration,
    end: watch::Sender<Instant>,
}

impl Patience {
    /// Lasts so long from now on.
    pub fn new(length: Duration) -> Patience {
        let end = watch::Sender::new(Instant::now() + length);
        Patience { length, end }
    }

    /// Begins anew: the client has done its part, or it is not the one who is waited for.
    pub fn renew(&self) {
        self.end.send_replace(Instant::now() + self.length);
    }

    /// Returns when it has ended.
    pub async fn lost(&self) {
        let mut end = self.end.subscribe();
        loop {
            let at = *end.borrow_and_update();
            if timeout_at(at, end.changed()).await.is_err() {
                return;
            }
        }
    }
}
