//! How many tasks run at once: in the room, at each host and at each BMC.

use std::collections::HashMap;
use std::sync::Arc;

use tokio::sync::Semaphore;
use wire::{Act, Limits, Task};

/// Semaphores for tasks: of the room, its hosts and its BMCs.
#[derive(Debug)]
pub struct Gates {
    pub limits: Limits,
    pub room: Arc<Semaphore>,
    hosts: HashMap<i64, Arc<Semaphore>>,
    bmcs: HashMap<String, Arc<Semaphore>>,
}

impl Gates {
    pub fn new(limits: Limits) -> Self {
        Self { limits, room: gate(limits.per_room), hosts: HashMap::new(), bmcs: HashMap::new() }
    }

    /// The semaphore of the task's host, or of its BMC.
    pub fn near(&mut self, task: &Task) -> Arc<Semaphore> {
        let Limits { per_host, per_bmc, .. } = self.limits;
        if let Act::Power { bmc, .. } = &task.act {
            return Arc::clone(self.bmcs.entry(bmc.url.clone()).or_insert_with(|| gate(per_bmc)));
        }
        match task.host {
            Some(host) => Arc::clone(self.hosts.entry(host).or_insert_with(|| gate(per_host))),
            None => Arc::clone(&self.room),
        }
    }
}

fn gate(places: u32) -> Arc<Semaphore> {
    Arc::new(Semaphore::new(usize::try_from(places.max(1)).unwrap_or(1)))
}
