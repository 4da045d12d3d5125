//! Talking to a provider: discovery, the token, and the proof that it is genuine.

use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail, ensure};
use jsonwebtoken::jwk::Jwk;
use jsonwebtoken::{Algorithm, DecodingKey, Validation};
use parking_lot::Mutex;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::config::OidcProvider;

/// What is asked of a provider is believed this long.
const BELIEVED: Duration = Duration::from_secs(600);
/// An unknown key is looked for again at most this often.
const ASK_AGAIN: Duration = Duration::from_secs(10);
/// No honest answer is longer.
const MAX_ANSWER: usize = 512 * 1024;
/// Signatures that are accepted. Never `none`, never one with a shared secret.
const ALGORITHMS: [Algorithm; 3] = [Algorithm::RS256, Algorithm::ES256, Algorithm::PS256];

/// A provider and what it said about itself.
#[derive(Debug)]
pub struct Provider {
    /// How it is configured.
    pub settings: OidcProvider,
    known: Mutex<Option<Arc<Known>>>,
    http: OnceLock<reqwest::Client>,
}

#[derive(Debug)]
struct Known {
    about: Discovery,
    keys: Vec<Jwk>,
    at: Instant,
}

#[derive(Debug, Deserialize)]
struct Discovery {
    issuer: String,
    authorization_endpoint: String,
    token_endpoint: String,
    jwks_uri: String,
    #[serde(default)]
    token_endpoint_auth_methods_supported: Vec<String>,
}

#[derive(Deserialize)]
struct KeySet {
    keys: Vec<serde_json::Value>,
}

#[derive(Deserialize)]
struct TokenAnswer {
    id_token: String,
}

/// Who the provider says somebody is.
#[derive(Debug, Deserialize)]
pub struct Identity {
    /// Unique and unchanging at this provider.
    pub sub: String,
    nonce: Option<String>,
    azp: Option<String>,
}

/// What the flow made up for one sign-in.
#[derive(Debug)]
pub struct Asked<'a> {
    /// Where the provider sends the browser back to.
    pub redirect_uri: &'a str,
    /// Comes back with the code.
    pub state: &'a str,
    /// Comes back in the ID token.
    pub nonce: &'a str,
    /// Proves that the code is for us.
    pub verifier: &'a str,
}

impl Provider {
    pub fn new(settings: OidcProvider) -> Self {
        Self { settings, known: Mutex::default(), http: OnceLock::new() }
    }

    /// Where to send the browser.
    ///
    /// # Errors
    /// When the provider can not be asked.
    pub async fn authorization_url(&self, asked: &Asked<'_>, challenge: &str) -> anyhow::Result<String> {
        let known = self.known().await?;
        let mut url = url::Url::parse(&known.about.authorization_endpoint).context("authorization_endpoint")?;
        url.query_pairs_mut()
            .append_pair("response_type", "code")
            .append_pair("client_id", &self.settings.client_id)
            .append_pair("redirect_uri", asked.redirect_uri)
            .append_pair("scope", &self.settings.scope())
            .append_pair("state", asked.state)
            .append_pair("nonce", asked.nonce)
            .append_pair("code_challenge", challenge)
            .append_pair("code_challenge_method", "S256");
        Ok(url.into())
    }

    /// Turns the code into an identity whose token was verified.
    ///
    /// # Errors
    /// When the provider refuses, or the token is not genuine, not for us, not for this sign-in or too old.
    pub async fn identify(&self, asked: &Asked<'_>, code: &str) -> anyhow::Result<Identity> {
        let known = self.known().await?;
        let mut form = vec![
            ("grant_type", "authorization_code"),
            ("code", code),
            ("redirect_uri", asked.redirect_uri),
            ("code_verifier", asked.verifier),
            ("client_id", &self.settings.client_id),
        ];
        let methods = &known.about.token_endpoint_auth_methods_supported;
        let in_form = methods.iter().any(|method| method == "client_secret_post")
            && !methods.iter().any(|method| method == "client_secret_basic");
        let mut request = self.http()?.post(&known.about.token_endpoint);
        if in_form {
            form.push(("client_secret", &self.settings.client_secret));
        } else {
            // RFC 6749, 2.3.1: both halves are encoded before they are joined.
            let encode = |text: &str| url::form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>();
            request = request.basic_auth(encode(&self.settings.client_id), Some(encode(&self.settings.client_secret)));
        }
        let answer: TokenAnswer = read(request.form(&form)).await.context("the token endpoint")?;
        self.verify(&answer.id_token, asked.nonce).await
    }

    async fn verify(&self, token: &str, nonce: &str) -> anyhow::Result<Identity> {
        let header = jsonwebtoken::decode_header(token)?;
        ensure!(ALGORITHMS.contains(&header.alg), "the ID token is signed with {:?}", header.alg);
        let (known, key) = self.key(header.kid.as_deref()).await?;
        let mut rules = Validation::new(header.alg);
        rules.set_issuer(&[&known.about.issuer]);
        rules.set_audience(&[&self.settings.client_id]);
        rules.set_required_spec_claims(&["exp", "iss", "aud", "sub"]);
        rules.validate_nbf = true;
        let identity: Identity = jsonwebtoken::decode(token, &DecodingKey::from_jwk(&key)?, &rules)?.claims;
        ensure!(identity.nonce.as_deref() == Some(nonce), "the ID token is of another sign-in");
        ensure!(
            identity.azp.as_ref().is_none_or(|party| *party == self.settings.client_id),
            "the ID token was made for another party"
        );
        ensure!(!identity.sub.is_empty(), "the ID token names nobody");
        Ok(identity)
    }

    /// The key with this id; providers that have one key may leave the id out.
    async fn key(&self, id: Option<&str>) -> anyhow::Result<(Arc<Known>, Jwk)> {
        let find = |known: &Known| match id {
            Some(id) => known.keys.iter().find(|key| key.common.key_id.as_deref() == Some(id)).cloned(),
            None => (known.keys.len() == 1).then(|| known.keys[0].clone()),
        };
        let known = self.known().await?;
        if let Some(key) = find(&known) {
            return Ok((known, key));
        }
        // Providers change their keys without a word.
        if known.at.elapsed() >= ASK_AGAIN {
            let known = self.ask().await?;
            if let Some(key) = find(&known) {
                return Ok((known, key));
            }
        }
        bail!("the ID token is signed with a key that the provider does not publish")
    }

    async fn known(&self) -> anyhow::Result<Arc<Known>> {
        let known = self.known.lock().clone();
        match known.filter(|known| known.at.elapsed() < BELIEVED) {
            Some(known) => Ok(known),
            None => self.ask().await,
        }
    }

    async fn ask(&self) -> anyhow::Result<Arc<Known>> {
        let issuer = self.settings.issuer.trim_end_matches('/');
        let http = self.http()?;
        let about: Discovery =
            read(http.get(format!("{issuer}/.well-known/openid-configuration"))).await.context("discovery")?;
        ensure!(about.issuer.trim_end_matches('/') == issuer, "the provider calls itself {}", about.issuer);
        let set: KeySet = read(http.get(&about.jwks_uri)).await.context("the provider's keys")?;
        // Keys of kinds that we do not know are no reason to refuse the others.
        let keys = set.keys.into_iter().filter_map(|key| serde_json::from_value::<Jwk>(key).ok()).collect();
        let known = Arc::new(Known { about, keys, at: Instant::now() });
        *self.known.lock() = Some(known.clone());
        Ok(known)
    }

    fn http(&self) -> anyhow::Result<&reqwest::Client> {
        if let Some(http) = self.http.get() {
            return Ok(http);
        }
        // No redirects: the addresses are the provider's own, and a redirect could lead anywhere.
        let http = reqwest::Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .timeout(Duration::from_secs(10))
            .build()?;
        Ok(self.http.get_or_init(|| http))
    }
}

async fn read<T: DeserializeOwned>(request: reqwest::RequestBuilder) -> anyhow::Result<T> {
    let mut response = request.header("accept", "application/json").send().await?;
    let status = response.status();
    let mut body = Vec::new();
    while let Some(part) = response.chunk().await? {
        ensure!(body.len() + part.len() <= MAX_ANSWER, "the answer is too long");
        body.extend_from_slice(&part);
    }
    ensure!(status.is_success(), "it answers {status}");
    Ok(serde_json::from_slice(&body)?)
}
