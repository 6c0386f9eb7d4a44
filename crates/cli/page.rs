//! The page of the crate `web`, for `export --web` and `serve`.

/// Its files, as `scripts/build-web.sh` makes them.
pub const FILES: [(&str, &[u8]); 9] = [
    ("index.html", include_bytes!("../web/dist/index.html")),
    ("style.css", include_bytes!("../web/dist/style.css")),
    ("page.js", include_bytes!("../web/dist/page.js")),
    ("worker.js", include_bytes!("../web/dist/worker.js")),
    ("sw.js", include_bytes!("../web/dist/sw.js")),
    ("outflank.wasm", include_bytes!("../web/dist/outflank.wasm")),
    (
        "outflank-relaxed.wasm",
        include_bytes!("../web/dist/outflank-relaxed.wasm"),
    ),
    ("icon.svg", include_bytes!("../web/dist/icon.svg")),
    (
        "manifest.webmanifest",
        include_bytes!("../web/dist/manifest.webmanifest"),
    ),
];

/// The list of models that the page reads.
pub const MODELS: &str = "models.json";
