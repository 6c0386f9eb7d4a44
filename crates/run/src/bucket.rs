//! Buckets of cloud providers, each behind a feature of its own.
//!
//! Credentials, regions and endpoints come from the environment or the provider's own files, under
//! the names that `object_store` documents (`AWS_ACCESS_KEY_ID`, `AWS_ENDPOINT`,
//! `GOOGLE_APPLICATION_CREDENTIALS`, `AZURE_STORAGE_ACCOUNT_NAME` and so on): they never reach a
//! run's files.

use std::sync::Arc;

use object_store::ObjectStore;
#[cfg(any(feature = "s3", feature = "gcs", feature = "azure"))]
use object_store::{RetryConfig, path::Path, prefix::PrefixStore};

use crate::Provider;
use crate::error::RunError;

/// Opens the objects below `prefix` in a bucket. `location` is its name in messages.
#[cfg_attr(
    not(any(feature = "s3", feature = "gcs", feature = "azure")),
    expect(unused_variables, reason = "providers that are not built need nothing")
)]
pub(crate) fn open(
    provider: Provider,
    bucket: &str,
    prefix: &str,
    location: &str,
) -> Result<Arc<dyn ObjectStore>, RunError> {
    match provider {
        #[cfg(feature = "s3")]
        Provider::S3 => below(
            prefix,
            object_store::aws::AmazonS3Builder::from_env()
                .with_bucket_name(bucket)
                .with_retry(few_repetitions())
                .build(),
            location,
        ),
        #[cfg(feature = "gcs")]
        Provider::Google => below(
            prefix,
            object_store::gcp::GoogleCloudStorageBuilder::from_env()
                .with_bucket_name(bucket)
                .with_retry(few_repetitions())
                .build(),
            location,
        ),
        #[cfg(feature = "azure")]
        Provider::Azure => below(
            prefix,
            object_store::azure::MicrosoftAzureBuilder::from_env()
                .with_container_name(bucket)
                .with_retry(few_repetitions())
                .build(),
            location,
        ),
        #[cfg(not(all(feature = "s3", feature = "gcs", feature = "azure")))]
        _ => Err(RunError::Location {
            location: location.to_owned(),
            reason: format!(
                "this program was built without {provider}; build with --features {}",
                provider.feature()
            ),
        }),
    }
}

#[cfg(any(feature = "s3", feature = "gcs", feature = "azure"))]
fn below<S: ObjectStore>(
    prefix: &str,
    bucket: object_store::Result<S>,
    location: &str,
) -> Result<Arc<dyn ObjectStore>, RunError> {
    let bucket = bucket.map_err(|error| RunError::storage("open", location.to_owned(), error))?;
    Ok(Arc::new(PrefixStore::new(bucket, Path::from(prefix))))
}

/// The client gives up after seconds; [`crate::Backoff`] goes on for minutes and says so.
#[cfg(any(feature = "s3", feature = "gcs", feature = "azure"))]
fn few_repetitions() -> RetryConfig {
    RetryConfig {
        max_retries: 2,
        retry_timeout: std::time::Duration::from_secs(10),
        ..RetryConfig::default()
    }
}
