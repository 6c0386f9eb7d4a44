//! The most likely ratings by Newton's method, in units of log-odds.

use std::cmp::Reverse;

use super::graph::{components, reachable};
use super::{Group, Ladder, LadderConfig, Rated, Scores};
use crate::stats::{ELO_PER_LOGIT, Estimate, Z95};

/// Steps after which Newton's method has converged on any data: with the step halved whenever it
/// overshoots, the concave likelihood rises all the way, and ten to twenty steps are usual.
const MAX_STEPS: usize = 200;

/// The games of two players as the likelihood counts them, virtual ones included.
struct Meeting {
    a: usize,
    b: usize,
    games: f64,
    /// The points of `a`.
    points: f64,
}

pub fn fit(scores: &Scores, config: &LadderConfig) -> Ladder {
    let count = scores.names().len();
    let mut meetings: Vec<Meeting> = scores
        .meetings()
        .map(|(a, b, results)| Meeting {
            a,
            b,
            games: results.games() as f64 + config.prior_draws,
            points: results.wins as f64 + 0.5 * (results.draws as f64 + config.prior_draws),
        })
        .collect();
    let mut fixed: Vec<Option<f64>> = scores
        .names()
        .iter()
        .map(|name| config.anchors.get(name).map(|elo| elo / ELO_PER_LOGIT))
        .collect();
    // Anchors are connected whether they have met or not: their difference is given.
    let anchors: Vec<usize> = (0..count).filter(|&i| fixed[i].is_some()).collect();
    let anchor_edges = || anchors.windows(2).map(|pair| (pair[0], pair[1]));

    let held = hold(count, &mut meetings, anchor_edges());
    let edges = meetings.iter().map(|meeting| (meeting.a, meeting.b));
    let label = components(count, edges.chain(anchor_edges()));
    let games = |i: usize| -> u64 { results_of(scores, i).0 };
    // A group without an anchor needs a zero of its own.
    let mut references = vec![None; count];
    for root in (0..count).filter(|&i| label[i] == i) {
        if !anchors.iter().any(|&anchor| label[anchor] == root) {
            let members = (0..count).filter(|&i| label[i] == root);
            let most = members.min_by_key(|&i| (Reverse(games(i)), i));
            references[root] = most;
            fixed[most.unwrap_or(root)] = Some(0.0);
        }
    }
    let (logits, covariance) = newton(&fixed, &meetings);

    let assured = assured(
        &logits,
        &covariance,
        &label,
        &(0..count).map(games).collect::<Vec<_>>(),
    );

    // Groups with an anchor first, then the larger ones; what the games assure decides within.
    let size = |root: usize| label.iter().filter(|&&l| l == root).count();
    let mut roots: Vec<usize> = (0..count).filter(|&i| label[i] == i).collect();
    roots.sort_by_key(|&root| (references[root].is_some(), Reverse(size(root)), root));
    let place = |i: usize| roots.iter().position(|&root| root == label[i]);
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by(|&i, &j| {
        let by_group = place(i).cmp(&place(j));
        by_group
            .then(assured[j].total_cmp(&assured[i]))
            .then(i.cmp(&j))
    });
    let name = |i: usize| scores.names()[i].clone();
    let rated = |&i: &usize| {
        let (elo, half) = (
            ELO_PER_LOGIT * logits[i],
            Z95 * ELO_PER_LOGIT * covariance[i][i].sqrt(),
        );
        let (games, points) = results_of(scores, i);
        Rated {
            name: name(i),
            rating: Estimate {
                elo,
                low: elo - half,
                high: elo + half,
            },
            assured: ELO_PER_LOGIT * assured[i],
            fixed: fixed[i].is_some(),
            games,
            score: points / games as f64,
            group: place(i).unwrap_or(0),
        }
    };
    let members = |&root: &usize| Group {
        players: order
            .iter()
            .filter(|&&i| label[i] == root)
            .map(|&i| name(i))
            .collect(),
        reference: references[root].map(name),
    };
    let missing = |anchor: &&String| !scores.names().contains(anchor);
    Ladder {
        players: order.iter().map(rated).collect(),
        groups: roots.iter().map(members).collect(),
        held: held.into_iter().map(|(a, b)| [name(a), name(b)]).collect(),
        missing_anchors: config.anchors.keys().filter(missing).cloned().collect(),
        covariance: order
            .iter()
            .map(|&i| order.iter().map(|&j| covariance[i][j]).collect())
            .collect(),
    }
}

/// The lower ends of the intervals of all ratings against the means of their groups, see
/// [`Rated::assured`].
fn assured(logits: &[f64], covariance: &[Vec<f64>], label: &[usize], games: &[u64]) -> Vec<f64> {
    let lower_end = |i: usize| {
        let members = || (0..label.len()).filter(|&j| label[j] == label[i]);
        let all = members().map(|j| games[j] as f64).sum::<f64>();
        let share = |j: usize| games[j] as f64 / all;
        let with_mean = |j: usize| members().map(|k| share(k) * covariance[j][k]).sum::<f64>();
        let mean = members().map(|j| share(j) * with_mean(j)).sum::<f64>();
        let variance = covariance[i][i] - 2.0 * with_mean(i) + mean;
        logits[i] - Z95 * variance.max(0.0).sqrt()
    };
    (0..logits.len()).map(lower_end).collect()
}

/// Games and points of one player.
fn results_of(scores: &Scores, player: usize) -> (u64, f64) {
    let (mut games, mut points) = (0, 0.0);
    for (a, b, results) in scores.meetings() {
        if a == player || b == player {
            let share = if a == player {
                results.score()
            } else {
                1.0 - results.score()
            };
            games += results.games();
            points += share * results.games() as f64;
        }
    }
    (games, points)
}

/// Adds a virtual draw to every meeting without which no finite ratings would be most likely, and
/// returns those: the stronger player first.
///
/// Ratings are finite exactly if from every player a chain of "has won a point from" leads to
/// every other of its group (Ford 1957). Meetings whose loser's chains never lead back are the
/// ones that break it.
fn hold(
    count: usize,
    meetings: &mut [Meeting],
    anchors: impl Iterator<Item = (usize, usize)>,
) -> Vec<(usize, usize)> {
    let mut edges: Vec<(usize, usize)> = anchors.flat_map(|(a, b)| [(a, b), (b, a)]).collect();
    for meeting in meetings.iter() {
        if meeting.points > 0.0 {
            edges.push((meeting.a, meeting.b));
        }
        if meeting.points < meeting.games {
            edges.push((meeting.b, meeting.a));
        }
    }
    let reach = reachable(count, &edges);
    let mut held = Vec::new();
    for meeting in meetings {
        let &mut Meeting { a, b, .. } = meeting;
        if reach[a][b] != reach[b][a] {
            held.push(if reach[a][b] { (a, b) } else { (b, a) });
            meeting.games += 1.0;
            meeting.points += 0.5;
        }
    }
    held
}

/// The ratings at the top of the likelihood, and the inverse of its negative Hessian there, with
/// zeros for the fixed ratings.
fn newton(fixed: &[Option<f64>], meetings: &[Meeting]) -> (Vec<f64>, Vec<Vec<f64>>) {
    let count = fixed.len();
    let free: Vec<usize> = (0..count).filter(|&i| fixed[i].is_none()).collect();
    let mut place = vec![None; count];
    for (k, &i) in free.iter().enumerate() {
        place[i] = Some(k);
    }
    let mut logits: Vec<f64> = fixed.iter().map(|rating| rating.unwrap_or(0.0)).collect();
    for _ in 0..MAX_STEPS {
        let (gradient, information) = derivatives(&logits, meetings, &place, free.len());
        let step = Cholesky::of(information).solve(&gradient);
        let before = log_likelihood(&logits, meetings);
        let mut scale = 1.0;
        let moved = loop {
            let mut moved = logits.clone();
            for (&i, step) in free.iter().zip(&step) {
                moved[i] += scale * step;
            }
            // Rounding may hide the last, tiny gain.
            if log_likelihood(&moved, meetings) >= before - 1e-9 * before.abs() || scale < 1e-6 {
                break moved;
            }
            scale *= 0.5;
        };
        logits = moved;
        if step.iter().all(|step| step.abs() < 1e-10) {
            break;
        }
    }
    let (_, information) = derivatives(&logits, meetings, &place, free.len());
    let factor = Cholesky::of(information);
    let mut covariance = vec![vec![0.0; count]; count];
    for (k, &i) in free.iter().enumerate() {
        let mut unit = vec![0.0; free.len()];
        unit[k] = 1.0;
        for (&j, value) in free.iter().zip(factor.solve(&unit)) {
            covariance[i][j] = value;
        }
    }
    (logits, covariance)
}

fn log_likelihood(logits: &[f64], meetings: &[Meeting]) -> f64 {
    meetings
        .iter()
        .map(|meeting| {
            let difference = logits[meeting.a] - logits[meeting.b];
            // ln p = -ln(1 + e^-d), written so that neither side overflows.
            let softplus = difference.max(0.0) + (-difference.abs()).exp().ln_1p();
            meeting.points * difference - meeting.games * softplus
        })
        .sum()
}

/// The gradient and the negative Hessian of the likelihood over the free ratings.
fn derivatives(
    logits: &[f64],
    meetings: &[Meeting],
    place: &[Option<usize>],
    free: usize,
) -> (Vec<f64>, Vec<Vec<f64>>) {
    let mut gradient = vec![0.0; free];
    let mut information = vec![vec![0.0; free]; free];
    for meeting in meetings {
        let expected = 1.0 / (1.0 + (logits[meeting.b] - logits[meeting.a]).exp());
        let surplus = meeting.points - meeting.games * expected;
        let weight = meeting.games * expected * (1.0 - expected);
        let (a, b) = (place[meeting.a], place[meeting.b]);
        if let Some(a) = a {
            gradient[a] += surplus;
            information[a][a] += weight;
        }
        if let Some(b) = b {
            gradient[b] -= surplus;
            information[b][b] += weight;
        }
        if let (Some(a), Some(b)) = (a, b) {
            information[a][b] -= weight;
            information[b][a] -= weight;
        }
    }
    (gradient, information)
}

/// The Cholesky factor of a symmetric, positive definite matrix.
struct Cholesky(Vec<Vec<f64>>);

impl Cholesky {
    fn of(mut matrix: Vec<Vec<f64>>) -> Cholesky {
        for i in 0..matrix.len() {
            for j in 0..=i {
                let dot: f64 = (0..j).map(|k| matrix[i][k] * matrix[j][k]).sum();
                let rest = matrix[i][j] - dot;
                matrix[i][j] = if i == j {
                    // Positive but for rounding: every group has a fixed member.
                    rest.max(f64::MIN_POSITIVE).sqrt()
                } else {
                    rest / matrix[j][j]
                };
            }
        }
        Cholesky(matrix)
    }

    fn solve(&self, right: &[f64]) -> Vec<f64> {
        let Cholesky(factor) = self;
        let mut x = right.to_vec();
        for i in 0..x.len() {
            let dot: f64 = (0..i).map(|k| factor[i][k] * x[k]).sum();
            x[i] = (x[i] - dot) / factor[i][i];
        }
        for i in (0..x.len()).rev() {
            let dot: f64 = (i + 1..x.len()).map(|k| factor[k][i] * x[k]).sum();
            x[i] = (x[i] - dot) / factor[i][i];
        }
        x
    }
}
