//! Files: a folder of the data directory by default, an S3 bucket by configuration.
//!
//! Keys are generated here and are plain ASCII; the names given by people are in the database, so that no external name
//! ever becomes a path. An object appears completely or not at all, and once [`Incoming::finish`] has returned it
//! survives a power cut.

mod aside;
mod connector;
mod key;
mod unfinished;

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use aws_lc_rs::digest;
use bytes::{Bytes, BytesMut};
use futures::stream::BoxStream;
use futures::{StreamExt as _, TryStreamExt as _};
use object_store::aws::{AmazonS3Builder, Checksum};
use object_store::buffered::BufWriter;
use object_store::local::LocalFileSystem;
use object_store::{BackoffConfig, ObjectStore, ObjectStoreExt as _, RetryConfig};
use outbound::Rule;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use zeroize::Zeroizing;

pub use aside::Aside;
use connector::Connector;
pub use key::ObjectKey;
use unfinished::Unfinished;

/// Bytes that are buffered before a part is sent; S3 accepts no part below 5 MiB except the last.
const PART: usize = 6 * 1024 * 1024;
/// The same for a folder, which accepts parts of any size: the buffers of many senders stay small.
const FOLDER_PART: usize = 256 * 1024;
/// Concurrent parts, so that a slow store delays the writer instead of filling the memory.
const PARTS_AT_ONCE: usize = 2;

/// Where objects are kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// A folder, created if it is missing.
    Folder(PathBuf),
    /// A bucket that must exist.
    S3(S3),
}

/// A bucket of S3 or of a compatible service.
#[derive(Clone, PartialEq, Eq)]
pub struct S3 {
    /// Such as `https://s3.cn-north-1.amazonaws.com.cn`; empty for the region's default.
    pub endpoint: String,
    /// Such as `cn-north-1`.
    pub region: String,
    /// The bucket.
    pub bucket: String,
    /// The access key id.
    pub access_key_id: String,
    /// The secret key.
    pub secret_access_key: Zeroizing<String>,
    /// Whether the bucket is part of the host name (true) or of the path.
    pub virtual_host: bool,
    /// Where it may be.
    pub outbound: Rule,
}

impl fmt::Debug for S3 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { endpoint, region, bucket, access_key_id, secret_access_key: _, virtual_host, outbound: _ } = self;
        f.debug_struct("S3")
            .field("endpoint", endpoint)
            .field("region", region)
            .field("bucket", bucket)
            .field("access_key_id", access_key_id)
            .field("virtual_host", virtual_host)
            .finish_non_exhaustive()
    }
}

/// Bytes of a file that are read at a time.
const PIECE: usize = 32 << 10;

/// Errors of the object storage.
#[derive(Debug, thiserror::Error)]
pub enum ObjectError {
    /// There is no object with this key.
    #[error("there is no object {0}")]
    NotFound(ObjectKey),
    /// It is larger than the caller's limit.
    #[error("object {key} has {size} bytes, more than {limit}")]
    TooLarge {
        /// Which one.
        key: ObjectKey,
        /// Its size.
        size: u64,
        /// The caller's limit.
        limit: u64,
    },
    /// Another object has this key.
    #[error("another object is stored as {0} already")]
    Taken(ObjectKey),
    /// The folder cannot be used.
    #[error("object folder {path}: {cause}")]
    Folder {
        /// The folder.
        path: PathBuf,
        /// The system's error.
        cause: std::io::Error,
    },
    /// The store refuses or does not respond.
    #[error("object storage: {0}")]
    Store(#[from] object_store::Error),
    /// Writing to the store failed.
    #[error("object storage: {0}")]
    Io(#[from] std::io::Error),
}

/// An object that was stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stored {
    /// Its key.
    pub key: ObjectKey,
    /// Bytes.
    pub size: u64,
    /// SHA-256 of the content, in hex.
    pub sha256: String,
}

/// The object storage; clones share it.
#[derive(Clone, Debug)]
pub struct Objects {
    store: Arc<dyn ObjectStore>,
    /// Bytes that are buffered before they are written.
    part: usize,
    parts: Parts,
}

/// Where the parts of an object are that is not complete.
#[derive(Clone, Debug)]
enum Parts {
    /// Files in the folder.
    Folder(PathBuf),
    /// Uploads to the bucket.
    Bucket(Arc<Unfinished>),
}

impl Objects {
    /// Opens the storage. A missing folder is created; a bucket is not accessed yet.
    ///
    /// # Errors
    /// When the folder cannot be created or the settings are malformed.
    pub fn open(place: &Place) -> Result<Self, ObjectError> {
        Ok(match place {
            Place::Folder(path) => {
                make_folder(path).map_err(|cause| ObjectError::Folder { path: path.clone(), cause })?;
                let store = Arc::new(LocalFileSystem::new_with_prefix(path)?.with_fsync(true));
                Self { store, part: FOLDER_PART, parts: Parts::Folder(path.clone()) }
            }
            Place::S3(s3) => {
                let store = Arc::new(open_s3(s3)?);
                let http = connector(&s3.endpoint, &s3.outbound).http()?;
                let parts = Parts::Bucket(Arc::new(Unfinished { bucket: store.clone(), http }));
                Self { store, part: PART, parts }
            }
        })
    }

    /// Starts an object with a new key in `folder`, such as `export`.
    pub fn create(&self, folder: &'static str) -> Incoming {
        self.incoming(ObjectKey::new(folder))
    }

    fn incoming(&self, key: ObjectKey) -> Incoming {
        let writer =
            BufWriter::with_capacity(self.store.clone(), key.path(), self.part).with_max_concurrency(PARTS_AT_ONCE);
        Incoming { key, writer, hash: digest::Context::new(&digest::SHA256), size: 0 }
    }

    /// Stores bytes from memory.
    ///
    /// # Errors
    /// When the store refuses.
    pub async fn put(&self, folder: &'static str, bytes: Bytes) -> Result<Stored, ObjectError> {
        let mut incoming = self.create(folder);
        incoming.write(bytes).await?;
        incoming.finish().await
    }

    /// Stores a file, from its current position to its end.
    ///
    /// # Errors
    /// When the file cannot be read, or the store refuses.
    pub async fn put_file(&self, folder: &'static str, file: std::fs::File) -> Result<Stored, ObjectError> {
        self.create(folder).take_file(file).await
    }

    /// Opens an object for reading.
    ///
    /// # Errors
    /// When there is none, or the store does not respond.
    pub async fn get(&self, key: &ObjectKey) -> Result<Outgoing, ObjectError> {
        let found = self.store.get(&key.path()).await.map_err(|error| about(key, error))?;
        Ok(Outgoing { size: found.meta.size, stream: found.into_stream().map_err(std::io::Error::other).boxed() })
    }

    /// The content of an object that is not larger than `limit`.
    ///
    /// # Errors
    /// When there is none, it is larger, or the store does not respond.
    pub async fn read(&self, key: &ObjectKey, limit: u64) -> Result<Bytes, ObjectError> {
        let found = self.store.get(&key.path()).await.map_err(|error| about(key, error))?;
        if found.meta.size > limit {
            return Err(ObjectError::TooLarge { key: key.clone(), size: found.meta.size, limit });
        }
        Ok(found.bytes().await?)
    }

    /// Deletes an object. A missing one counts as deleted.
    ///
    /// # Errors
    /// When the store refuses.
    pub async fn delete(&self, key: &ObjectKey) -> Result<(), ObjectError> {
        match self.store.delete(&key.path()).await {
            Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Deletes an object together with what a killed process has written of it. Nobody writes it any more.
    ///
    /// # Errors
    /// When the store refuses.
    pub async fn remove(&self, key: &ObjectKey) -> Result<(), ObjectError> {
        match &self.parts {
            Parts::Folder(folder) => {
                // So the library calls what is not complete; keys are never used twice.
                let part = folder.join(format!("{key}#1"));
                match tokio::fs::remove_file(part).await {
                    Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error.into()),
                    Ok(()) | Err(_) => {}
                }
            }
            Parts::Bucket(unfinished) => unfinished.abort(key).await?,
        }
        self.delete(key).await
    }

    /// Writes, reads and deletes a small object: verifies address, credentials and permissions.
    ///
    /// # Errors
    /// When one of these fails.
    pub async fn check(&self) -> Result<(), ObjectError> {
        let probe = self.put("probe", Bytes::from_static(b"skyrack")).await?;
        self.read(&probe.key, 64).await?;
        self.delete(&probe.key).await
    }
}

/// An object that is being written. Dropped before [`Incoming::finish`], it does not exist; S3 keeps its parts until
/// [`Objects::remove`], or the bucket's lifecycle rule, takes them away.
#[must_use = "an object exists only after `finish`"]
pub struct Incoming {
    key: ObjectKey,
    writer: BufWriter,
    hash: digest::Context,
    size: u64,
}

impl fmt::Debug for Incoming {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Incoming").field("key", &self.key).field("size", &self.size).finish_non_exhaustive()
    }
}

impl Incoming {
    /// The key that the object will have.
    #[must_use]
    pub const fn key(&self) -> &ObjectKey {
        &self.key
    }

    /// Bytes written so far.
    #[must_use]
    pub const fn size(&self) -> u64 {
        self.size
    }

    /// Appends bytes. It waits while the store is slower than the caller.
    ///
    /// # Errors
    /// When the store refuses; then [`Incoming::abort`] it.
    pub async fn write(&mut self, bytes: Bytes) -> Result<(), ObjectError> {
        self.hash.update(&bytes);
        self.size += bytes.len() as u64;
        Ok(self.writer.put(bytes).await?)
    }

    /// Writes a file, from its current position to its end, and makes the object visible and durable.
    ///
    /// # Errors
    /// When the file cannot be read, or the store refuses.
    pub async fn take_file(mut self, file: std::fs::File) -> Result<Stored, ObjectError> {
        let mut file = tokio::fs::File::from_std(file);
        loop {
            let mut piece = BytesMut::with_capacity(PIECE);
            if file.read_buf(&mut piece).await? == 0 {
                return self.finish().await;
            }
            self.write(piece.freeze()).await?;
        }
    }

    /// Makes the object visible and durable.
    ///
    /// # Errors
    /// When the store refuses.
    pub async fn finish(mut self) -> Result<Stored, ObjectError> {
        self.writer.shutdown().await?;
        Ok(Stored { key: self.key, size: self.size, sha256: hex::encode(self.hash.finish()) })
    }

    /// Abandons it and removes what was sent.
    ///
    /// # Errors
    /// When the store refuses.
    pub async fn abort(mut self) -> Result<(), ObjectError> {
        Ok(self.writer.abort().await?)
    }
}

/// An object that is being read.
pub struct Outgoing {
    /// Bytes in total.
    pub size: u64,
    /// The content, piece by piece.
    pub stream: BoxStream<'static, Result<Bytes, std::io::Error>>,
}

impl fmt::Debug for Outgoing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Outgoing").field("size", &self.size).finish_non_exhaustive()
    }
}

fn make_folder(path: &std::path::Path) -> std::io::Result<()> {
    use std::os::unix::fs::DirBuilderExt as _;
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// A bucket as the library has it, under the address rule; it is not accessed yet. What is written carries its SHA-256,
/// which the other side checks.
///
/// # Errors
/// When the settings are malformed.
pub fn open_s3(s3: &S3) -> Result<object_store::aws::AmazonS3, ObjectError> {
    let S3 { endpoint, region, bucket, access_key_id, secret_access_key, virtual_host, outbound } = s3;
    // The caller waits: an unreachable store is reported within seconds, not after the library's three minutes.
    let retry =
        RetryConfig { max_retries: 3, retry_timeout: Duration::from_secs(20), backoff: BackoffConfig::default() };
    let connector = connector(endpoint, outbound);
    let mut builder = AmazonS3Builder::new()
        .with_region(region)
        .with_bucket_name(bucket)
        .with_access_key_id(access_key_id)
        .with_secret_access_key(secret_access_key.as_str())
        .with_virtual_hosted_style_request(*virtual_host)
        .with_retry(retry)
        .with_checksum_algorithm(Checksum::SHA256)
        .with_allow_http(!connector.has_tls)
        .with_http_connector(connector);
    if !endpoint.is_empty() {
        builder = builder.with_endpoint(endpoint);
    }
    Ok(builder.build()?)
}

/// Without TLS only if the address says so; that is a private network or a test.
fn connector(endpoint: &str, rule: &Rule) -> Connector {
    Connector { rule: rule.clone(), has_tls: !endpoint.starts_with("http://") }
}

fn about(key: &ObjectKey, error: object_store::Error) -> ObjectError {
    if matches!(error, object_store::Error::NotFound { .. }) {
        ObjectError::NotFound(key.clone())
    } else {
        error.into()
    }
}
