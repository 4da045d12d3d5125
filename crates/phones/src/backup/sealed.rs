//! What lies beside each repository: the code that opens it, sealed with the console's master key. The store and that key
//! suffice then, on the day when neither console nor database is left.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use vault::{Secret, Vault};

/// What it is sealed for.
const PURPOSE: &str = "repository";
/// Of the file.
const VERSION: u32 = 1;

/// The file, as JSON.
#[derive(Debug, Serialize, Deserialize)]
struct Sealed {
    version: u32,
    /// The phone, for people who look into the folder.
    phone: String,
    /// The folder of the repository on its node, which the code is bound to.
    folder: String,
    /// The code, sealed, in base64.
    sealed: String,
}

/// A code that was opened.
#[derive(Clone, Debug)]
pub struct Recovered {
    /// What people call the phone.
    pub phone: String,
    /// The folder of the repository on the node where it was made.
    pub folder: String,
    /// What `restic` asks for.
    pub code: Secret,
}

/// Why a code could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum Unrecovered {
    /// It is another kind of file.
    #[error("this is no skyrack-key: {0}")]
    NotOurs(String),
    /// The master key does not open it.
    #[error("the master key does not open it: {0}")]
    Sealed(#[from] vault::Unsealable),
}

/// Seals the code of a phone's repository. Returns the text of the file.
#[must_use]
pub fn seal(vault: &Vault, phone: &str, folder: &str, code: &str) -> String {
    let sealed = STANDARD.encode(vault.seal(PURPOSE, folder, &Secret::from(code.to_owned())));
    let file = Sealed { version: VERSION, phone: phone.to_owned(), folder: folder.to_owned(), sealed };
    serde_json::to_string(&file).unwrap_or_default()
}

/// Opens the text of such a file.
///
/// # Errors
/// It is another kind of file, or was sealed with another master key.
pub fn open(vault: &Vault, text: &str) -> Result<Recovered, Unrecovered> {
    let not_ours = |error: &dyn std::fmt::Display| Unrecovered::NotOurs(error.to_string());
    let Sealed { version, phone, folder, sealed } = serde_json::from_str(text).map_err(|error| not_ours(&error))?;
    if version != VERSION {
        return Err(not_ours(&format!("its version is {version}, and {VERSION} is known")));
    }
    let sealed = STANDARD.decode(sealed).map_err(|error| not_ours(&error))?;
    let code = vault.unseal(PURPOSE, &folder, &sealed)?;
    Ok(Recovered { phone, folder, code })
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test that cannot go on should panic")]

    use vault::Vault;

    use super::{Unrecovered, open, seal};

    #[test]
    fn the_master_key_opens_it_and_no_other_and_only_for_its_folder() {
        let vault = Vault::throwaway();
        let text = seal(&vault, "CP-0000001", "p00/cp-0000001-ab", "1111-2222");
        let opened = open(&vault, &text).unwrap();
        assert_eq!((&*opened.phone, opened.code.expose_text()), ("CP-0000001", Some("1111-2222")));
        assert!(!text.contains("1111"));
        assert!(matches!(open(&Vault::throwaway(), &text), Err(Unrecovered::Sealed(_))));
        assert!(matches!(open(&vault, &text.replace("-ab", "-ac")), Err(Unrecovered::Sealed(_))));
        for foreign in ["", "{}", "{\"version\":2,\"phone\":\"\",\"folder\":\"\",\"sealed\":\"\"}"] {
            assert!(matches!(open(&vault, foreign), Err(Unrecovered::NotOurs(_))), "{foreign}");
        }
    }
}
