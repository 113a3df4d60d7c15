//! The keys of panes. A pane's program has its key in its environment; a process that the daemon cannot see in the pane's
//! process tree (in a container, behind ssh) proves with it which pane it speaks for. Keys are derived from a secret in
//! the state directory, so that they stay valid when the daemon restarts.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use fugue_protocol::PaneId;
use fugue_protocol::messages::PaneKey;

/// The length of the secret: that of a BLAKE3 key.
const SECRET_BYTES: usize = blake3::KEY_LEN;

/// Derives the keys of panes.
#[derive(Clone)]
pub(crate) struct PaneKeys {
    secret: [u8; SECRET_BYTES],
}

impl std::fmt::Debug for PaneKeys {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("PaneKeys(hidden)")
    }
}

impl PaneKeys {
    /// Reads the secret in a state directory, or creates it. If neither is possible, the keys of this daemon are valid
    /// until it ends; the error is a warning for the user.
    pub(crate) fn open(state: &Path) -> (Self, Option<String>) {
        let path = state.join("pane-secret");
        match read(&path).or_else(|_| create(&path)) {
            Ok(secret) => (Self { secret }, None),
            Err(why) => {
                let warning = format!("Cannot store the secret for pane keys in {}: {why}", path.display());
                (Self { secret: random() }, Some(warning))
            }
        }
    }

    /// Returns the key of a pane.
    pub(crate) fn of(&self, pane: PaneId) -> PaneKey {
        PaneKey(self.hash(pane).to_hex().to_string())
    }

    /// Whether a key is that of a pane. Takes the same time whatever the key.
    pub(crate) fn fits(&self, pane: PaneId, key: &PaneKey) -> bool {
        blake3::Hash::from_hex(&key.0).is_ok_and(|key| key == self.hash(pane))
    }

    fn hash(&self, pane: PaneId) -> blake3::Hash {
        blake3::keyed_hash(&self.secret, pane.as_bytes())
    }
}

fn read(path: &Path) -> io::Result<[u8; SECRET_BYTES]> {
    let mut secret = [0; SECRET_BYTES];
    File::open(path)?.read_exact(&mut secret)?;
    Ok(secret)
}

/// Creates the secret, in place of one that is damaged.
fn create(path: &Path) -> io::Result<[u8; SECRET_BYTES]> {
    let secret = random();
    let new = path.with_extension("new");
    let _ = fs::remove_file(&new);
    let mut file = OpenOptions::new().create_new(true).write(true).mode(0o600).open(&new)?;
    file.write_all(&secret)?;
    file.sync_all()?;
    fs::rename(&new, path)?;
    Ok(secret)
}

fn random() -> [u8; SECRET_BYTES] {
    let mut secret = [0; SECRET_BYTES];
    getrandom::fill(&mut secret).expect("the kernel provides random bytes");
    secret
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_key_fits_its_own_pane_only_and_survives_a_restart() {
        let state = tempfile::tempdir().expect("a directory");
        let [own, other] = [1, 2].map(|number| PaneId::from_bytes([number; 16]));
        let (keys, warning) = PaneKeys::open(state.path());
        assert_eq!(warning, None);
        let key = keys.of(own);
        let (later, _) = PaneKeys::open(state.path());
        assert!(later.fits(own, &key) && !later.fits(other, &key));
        assert!(!later.fits(own, &PaneKey(String::new())) && !later.fits(own, &PaneKey("00".repeat(32))));
        let mode = fs::metadata(state.path().join("pane-secret")).expect("the secret").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        assert!(!format!("{key:?} {keys:?}").contains(&key.0));
    }

    #[test]
    fn a_damaged_secret_is_replaced_so_that_old_keys_do_not_fit() {
        let state = tempfile::tempdir().expect("a directory");
        let pane = PaneId::from_bytes([1; 16]);
        let key = PaneKeys::open(state.path()).0.of(pane);
        fs::write(state.path().join("pane-secret"), "short").expect("damaged");
        assert!(!PaneKeys::open(state.path()).0.fits(pane, &key));
    }
}
