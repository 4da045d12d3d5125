//! Connecting to a bucket under the address rule, which the library's own client does not support.

use std::time::Duration;

use async_trait::async_trait;
use object_store::ClientOptions;
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpResponse, HttpService,
};
use outbound::{Http, Rule};

/// Creates clients that obey the rule.
#[derive(Debug)]
pub(super) struct Connector {
    pub(super) rule: Rule,
    pub(super) has_tls: bool,
}

impl Connector {
    /// Such a client.
    pub(super) fn http(&self) -> object_store::Result<Http> {
        let builder = reqwest::Client::builder()
            .https_only(self.has_tls)
            .connect_timeout(Duration::from_secs(5))
            .timeout(Duration::from_secs(60));
        Http::new(self.rule.clone(), builder)
            .map_err(|error| object_store::Error::Generic { store: "S3", source: Box::new(error) })
    }
}

impl HttpConnector for Connector {
    fn connect(&self, _: &ClientOptions) -> object_store::Result<HttpClient> {
        Ok(HttpClient::new(Service(self.http()?)))
    }
}

#[derive(Debug)]
struct Service(Http);

#[async_trait]
impl HttpService for Service {
    async fn call(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        // It will not be permitted the next time either, so it is not retried.
        let client = self.0.for_url(&request.uri().to_string());
        let client = client.map_err(|refused| HttpError::new(HttpErrorKind::Unknown, refused))?;
        HttpService::call(client, request).await
    }
}
