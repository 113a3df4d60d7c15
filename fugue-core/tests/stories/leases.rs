//! Leases: who holds one, for how long, and who can release it.

use fugue_protocol::limits;
use fugue_protocol::views::ExitStatus;
use serde_json::json;

use crate::story::{OUTSIDE, Story};

fn two() -> Story {
    Story::of(&["create-session -s one", "create-session -s two"])
}

#[test]
fn a_lease_has_one_holder_and_each_holder_a_greater_fence() {
    let mut story = two();
    let had = story.reply(story.inside("a"), "claim src/main.rs --note parser");
    story.assert_events(&["claimed src/main.rs 1"]);
    assert_eq!((&had["held"], &had["fence"], &had["session_name"]), (&json!(true), &json!(1), &json!("one")));
    let held = story.answer(story.inside("b"), "claim src/main.rs").expect_err("it is held");
    let sentence = story.sentence(&held);
    assert!(
        sentence.starts_with(
            "Lease `src/main.rs` is held by pane %a in session `one` (fencing token 1)\nhint: use `--wait-ms "
        ),
        "{sentence}"
    );
    story.run_in("a", "release src/main.rs");
    let had = story.reply(story.inside("b"), "claim src/main.rs");
    assert_eq!(had["fence"], 2);
}

#[test]
fn claiming_again_renews_the_lease_and_keeps_its_fence() {
    let mut story = two();
    story.run_in("a", "claim x --ttl-ms 1000");
    story.advance(900);
    let again = story.reply(story.inside("a"), "claim x --ttl-ms 1000");
    assert_eq!((&again["renewed"], &again["fence"]), (&json!(true), &json!(1)));
    story.advance(900);
    story.assert_events(&[]);
    story.advance(200);
    story.assert_events(&["lease ended x 1 Expired"]);
    assert_eq!(story.reply(OUTSIDE, "list-leases")["leases"], json!([]));
}

#[test]
fn a_lease_ends_when_its_pane_closes_or_its_program_exits() {
    let mut story = two();
    story.run_in("a", "claim x");
    story.run_in("b", "claim y");
    story.run("create-pane -s two --on-exit keep");
    story.run_in("c", "claim z");
    story.run("kill-session -s one");
    assert!(format!("{:?}", story.step.events).contains("OwnerGone"));
    story.exit("c", ExitStatus::Code(0));
    story.assert_events(&["exited c exit code 0", "lease ended z 3 OwnerGone"]);
    let left = story.reply(OUTSIDE, "list-leases");
    assert_eq!(left["leases"].as_array().map(Vec::len), Some(1));
    assert_eq!(left["leases"][0]["name"], "y");
}

#[test]
fn a_lease_that_was_claimed_by_a_word_is_released_by_the_path_that_the_word_means_now() {
    let mut story = two();
    story.run_in("a", "claim build");
    let no_one = "Cannot release lease `/src/build`: no one holds it\n\
        hint: `fugue list-leases` lists leases and their holders";
    story.refused_to(story.inside("b"), "release /src/build", no_one);
    story.run_in("a", "release /src/build");
    story.assert_events(&["lease ended build 1 Released"]);
}

#[test]
fn two_agents_in_one_session_hold_separate_leases() {
    let mut story = Story::of(&["create-session -s one", "create-pane"]);
    story.run_in("a", "claim x");
    assert!(story.answer(story.inside("b"), "claim x").is_err());
}

#[test]
fn only_the_holder_or_the_user_can_release_a_lease() {
    let mut story = two();
    story.run_in("a", "claim x");
    let hint = "\nhint: `fugue list-leases` lists leases and their holders";
    let not = |why: &str| format!("Cannot release lease `x`: {why}{hint}");
    let by_one = not("it is held by pane %a in session `one`");
    story.refused_to(story.inside("b"), "release x", &by_one);
    story.refused_to(story.inside("b"), "release x --force", &by_one);
    story.refused_to(story.inside("a"), "release x --fence 7", &not("its fencing token is now 1"));
    story.run("release x --force");
    story.assert_events(&["lease ended x 1 TakenAway"]);
    story.refused_to(story.inside("a"), "release x", &not("no one holds it"));
}

#[test]
fn leases_survive_a_restart() {
    let mut story = two();
    story.run_in("a", "claim x");
    story.restart();
    assert_eq!(story.reply(OUTSIDE, "list-leases")["leases"][0]["fence"], 1);
    story.run_in("a", "release x");
    assert_eq!(story.reply(story.inside("b"), "claim x")["fence"], 2);
}

#[test]
fn a_lease_needs_a_nonzero_ttl_and_outside_a_pane_an_explicit_one() {
    let mut story = two();
    story.refused_to(
        story.inside("a"),
        "claim x --ttl-ms 0",
        "ttl_ms: must be at least 1\nhint: omit `--ttl-ms` to use the default",
    );
    story.refused(
        "claim x --ttl-ms 0",
        "ttl_ms: must be at least 1\nhint: omit `--ttl-ms` to use the default",
    );
    let endless = "ttl_ms: required outside any pane, because a lease claimed there ends only when it expires\n\
                   hint: use `--ttl-ms 300000` to claim the lease for five minutes";
    story.refused("claim x", endless);
    let nowhere = story
        .answer(fugue_core::Caller::Agent(fugue_core::KeySpace::default()), "claim x --ttl-ms 1000")
        .expect_err("it has no holder");
    assert!(story.sentence(&nowhere).starts_with("Not running inside fugue"));
    story.run("claim x --ttl-ms 1000");
    story.advance(1000);
    story.assert_events(&["lease ended x 1 Expired"]);
}

#[test]
fn outside_a_pane_only_the_same_idempotency_key_renews_a_lease() {
    let mut story = two();
    story.run("claim x --ttl-ms 1000 --idempotency-key k");
    for line in ["claim x --ttl-ms 1000", "claim x --ttl-ms 1000 --idempotency-key l"] {
        let held = story.answer(OUTSIDE, line).expect_err("it is held");
        let held = story.sentence(&held);
        assert!(
            held.starts_with("Lease `x` is held by a user outside any session (fencing token 1)"),
            "{held}"
        );
    }
    let again = story.reply(OUTSIDE, "claim x --ttl-ms 1000 --idempotency-key k");
    assert_eq!((&again["renewed"], &again["fence"]), (&json!(true), &json!(1)));
    let agent = story
        .answer(fugue_core::Caller::Agent(fugue_core::KeySpace::default()), "release x --force")
        .expect_err("an agent cannot release it");
    assert!(story.sentence(&agent).starts_with("Cannot release lease `x`"));
    story.run("release x");
}

#[test]
fn a_session_that_claims_in_a_loop_leaves_leases_for_others_and_for_users() {
    let mut story = two();
    let claims = |story: &mut Story, pane: Option<&str>| {
        let caller = pane.map_or(OUTSIDE, |pane| story.inside(pane));
        let claim = |number: &usize| {
            let line = format!("claim {}-{number} --ttl-ms 3600000", pane.unwrap_or("user"));
            story.answer(caller, &line).is_ok()
        };
        (0..2 * limits::LEASES).take_while(claim).count()
    };
    assert_eq!(claims(&mut story, Some("a")), limits::LEASES / 2);
    let refused = story.answer(story.inside("a"), "claim more").expect_err("too many");
    assert_eq!(refused.to_string(), "Too many leases held by one session: the limit is 2048");
    assert_eq!(claims(&mut story, Some("b")), limits::LEASES / 4);
    assert_eq!(claims(&mut story, None), limits::LEASES / 4 + limits::USER_LEASES);
}
