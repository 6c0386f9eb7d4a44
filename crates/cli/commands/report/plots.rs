//! Curves as SVG, by the crate `plotters`.

use anyhow::{Result, anyhow};
use plotters::prelude::*;

use crate::progress::thousands;

/// In pixels; the page scales it.
const SIZE: (u32, u32) = (620, 330);

/// Labels of the horizontal axis.
const MOST_LABELS: usize = 9;

/// More points than this are drawn without dots.
const DOTS: usize = 60;

/// Colours that differ also for those who confuse red and green, after Okabe and Ito.
pub const COLORS: [(u8, u8, u8); 6] = [
    (0, 114, 178),
    (213, 94, 0),
    (0, 158, 115),
    (204, 121, 167),
    (230, 159, 0),
    (86, 180, 233),
];

/// A chart.
#[derive(Default)]
pub struct Chart {
    pub x: &'static str,
    pub y: &'static str,
    pub series: Vec<Series>,
    /// Horizontal lines with names.
    pub levels: Vec<(String, f64)>,
    /// The least that the vertical axis shows, if that is fixed.
    pub floor: Option<f64>,
    /// The most.
    pub ceiling: Option<f64>,
}

/// A curve, or points.
pub struct Series {
    pub name: String,
    pub points: Vec<(f64, f64)>,
    /// Intervals around points: where, and from where to where.
    pub intervals: Vec<(f64, f64, f64)>,
    /// Whether a line joins the points.
    pub joined: bool,
}

impl Series {
    pub fn new(name: impl Into<String>, points: impl IntoIterator<Item = (f64, f64)>) -> Series {
        Series {
            name: name.into(),
            points: points
                .into_iter()
                .filter(|point| point.1.is_finite())
                .collect(),
            intervals: Vec::new(),
            joined: true,
        }
    }
}

impl Chart {
    /// Whether there is nothing to draw.
    pub fn is_empty(&self) -> bool {
        self.series.iter().all(|series| series.points.is_empty())
    }

    /// The chart as an SVG element.
    pub fn svg(&self) -> Result<String> {
        let mut svg = String::new();
        self.draw(&mut svg)
            .map_err(|error| anyhow!("a plot of {}: {error}", self.y))?;
        Ok(svg)
    }

    fn draw(&self, svg: &mut String) -> Result<(), Box<dyn std::error::Error>> {
        let points = || self.series.iter().flat_map(|series| &series.points);
        let bars = || self.series.iter().flat_map(|series| &series.intervals);
        let (x0, x1) = span(points().map(|point| point.0));
        let levels = self.levels.iter().map(|level| level.1);
        let (y0, y1) = span(
            points()
                .map(|point| point.1)
                .chain(bars().flat_map(|bar| [bar.1, bar.2]))
                .chain(levels),
        );
        let margin = 0.06 * (y1 - y0);
        let y0 = self.floor.unwrap_or(y0 - margin);
        let y1 = self.ceiling.unwrap_or(y1 + margin);

        let root = SVGBackend::with_string(svg, SIZE).into_drawing_area();
        root.fill(&WHITE)?;
        let mut chart = ChartBuilder::on(&root)
            .margin(8)
            .margin_right(16)
            .x_label_area_size(42)
            .y_label_area_size(74)
            .build_cartesian_2d(x0..x1, y0..y1)?;
        // Models and generations have whole numbers, and so should their labels.
        let whole = points().all(|point| point.0.fract() == 0.0);
        let x_labels = match whole {
            true => MOST_LABELS.min((x1 - x0) as usize + 1),
            false => MOST_LABELS,
        };
        let x_step = match whole {
            true => 1.0,
            false => step(x1 - x0),
        };
        let y_step = step(y1 - y0);
        chart
            .configure_mesh()
            .light_line_style(TRANSPARENT)
            .bold_line_style(RGBColor(228, 228, 228))
            .axis_style(RGBColor(120, 120, 120))
            .x_desc(self.x)
            .y_desc(self.y)
            .axis_desc_style(("sans-serif", 14))
            .label_style(("sans-serif", 13))
            .x_labels(x_labels)
            .y_labels(7)
            .x_label_formatter(&|x| number(*x, x_step))
            .y_label_formatter(&|y| number(*y, y_step))
            .draw()?;
        let gray = RGBColor(110, 110, 110);
        for (_, level) in &self.levels {
            let line = [(x0, *level), (x1, *level)];
            chart.draw_series(DashedLineSeries::new(line, 5, 4, gray.stroke_width(1)))?;
        }
        for (names, level) in labels(&self.levels, 0.05 * (y1 - y0)) {
            let style = ("sans-serif", 12).into_font().color(&gray);
            let place = (x0 + 0.01 * (x1 - x0), level + 0.055 * (y1 - y0));
            chart.draw_series([Text::new(names, place, style)])?;
        }
        for (series, (r, g, b)) in self.series.iter().zip(COLORS.into_iter().cycle()) {
            let color = RGBColor(r, g, b);
            if series.joined {
                let line = series.points.iter().copied();
                chart.draw_series(LineSeries::new(line, color.stroke_width(2)))?;
            }
            for &(x, low, high) in &series.intervals {
                chart.draw_series([PathElement::new(
                    [(x, low), (x, high)],
                    color.mix(0.6).stroke_width(2),
                )])?;
            }
            if series.points.len() <= DOTS || !series.joined {
                let dots = series.points.iter();
                chart.draw_series(dots.map(|&point| Circle::new(point, 3, color.filled())))?;
            }
        }
        root.present()?;
        drop(chart);
        Ok(())
    }
}

/// The names of levels; of those that are too close for a label each, one label at the highest.
fn labels(levels: &[(String, f64)], least: f64) -> Vec<(String, f64)> {
    let mut levels = levels.to_vec();
    levels.sort_by(|a, b| b.1.total_cmp(&a.1));
    let mut labels: Vec<(String, f64)> = Vec::new();
    for (name, level) in levels {
        match labels.last_mut() {
            Some((names, above)) if *above - level < least => {
                names.push_str(", ");
                names.push_str(&name);
            }
            _ => labels.push((name, level)),
        }
    }
    labels
}

/// From the least to the most, never empty.
fn span(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
        (low.min(value), high.max(value))
    });
    if !(low.is_finite() && high.is_finite()) {
        return (0.0, 1.0);
    }
    if high > low {
        return (low, high);
    }
    let around = if low == 0.0 { 1.0 } else { 0.1 * low.abs() };
    (low - around, low + around)
}

/// About the distance of two labels.
fn step(range: f64) -> f64 {
    range / 8.0
}

/// A label with as many digits as neighbours need to differ.
fn number(value: f64, step: f64) -> String {
    let digits = (-step.log10()).ceil().clamp(0.0, 6.0) as usize;
    if digits == 0 && value >= 10_000.0 {
        return thousands(value.round() as u64);
    }
    let text = format!("{value:.digits$}");
    // No minus before a zero.
    match text.trim_matches(['-', '0', '.']).is_empty() {
        true => "0".to_owned(),
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_have_the_digits_they_need() {
        assert_eq!(number(0.0015, 0.0002), "0.0015");
        assert_eq!(number(20.0, 2.5), "20");
        assert_eq!(number(20_000.0, 2500.0), "20,000");
        assert_eq!(number(-0.0, 0.1), "0");
        assert_eq!(number(0.5, 0.1), "0.5");
    }

    #[test]
    fn close_levels_share_a_label() {
        let levels = [("a", 1.0), ("b", 5.0), ("c", 1.5)].map(|(n, l)| (n.to_owned(), l));
        let expected = [("b".to_owned(), 5.0), ("c, a".to_owned(), 1.5)];
        assert_eq!(labels(&levels, 1.0), expected);
    }

    #[test]
    fn any_points_can_be_drawn() {
        for points in [vec![], vec![(1.0, 0.0)], vec![(1.0, 2.0), (2.0, f64::NAN)]] {
            let chart = Chart {
                series: vec![Series::new("a <b>", points)],
                levels: vec![("level <1>".to_owned(), 3.0)],
                ..Chart::default()
            };
            let svg = chart.svg().expect("drawn");
            assert!(svg.starts_with("<svg") && !svg.contains("<1>"), "{svg}");
        }
    }
}
