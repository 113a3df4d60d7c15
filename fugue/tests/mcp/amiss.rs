//! What is amiss in a message or a call is told to whoever sent it: which id, which argument, what instead.

use serde_json::json;

use crate::agent::{Agent, ERAS, house};

/// The errors that name no id, as far as they have come.
fn nameless(agent: &Agent) -> Vec<i64> {
    agent.notes.iter().filter_map(|note| note["error"]["code"].as_i64()).collect()
}

#[test]
fn each_line_that_is_no_request_is_answered_once() {
    for era in ERAS {
        let house = house();
        let mut agent = Agent::new(&house, era);
        agent.line("this is no JSON");
        agent.line("");
        agent.bytes(b"\xff\xfe{\"jsonrpc\":\n");
        agent.line("[1,2,3]");
        agent.line("7");
        // An answer that nobody asked for gets none: an echo would go on for ever.
        agent.line(r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"an echo"}}"#);
        agent.line(r#"{"jsonrpc":"2.0","id":920,"method":7}"#);
        agent.line(r#"{"jsonrpc":"2.0","id":921}"#);
        let (method, missing) = (agent.answer(920), agent.answer(921));
        assert_eq!(method["error"]["code"], -32600, "{method}");
        assert_eq!(missing["error"]["message"], "`method` is missing: it names what is asked for");
        // They are written one by one, each by a task of its own.
        while nameless(&agent).len() < 4 {
            agent.next();
        }
        assert_eq!(agent.ok("fugue_list_sessions", json!({})), json!({ "sessions": [] }));
        let mut told = nameless(&agent);
        told.sort_unstable();
        assert_eq!(told, [-32700, -32700, -32600, -32600]);
    }
}

#[test]
fn a_second_request_with_the_id_of_one_under_way_is_refused_and_the_first_answered() {
    for era in ERAS {
        let house = house();
        let pane = house.session("work", &["cat"]);
        let mut agent = Agent::new(&house, era);
        let wait = json!({ "pane_id": pane, "pattern": "^go$", "timeout_ms": 100_000 });
        let id = agent.send_tool("fugue_wait", wait);
        let call = json!({ "name": "fugue_list_sessions", "arguments": {} });
        let next = agent.request("tools/call", call);
        agent.line(&next.replace(&format!("\"id\":{}", id + 1), &format!("\"id\":{id}")));
        let refused = agent.answer(id);
        let why = format!("the id {id} is that of another request: each has an id of its own");
        assert_eq!((&refused["error"]["code"], &refused["error"]["message"]), (&json!(-32600), &json!(why)));
        agent.ok("fugue_send_input", json!({ "pane_id": pane, "input": "go\n" }));
        assert_eq!(agent.answer(id)["result"]["structuredContent"]["outcome"], "matched");
        // It is free again.
        agent.line(&next.replace(&format!("\"id\":{}", id + 1), &format!("\"id\":{id}")));
        assert_eq!(agent.answer(id)["result"]["isError"], false);
    }
}
