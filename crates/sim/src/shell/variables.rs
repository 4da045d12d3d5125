//! Variables of a shell.

use std::collections::BTreeMap;

/// One variable.
#[derive(Clone, Debug, Default)]
struct Variable {
    value: Option<String>,
    exported: bool,
    readonly: bool,
}

/// All of them, and those that functions hide.
#[derive(Clone, Debug, Default)]
pub struct Variables {
    all: BTreeMap<String, Variable>,
    /// For each function that runs: what its `local` hides.
    hidden: Vec<BTreeMap<String, Option<Variable>>>,
}

impl Variables {
    /// What `adbd` gives a shell.
    pub fn android() -> Self {
        let mut vars = Self::default();
        for (name, value) in [
            ("ANDROID_DATA", "/data"),
            ("ANDROID_ROOT", "/system"),
            ("EXTERNAL_STORAGE", "/sdcard"),
            ("HOME", "/"),
            ("HOSTNAME", "localhost"),
            ("LOGNAME", "root"),
            ("PATH", "/product/bin:/apex/com.android.runtime/bin:/system/bin:/system/xbin:/vendor/bin"),
            ("SHELL", "/bin/sh"),
            ("TERM", "dumb"),
            ("TMPDIR", "/data/local/tmp"),
            ("USER", "root"),
        ] {
            vars.import(name, value);
        }
        vars
    }

    /// Takes a variable over from whoever started the shell.
    pub fn import(&mut self, name: &str, value: &str) {
        self.all.insert(name.into(), Variable { value: Some(value.into()), exported: true, readonly: false });
    }

    /// Its value.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.all.get(name)?.value.as_deref()
    }

    /// Sets it; false if it is read-only.
    pub fn set(&mut self, name: &str, value: impl Into<String>) -> bool {
        let variable = self.all.entry(name.into()).or_default();
        if variable.readonly {
            return false;
        }
        variable.value = Some(value.into());
        true
    }

    /// Forgets it; false if it is read-only.
    pub fn unset(&mut self, name: &str) -> bool {
        if self.all.get(name).is_some_and(|variable| variable.readonly) {
            return false;
        }
        self.all.remove(name);
        true
    }

    /// Lets programs see it.
    pub fn export(&mut self, name: &str) {
        self.all.entry(name.into()).or_default().exported = true;
    }

    /// Nobody changes it any more.
    pub fn freeze(&mut self, name: &str) {
        self.all.entry(name.into()).or_default().readonly = true;
    }

    /// What programs see.
    #[must_use]
    pub fn exported(&self) -> Vec<(String, String)> {
        let seen = self.all.iter().filter(|(_, variable)| variable.exported);
        seen.filter_map(|(name, variable)| Some((name.clone(), variable.value.clone()?))).collect()
    }

    /// Every variable with its value.
    pub fn all(&self) -> impl Iterator<Item = (&str, &str)> {
        self.all.iter().filter_map(|(name, variable)| Some((name.as_str(), variable.value.as_deref()?)))
    }

    /// A function begins.
    pub fn enter(&mut self) {
        self.hidden.push(BTreeMap::new());
    }

    /// It ends: what it hid is back.
    pub fn leave(&mut self) {
        for (name, variable) in self.hidden.pop().unwrap_or_default() {
            match variable {
                Some(variable) => self.all.insert(name, variable),
                None => self.all.remove(&name),
            };
        }
    }

    /// Makes a variable the function's own; false outside of one.
    pub fn hide(&mut self, name: &str) -> bool {
        let old = self.all.get(name).cloned();
        let Some(hidden) = self.hidden.last_mut() else { return false };
        if !hidden.contains_key(name) {
            hidden.insert(name.into(), old);
            self.all.remove(name);
        }
        true
    }
}
