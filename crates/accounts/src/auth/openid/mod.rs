//! Signing in with an OpenID Connect provider: authorization code with PKCE, state and nonce.
//!
//! Providers are configured (`oidc`); accounts are linked by their owners or by an administrator, and none is created.
//! The state of a flow is in an encrypted cookie of the browser that started it: nothing is stored here, and nobody can
//! complete what another browser started.

pub mod api;
mod flow;
mod link;
mod provider;
mod second_step;

use std::net::IpAddr;

use base::config::OidcProvider;
use base::pace::Pace;
use outbound::Rule;
use provider::Provider;

/// Sign-ins started per minute from one address.
const PER_MINUTE: u32 = 30;

/// The configured providers.
#[derive(Debug)]
pub struct OpenId {
    providers: Vec<Provider>,
    pace: Pace<IpAddr>,
}

impl OpenId {
    /// Takes the providers from the configuration. They are contacted on first use.
    #[must_use]
    pub fn new(configured: &[OidcProvider], outbound: &Rule) -> Self {
        let provider = |settings: &OidcProvider| Provider::new(settings.clone(), outbound.clone());
        Self { providers: configured.iter().map(provider).collect(), pace: Pace::per_minute(PER_MINUTE) }
    }

    fn find(&self, id: &str) -> Option<&Provider> {
        self.providers.iter().find(|provider| provider.settings.id == id)
    }
}
