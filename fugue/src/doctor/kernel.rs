//! The kernel and the limits it sets.

use std::path::Path;

use fugue_config::FileWatch;
use rustix::process::{Resource, getrlimit};

use super::check::Check;

/// With room for fewer panes than this, a day's work may reach the limit.
const MANY_PANES: usize = 200;

pub(super) fn checks() -> Vec<Check> {
    let mut checks = vec![Check::good("kernel", release())];
    checks.extend(fugue_keeper::kernel_abilities().into_iter().map(|ability| {
        if ability.available {
            Check::good(ability.name, "available")
        } else {
            Check::note(ability.name, format!("missing: {}", ability.without), "use a newer kernel")
        }
    }));
    checks.push(open_files());
    checks.push(inotify());
    checks.push(proc_mounted());
    checks
}

fn release() -> String {
    let name = rustix::system::uname();
    format!("{} {}", name.sysname().to_string_lossy(), name.release().to_string_lossy())
}

/// The keeper raises the soft limit to the hard one.
fn open_files() -> Check {
    let Some(files) = getrlimit(Resource::Nofile).maximum else {
        return Check::good("open files", "no limit");
    };
    let panes = fugue_keeper::max_panes(files);
    let finding = format!("{files}, enough for {panes} panes");
    if panes < MANY_PANES {
        Check::note("open files", finding, "raise the hard limit: `ulimit -Hn`, or LimitNOFILE= in systemd")
    } else {
        Check::good("open files", finding)
    }
}

/// Whether changed files can be noticed at once.
fn inotify() -> Check {
    match FileWatch::of_content(Path::new("/proc")).problem() {
        None => Check::good("inotify", "available"),
        Some(why) => {
            let finding = format!("{why}; changed files are noticed only every few seconds");
            Check::note(
                "inotify",
                finding,
                "raise the limit, for example: sysctl fs.inotify.max_user_instances=1024",
            )
        }
    }
}

fn proc_mounted() -> Check {
    match std::fs::metadata("/proc/self/stat") {
        Ok(_) => Check::good("/proc", "mounted"),
        Err(why) => Check::problem("/proc", why.to_string(), "mount -t proc proc /proc"),
    }
}
