//! The MCP server over stdio: a client of the daemon like any other.
