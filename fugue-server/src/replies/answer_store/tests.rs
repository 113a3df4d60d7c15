use super::*;

#[test]
fn an_answer_survives_the_daemon_and_old_ones_are_removed() {
    let directory = tempfile::tempdir().expect("a directory");
    let socket = directory.path().join("default.sock");
    let store = AnswerStore::open(&socket);
    for number in 0..=MAX_ANSWERS {
        store.put(&format!("key {number}"), &number.to_string());
    }
    let answer = |store: &AnswerStore, key: &str| store.get(key).map(|answer| answer.get().to_owned());
    let count = fs::read_dir(&store.directory).expect("the directory").count();
    assert_eq!(count, 1, "all are in one file");
    let next = AnswerStore::open(&socket);
    for store in [&store, &next] {
        assert_eq!(answer(store, "key 0"), None, "one too many");
        assert_eq!(answer(store, "key 1").as_deref(), Some("1"));
        assert_eq!(answer(store, "another key"), None);
    }
    next.put("one more", "1");
    let next = AnswerStore::open(&socket);
    assert_eq!(answer(&next, "key 1"), None, "the oldest after those of the earlier daemon");
    assert_eq!(answer(&next, "key 2").as_deref(), Some("2"));
    store.mark_begun("a key", "digest");
    assert!(!store.was_begun_before("a key"), "this daemon began it");
    let next = AnswerStore::open(&socket);
    assert!(next.was_begun_before("a key"), "an earlier one did");
    assert_eq!(next.begun_for("a key").as_deref(), Some("digest"));
    next.unmark_begun("a key");
    assert!(!next.was_begun_before("a key"));
    assert!(!AnswerStore::open(&socket).was_begun_before("a key"));
    next.remove();
    assert_eq!(answer(&next, "key 2"), None);
}

#[test]
fn files_that_are_no_answers_are_removed() {
    let directory = tempfile::tempdir().expect("a directory");
    let socket = directory.path().join("default.sock");
    let store = AnswerStore::open(&socket);
    store.put("key", "1");
    for (name, text) in [("7", "8 key of another file\n1"), ("0123", "an earlier format\n1"), ("1", "")] {
        fs::write(store.directory.join(name), text).expect("written");
    }
    let next = AnswerStore::open(&socket);
    assert_eq!(next.get("key").map(|answer| answer.get().to_owned()).as_deref(), Some("1"));
    assert_eq!(fs::read_dir(&store.directory).expect("the directory").count(), 1);
    fs::write(next.directory.join(SHORT), "garbage").expect("written");
    assert!(AnswerStore::open(&socket).get("key").is_none());
}

#[test]
fn an_answer_in_a_file_of_its_own_is_found_again() {
    let directory = tempfile::tempdir().expect("a directory");
    let socket = directory.path().join("default.sock");
    let store = AnswerStore::open(&socket);
    let long = format!("\"{}\"", "x".repeat(TEXT_BYTES));
    store.put("short", "1");
    store.put("long", &long);
    // As an earlier version wrote a short one.
    fs::write(store.directory.join("2"), "2 other\n2   ").expect("written");
    let next = AnswerStore::open(&socket);
    let answers = ["short", "long", "other"].map(|key| next.get(key).map(|answer| answer.get().to_owned()));
    assert_eq!(answers, [Some("1".to_owned()), Some(long), Some("2".to_owned())]);
    for number in 0..MAX_ANSWERS {
        next.put(&format!("key {number}"), "1");
    }
    assert_eq!(fs::read_dir(&store.directory).expect("the directory").count(), 1, "long ones are removed");
}

#[test]
fn an_old_answer_is_erased_and_does_not_come_back() {
    let directory = tempfile::tempdir().expect("a directory");
    let socket = directory.path().join("default.sock");
    let store = AnswerStore::open(&socket);
    let long_ago = SystemTime::now() - 2 * MAX_AGE;
    let then = "\"secret of then\"";
    store.put("old", then);
    store.files().short.write(slot(0), &(first_line(0, "old") + then), long_ago).expect("written");
    store.put("new", "\"secret of now\"");
    let next = AnswerStore::open(&socket);
    assert!(next.get("new").is_some() && next.get("old").is_none());
    let left = fs::read_to_string(store.directory.join(SHORT)).expect("the file");
    assert!(left.contains("secret of now") && !left.contains("secret of then"));
}

#[test]
fn answers_are_stored_after_somebody_removed_the_directory() {
    let directory = tempfile::tempdir().expect("a directory");
    let socket = directory.path().join("default.sock");
    let store = AnswerStore::open(&socket);
    store.put("first", "1");
    fs::remove_dir_all(&store.directory).expect("removed");
    store.put("second", "2");
    assert!(AnswerStore::open(&socket).get("second").is_some());
}

#[test]
fn a_short_answer_replaces_a_longer_one_and_large_ones_are_removed() {
    let directory = tempfile::tempdir().expect("a directory");
    let store = AnswerStore::open(&directory.path().join("default.sock"));
    let large = format!("\"{}\"", "x".repeat(MAX_BYTES as usize / 2));
    for number in 0..MAX_ANSWERS {
        store.put(&format!("key {number}"), "\"a longer answer\"");
    }
    store.put("short", "1");
    assert_eq!(store.get("short").map(|answer| answer.get().to_owned()).as_deref(), Some("1"));
    store.put("first", &large);
    store.put("second", &large);
    assert!(store.get("first").is_none() && store.get("second").is_some());
    assert_eq!(fs::read_dir(&store.directory).expect("the directory").count(), 2, "the short and the second");
}
