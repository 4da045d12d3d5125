//! An HTTP client that obeys the rule.

use std::sync::Arc;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::{Client, ClientBuilder, Method, RequestBuilder};
use url::Url;

use crate::rule::{Refused, Rule};

/// Sends nothing to addresses that the rule refuses, follows no redirects, which could lead anywhere, and asks no proxy
/// of the environment, which would connect in its place and knows no rule.
#[derive(Clone, Debug)]
pub struct Http {
    client: Client,
    rule: Rule,
}

impl Http {
    /// A client under a rule.
    ///
    /// # Errors
    /// The system has no TLS roots.
    pub fn new(rule: Rule, builder: ClientBuilder) -> reqwest::Result<Self> {
        let builder =
            builder.no_proxy().redirect(reqwest::redirect::Policy::none()).dns_resolver(Arc::new(Names(rule.clone())));
        Ok(Self { client: builder.build()?, rule })
    }

    /// A request to a URL.
    ///
    /// # Errors
    /// It is not a URL, or its host is refused.
    pub fn request(&self, method: Method, url: &str) -> Result<RequestBuilder, Refused> {
        Ok(self.for_url(url)?.request(method, url))
    }

    /// The client, for one request to this URL: a literal address is connected to without a look-up, so it must be
    /// checked before.
    ///
    /// # Errors
    /// It is not a URL, or its host is refused.
    pub fn for_url(&self, url: &str) -> Result<&Client, Refused> {
        let url = Url::parse(url).map_err(|_| Refused::not_a_url())?;
        self.rule.check_url(&url)?;
        Ok(&self.client)
    }
}

/// Resolves names under the rule.
struct Names(Rule);

impl Resolve for Names {
    fn resolve(&self, name: Name) -> Resolving {
        let rule = self.0.clone();
        Box::pin(async move {
            let found = rule.resolve(name.as_str(), 0).await?;
            Ok(Box::new(found.into_iter()) as Addrs)
        })
    }
}
