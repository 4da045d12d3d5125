//! Signing in with an OpenID Connect provider: authorization code with PKCE, state and nonce.
//!
//! Providers are configured (`oidc`); accounts are linked by their owners or by an administrator, and
//! none is made. What a flow has to remember travels in a sealed cookie of the browser that began it:
//! nothing is kept here, and nobody can finish what another browser began.

pub mod api;
mod flow;
mod link;
mod provider;

use std::net::IpAddr;

use super::pace::Pace;
use crate::config::OidcProvider;
use provider::Provider;

/// Sign-ins begun a minute from one address.
const PER_MINUTE: u32 = 30;

/// The providers that the configuration names.
#[derive(Debug)]
pub struct OpenId {
    providers: Vec<Provider>,
    pace: Pace<IpAddr>,
}

impl OpenId {
    /// Takes the providers from the configuration. They are asked on first use.
    #[must_use]
    pub fn new(configured: &[OidcProvider]) -> Self {
        Self { providers: configured.iter().cloned().map(Provider::new).collect(), pace: Pace::per_minute(PER_MINUTE) }
    }

    fn find(&self, id: &str) -> Option<&Provider> {
        self.providers.iter().find(|provider| provider.settings.id == id)
    }
}
