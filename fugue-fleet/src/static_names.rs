//! Names of hosts in a static program.
//!
//! glibc looks names up with the modules that `/etc/nsswitch.conf` lists. A static program would load those of the system
//! that it runs on, which were made for another glibc and may crash it. The modules for `/etc/hosts` and for DNS are part of
//! the program (since glibc 2.34), so it uses these and no others.
#![cfg(all(target_env = "gnu", target_feature = "crt-static"))]
#![allow(unsafe_code)]

use std::ffi::{CStr, c_char, c_int};

unsafe extern "C" {
    fn __nss_configure_lookup(database: *const c_char, modules: *const c_char) -> c_int;
}

/// Has names looked up in `/etc/hosts` and with DNS, whatever the system is configured to do. Called before other threads
/// are started.
pub(crate) fn use_own_modules() {
    const HOSTS: &CStr = c"hosts";
    const MODULES: &CStr = c"files dns";
    // SAFETY: the function of glibc copies what it needs of these two texts.
    unsafe { __nss_configure_lookup(HOSTS.as_ptr(), MODULES.as_ptr()) };
}
