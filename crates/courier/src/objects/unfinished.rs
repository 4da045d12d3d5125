//! Uploads to a bucket that were begun and never finished: the parts of a killed process. The library aborts an upload
//! whose id it is told, and does not list them.

use std::sync::Arc;
use std::time::Duration;

use object_store::Error;
use object_store::aws::AmazonS3;
use object_store::multipart::MultipartStore as _;
use object_store::path::Path;
use object_store::signer::{SignedUrlOptions, Signer as _};
use outbound::Http;
use reqwest::{Method, StatusCode};
use serde::Deserialize;

use super::{ObjectError, ObjectKey};

/// How long the question may be on its way.
const SIGNED_FOR: Duration = Duration::from_mins(5);

/// The unfinished uploads to a bucket.
#[derive(Debug)]
pub(super) struct Unfinished {
    pub(super) bucket: Arc<AmazonS3>,
    pub(super) http: Http,
}

/// What `ListMultipartUploads` answers. One answer names a thousand; a key of ours has one, rarely two.
#[derive(Debug, Deserialize)]
struct Listing {
    #[serde(rename = "Upload", default)]
    uploads: Vec<Upload>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Upload {
    key: String,
    upload_id: String,
}

impl Unfinished {
    /// Aborts those of an object: what was sent of it is gone.
    pub(super) async fn abort(&self, key: &ObjectKey) -> Result<(), ObjectError> {
        for upload in self.list(key).await? {
            match self.bucket.abort_multipart(&key.path(), &upload).await {
                Ok(()) | Err(Error::NotFound { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// Their ids; none if the bucket does not tell them to us: its lifecycle rule remains for them.
    async fn list(&self, key: &ObjectKey) -> Result<Vec<String>, ObjectError> {
        let question = SignedUrlOptions::default().with_query([("uploads", ""), ("prefix", key.as_str())]);
        let address = self.bucket.signed_url_opts(Method::GET, &Path::default(), SIGNED_FOR, &question).await?;
        let request = self.http.request(Method::GET, address.as_str()).map_err(generic)?;
        let answer = request.send().await.map_err(generic)?;
        let status = answer.status();
        if matches!(status, StatusCode::FORBIDDEN | StatusCode::METHOD_NOT_ALLOWED | StatusCode::NOT_IMPLEMENTED) {
            tracing::warn!(%status, object = %key, "the bucket does not tell its unfinished uploads; parts may be left");
            return Ok(Vec::new());
        }
        let answer = answer.error_for_status().map_err(generic)?;
        let listing: Listing = quick_xml::de::from_str(&answer.text().await.map_err(generic)?).map_err(generic)?;
        let own = listing.uploads.into_iter().filter(|upload| upload.key == key.as_str());
        Ok(own.map(|upload| upload.upload_id).collect())
    }
}

fn generic(source: impl std::error::Error + Send + Sync + 'static) -> Error {
    Error::Generic { store: "S3", source: Box::new(source) }
}
