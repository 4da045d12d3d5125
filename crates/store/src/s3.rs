//! A bucket of S3 or of a compatible service.

use bytes::Bytes;
use courier::{S3, open_s3};
use futures::{TryFutureExt as _, TryStreamExt as _};
use object_store::aws::AmazonS3;
use object_store::path::Path;
use object_store::{Error, ObjectStore as _, ObjectStoreExt as _, PutPayload};
use tokio::runtime::Handle;

use crate::{Kind, Listed, Pace, Step, Store, Trouble, size_of};

/// A bucket as a store. Objects appear whole and their SHA-256 is checked by the other side, so nothing is renamed.
#[derive(Debug)]
pub struct S3Bucket {
    bucket: AmazonS3,
    prefix: String,
    pace: Pace,
    runtime: Handle,
}

impl S3Bucket {
    /// The bucket; everything is below `prefix`, which may be empty. Nothing is connected yet. The library is
    /// asynchronous: `runtime` runs it, and whoever calls is none of its workers.
    ///
    /// # Errors
    /// When the settings are malformed.
    pub fn new(settings: &S3, prefix: &str, pace: impl Into<Pace>, runtime: Handle) -> Result<Self, Trouble> {
        let bucket =
            open_s3(settings).map_err(|error| Trouble::new(Kind::Refused, Step::Connect, error.to_string()))?;
        Ok(Self { bucket, prefix: prefix.trim_matches('/').to_owned(), pace: pace.into(), runtime })
    }

    fn path(&self, path: &str) -> Path {
        Path::from_iter([self.prefix.as_str(), path].into_iter().flat_map(|part| part.split('/')))
    }
}

impl Store for S3Bucket {
    fn list(&self, folder: &str, deep: bool) -> Result<Vec<Listed>, Trouble> {
        let prefix = self.path(folder);
        let found = if deep {
            self.runtime.block_on(self.bucket.list(Some(&prefix)).try_collect::<Vec<_>>())
        } else {
            self.runtime.block_on(self.bucket.list_with_delimiter(Some(&prefix)).map_ok(|found| found.objects))
        };
        let listed = |one: object_store::ObjectMeta| {
            let rest: Vec<_> = one.location.prefix_match(&prefix)?.collect();
            let name = rest.iter().map(AsRef::as_ref).collect::<Vec<&str>>().join("/");
            Some(Listed { name, size: one.size })
        };
        Ok(found.map_err(|error| told(Step::List, &error))?.into_iter().filter_map(listed).collect())
    }

    fn read(&self, path: &str) -> Result<Bytes, Trouble> {
        let path = self.path(path);
        let read = async { self.bucket.get(&path).await?.bytes().await };
        let bytes = self.runtime.block_on(read).map_err(|error| told(Step::Read, &error))?;
        self.pace.down(bytes.len());
        Ok(bytes)
    }

    fn read_part(&self, path: &str, offset: u64, length: usize) -> Result<Bytes, Trouble> {
        let path = self.path(path);
        let range = offset..offset + length as u64;
        let bytes = self.runtime.block_on(self.bucket.get_range(&path, range));
        let bytes = bytes.map_err(|error| match told(Step::Read, &error) {
            // A range beyond the end is refused in words of its own.
            trouble
                if trouble.kind == Kind::Unreachable
                    && self.size(&path).is_some_and(|size| size < offset + length as u64) =>
            {
                Trouble { kind: Kind::Broken, ..trouble }
            }
            trouble => trouble,
        })?;
        self.pace.down(bytes.len());
        if bytes.len() == length {
            Ok(bytes)
        } else {
            Err(Trouble::new(Kind::Broken, Step::Read, format!("{} of {length} bytes", bytes.len())))
        }
    }

    fn write(&self, path: &str, parts: &[Bytes]) -> Result<(), Trouble> {
        // The library sends a body at once: what is paced is when the next one may go.
        self.pace.up(usize::try_from(size_of(parts)).unwrap_or(usize::MAX));
        let body = PutPayload::from_iter(parts.iter().cloned());
        let put = self.runtime.block_on(self.bucket.put(&self.path(path), body));
        put.map(|_| ()).map_err(|error| told(Step::Write, &error))
    }

    fn remove(&self, path: &str) -> Result<(), Trouble> {
        match self.runtime.block_on(self.bucket.delete(&self.path(path))) {
            Ok(()) | Err(Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(told(Step::Remove, &error)),
        }
    }
}

impl S3Bucket {
    fn size(&self, path: &Path) -> Option<u64> {
        self.runtime.block_on(self.bucket.head(path)).ok().map(|found| found.size)
    }
}

/// What an error of the library means.
#[expect(clippy::wildcard_enum_match_arm, reason = "all others are of a server that cannot just now")]
fn told(step: Step, error: &Error) -> Trouble {
    let text = error.to_string();
    let kind = match error {
        Error::NotFound { .. } => Kind::Missing,
        Error::PermissionDenied { .. } | Error::Unauthenticated { .. } => Kind::Refused,
        // No code of its own; MinIO and Ceph say so in words.
        _ if ["507", "QuotaExceeded", "XMinioStorageFull", "InsufficientStorage"]
            .iter()
            .any(|word| text.contains(word)) =>
        {
            Kind::Full
        }
        _ => Kind::Unreachable,
    };
    Trouble::new(kind, step, text)
}
