//! Attach: keys, drawing, copy mode, pickers, sidebar.
