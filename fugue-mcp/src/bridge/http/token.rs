//! The token that a client must present. Loopback alone is no protection: every user and every web page of the machine
//! can connect to it.

use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// The variable that holds the token, if it is not in a file.
pub(super) const VARIABLE: &str = "FUGUE_MCP_TOKEN";

/// The shortest token that is accepted: less could be guessed.
const MIN_LENGTH: usize = 16;

/// A token. It is compared, and never shown.
pub(super) struct Token(String);

impl std::fmt::Debug for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Token(hidden)")
    }
}

impl Token {
    /// The token in the given file, in the variable, or in the file `mcp-token` of the state directory, which is created
    /// with a new token. Also returns the file.
    pub(super) fn load(file: Option<PathBuf>, state: &Path) -> Result<(Self, Option<PathBuf>), String> {
        let variable = std::env::var(VARIABLE).ok().filter(|token| !token.is_empty());
        match (file, variable) {
            (Some(file), _) => Ok((Self::read(&file)?, Some(file))),
            (None, Some(token)) => Ok((Self::checked(&token, VARIABLE)?, None)),
            (None, None) => {
                let file = state.join("mcp-token");
                create(&file).map_err(|why| format!("Cannot create {}: {why}", file.display()))?;
                Ok((Self::read(&file)?, Some(file)))
            }
        }
    }

    fn read(file: &Path) -> Result<Self, String> {
        let name = file.display();
        let cannot = |why| format!("Cannot read the token in {name}: {why}");
        let mode = fs::metadata(file).map_err(cannot)?.mode() & 0o777;
        if mode & 0o077 != 0 {
            return Err(format!(
                "The token in {name} is accessible to other users (mode {mode:o})\nhint: chmod 600 '{name}'"
            ));
        }
        Self::checked(&fs::read_to_string(file).map_err(cannot)?, &name.to_string())
    }

    /// A token that fits into a header and cannot be guessed.
    pub(super) fn checked(text: &str, source: &str) -> Result<Self, String> {
        let token = text.trim();
        if token.len() < MIN_LENGTH || !token.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(format!(
                "The token in {source} must have at least {MIN_LENGTH} characters, all of them visible ASCII"
            ));
        }
        Ok(Self(token.to_owned()))
    }

    /// Whether the value of an `Authorization` header has this token. It takes as long however much of it is right.
    pub(super) fn fits(&self, header: &[u8]) -> bool {
        let Some((scheme, token)) = header.split_at_checked("Bearer ".len()) else { return false };
        let token = token.trim_ascii();
        let differences = self.0.bytes().zip(token).fold(0, |all, (own, other)| all | (own ^ other));
        scheme.eq_ignore_ascii_case(b"bearer ") && token.len() == self.0.len() && differences == 0
    }
}

/// Creates the file with a new token, unless it exists. Two servers that start together end up with the same token.
fn create(file: &Path) -> std::io::Result<()> {
    if let Some(state) = file.parent() {
        fs::DirBuilder::new().mode(0o700).recursive(true).create(state)?;
    }
    if file.exists() {
        return Ok(());
    }
    let mut random = [0; 32];
    getrandom::fill(&mut random).map_err(std::io::Error::other)?;
    let token: String = random.iter().map(|byte| format!("{byte:02x}")).collect();
    // Linked into place when it is complete, so that nobody reads half of it.
    let draft = file.with_extension(format!("{}", std::process::id()));
    let mut created = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&draft)?;
    created.write_all(format!("{token}\n").as_bytes())?;
    let linked = fs::hard_link(&draft, file);
    fs::remove_file(&draft)?;
    match linked {
        Err(why) if why.kind() != ErrorKind::AlreadyExists => Err(why),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_whole_token_fits() {
        let token = Token::checked("0123456789abcdef\n", "x").expect("a token");
        assert!(token.fits(b"Bearer 0123456789abcdef") && token.fits(b"bearer  0123456789abcdef "));
        for wrong in [
            "",
            "Bearer",
            "Bearer ",
            "Bearer 0123456789abcde",
            "Bearer 0123456789abcdef0",
            "Basic 0123456789abcdef",
        ] {
            assert!(!token.fits(wrong.as_bytes()), "{wrong}");
        }
        assert!(Token::checked("0123456789abcde", "x").is_err(), "too short");
        assert!(Token::checked("0123456789abcde f", "x").is_err(), "a space");
    }
}
