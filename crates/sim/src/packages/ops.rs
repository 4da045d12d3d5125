//! The modes of Android's operations that were set for packages (`appops`). Android writes them down a while later, or when it is
//! told to (`appops write-settings`); what it has not written by then is gone with the framework.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::card::{Card, State};

/// An operation, and whether its mode is that of all that runs as one user.
type Of = (bool, Box<str>);

/// What was set for a package.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ops {
    set: BTreeMap<Of, Box<str>>,
    written: BTreeMap<Of, Box<str>>,
}

impl Ops {
    /// What `appops get` says.
    fn text(&self) -> String {
        let mut said = String::new();
        for ((_, operation), mode) in self.set.iter().filter(|one| one.0.0) {
            let _ = writeln!(said, "Uid mode: {operation}: {mode}");
        }
        for ((_, operation), mode) in self.set.iter().filter(|one| !one.0.0) {
            let _ = writeln!(said, "{operation}: {mode}; time=+1m2s ago");
        }
        if said.is_empty() { "No operations.\n".to_owned() } else { said }
    }
}

/// The framework ends, however it does.
pub(crate) fn forget_unwritten(state: &mut State) {
    state.packages.values_mut().for_each(|package| package.ops.set = package.ops.written.clone());
}

impl Card {
    /// The mode of an operation was set for a package a while ago, as `appops set` does.
    pub fn set_op(&self, package: &str, operation: &str, mode: &str) {
        self.change_op(package, (false, operation), mode);
        self.write_ops();
    }

    /// `appops set`, with `--uid` or without.
    pub(crate) fn change_op(&self, package: &str, (is_of_user, operation): (bool, &str), mode: &str) {
        if let Some(package) = self.state().packages.get_mut(package) {
            package.ops.set.insert((is_of_user, operation.into()), mode.into());
        }
    }

    /// `appops write-settings`.
    pub(crate) fn write_ops(&self) {
        self.state().packages.values_mut().for_each(|package| package.ops.written = package.ops.set.clone());
    }

    /// What was set for a package, as `appops get` says it.
    #[must_use]
    pub fn ops(&self, package: &str) -> String {
        self.state().packages.get(package).map(|package| package.ops.text()).unwrap_or_default()
    }
}
