//! Requests to a provider: discovery, the token, and its verification.

use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail, ensure};
use base::config::OidcProvider;
use jsonwebtoken::jwk::Jwk;
use jsonwebtoken::{Algorithm, DecodingKey, Validation};
use outbound::{Http, Rule};
use parking_lot::Mutex;
use reqwest::Method;
use serde::Deserialize;
use serde::de::DeserializeOwned;

/// How long the provider's metadata is cached.
const CACHED_FOR: Duration = Duration::from_secs(600);
/// The minimum interval between look-ups of an unknown key.
const ASK_AGAIN: Duration = Duration::from_secs(10);
/// No honest answer is longer.
const MAX_ANSWER: usize = 512 * 1024;
/// Accepted signature algorithms. Never `none`, never one with a shared secret.
const ALGORITHMS: [Algorithm; 3] = [Algorithm::RS256, Algorithm::ES256, Algorithm::PS256];

/// A provider and its metadata.
#[derive(Debug)]
pub struct Provider {
    /// Its configuration.
    pub settings: OidcProvider,
    known: Mutex<Option<Arc<Known>>>,
    /// Addresses in the provider's metadata are not trusted blindly either.
    outbound: Rule,
    http: OnceLock<Http>,
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

/// Says by itself that several factors were used (RFC 8176).
const SEVERAL: &str = "mfa";
/// Authentication methods (`amr`, RFC 8176) by what they prove: something that the person knows, has or is. Two methods
/// of one kind are one factor, and so is any of them alone: a code by SMS may be all that was asked for.
const FACTORS: [&[&str]; 3] =
    [&["pwd", "pin", "kba"], &["otp", "hwk", "swk", "sc", "sms", "tel"], &["face", "fpt", "iris", "retina", "vbm"]];

/// The identity asserted by the provider.
#[derive(Debug, Deserialize)]
pub struct Identity {
    /// Unique and permanent at this provider.
    pub sub: String,
    nonce: Option<String>,
    azp: Option<String>,
    // Of any form: a value that does not follow the standard proves nothing, and is no reason to refuse a sign-in.
    #[serde(default)]
    amr: serde_json::Value,
    #[serde(default)]
    acr: serde_json::Value,
}

impl Identity {
    /// Whether the provider has required a second factor: `amr` says so or names methods of two kinds, or `acr` is among
    /// `trusted`.
    #[must_use]
    pub fn proves_second_factor(&self, trusted: &[String]) -> bool {
        let ways: Vec<&str> = self.amr.as_array().into_iter().flatten().filter_map(serde_json::Value::as_str).collect();
        let kinds = FACTORS.iter().filter(|methods| ways.iter().any(|way| methods.contains(way))).count();
        let class = self.acr.as_str();
        kinds >= 2 || ways.contains(&SEVERAL) || class.is_some_and(|class| trusted.iter().any(|value| value == class))
    }
}

/// The parameters of one sign-in flow.
#[derive(Debug)]
pub struct Asked<'a> {
    /// The address to which the provider returns the browser.
    pub redirect_uri: &'a str,
    /// Returned with the code.
    pub state: &'a str,
    /// Returned in the ID token.
    pub nonce: &'a str,
    /// Proves that the code is for us.
    pub verifier: &'a str,
}

impl Provider {
    pub fn new(settings: OidcProvider, outbound: Rule) -> Self {
        Self { settings, known: Mutex::default(), outbound, http: OnceLock::new() }
    }

    /// Where to send the browser.
    ///
    /// # Errors
    /// When the provider cannot be reached.
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
        if !self.settings.second_factor_acr.is_empty() {
            url.query_pairs_mut().append_pair("acr_values", &self.settings.second_factor_acr.join(" "));
        }
        Ok(url.into())
    }

    /// Exchanges the code for an identity whose token was verified.
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
        let mut request = self.http()?.request(Method::POST, &known.about.token_endpoint)?;
        if in_form {
            form.push(("client_secret", &self.settings.client_secret));
        } else {
            // RFC 6749, 2.3.1: both parts are encoded before they are joined.
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

    /// The key with this id; providers with a single key may omit the id.
    async fn key(&self, id: Option<&str>) -> anyhow::Result<(Arc<Known>, Jwk)> {
        let find = |known: &Known| match id {
            Some(id) => known.keys.iter().find(|key| key.common.key_id.as_deref() == Some(id)).cloned(),
            None => (known.keys.len() == 1).then(|| known.keys[0].clone()),
        };
        let known = self.known().await?;
        if let Some(key) = find(&known) {
            return Ok((known, key));
        }
        // Providers change their keys without notice.
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
        match known.filter(|known| known.at.elapsed() < CACHED_FOR) {
            Some(known) => Ok(known),
            None => self.ask().await,
        }
    }

    async fn ask(&self) -> anyhow::Result<Arc<Known>> {
        let issuer = self.settings.issuer.trim_end_matches('/');
        let http = self.http()?;
        let place = format!("{issuer}/.well-known/openid-configuration");
        let about: Discovery = read(http.request(Method::GET, &place)?).await.context("discovery")?;
        ensure!(about.issuer.trim_end_matches('/') == issuer, "the provider calls itself {}", about.issuer);
        let set: KeySet = read(http.request(Method::GET, &about.jwks_uri)?).await.context("the provider's keys")?;
        // Keys of unknown types are no reason to refuse the others.
        let keys = set.keys.into_iter().filter_map(|key| serde_json::from_value::<Jwk>(key).ok()).collect();
        let known = Arc::new(Known { about, keys, at: Instant::now() });
        *self.known.lock() = Some(known.clone());
        Ok(known)
    }

    fn http(&self) -> anyhow::Result<&Http> {
        if let Some(http) = self.http.get() {
            return Ok(http);
        }
        let http = Http::new(self.outbound.clone(), reqwest::Client::builder().timeout(Duration::from_secs(10)))?;
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
