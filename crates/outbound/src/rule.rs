//! The rule, and names that are resolved under it.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};
use std::sync::Arc;

use url::{Host, Url};

use crate::net::Net;

/// The metadata services of clouds, which provide secrets to machines; they look like any other address (AWS on IPv6,
/// Alibaba, Azure).
const METADATA: [IpAddr; 3] = [
    IpAddr::V6(Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254)),
    IpAddr::V4(Ipv4Addr::new(100, 100, 100, 200)),
    IpAddr::V4(Ipv4Addr::new(168, 63, 129, 16)),
];

/// Why an address is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{address} is not connected to: {why}")]
pub struct Refused {
    address: String,
    why: &'static str,
}

impl Refused {
    fn new(address: impl ToString, why: &'static str) -> Self {
        Self { address: address.to_string(), why }
    }

    /// Without the text: it may contain a password.
    pub(crate) fn not_a_url() -> Self {
        Self::new("the address", "it is no URL")
    }
}

/// Which addresses may be connected to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rule {
    excepted: Arc<[Net]>,
    knows_itself: bool,
    is_public: bool,
    inside: Arc<[Net]>,
}

impl Rule {
    /// The rule with configured exceptions.
    #[must_use]
    pub fn new(excepted: Vec<Net>) -> Self {
        Self { excepted: excepted.into(), ..Self::default() }
    }

    /// Refuses this machine under its other addresses too: for a process that another one tells where to connect.
    #[must_use]
    pub fn knowing_itself(self) -> Self {
        Self { knows_itself: true, ..self }
    }

    /// Refuses networks that are not routed on the internet as well, but for the exceptions: for receivers elsewhere.
    #[must_use]
    pub fn public(self) -> Self {
        Self { is_public: true, ..self }
    }

    /// The same, and these private networks are no reason to refuse: of a place that has named its own. Whatever else is
    /// refused stays so within them.
    #[must_use]
    pub fn reaching(self, inside: Vec<Net>) -> Self {
        Self { inside: inside.into(), ..self }
    }

    /// The same with more exceptions.
    #[must_use]
    pub fn excepting(self, more: impl IntoIterator<Item = Net>) -> Self {
        Self { excepted: self.excepted.iter().copied().chain(more).collect(), ..self }
    }

    /// The configured exceptions.
    #[must_use]
    pub fn excepted(&self) -> &[Net] {
        &self.excepted
    }

    /// Whether an address may be connected to.
    ///
    /// # Errors
    /// It leads to this machine, to its link, to many machines or to none.
    pub fn check(&self, address: IpAddr) -> Result<(), Refused> {
        // The address that a packet would reach is checked; an exception counts for both the written and the reached
        // address.
        let reached = reached(address);
        if self.excepted.iter().any(|net| net.contains(address) || net.contains(reached)) {
            return Ok(());
        }
        let why = match reached {
            IpAddr::V4(address) => refuses_v4(address),
            IpAddr::V6(address) => refuses_v6(address),
        };
        let why = why.or_else(|| METADATA.contains(&reached).then_some("it tells the secrets of a machine in a cloud"));
        let why = why.or_else(|| self.is_inside(reached).then_some("it is in a private network"));
        let why = why.or_else(|| (self.knows_itself && is_own(reached)).then_some("it is this machine"));
        why.map_or(Ok(()), |why| Err(Refused::new(address, why)))
    }

    /// Whether an address is in a private network that is a reason to refuse it.
    fn is_inside(&self, address: IpAddr) -> bool {
        self.is_public && is_private(address) && !self.inside.iter().any(|net| net.contains(address))
    }

    /// Whether a host, a name or an address without brackets, may be contacted, as far as it shows: a name is checked again
    /// when it is resolved.
    ///
    /// # Errors
    /// It is refused.
    pub fn check_host(&self, host: &str) -> Result<(), Refused> {
        host.parse::<IpAddr>().map_or_else(|_| self.check_name(host), |address| self.check(address))
    }

    /// Whether a URL may be contacted, as far as it shows: a name is checked again when it is resolved.
    ///
    /// # Errors
    /// Its host is refused, or it has none.
    pub fn check_url(&self, url: &Url) -> Result<(), Refused> {
        match url.host() {
            // The URL parser has already normalized decimal, octal and hexadecimal notations.
            Some(Host::Ipv4(address)) => self.check(address.into()),
            Some(Host::Ipv6(address)) => self.check(address.into()),
            Some(Host::Domain(name)) => self.check_name(name),
            None => Err(Refused::new("the address", "it names no host")),
        }
    }

    /// RFC 6761: `localhost` and names that end with it are this machine, whatever a name server says.
    fn check_name(&self, name: &str) -> Result<(), Refused> {
        let name = name.trim_end_matches('.').to_ascii_lowercase();
        if name != "localhost" && !name.ends_with(".localhost") {
            return Ok(());
        }
        let local = [IpAddr::V4(Ipv4Addr::LOCALHOST), IpAddr::V6(Ipv6Addr::LOCALHOST)];
        local.into_iter().find_map(|address| self.check(address).ok()).ok_or(Refused::new(name, "it is this machine"))
    }

    /// The addresses of a name that may be connected to. To be connected to as they are: a second look-up may tell
    /// others.
    ///
    /// # Errors
    /// The name has no address, or none that is permitted.
    pub async fn resolve(&self, name: &str, port: u16) -> std::io::Result<Vec<SocketAddr>> {
        self.permitted(name, tokio::net::lookup_host((name, port)).await?)
    }

    /// The addresses among `found` that may be connected to: of a name that was resolved by other means.
    ///
    /// # Errors
    /// There is none.
    pub fn permitted(&self, name: &str, found: impl Iterator<Item = SocketAddr>) -> std::io::Result<Vec<SocketAddr>> {
        let mut refused = Refused::new(name, "the name has no address");
        let mut permitted = Vec::new();
        for address in found {
            match self.check(address.ip()) {
                Ok(()) => permitted.push(address),
                Err(why) => refused = why,
            }
        }
        if permitted.is_empty() {
            return Err(std::io::Error::new(std::io::ErrorKind::PermissionDenied, refused));
        }
        Ok(permitted)
    }
}

const fn refuses_v4(address: Ipv4Addr) -> Option<&'static str> {
    match address.octets() {
        [0, ..] => Some("it is no address of a machine"),
        [127, ..] => Some("it is this machine"),
        [169, 254, ..] => Some("it is on the link only"),
        [224..=239, ..] => Some("it is many machines"),
        [240..=255, ..] => Some("it is reserved"),
        _ => None,
    }
}

const fn refuses_v6(address: Ipv6Addr) -> Option<&'static str> {
    match address.segments() {
        [0, 0, 0, 0, 0, 0, 0, 0] => Some("it is no address of a machine"),
        [0, 0, 0, 0, 0, 0, 0, 1] => Some("it is this machine"),
        // Link-local, and the site-local that came before it.
        [0xfe80..=0xfeff, ..] => Some("it is on the link only"),
        [0xff00..=0xffff, ..] => Some("it is many machines"),
        // Teredo encodes an IPv4 address in its own way; nobody manages machines through it.
        [0x2001, 0, ..] => Some("it is a tunnel"),
        _ => None,
    }
}

/// The address that packets to this one arrive at: IPv6 has five notations for an embedded IPv4 address.
fn reached(address: IpAddr) -> IpAddr {
    let IpAddr::V6(v6) = address else { return address };
    let (high, low) = match v6.segments() {
        // Unspecified and loopback stay as they are.
        [0, 0, 0, 0, 0, 0, 0, 0 | 1] => return address,
        // Compatible; mapped; translated (RFC 2765); NAT64 (RFC 6052, 8215).
        [0, 0, 0, 0, 0, 0, high, low]
        | [0, 0, 0, 0, 0, 0xffff, high, low]
        | [0, 0, 0, 0, 0xffff, 0, high, low]
        | [0x64, 0xff9b, _, _, _, _, high, low]
        // 6to4.
        | [0x2002, high, low, ..] => (high, low),
        _ => return address,
    };
    IpAddr::V4(Ipv4Addr::from(u32::from(high) << 16 | u32::from(low)))
}

/// Whether an address is not routed on the internet (RFC 1918, RFC 6598, RFC 4193).
fn is_private(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(_) => Net::PRIVATE.iter().any(|net| net.contains(address)),
        IpAddr::V6(address) => address.segments()[0] & 0xfe00 == 0xfc00,
    }
}

/// Whether the system would use the address itself as the source, so that it is one of ours. Nothing is sent for it.
fn is_own(address: IpAddr) -> bool {
    let any: IpAddr = match address {
        IpAddr::V4(_) => Ipv4Addr::UNSPECIFIED.into(),
        IpAddr::V6(_) => Ipv6Addr::UNSPECIFIED.into(),
    };
    // The port does not matter: it is the discard service's.
    let Ok(socket) = UdpSocket::bind((any, 0)) else { return false };
    socket.connect((address, 9)).is_ok() && socket.local_addr().is_ok_and(|from| from.ip() == address)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test that cannot go on should panic")]

    use super::{Refused, Rule, is_own};

    #[test]
    fn of_a_name_with_two_faces_the_permitted_one_is_connected_to() {
        let all = |list: &[&str]| -> Vec<_> { list.iter().map(|text| text.parse().unwrap()).collect() };
        let rule = Rule::default();
        let found = all(&["127.0.0.1:443", "10.0.0.7:443", "[::ffff:169.254.169.254]:443"]);
        assert_eq!(rule.permitted("two.example", found.into_iter()).unwrap(), all(&["10.0.0.7:443"]));
        let error = rule.permitted("rebound.example", all(&["127.0.0.1:443"]).into_iter()).unwrap_err();
        assert_eq!(error.get_ref().unwrap().downcast_ref(), Some(&Refused::new("127.0.0.1", "it is this machine")));
        assert!(rule.permitted("nothing.example", std::iter::empty()).is_err());
    }

    #[test]
    fn a_machine_knows_its_own_addresses() {
        assert!(is_own("127.0.0.1".parse().unwrap()));
        // TEST-NET-3, which nobody uses.
        assert!(!is_own("203.0.113.7".parse().unwrap()));
        let excepted = Rule::new(vec!["127.0.0.1".parse().unwrap()]).knowing_itself();
        assert_eq!(excepted.check("127.0.0.1".parse().unwrap()), Ok(()));
    }
}
