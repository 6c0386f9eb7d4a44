use std::time::Duration;

/// A time control as GTP knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeControl {
    /// The time for the first part of the game.
    pub main: Duration,
    /// The length of a period of overtime, entered when the main time is used up.
    pub period: Duration,
    /// The moves that have to be made in each period; the next one then begins. With 0, and a
    /// period above zero, there is no limit at all.
    pub moves: u32,
}

/// One player's clock.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Clock {
    control: Option<TimeControl>,
    left: Duration,
    /// The moves still to be made in the time left; 0 while that is main time.
    moves: u32,
}

/// What is lost between two programs with each move.
const LAG: Duration = Duration::from_millis(20);

impl Clock {
    /// A clock before the first move; a control without limit makes a clock without one.
    pub(crate) fn new(control: TimeControl) -> Clock {
        let unlimited = control.moves == 0 && !control.period.is_zero();
        let mut clock = Clock {
            control: (!unlimited).then_some(control),
            left: control.main,
            moves: 0,
        };
        if control.main.is_zero() {
            clock.begin_period();
        }
        clock
    }

    /// Sets what the controller says is left.
    pub(crate) fn set(&mut self, left: Duration, moves: u32) {
        self.left = left;
        self.moves = moves;
        self.control.get_or_insert(TimeControl {
            main: left,
            period: Duration::ZERO,
            moves: 0,
        });
    }

    fn begin_period(&mut self) {
        if let Some(control) = self.control.filter(|control| control.moves > 0) {
            self.left = control.period;
            self.moves = control.moves;
        }
    }

    /// Takes a move's time off, for controllers that do not tell what is left.
    pub(crate) fn spend(&mut self, time: Duration) {
        match (self.left.checked_sub(time), self.moves) {
            (Some(left), 2..) => (self.left, self.moves) = (left, self.moves - 1),
            (Some(left), 0) => self.left = left,
            // The period is done, or the main time is over.
            (Some(_), 1) => self.begin_period(),
            (None, _) => {
                self.left = Duration::ZERO;
                self.begin_period();
            }
        }
    }

    /// How long to think about the next move with so many squares empty.
    ///
    /// The first half of a game gets more than its share, since a game gets simpler near its end;
    /// no move gets more than a third of what is left, so the time is never used up.
    pub(crate) fn share(&self, empties: u32) -> Option<Duration> {
        self.control?;
        let moves_left = f64::from(empties.div_ceil(2));
        let share = match self.moves {
            0 => self.left.div_f64((0.7 * moves_left).max(3.0)) + self.of_period(),
            1 => self.left.mul_f64(0.9),
            moves => self
                .left
                .div_f64(f64::from(moves).min(moves_left.max(1.0)) + 0.2),
        };
        Some(share.saturating_sub(LAG).max(Duration::from_millis(1)))
    }

    /// What overtime adds to a move made in main time.
    fn of_period(&self) -> Duration {
        match self.control {
            Some(TimeControl {
                period,
                moves: moves @ 1..,
                ..
            }) => period / moves / 2,
            _ => Duration::ZERO,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn control(main: f64, period: f64, moves: u32) -> TimeControl {
        let (main, period) = (
            Duration::from_secs_f64(main),
            Duration::from_secs_f64(period),
        );
        TimeControl {
            main,
            period,
            moves,
        }
    }

    /// Plays 30 moves that take all of their share; how much they took.
    fn play(clock: &mut Clock) -> Duration {
        let mut total = Duration::ZERO;
        for mv in 0..30 {
            let share = clock.share(60 - 2 * mv).expect("a limit");
            clock.spend(share);
            total += share;
        }
        total
    }

    #[test]
    fn sudden_death_is_survived_and_used() {
        let total = play(&mut Clock::new(control(60.0, 0.0, 0)));
        assert!((30.0..59.5).contains(&total.as_secs_f64()), "{total:?}");
    }

    #[test]
    fn periods_are_kept() {
        let mut clock = Clock::new(control(0.0, 10.0, 5));
        for _ in 0..6 {
            let period: Duration = (0..5)
                .map(|_| {
                    let share = clock.share(40).expect("a limit");
                    clock.spend(share);
                    share
                })
                .sum();
            assert!((8.0..10.0).contains(&period.as_secs_f64()), "{period:?}");
        }
        // Main time first: the sum goes beyond it, but never beyond both.
        let total = play(&mut Clock::new(control(20.0, 1.0, 1)));
        assert!((20.0..50.0).contains(&total.as_secs_f64()), "{total:?}");
    }

    #[test]
    fn no_limit_and_what_the_controller_says() {
        let mut clock = Clock::new(control(0.0, 1.0, 0));
        assert_eq!(clock.share(60), None);
        assert_eq!(Clock::default().share(60), None);
        clock.set(Duration::from_secs(3), 0);
        assert!(clock.share(60).expect("a limit") < Duration::from_secs(1));
        clock.set(Duration::from_secs(3), 1);
        assert!(clock.share(60).expect("a limit") > Duration::from_secs(2));
    }
}
