#!/bin/sh
# Installs fugue for the current user, without root, or removes it again.
#
#   curl -fsSL "$FUGUE_RELEASE_URL/install.sh" | sh
#   sh install.sh --uninstall [--purge]
#
# FUGUE_RELEASE_URL  the address of a release: a directory with SHA256SUMS and the archives that it lists (http, https, file)
# FUGUE_PREFIX       where to install; ~/.local by default
#
# `--uninstall` removes what was installed and what `fugue setup` added to the settings of agents, and keeps configuration,
# sessions and messages; `--purge` removes these as well.
set -eu

release=${FUGUE_RELEASE_URL:-}

say() { printf '%s\n' "$*"; }
die() {
    printf 'install.sh: %s\n' "$*" >&2
    exit 1
}
has() { command -v "$1" >/dev/null 2>&1; }

# fetch ADDRESS FILE
fetch() {
    case $1 in
        file://*) cp "${1#file://}" "$2" 2>/dev/null ;;
        *)
            if has curl; then
                curl -fsSL --retry 2 -o "$2" "$1"
            elif has wget; then
                wget -q -O "$2" "$1"
            else
                die "neither curl nor wget is installed"
            fi
            ;;
    esac || die "cannot download $1"
}

digest() {
    if has sha256sum; then
        sha256sum <"$1" | cut -d' ' -f1
    elif has openssl; then
        openssl dgst -sha256 -r <"$1" | cut -d' ' -f1
    else
        die "neither sha256sum nor openssl is installed, so the download cannot be verified"
    fi
}

# The name of this machine's packages. Refuses machines on which fugue does not run.
target() {
    [ "$(uname -s)" = Linux ] || die "fugue needs Linux; this is $(uname -s)"
    case $(uname -m) in
        x86_64 | amd64) machine=x86_64 ;;
        aarch64 | arm64) machine=aarch64 ;;
        *) die "there are no packages for $(uname -m), only for x86_64 and aarch64" ;;
    esac
    kernel=$(uname -r)
    major=${kernel%%.*}
    minor=${kernel#*.}
    minor=${minor%%[!0-9]*}
    if [ "$major" -lt 5 ] || { [ "$major" -eq 5 ] && [ "${minor:-0}" -lt 3 ]; }; then
        die "fugue needs Linux 5.3 or later; this is $kernel"
    fi
    say "$machine-unknown-linux-gnu"
}

# Removes the files of the list, and the directories that are left empty.
remove_listed() {
    [ -f "$installed" ] || return 0
    while IFS= read -r file; do
        rm -f "$prefix/$file"
        directory=$(dirname "$file")
        while [ "$directory" != . ] && rmdir "$prefix/$directory" 2>/dev/null; do directory=$(dirname "$directory"); done
    done <"$installed"
}

install() {
    [ -n "$release" ] || die "set FUGUE_RELEASE_URL to the address of a release"
    name=$(target) || exit 1
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    trap 'exit 1' HUP INT TERM

    fetch "$release/SHA256SUMS" "$work/SHA256SUMS"
    line=$(grep -E "^[0-9a-f]{64} [ *]fugue-[0-9][^ /]*-$name\\.tar\\.gz\$" "$work/SHA256SUMS" | head -n 1)
    [ -n "$line" ] || die "$release has no archive for $name"
    archive=${line##*[ *]}
    fetch "$release/$archive" "$work/$archive"
    [ "$(digest "$work/$archive")" = "${line%% *}" ] || die "$archive is damaged: its checksum is not the one in SHA256SUMS"
    tar -xzf "$work/$archive" -C "$work" || die "cannot unpack $archive"
    tree=$work/${archive%.tar.gz}
    version=$("$tree/bin/fugue" --version) || die "the program in $archive does not run on this machine"
    unit=$tree/share/systemd/user/fugue.service
    [ ! -f "$unit" ] || {
        sed "s|/usr/bin/fugue|$prefix/bin/fugue|" "$unit" >"$work/unit" && cp "$work/unit" "$unit"
    }
    # The next installation, and --uninstall, remove exactly these files.
    mkdir -p "$tree/share/fugue"
    cat >"$tree/share/fugue/uninstall" <<END
#!/bin/sh
# Removes fugue; --purge also removes its configuration, sessions and messages.
FUGUE_PREFIX='$prefix' exec sh '$prefix/share/fugue/install.sh' --uninstall "\$@"
END
    chmod 755 "$tree/share/fugue/uninstall"
    fetch "$release/install.sh" "$tree/share/fugue/install.sh"
    line=$(grep -E '^[0-9a-f]{64} [ *]install\.sh$' "$work/SHA256SUMS") || die "SHA256SUMS does not list install.sh"
    [ "$(digest "$tree/share/fugue/install.sh")" = "${line%% *}" ] || die "install.sh is damaged"
    (cd "$tree" && find . -type f | sed 's|^\./||' | sort) >"$work/files"
    say share/fugue/installed-files >>"$work/files"

    remove_listed
    while IFS= read -r file; do
        [ "$file" != share/fugue/installed-files ] || continue
        mkdir -p "$prefix/$(dirname "$file")"
        # In one step, since the program may be running.
        { cp "$tree/$file" "$prefix/$file.new.$$" && mv "$prefix/$file.new.$$" "$prefix/$file"; } ||
            die "cannot write $prefix/$file"
    done <"$work/files"
    cp "$work/files" "$installed"

    say "Installed $version in $prefix:"
    sed -n 's|^\(bin/.*\)|  \1|p' "$work/files"
    say "  $(grep -c '^share/man/' "$work/files") man pages, completions for bash, zsh and fish, a systemd user unit"
    case ":$PATH:" in
        *":$prefix/bin:"*) ;;
        *)
            say "$prefix/bin is not in PATH. Add this line to the startup file of your shell (such as ~/.profile):"
            say "  export PATH=\"$prefix/bin:\$PATH\""
            ;;
    esac
    if running; then
        say "A daemon is running. \`fugue upgrade\` replaces it with this version; programs keep running."
    else
        say "\`fugue\` starts a session, and \`fugue setup\` connects your agents."
    fi
    say "To remove it: $prefix/share/fugue/uninstall"
}

# Whether a daemon of this user is running.
running() { "$prefix/bin/fugue" server-status >/dev/null 2>&1; }

uninstall() {
    [ -f "$installed" ] || die "fugue was not installed in $prefix by this script"
    if running; then
        die "a daemon is running: \`fugue shutdown\` ends it and every program in it; then run this again"
    fi
    state=${XDG_STATE_HOME:-$HOME/.local/state}/fugue
    config=${XDG_CONFIG_HOME:-$HOME/.config}/fugue
    if [ -n "$(find "$state/setup" -type f 2>/dev/null | head -n 1)" ]; then
        "$prefix/bin/fugue" setup --undo --yes || die "the settings of agents could not be restored; nothing was removed"
    fi
    cp "$installed" "$installed.$$"
    installed=$installed.$$
    remove_listed
    rm -f "$installed"
    rmdir "$prefix/share/fugue" 2>/dev/null || true
    say "Removed fugue from $prefix."
    if [ "$purge" = yes ]; then
        rm -rf "$state" "$config"
        rmdir "/tmp/fugue-$(id -u)" 2>/dev/null || true
        say "Removed $config and $state."
    else
        for kept in "$config" "$state"; do
            [ ! -d "$kept" ] || say "Kept: $kept"
        done
    fi
}

main() {
    [ -n "${HOME:-}" ] || die "HOME is not set"
    prefix=${FUGUE_PREFIX:-$HOME/.local}
    installed=$prefix/share/fugue/installed-files
    command=install
    purge=no
    for argument; do
        case $argument in
            --uninstall) command=uninstall ;;
            --purge) purge=yes ;;
            -h | --help)
                say "usage: install.sh [--uninstall [--purge]]"
                say "FUGUE_RELEASE_URL is the address of a release, FUGUE_PREFIX (~/.local) where to install."
                exit
                ;;
            *) die "unknown argument: $argument" ;;
        esac
    done
    [ "$purge" = no ] || [ "$command" = uninstall ] || die "--purge needs --uninstall"
    "$command"
}

# At the end, so that nothing runs if only a part of this file has arrived.
main "$@"
