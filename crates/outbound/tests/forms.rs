//! Addresses in every notation that some parser accepts, and a client that refuses all of them.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should panic")]

use outbound::{Http, Rule};
use reqwest::Method;
use url::Url;

/// Notations of hosts that are refused.
const REFUSED: &[&str] = &[
    // This machine, in the notations of inet_aton and of people.
    "127.0.0.1",
    "127.1",
    "127.0.1",
    "127.127.127.127",
    "127.255.255.254",
    "2130706433",
    "0x7f000001",
    "0x7f.0.0.1",
    "0x7F.0x0.0x0.0x1",
    "0177.0.0.1",
    "0177.0000.0000.0001",
    "017700000001",
    "127.0.0.1.",
    "%31%32%37.0.0.1",
    "\u{ff11}\u{ff12}\u{ff17}.0.0.1",
    "127\u{3002}0\u{3002}0\u{3002}1",
    "\u{2460}27.0.0.1",
    "localhost",
    "LOCALHOST",
    "localhost.",
    "db.localhost",
    "[::1]",
    "[0:0:0:0:0:0:0:1]",
    "[0000::0001]",
    // The unspecified address: the system takes it as this machine.
    "0.0.0.0",
    "0",
    "0x0",
    "0.1.2.3",
    "[::]",
    // Inside IPv6.
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[0:0:0:0:0:ffff:127.0.0.1]",
    "[::127.0.0.1]",
    "[::ffff:0:127.0.0.1]",
    "[64:ff9b::127.0.0.1]",
    "[64:ff9b:1::127.0.0.1]",
    "[2002:7f00:1::]",
    "[2002:7f00:0001:1::1]",
    "[::ffff:0.0.0.0]",
    "[::ffff:169.254.169.254]",
    "[64:ff9b::a9fe:a9fe]",
    "[2002:a9fe:a9fe::1]",
    "[2001:0:4136:e378:8000:63bf:3fff:fdd2]",
    // The link, and the clouds' metadata services on it.
    "169.254.169.254",
    "169.254.0.1",
    "2852039166",
    "0xa9fea9fe",
    "0251.0376.0251.0376",
    "[fe80::1]",
    "[fe80::a9fe:a9fe]",
    "[febf::1]",
    "[fec0::1]",
    "100.100.100.200",
    "168.63.129.16",
    "[fd00:ec2::254]",
    // Many machines, or none.
    "224.0.0.1",
    "239.255.255.250",
    "[ff02::1]",
    "[ff0e::1]",
    "[::ffff:224.0.0.1]",
    "240.0.0.1",
    "255.255.255.255",
    "4294967295",
];

/// Permitted ones: BMCs are in private networks.
const PERMITTED: &[&str] = &[
    "10.0.0.1",
    "10.255.255.255",
    "172.16.0.1",
    "192.168.1.120",
    "100.64.0.1",
    "8.8.8.8",
    "126.255.255.255",
    "128.0.0.1",
    "169.253.255.255",
    "169.255.0.1",
    "223.255.255.255",
    "167772161",
    "[fd00::1]",
    "[fc00::1]",
    "[2001:db8::1]",
    "[2606:4700::1111]",
    "[::ffff:10.0.0.1]",
    "[64:ff9b::10.0.0.1]",
    "bmc-1.room.example",
    "localhost.example",
    "notlocalhost",
];

fn url(host: &str) -> Url {
    Url::parse(&format!("https://{host}:443/redfish/v1/")).unwrap_or_else(|error| panic!("{host}: {error}"))
}

#[test]
fn every_notation_of_a_refused_address_is_refused() {
    assert!(REFUSED.len() >= 60);
    for host in REFUSED {
        assert!(Rule::default().check_url(&url(host)).is_err(), "{host}");
    }
}

#[test]
fn private_and_public_addresses_are_permitted() {
    for host in PERMITTED {
        assert_eq!(Rule::default().check_url(&url(host)), Ok(()), "{host}");
    }
}

#[test]
fn who_is_told_elsewhere_is_in_no_private_network_but_for_those_that_are_named() {
    let rule = Rule::new(vec!["127.0.0.1".parse().unwrap()]).public();
    let inside = ["10.0.0.1", "172.31.255.255", "192.168.1.120", "100.64.0.1", "167772161", "[fd00::1]", "[fc00::1]"];
    let notations = ["[::ffff:10.0.0.1]", "[64:ff9b::10.0.0.1]", "[2002:a00:1::]"];
    for host in
        REFUSED.iter().filter(|host| Rule::new(vec!["127.0.0.1".parse().unwrap()]).check_url(&url(host)).is_err())
    {
        assert!(rule.check_url(&url(host)).is_err(), "{host}");
    }
    for host in inside.iter().chain(&notations) {
        assert!(rule.check_url(&url(host)).is_err(), "{host}");
    }
    for host in ["8.8.8.8", "172.32.0.1", "100.128.0.1", "[2606:4700::1111]", "hooks.example.com", "127.0.0.1"] {
        assert_eq!(rule.check_url(&url(host)), Ok(()), "{host}");
    }
    let named = rule.excepting(["10.0.0.0/8".parse().unwrap(), "fd00::/16".parse().unwrap()]);
    for host in ["10.0.0.1", "[::ffff:10.0.0.1]", "[fd00::1]", "127.0.0.1"] {
        assert_eq!(named.check_url(&url(host)), Ok(()), "{host}");
    }
    assert!(named.check_url(&url("192.168.1.120")).is_err());
}

#[test]
fn a_place_that_names_its_networks_reaches_those_and_nothing_that_is_refused_everywhere() {
    let all = ["10.9.0.0/16", "127.0.0.0/8", "169.254.0.0/16", "100.100.100.200"].map(|net| net.parse().unwrap());
    let rule = Rule::default().public().reaching(all.to_vec());
    for host in ["10.9.1.2", "::ffff:10.9.1.2", "8.8.8.8", "2606:4700::1111", "gw.example.com"] {
        assert_eq!(rule.check_host(host), Ok(()), "{host}");
    }
    for host in
        ["10.8.1.2", "192.168.1.9", "fd00::7", "127.0.0.1", "::1", "169.254.169.254", "100.100.100.200", "localhost"]
    {
        assert!(rule.check_host(host).is_err(), "{host}");
    }
}

#[test]
fn an_exception_counts_for_what_it_names_and_no_more() {
    let rule = Rule::new(vec!["127.0.0.0/8".parse().unwrap()]);
    for host in ["127.0.0.1", "2130706433", "[::ffff:127.0.0.1]", "localhost"] {
        assert_eq!(rule.check_url(&url(host)), Ok(()), "{host}");
    }
    for host in ["[::1]", "169.254.169.254", "0.0.0.0", "224.0.0.1"] {
        assert!(rule.check_url(&url(host)).is_err(), "{host}");
    }
}

#[test]
fn a_url_without_a_host_is_refused() {
    for text in ["file:///etc/passwd", "data:,x", "unix:/run/docker.sock"] {
        assert!(Rule::default().check_url(&Url::parse(text).unwrap()).is_err(), "{text}");
    }
}

#[tokio::test]
async fn a_name_of_this_machine_is_refused_when_it_is_looked_up() {
    let error = Rule::default().resolve("localhost", 80).await.unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::PermissionDenied);
    let here = Rule::new(vec!["127.0.0.0/8".parse().unwrap(), "::1".parse().unwrap()]);
    assert!(!here.resolve("localhost", 80).await.unwrap().is_empty());
}

#[tokio::test]
async fn a_client_asks_only_who_is_permitted_and_follows_nobody_elsewhere() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let here = listener.local_addr().unwrap();
    let elsewhere = || async { axum::response::Redirect::temporary("http://169.254.169.254/latest/meta-data") };
    let router = axum::Router::new().route("/", axum::routing::get(elsewhere));
    tokio::spawn(async move { axum::serve(listener, router).await });
    let address = format!("http://{here}/");

    let strict = Http::new(Rule::default(), reqwest::Client::builder()).unwrap();
    assert!(strict.request(Method::GET, &address).is_err());
    assert!(strict.request(Method::GET, "no url").is_err());

    let local = Http::new(Rule::new(vec!["127.0.0.1".parse().unwrap()]), reqwest::Client::builder()).unwrap();
    let answer = local.request(Method::GET, &address).unwrap().send().await.unwrap();
    assert_eq!(answer.status(), 307, "it is told, and not followed");
}

/// A proxy connects in the place of the client, and resolves names by itself: the rule would judge the proxy.
#[tokio::test]
async fn a_client_asks_no_proxy() {
    let proxy = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let (asked, here) = (proxy.local_addr().unwrap(), listener.local_addr().unwrap());
    let says = |word: &'static str| axum::Router::new().fallback(async move || word);
    tokio::spawn(async move { axum::serve(proxy, says("the proxy")).await });
    tokio::spawn(async move { axum::serve(listener, says("itself")).await });
    let builder = reqwest::Client::builder().proxy(reqwest::Proxy::all(format!("http://{asked}")).unwrap());
    let http = Http::new(Rule::new(vec!["127.0.0.1".parse().unwrap()]), builder).unwrap();
    let answer = http.request(Method::GET, &format!("http://{here}/")).unwrap().send().await.unwrap();
    assert_eq!(answer.text().await.unwrap(), "itself");
}
