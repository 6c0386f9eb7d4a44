//! The pieces of HTML that the page is made of.

use std::fmt::Write;

use anyhow::Result;

use super::plots::{COLORS, Chart};

/// Begins a part of the page; `title` is HTML.
pub fn section(page: &mut String, title: &str) -> Result<()> {
    Ok(write!(page, "<h2>{title}</h2>")?)
}

/// A remark; `text` is HTML.
pub fn note(page: &mut String, text: &str) -> Result<()> {
    Ok(write!(page, "<p class=\"note\">{text}</p>")?)
}

/// A chart with its title and legend, if there is anything in it.
pub fn figure(page: &mut String, title: &str, chart: &Chart) -> Result<()> {
    if chart.is_empty() {
        return Ok(());
    }
    write!(
        page,
        "<figure><h3>{}</h3><div class=\"legend\">",
        escape(title)
    )?;
    for (series, (r, g, b)) in chart.series.iter().zip(COLORS.into_iter().cycle()) {
        let name = escape(&series.name);
        write!(
            page,
            "<span><i style=\"background:rgb({r},{g},{b})\"></i>{name}</span>"
        )?;
    }
    write!(page, "</div>{}</figure>", chart.svg()?)?;
    Ok(())
}

/// A table; the cells are plain text.
pub fn table(
    page: &mut String,
    head: &[&str],
    rows: impl Iterator<Item = Vec<String>>,
) -> Result<()> {
    page.push_str("<table><tr>");
    for name in head {
        write!(page, "<th>{}</th>", escape(name))?;
    }
    page.push_str("</tr>");
    for row in rows {
        page.push_str("<tr>");
        for cell in row {
            write!(page, "<td>{}</td>", escape(&cell))?;
        }
        page.push_str("</tr>");
    }
    page.push_str("</table>");
    Ok(())
}

/// Plain text as HTML.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}
