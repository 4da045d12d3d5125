//! What follows from a card's facts, and which transitions are allowed. Pure: no clock, no database.

use crate::card::{Fact, Lifecycle, Maintenance, Model, NetworkStatus, Occupancy, Power, RunStatus};

impl Lifecycle {
    /// Whether a card may go from here to `to`.
    #[must_use]
    pub const fn may_become(self, to: Self) -> bool {
        match (self, to) {
            (Self::Expected, Self::Registered | Self::Faulty | Self::Retired)
            | (Self::Discovered, Self::Registered | Self::Retired)
            | (Self::Registered, Self::Faulty | Self::Retired)
            // Repaired, or given up.
            | (Self::Faulty, Self::Registered | Self::Retired)
            // A retired card that is taken back into use.
            | (Self::Retired, Self::Registered) => true,
            (Self::Expected | Self::Discovered | Self::Registered | Self::Faulty | Self::Retired, _) => false,
        }
    }
}

impl Occupancy {
    /// Whether a card may go from here to `to`. A card that failed keeps its phone.
    #[must_use]
    pub const fn may_become(self, to: Self) -> bool {
        matches!(
            (self, to),
            (Self::Free, Self::Reserved | Self::Wiping)
                // Nobody knows whether it was marked: it is cleared.
                | (Self::Reserved, Self::Restoring | Self::Free | Self::Wiping)
                | (Self::Restoring, Self::InUse | Self::Wiping | Self::Sealed)
                // An erased phone's leaves nothing that has to be kept.
                | (Self::InUse, Self::BackingUp | Self::Wiping)
                | (Self::BackingUp, Self::Wiping | Self::InUse | Self::Sealed)
                // Needed, or taken back by its phone.
                | (Self::Sealed, Self::Wiping | Self::Restoring)
                | (Self::Wiping, Self::Free)
        )
    }
}

impl Maintenance {
    /// Whether a card may go from here to `to`.
    #[must_use]
    pub const fn may_become(self, to: Self) -> bool {
        matches!(
            (self, to),
            (Self::None, Self::Draining | Self::InMaintenance)
                | (Self::Draining, Self::InMaintenance | Self::None)
                | (Self::InMaintenance, Self::Draining | Self::None)
        )
    }
}

/// The facts from which the two derived statuses follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Facts {
    pub lifecycle: Lifecycle,
    pub power: Power,
    pub reached: Fact,
    pub tcp_open: Fact,
    pub adb_answers: Fact,
    pub booted: Fact,
    pub occupancy: Occupancy,
    pub maintenance: Maintenance,
    pub is_upgrading: bool,
}

impl Facts {
    /// Whether the card can be reached. Only a card that has booted is online.
    #[must_use]
    pub fn network_status(&self) -> NetworkStatus {
        if self.reached != Fact::Yes {
            return NetworkStatus::Offline;
        }
        match (self.tcp_open, self.adb_answers, self.booted) {
            (_, Fact::Yes, Fact::Yes) => NetworkStatus::Online,
            (Fact::Yes, _, _) | (_, Fact::Yes, _) => NetworkStatus::Degraded,
            _ => NetworkStatus::Offline,
        }
    }

    /// The run status. Maintenance comes first: it explains all that follows.
    #[must_use]
    pub fn run_status(&self) -> RunStatus {
        if self.maintenance == Maintenance::InMaintenance {
            return RunStatus::Maintenance;
        }
        if self.lifecycle == Lifecycle::Faulty {
            return RunStatus::Fault;
        }
        if self.is_upgrading {
            return RunStatus::Upgrading;
        }
        if self.reached == Fact::Unknown || matches!(self.lifecycle, Lifecycle::Discovered | Lifecycle::Retired) {
            return RunStatus::Unknown;
        }
        match (self.network_status(), self.occupancy) {
            (NetworkStatus::Offline, _) => RunStatus::Offline,
            // It is reachable and does not boot.
            (NetworkStatus::Degraded, _) => RunStatus::Fault,
            (NetworkStatus::Online, Occupancy::Free | Occupancy::Sealed) => RunStatus::Idle,
            (NetworkStatus::Online, _) => RunStatus::InUse,
        }
    }
}

impl Model {
    /// The facts of this row.
    #[must_use]
    pub const fn facts(&self) -> Facts {
        Facts {
            lifecycle: self.lifecycle,
            power: self.power,
            reached: self.reached,
            tcp_open: self.tcp_open,
            adb_answers: self.adb_answers,
            booted: self.booted,
            occupancy: self.occupancy,
            maintenance: self.maintenance,
            is_upgrading: self.is_upgrading,
        }
    }

    /// The row with its derived statuses recomputed; one that changes does so at `at`.
    #[must_use]
    pub fn derived(mut self, at: kernel::time::UtcTime) -> Self {
        let (run, network) = (self.facts().run_status(), self.facts().network_status());
        if run != self.run_status {
            (self.run_status, self.run_since) = (run, at);
        }
        if network != self.network_status {
            (self.network_status, self.network_since) = (network, at);
        }
        self
    }

    /// Whether it may be assigned to a cloud phone.
    #[must_use]
    pub fn may_be_given(&self) -> bool {
        self.lifecycle == Lifecycle::Registered
            && self.is_assignable
            && self.occupancy == Occupancy::Free
            && self.booted == Fact::Yes
            && self.maintenance == Maintenance::None
            && !self.is_upgrading
    }
}

#[cfg(test)]
mod tests {
    use super::Facts;
    use crate::card::{Fact, Lifecycle, Maintenance, NetworkStatus, Occupancy, Power, RunStatus};

    const UP: Facts = Facts {
        lifecycle: Lifecycle::Registered,
        power: Power::On,
        reached: Fact::Yes,
        tcp_open: Fact::Yes,
        adb_answers: Fact::Yes,
        booted: Fact::Yes,
        occupancy: Occupancy::Free,
        maintenance: Maintenance::None,
        is_upgrading: false,
    };

    #[test]
    fn the_two_words_follow_from_the_facts() {
        use Fact::{No, Unknown, Yes};
        use NetworkStatus::{Degraded, Offline, Online};
        for (facts, run, network) in [
            (UP, RunStatus::Idle, Online),
            (Facts { occupancy: Occupancy::InUse, ..UP }, RunStatus::InUse, Online),
            (Facts { occupancy: Occupancy::Wiping, ..UP }, RunStatus::InUse, Online),
            (Facts { occupancy: Occupancy::Sealed, ..UP }, RunStatus::Idle, Online),
            (Facts { booted: No, ..UP }, RunStatus::Fault, Degraded),
            (Facts { booted: No, adb_answers: No, ..UP }, RunStatus::Fault, Degraded),
            (Facts { booted: No, adb_answers: No, tcp_open: No, ..UP }, RunStatus::Offline, Offline),
            (Facts { reached: No, ..UP }, RunStatus::Offline, Offline),
            (Facts { reached: Unknown, ..UP }, RunStatus::Unknown, Offline),
            (Facts { tcp_open: Unknown, ..UP }, RunStatus::Idle, Online),
            (Facts { is_upgrading: true, reached: No, ..UP }, RunStatus::Upgrading, Offline),
            (Facts { lifecycle: Lifecycle::Faulty, is_upgrading: true, ..UP }, RunStatus::Fault, Online),
            (
                Facts { maintenance: Maintenance::InMaintenance, lifecycle: Lifecycle::Faulty, reached: No, ..UP },
                RunStatus::Maintenance,
                Offline,
            ),
            (Facts { maintenance: Maintenance::Draining, ..UP }, RunStatus::Idle, Online),
            (
                Facts { lifecycle: Lifecycle::Expected, reached: Unknown, booted: Unknown, ..UP },
                RunStatus::Unknown,
                Offline,
            ),
            (Facts { booted: Yes, lifecycle: Lifecycle::Retired, ..UP }, RunStatus::Unknown, Online),
        ] {
            assert_eq!((facts.run_status(), facts.network_status()), (run, network), "{facts:?}");
        }
    }

    /// Every allowed step, written out again; whatever is not listed is refused.
    #[test]
    fn only_these_steps_are_allowed() {
        use Lifecycle::{Discovered, Expected, Faulty, Registered, Retired};
        let steps = [
            (Expected, Registered),
            (Expected, Faulty),
            (Expected, Retired),
            (Discovered, Registered),
            (Discovered, Retired),
            (Registered, Faulty),
            (Registered, Retired),
            (Faulty, Registered),
            (Faulty, Retired),
            (Retired, Registered),
        ];
        for from in Lifecycle::ALL {
            for to in Lifecycle::ALL {
                assert_eq!(from.may_become(*to), steps.contains(&(*from, *to)), "{from:?} {to:?}");
            }
        }
        use Occupancy::{BackingUp, Free, InUse, Reserved, Restoring, Sealed, Wiping};
        let steps = [
            (Free, Reserved),
            (Free, Wiping),
            (Reserved, Restoring),
            (Reserved, Free),
            (Reserved, Wiping),
            (Restoring, InUse),
            (Restoring, Wiping),
            (Restoring, Sealed),
            (InUse, BackingUp),
            (InUse, Wiping),
            (BackingUp, Wiping),
            (BackingUp, InUse),
            (BackingUp, Sealed),
            (Sealed, Wiping),
            (Sealed, Restoring),
            (Wiping, Free),
        ];
        for from in Occupancy::ALL {
            for to in Occupancy::ALL {
                assert_eq!(from.may_become(*to), steps.contains(&(*from, *to)), "{from:?} {to:?}");
            }
        }
        for from in Maintenance::ALL {
            for to in Maintenance::ALL {
                assert_eq!(from.may_become(*to), from != to, "{from:?} {to:?}");
            }
        }
    }
}
