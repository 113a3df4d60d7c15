//! Servers that require TLS, and hosts that prove who they are by a key or by credentials.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use fugue_testkit::expect_program;
use nkeys::KeyPair;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::hosts::Host;
use crate::nats::{Nats, NatsSecurity, account, publish_subjects, user};

fn directory() -> TempDir {
    tempfile::Builder::new().prefix("fgc").tempdir().expect("a directory")
}

/// A CA, and a certificate for loopback that it signed.
fn certificates(directory: &Path) -> PathBuf {
    expect_program("openssl", "openssl");
    let openssl = |words: &[&str]| {
        let ran = Command::new("openssl").args(words).current_dir(directory).output().expect("openssl");
        assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    };
    let key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
    let ca = ["req", "-x509", "-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=fleet", "-days", "2"];
    openssl(&[&ca[..], &key].concat());
    let request = ["req", "-keyout", "nats.key", "-out", "nats.csr", "-subj", "/CN=nats"];
    openssl(&[&request[..], &key].concat());
    fs::write(directory.join("names"), "subjectAltName=IP:127.0.0.1").expect("a file");
    let ca = ["-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2", "-extfile", "names"];
    openssl(&[&["x509", "-req", "-in", "nats.csr", "-out", "nats.pem"][..], &ca].concat());
    directory.join("ca.pem")
}

/// Settings of a server that uses these certificates.
fn tls(directory: &Path) -> String {
    let (certificate, key) = (directory.join("nats.pem"), directory.join("nats.key"));
    format!("tls {{ cert_file: {certificate:?}, key_file: {key:?} }}\n")
}

/// Writes a file, and returns its name for a configuration.
fn file(directory: &Path, name: &str, text: &str) -> String {
    let path = directory.join(name);
    fs::write(&path, text).expect("a file");
    path.display().to_string()
}

/// Sends a message from one host to the other.
fn exchange(a: &Host, b: &Host) {
    a.start_relay();
    b.start_relay();
    let message = a.send("b/work", "{}");
    assert_eq!(b.poll("work")["messages"][0]["message_id"], json!(message));
    a.await_state(&message, "offered");
}

#[test]
fn hosts_with_keys_use_a_server_that_requires_tls() {
    let directory = directory();
    let ca = certificates(directory.path());
    let keys = ["a", "b"].map(|host| (host, KeyPair::new_user()));
    let users: String = keys
        .iter()
        .map(|(host, key)| user(host, &format!("nkey: {}", key.public_key()), &["a", "b"]))
        .collect();
    let security = NatsSecurity { settings: tls(directory.path()), accounts: Some(account(&users)) };
    let nats = Nats::start_with(1, &[], &security);
    let ca = ca.display().to_string();
    let [a, b] = keys.map(|(name, key)| {
        let seed = file(directory.path(), &format!("{name}.nk"), &key.seed().expect("a seed"));
        let settings = format!("tls_ca = {ca:?}\nnkey_seed = {seed:?}");
        Host::with_servers(name, &nats.plain_addresses(), &settings)
    });
    a.set_up_with(&nats.addresses("admin"), 1, &["--tls-ca", &ca]);
    exchange(&a, &b);
}

#[test]
fn a_server_whose_certificate_another_ca_signed_is_not_trusted() {
    let (directory, other) = (directory(), directory());
    certificates(directory.path());
    let wrong = certificates(other.path());
    let security = NatsSecurity { settings: tls(directory.path()), ..NatsSecurity::default() };
    let nats = Nats::start_with(1, &["a"], &security);
    let setting = format!("tls_ca = {:?}", wrong.display().to_string());
    let a = Host::new("a", &nats, &setting);
    a.start_relay();
    a.await_status("hosts   Cannot connect to NATS: the server's certificate is not trusted (");
    a.await_log("fugue fleet: Cannot connect to NATS: the server's certificate is not trusted (");
    assert_eq!(a.status()["relay"]["connected"], false);
    // Without the setting, the CAs of the system do not know it either.
    let b = Host::new("a", &nats, "");
    b.await_status(
        "hosts   Cannot connect to NATS: the server's certificate is not trusted (UnknownIssuer)\n",
    );
}

#[test]
fn a_host_without_its_key_or_with_another_is_refused() {
    let (directory, key) = (directory(), KeyPair::new_user());
    let users = user("a", &format!("nkey: {}", key.public_key()), &["a"]);
    let security = NatsSecurity { settings: String::new(), accounts: Some(account(&users)) };
    let nats = Nats::start_with(1, &[], &security);
    let none = Host::with_servers("a", &nats.plain_addresses(), "");
    none.start_relay();
    none.await_status("relay   not connected (the server refused this host's credentials), process ");
    none.await_log(
        "fugue fleet: Cannot connect to NATS: the server refused this host's credentials\nhint: set `creds`",
    );
    none.await_status("hosts   Cannot connect to NATS: the server refused this host's credentials\n");
    let seed = file(directory.path(), "b.nk", &KeyPair::new_user().seed().expect("a seed"));
    let other = Host::with_servers("a", &nats.plain_addresses(), &format!("nkey_seed = {seed:?}"));
    other.await_status("hosts   Cannot connect to NATS: the server refused this host's credentials\n");
    let seed = file(directory.path(), "c.nk", "not a seed");
    let broken = Host::with_servers("a", &nats.plain_addresses(), &format!("nkey_seed = {seed:?}"));
    broken.await_status("hosts   Cannot connect to NATS: this host's credentials cannot be used\n");
}

#[test]
fn a_file_that_is_missing_is_named() {
    for (setting, what) in
        [("tls_ca", "CA certificate"), ("creds", "credentials"), ("nkey_seed", "nkey seed")]
    {
        let a = Host::with_servers("a", &["nats://127.0.0.1:1".into()], &format!("{setting} = \"gone\""));
        let (code, error) = a.second_relay();
        let path = a.server.path().join("config/fugue/gone");
        let expected = format!("fugue fleet: Cannot read the {what} in {}: No such file", path.display());
        assert!(code == 1 && error.starts_with(&expected), "{error}");
        assert!(error.contains("\nhint: correct its path in the [fleet] section of config.toml"), "{error}");
    }
}

/// A token of NATS: claims, signed by their issuer.
fn token(issuer: &KeyPair, subject: &KeyPair, nats: &Value) -> String {
    let encoded = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let header = json!({ "typ": "JWT", "alg": "ed25519-nkey" });
    let claims = json!({
        "jti": "FUGUE", "iat": 1_700_000_000, "iss": issuer.public_key(), "name": "fugue",
        "sub": subject.public_key(), "nats": nats,
    });
    let signed = format!("{}.{}", encoded(&header), encoded(&claims));
    let signature = URL_SAFE_NO_PAD.encode(issuer.sign(signed.as_bytes()).expect("a signature"));
    format!("{signed}.{signature}")
}

/// An account whose users have credentials, as `nsc` creates them.
struct TokenAccount {
    operator: KeyPair,
    account: KeyPair,
    system: KeyPair,
    directory: TempDir,
}

impl TokenAccount {
    fn new() -> Self {
        let (operator, account) = (KeyPair::new_operator(), KeyPair::new_account());
        Self { operator, account, system: KeyPair::new_account(), directory: directory() }
    }

    /// What the server is told.
    fn settings(&self) -> String {
        let operator = json!({ "type": "operator", "version": 2 });
        let limits = json!({
            "subs": -1, "data": -1, "payload": -1, "imports": -1, "exports": -1, "wildcards": true, "conn": -1,
            "leaf": -1, "mem_storage": -1, "disk_storage": -1, "streams": -1, "consumer": -1,
        });
        let account = json!({ "type": "account", "version": 2, "limits": limits });
        let preload = |key: &KeyPair, claims: &Value| {
            format!("{}: {}", key.public_key(), token(&self.operator, key, claims))
        };
        format!(
            "operator: {}\nsystem_account: {}\nresolver: MEMORY\nresolver_preload {{\n{}\n{}\n}}\n",
            token(&self.operator, &self.operator, &operator),
            self.system.public_key(),
            preload(&self.account, &account),
            preload(&self.system, &json!({ "type": "account", "version": 2 })),
        )
    }

    /// The file with the credentials of a user.
    fn credentials(&self, name: &str, permissions: Value) -> String {
        let user = KeyPair::new_user();
        let mut claims = permissions;
        for (field, value) in [("type", json!("user")), ("version", json!(2))] {
            claims[field] = value;
        }
        for unlimited in ["subs", "data", "payload"] {
            claims[unlimited] = json!(-1);
        }
        let token = token(&self.account, &user, &claims);
        let seed = user.seed().expect("a seed");
        let text = format!(
            "-----BEGIN NATS USER JWT-----\n{token}\n------END NATS USER JWT------\n\n\
             -----BEGIN USER NKEY SEED-----\n{seed}\n------END USER NKEY SEED------\n"
        );
        file(self.directory.path(), &format!("{name}.creds"), &text)
    }
}

#[test]
fn hosts_with_credentials_use_a_server_of_an_operator() {
    let tokens = TokenAccount::new();
    let security = NatsSecurity { settings: tokens.settings(), accounts: Some(String::new()) };
    let nats = Nats::start_with(1, &[], &security);
    let [a, b] = ["a", "b"].map(|name| {
        let inbox = format!("_INBOX_{name}.>");
        let permissions =
            json!({ "pub": { "allow": publish_subjects(name, &["a", "b"]) }, "sub": { "allow": [inbox] } });
        let creds = tokens.credentials(name, permissions);
        Host::with_servers(name, &nats.plain_addresses(), &format!("creds = {creds:?}"))
    });
    let admin = tokens.credentials("admin", json!({}));
    a.set_up_with(&nats.plain_addresses(), 1, &["--creds", &admin]);
    exchange(&a, &b);
    let others = TokenAccount::new();
    let stranger = others.credentials("stranger", json!({}));
    let c = Host::with_servers("c", &nats.plain_addresses(), &format!("creds = {stranger:?}"));
    c.await_status("hosts   Cannot connect to NATS: the server refused this host's credentials\n");
}
