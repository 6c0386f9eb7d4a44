//! Being told to stop.

/// Ends the process at SIGTERM, which the first process of a container would not notice by itself.
///
/// Nothing has to be put in order first: every file of a run is there whole or not at all, and what
/// was under way is made again by whoever goes on.
#[cfg(unix)]
pub fn end_when_told() -> std::io::Result<()> {
    use std::io::Write;

    use signal_hook::consts::SIGTERM;
    use signal_hook::iterator::Signals;

    /// What shells report of a process that a signal ended: 128 and its number.
    const ENDED: i32 = 128 + SIGTERM;

    let mut signals = Signals::new([SIGTERM])?;
    std::thread::spawn(move || {
        if signals.forever().next().is_some() {
            let line = "outflank: told to stop by SIGTERM; what was not published is dropped";
            let _ = writeln!(std::io::stderr(), "{line}"); // perhaps nobody reads any more
            std::process::exit(ENDED);
        }
    });
    Ok(())
}

/// Where there are no such signals there is nothing to do.
#[cfg(not(unix))]
pub fn end_when_told() -> std::io::Result<()> {
    Ok(())
}
