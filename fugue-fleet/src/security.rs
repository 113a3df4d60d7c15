//! How a connection to the servers is secured: the CA that signed their certificates, and what proves who this host is.

use std::fs::File;
use std::path::{Path, PathBuf};

use async_nats::{ConnectError, ConnectErrorKind, ConnectOptions};

use crate::failure::Failure;

/// The files that a connection needs.
#[derive(Debug, Clone, Default)]
pub(crate) struct Security {
    pub(crate) tls_ca: Option<PathBuf>,
    pub(crate) creds: Option<PathBuf>,
    pub(crate) nkey_seed: Option<PathBuf>,
}

impl Security {
    /// The options with TLS and credentials. Each file must be readable now: a failure later would not name it.
    pub(crate) async fn apply(&self, options: ConnectOptions) -> Result<ConnectOptions, Failure> {
        let files = [("CA certificate", &self.tls_ca), ("credentials", &self.creds)];
        for (what, path) in files.into_iter().filter_map(|(what, path)| Some((what, path.as_ref()?))) {
            File::open(path).map_err(|why| unreadable(what, path, &why.to_string()))?;
        }
        let options = match &self.tls_ca {
            Some(path) => options.add_root_certificates(path.clone()).require_tls(true),
            None => options,
        };
        let options = match &self.creds {
            Some(path) => {
                let read = options.credentials_file(path).await;
                read.map_err(|why| unreadable("credentials", path, &why.to_string()))?
            }
            None => options,
        };
        match &self.nkey_seed {
            Some(path) => {
                let read = std::fs::read_to_string(path);
                let seed = read.map_err(|why| unreadable("nkey seed", path, &why.to_string()))?;
                Ok(options.nkey(seed.trim().to_owned()))
            }
            None => Ok(options),
        }
    }
}

fn unreadable(what: &str, path: &Path, why: &str) -> Failure {
    let hint = "correct its path in the [fleet] section of config.toml";
    Failure::new(format!("Cannot read the {what} in {}: {why}", path.display()), Some(hint))
}

/// What a failed connection means, by the library's name for it, and what to do.
const MEANINGS: [(ConnectErrorKind, &str, &str); 4] = [
    (
        ConnectErrorKind::AuthorizationViolation,
        "the server refused this host's credentials",
        "set `creds` or `nkey_seed` in the [fleet] section of config.toml to this host's own",
    ),
    (
        ConnectErrorKind::Authentication,
        "this host's credentials cannot be used",
        "check the file that `creds` or `nkey_seed` in the [fleet] section of config.toml names",
    ),
    (
        ConnectErrorKind::Tls,
        "TLS failed",
        "check `tls_ca` in the [fleet] section of config.toml, and whether the server uses TLS",
    ),
    (
        ConnectErrorKind::Io,
        "the connection failed",
        "check `servers` in the [fleet] section of config.toml, and whether they can be reached",
    ),
];

/// How the library begins its reason for not trusting a certificate, within an I/O error.
const BAD_CERTIFICATE: &str = "invalid peer certificate: ";

/// Explains why a connection failed.
pub(crate) fn cannot_connect(error: &ConnectError) -> Failure {
    let text = error.to_string();
    if let Some((_, why)) = text.split_once(BAD_CERTIFICATE) {
        let hint =
            "set `tls_ca` in the [fleet] section of config.toml to the certificate of the CA that signed it";
        let message = format!("Cannot connect to NATS: the server's certificate is not trusted ({why})");
        return Failure::new(message, Some(hint));
    }
    let known = MEANINGS.iter().find(|(kind, ..)| *kind == error.kind());
    let hint = known.map_or("check `servers` in the [fleet] section of config.toml", |(.., hint)| hint);
    let meaning = match known {
        Some((ConnectErrorKind::AuthorizationViolation | ConnectErrorKind::Authentication, meaning, _)) => {
            (*meaning).to_owned()
        }
        _ => text,
    };
    Failure::new(format!("Cannot connect to NATS: {meaning}"), Some(hint))
}

/// Explains what the library said about a connection that it tries to open again and again.
pub(crate) fn explain(text: &str) -> String {
    let known = MEANINGS.iter().find(|(kind, ..)| kind.to_string() == text);
    known.map_or_else(|| text.to_owned(), |(_, meaning, _)| (*meaning).to_owned())
}
