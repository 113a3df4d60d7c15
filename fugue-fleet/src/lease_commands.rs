//! `fugue fleet claim`, `release` and `leases`.

use std::io::Write;
use std::time::{Duration, Instant};

use fugue_client::{CallError, Env};
use fugue_protocol::escape::{escape, escape_json};
use fugue_protocol::verbs::{Claim, Release, TakeOutbox, Whoami};
use fugue_protocol::views::{Awaited, Claimed, LeaseList, LeaseView};
use fugue_protocol::{IdempotencyKey, limits};
use serde::Serialize;

use crate::daemon_link::DaemonLink;
use crate::failure::Failure;
use crate::lease_bucket::{FleetLeases, Holder, LeaseEntry, StoredLease};
use crate::membership::Membership;
use crate::relay_state::now;

/// How often a lease that is waited for is looked at. The servers could tell, but only to a consumer, which hosts may not
/// create.
const POLL: Duration = Duration::from_millis(500);

/// A command about leases.
pub(crate) enum LeaseCommand {
    Claim(Claim),
    Release(Release),
    List,
}

/// Runs the command.
pub(crate) async fn run(server: Option<String>, command: LeaseCommand, json: bool) -> Result<(), Failure> {
    let membership = Membership::read(server)?;
    membership.needs_servers("Leases on all hosts")?;
    let options = membership.connect_options().await?.max_reconnects(1);
    let leases = FleetLeases::open(&membership.connect(options).await?).await?;
    match command {
        LeaseCommand::Claim(claim) => {
            let holder = holder(&membership, claim.idempotency_key.clone()).await?;
            claim_lease(&leases, claim, holder, json).await
        }
        LeaseCommand::Release(release) => {
            let holder = holder(&membership, None).await?;
            let force = release.force && holder.pane.is_none();
            leases.release(&release.name, &holder, release.fence, force).await
        }
        LeaseCommand::List => {
            let list = LeaseList { leases: leases.list().await? };
            print(json, &list, || match list.leases.as_slice() {
                [] => "no leases\n".into(),
                leases => leases.iter().map(line).collect(),
            });
            Ok(())
        }
    }
}

/// Who runs this command, as the daemon sees it.
async fn holder(membership: &Membership, key: Option<IdempotencyKey>) -> Result<Holder, Failure> {
    let mut daemon = DaemonLink::of_caller(&membership.paths, &Env::own_or_inherited());
    let host = membership.host.clone();
    match daemon.call(&Whoami { include_tags: false }).await {
        Ok(own) => Ok(Holder { host, session: Some(own.session_name), pane: Some(own.pane_id), key: None }),
        // Nothing is refused to people outside any pane.
        Err(CallError::Refused(_)) => match daemon.call(&TakeOutbox::default()).await {
            Ok(_) => Ok(Holder { host, session: None, pane: None, key }),
            Err(CallError::Refused(_)) => Err(Failure::new(
                "An agent outside any pane cannot hold a lease",
                Some("run the command in the agent's pane"),
            )),
            Err(error) => Err(error.into()),
        },
        Err(error) => Err(error.into()),
    }
}

async fn claim_lease(leases: &FleetLeases, claim: Claim, holder: Holder, json: bool) -> Result<(), Failure> {
    let wanted = wanted(&claim, holder)?;
    let until = Instant::now() + Duration::from_millis(claim.wait_ms.unwrap_or_default());
    loop {
        let held = match leases.claim(&wanted).await? {
            Ok((lease, renewed)) => {
                let outcome = claim.wait_ms.map(|_| Awaited::Arrived);
                let view = lease.view();
                let text = format!("held: {}", line(&view));
                let circle = Vec::new();
                print(json, &Claimed { held: true, renewed, lease: view, outcome, circle }, || text);
                return Ok(());
            }
            Err(held) => held,
        };
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(refusal(&held));
        }
        tokio::time::sleep(left.min(POLL)).await;
    }
}

/// The entry that claims the lease.
fn wanted(claim: &Claim, holder: Holder) -> Result<LeaseEntry, Failure> {
    let ttl = |why: &str| Err(Failure::new(format!("Invalid --ttl-ms: {why}"), None));
    let ttl_ms = match claim.ttl_ms {
        Some(0) => return ttl("it must be greater than 0"),
        Some(ttl_ms) if ttl_ms > limits::LEASE_MOST_MS => {
            return ttl(&format!("it can be at most {}", limits::LEASE_MOST_MS));
        }
        None if holder.pane.is_none() => return ttl("it is required outside any pane"),
        given => given.unwrap_or(limits::LEASE_MS),
    };
    let note = claim.note.as_ref().map(|note| note.chars().take(limits::LEASE_CHARS).collect());
    Ok(LeaseEntry { name: claim.name.clone(), holder, ttl_ms, note, since: None })
}

fn refusal(held: &StoredLease) -> Failure {
    let left = held.expires_at().since(now()).as_secs() + 1;
    Failure::new(
        format!("Lease `{}` is held by {} (fence {})", held.entry.name, held.holder_name(), held.fence()),
        Some(&format!("it expires in {left} s unless renewed; use `--wait-ms` to wait until it is free")),
    )
}

fn line(lease: &LeaseView) -> String {
    let holder = lease.session_name.as_ref().map(ToString::to_string).unwrap_or_default();
    let note = lease.note.as_ref().map(|note| format!(" {}", escape(note))).unwrap_or_default();
    let left = lease.expires_at.since(now()).as_secs();
    format!("{} {holder} fence {} for {left} s{note}\n", lease.name, lease.fence)
}

fn print(json: bool, reply: &impl Serialize, text: impl FnOnce() -> String) {
    let as_json = || format!("{}\n", escape_json(&serde_json::to_string(reply).unwrap_or_default()));
    let text = if json { as_json() } else { text() };
    let _ = std::io::stdout().write_all(text.as_bytes());
}
