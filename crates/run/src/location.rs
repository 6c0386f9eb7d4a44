use std::ffi::OsStr;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use crate::RunError;

/// Where a run lives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Location {
    /// A folder of this machine, or one that it has mounted. Its file system must support hard
    /// links.
    Folder(PathBuf),
    /// A folder in a bucket.
    Bucket {
        /// Whose bucket it is.
        provider: Provider,
        /// The bucket's name; Azure calls it a container.
        bucket: String,
        /// The folder's path in the bucket, empty for the bucket itself.
        prefix: String,
    },
    /// The memory of this process, gone with it.
    Memory,
}

/// Who keeps a bucket. Each needs the feature of its name to be opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Provider {
    /// Amazon S3 and servers that speak like it, `s3://`.
    S3,
    /// Google Cloud Storage, `gs://`.
    Google,
    /// Azure Blob Storage, `az://`.
    Azure,
}

impl Provider {
    /// The scheme of its URLs.
    pub fn scheme(self) -> &'static str {
        match self {
            Provider::S3 => "s3",
            Provider::Google => "gs",
            Provider::Azure => "az",
        }
    }

    /// The feature that a build needs for it.
    pub fn feature(self) -> &'static str {
        match self {
            Provider::S3 => "s3",
            Provider::Google => "gcs",
            Provider::Azure => "azure",
        }
    }
}

impl fmt::Display for Provider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Provider::S3 => "S3",
            Provider::Google => "Google Cloud Storage",
            Provider::Azure => "Azure Blob Storage",
        })
    }
}

impl FromStr for Location {
    type Err = RunError;

    /// Reads a path, `file:///absolute/path`, `s3://bucket/path`, `gs://bucket/path`,
    /// `az://container/path` or `memory://`.
    fn from_str(text: &str) -> Result<Location, RunError> {
        let refuse = |reason: &str| {
            Err(RunError::Location {
                location: text.to_owned(),
                reason: reason.to_owned(),
            })
        };
        match text.split_once("://") {
            None if text.trim().is_empty() => refuse("it is empty"),
            None => Ok(Location::Folder(text.into())),
            Some(("memory", "")) => Ok(Location::Memory),
            Some(("file", path)) if path.starts_with('/') => Ok(Location::Folder(path.into())),
            Some(("file", _)) => refuse("expected file:/// and an absolute path"),
            Some((scheme, rest)) => {
                let (bucket, prefix) = rest.split_once('/').unwrap_or((rest, ""));
                if bucket.contains(['@', ':']) || rest.contains('?') {
                    // Not repeated: it may hold a secret.
                    return Err(RunError::Location {
                        location: format!("{scheme}://..."),
                        reason: "expected a bucket and a path alone; credentials and endpoints \
                                 come from the environment"
                            .to_owned(),
                    });
                }
                let providers = [Provider::S3, Provider::Google, Provider::Azure];
                let found = providers.into_iter().find(|p| p.scheme() == scheme);
                let Some(provider) = found else {
                    return refuse("expected a path, s3://, gs://, az:// or memory://");
                };
                if bucket.is_empty() {
                    return refuse("the name of the bucket is missing");
                }
                Ok(Location::Bucket {
                    provider,
                    bucket: bucket.to_owned(),
                    prefix: prefix.trim_end_matches('/').to_owned(),
                })
            }
        }
    }
}

impl Location {
    /// Reads a location as the command line has it. A path need not be UTF-8, and what is not is one.
    pub fn from_os(text: &OsStr) -> Result<Location, RunError> {
        match text.to_str() {
            Some(text) => text.parse(),
            None => Ok(Location::Folder(text.into())),
        }
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Location::Folder(path) => path.display().fmt(f),
            Location::Bucket {
                provider,
                bucket,
                prefix,
            } => {
                let slash = if prefix.is_empty() { "" } else { "/" };
                write!(f, "{}://{bucket}{slash}{prefix}", provider.scheme())
            }
            Location::Memory => f.write_str("memory://"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locations_are_read() {
        let folder = |path: &str| Location::Folder(path.into());
        let bucket = |provider, prefix: &str| Location::Bucket {
            provider,
            bucket: "bucket".into(),
            prefix: prefix.into(),
        };
        for (text, location) in [
            ("runs/first", folder("runs/first")),
            ("/runs/first", folder("/runs/first")),
            ("file:///runs/first", folder("/runs/first")),
            ("memory://", Location::Memory),
            ("s3://bucket", bucket(Provider::S3, "")),
            (
                "gs://bucket/runs/first",
                bucket(Provider::Google, "runs/first"),
            ),
            ("az://bucket/run/", bucket(Provider::Azure, "run")),
        ] {
            assert_eq!(text.parse::<Location>().expect(text), location);
        }
        let url = "gs://bucket/runs/first";
        let location: Location = url.parse().expect("a location");
        assert_eq!(location.to_string(), url);
    }

    #[test]
    fn what_may_hold_a_secret_is_refused_without_repeating_it() {
        for text in [
            "s3://key:hushhush@bucket/run",
            "s3://hushhush@bucket",
            "az://container/run?sig=hushhush",
            "https://key:hushhush@host/run",
        ] {
            let error = text.parse::<Location>().expect_err(text).to_string();
            assert!(error.contains("come from the environment"), "{error}");
            assert!(!error.contains("hushhush"), "{error}");
        }
    }

    #[test]
    fn other_locations_are_refused_by_name() {
        for text in [
            "",
            "   ",
            "s3:///run",
            "ftp://host/run",
            "file://relative",
            "memory://name",
            "://",
        ] {
            let error = text.parse::<Location>().expect_err(text).to_string();
            assert!(
                error.starts_with(&format!("'{text}' is not a location")),
                "{error}"
            );
        }
    }
}
