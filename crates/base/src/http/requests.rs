//! Concurrent requests per network, as the trusted proxy reports it: behind a proxy the limits on connections say
//! nothing about the clients.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;

use parking_lot::Mutex;

use super::connections::network;

/// Running requests, by network.
#[derive(Clone, Debug)]
pub struct Requests {
    limit: usize,
    counted: Arc<Mutex<HashMap<IpAddr, usize>>>,
}

/// A running request.
#[derive(Debug)]
pub struct Request {
    requests: Requests,
    network: IpAddr,
}

impl Requests {
    /// At most `limit` concurrent requests from one network.
    #[must_use]
    pub fn new(limit: usize) -> Self {
        Self { limit, counted: Arc::default() }
    }

    /// Counts one until the value is dropped; none if there are too many.
    #[must_use]
    pub fn begin(&self, ip: IpAddr) -> Option<Request> {
        let network = network(ip);
        let mut counted = self.counted.lock();
        let count = counted.entry(network).or_default();
        if *count >= self.limit {
            return None;
        }
        *count += 1;
        Some(Request { requests: self.clone(), network })
    }
}

impl Drop for Request {
    fn drop(&mut self) {
        let mut counted = self.requests.counted.lock();
        if let Some(count) = counted.get_mut(&self.network) {
            *count -= 1;
            if *count == 0 {
                counted.remove(&self.network);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Requests;

    #[test]
    fn one_network_may_have_so_many_and_others_as_well() {
        let requests = Requests::new(2);
        let at = |ip: &str| requests.begin(ip.parse().expect("an address"));
        let two = [at("2001:db8::1"), at("2001:db8::2")];
        assert!(two.iter().all(Option::is_some) && at("2001:db8::3").is_none() && at("10.0.0.1").is_some());
        drop(two);
        assert!(at("2001:db8::3").is_some());
        assert!(requests.counted.lock().is_empty());
    }
}
