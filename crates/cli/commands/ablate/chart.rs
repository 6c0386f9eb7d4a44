//! The result as an SVG: a line a variant, by the crate `plotters`.

use anyhow::{Result, anyhow};
use plotters::prelude::*;

use super::{BASELINE, VariantResult};

/// In pixels.
const WIDTH: u32 = 760;
/// Of a variant's line, in pixels.
const LINE: u32 = 30;
/// Of all that is not a line, in pixels.
const FRAME: u32 = 70;

/// Every variant's Elo over the baseline with its interval, and beside it the single matches.
pub fn svg(results: &[VariantResult]) -> Result<String> {
    let mut svg = String::new();
    draw(&mut svg, results).map_err(|error| anyhow!("the plot of the result: {error}"))?;
    Ok(svg)
}

fn draw(svg: &mut String, results: &[VariantResult]) -> Result<(), Box<dyn std::error::Error>> {
    let count = results.len();
    let size = (WIDTH, FRAME + LINE * count as u32);
    let root = SVGBackend::with_string(svg, size).into_drawing_area();
    root.fill(&WHITE)?;
    let estimates: Vec<_> = results
        .iter()
        .filter(|result| result.variant != BASELINE)
        .map(|result| result.pairs().elo())
        .collect();
    let singles = |result: &VariantResult| -> Vec<f64> {
        let matches = result.matches.iter();
        matches.map(|(_, pairs)| pairs.elo().elo).collect()
    };
    let shown = estimates.iter().flat_map(|elo| [elo.low, elo.high]);
    let shown = shown.chain(results.iter().flat_map(singles));
    // Zero is always there: the baseline.
    let (low, high) = shown.fold((-10.0, 10.0), |(low, high): (f64, f64), elo| {
        (low.min(elo), high.max(elo))
    });
    let margin = 0.05 * (high - low);
    // The first variant is the uppermost.
    let place = |line: usize| (count - 1 - line) as f64;
    let mut chart = ChartBuilder::on(&root)
        .margin(8)
        .margin_right(20)
        .x_label_area_size(46)
        .y_label_area_size(160)
        .build_cartesian_2d(low - margin..high + margin, -0.6..count as f64 - 0.4)?;
    chart
        .configure_mesh()
        .disable_y_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(RGBColor(228, 228, 228))
        .axis_style(RGBColor(120, 120, 120))
        .x_desc("Elo over the baseline; bars: 95 % by the games; circles: single matches of seeds")
        .axis_desc_style(("sans-serif", 14))
        .label_style(("sans-serif", 13))
        .x_labels(9)
        .y_labels(0)
        .x_label_formatter(&|elo| format!("{elo:+.0}"))
        .draw()?;
    let gray = RGBColor(110, 110, 110);
    let zero = [(0.0, -0.6), (0.0, count as f64 - 0.4)];
    chart.draw_series(DashedLineSeries::new(zero, 5, 4, gray.stroke_width(1)))?;
    let blue = RGBColor(0, 114, 178);
    for (line, result) in results.iter().enumerate() {
        let y = place(line);
        let (_, pixel) = chart.backend_coord(&(0.0, y));
        let style = ("sans-serif", 14).into_font().color(&BLACK);
        root.draw(&Text::new(result.variant.clone(), (12, pixel - 7), style))?;
        let singles = singles(result).into_iter();
        chart.draw_series(singles.map(|elo| Circle::new((elo, y), 4, gray.stroke_width(1))))?;
        if result.variant == BASELINE {
            continue;
        }
        let elo = result.pairs().elo();
        let bar = [(elo.low, y), (elo.high, y)];
        chart.draw_series([PathElement::new(bar, blue.stroke_width(3))])?;
        chart.draw_series([Circle::new((elo.elo, y), 4, blue.filled())])?;
    }
    root.present()?;
    drop(chart);
    Ok(())
}

#[cfg(test)]
mod tests {
    use outflank_arena::PairScores;

    use super::super::cost::Cost;
    use super::*;

    fn result(variant: &str, counts: &[[u64; 5]]) -> VariantResult {
        VariantResult {
            variant: variant.to_owned(),
            matches: counts
                .iter()
                .map(|&counts| ([1, 1], PairScores { counts }))
                .collect(),
            cost: Cost::default(),
        }
    }

    #[test]
    fn every_variant_has_its_name_and_a_circle_for_each_match() {
        let results = [
            result("baseline", &[]),
            result("wide", &[[1, 2, 10, 4, 3], [0, 0, 0, 0, 20]]),
        ];
        let svg = svg(&results).expect("drawn");
        assert!(svg.contains("baseline") && svg.contains("wide"), "{svg}");
        // Two matches, and both together.
        assert_eq!(svg.matches("<circle").count(), 3, "{svg}");
    }
}
