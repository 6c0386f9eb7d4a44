//! Sharing items of work among threads.

use std::sync::Mutex;

/// Calls `work` once for each item, on at most `threads` threads. Which thread gets an item is a
/// matter of timing, so `work` must not depend on it.
pub(crate) fn for_each<T: Send>(
    threads: usize,
    items: impl Iterator<Item = T> + Send,
    work: impl Fn(T) + Sync,
) {
    if threads <= 1 {
        return items.for_each(work);
    }
    let items = Mutex::new(items);
    let next = || {
        items
            .lock()
            .expect("another thread panicked while it took an item")
            .next()
    };
    let run = || {
        while let Some(item) = next() {
            work(item);
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(run);
        }
        run();
    });
}
