# shellcheck shell=bash
# Reads Debian suites that this machine does not have in its apt sources.
#
# To be sourced. Nothing here changes the machine's own apt: a private configuration has its own
# lists, cache, package status and sources below one directory, so it also works without root.
# The mirror is always the one that the machine itself uses; no host name is written here.
#
#   apt_debian_mirror             print the URI of the main Debian archive
#   apt_private DIR SUITE...      make (or refresh) a private configuration with exactly these suites
#   apt_private_get DIR ARGS...   apt-get with it; `download` puts the file into the working directory
#   apt_private_cache DIR ARGS... apt-cache with it

apt_error() { # SENTENCE [HINT]
    printf 'error: %s\n' "$1" >&2
    [ -z "${2:-}" ] || printf 'hint:  %s\n' "$2" >&2
    return 1
}

apt_codename() {
    # shellcheck source=/dev/null
    (. /etc/os-release && printf '%s\n' "${VERSION_CODENAME:-}")
}

# The lists may never have been fetched (a minimal image). Then apt leaves $(ORIGIN) and $(CODENAME) as they stand, and
# only the suite's name in the sources can be used. Where Origin is known it decides, because other vendors call their
# suites "bookworm main" as well.
apt_debian_mirror() {
    local codename mirror
    codename=$(apt_codename)
    [ -n "$codename" ] || { apt_error "this system has no VERSION_CODENAME in /etc/os-release" \
        "Debian 12 and 13 are supported"; return 1; }
    # shellcheck disable=SC2016 # apt expands these, not the shell
    mirror=$(apt-get indextargets \
            --format '$(REPO_URI)|$(RELEASE)|$(CODENAME)|$(COMPONENT)|$(ORIGIN)' 'Created-By: Packages' |
        awk -F '|' -v want="$codename" '
            $4 != "main" { next }
            $5 == "Debian" && $3 == want && !known { known = $1 }
            $5 ~ /^(\$\(ORIGIN\))?$/ && $2 == want && !guess { guess = $1 }
            END { print known ? known : guess }')
    [ -n "$mirror" ] || { apt_error "no apt source of this machine offers '$codename main' of Debian" \
        "add the Debian archive to /etc/apt/sources.list, run 'apt-get update' and try again"; return 1; }
    printf '%s\n' "${mirror%/}"
}

apt_keyring() {
    local file
    for file in /usr/share/keyrings/debian-archive-keyring.{pgp,gpg}; do
        [ -r "$file" ] && { printf '%s\n' "$file"; return 0; }
    done
    apt_error "the Debian archive keyring is not installed" "apt-get install debian-archive-keyring"
}

apt_private() { # DIR SUITE...
    local dir mirror keyring arch suite
    dir=$(realpath -m -- "$1") && shift
    mirror=$(apt_debian_mirror) && keyring=$(apt_keyring) && arch=$(dpkg --print-architecture) || return 1
    mkdir -p "$dir"/{lists/partial,archives/partial,preferences.d} || return 1
    (
        # Otherwise two runs at once would fail on apt's own lock instead of waiting for it.
        flock 9 || exit 1
        for suite in "$@"; do
            # target=Packages: no Contents, translations or AppStream data, whatever the machine asks for.
            printf 'deb [signed-by=%s arch=%s target=Packages] %s %s main\n' \
                "$keyring" "$arch" "$mirror" "$suite"
        done >"$dir/sources.new"
        # An empty status: what the machine has installed must not influence what is downloaded.
        : >>"$dir/status"
        # The sandbox user could not write below a home directory. The hooks concern only the machine's own apt.
        cat >"$dir/apt.conf" <<CONF
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
#clear APT::Update::Pre-Invoke;
#clear APT::Default-Release;
APT::Sandbox::User "root";
APT::Update::Error-Mode "any";
Acquire::Languages "none";
Acquire::Retries "3";
Dir::State "$dir";
Dir::State::lists "$dir/lists";
Dir::State::status "$dir/status";
Dir::State::extended_states "$dir/extended_states";
Dir::Cache "$dir";
Dir::Cache::archives "$dir/archives";
Dir::Etc::sourcelist "$dir/sources.list";
Dir::Etc::sourceparts "-";
Dir::Etc::preferences "/dev/null";
Dir::Etc::preferencesparts "$dir/preferences.d";
CONF
        if cmp -s "$dir/sources.new" "$dir/sources.list" &&
            [ -n "$(find "$dir/fetched" -mtime -1 2>/dev/null)" ]; then
            exit 0
        fi
        # Lists from yesterday are better than none (no network just now), but lists of other suites are not.
        if ! cmp -s "$dir/sources.new" "$dir/sources.list"; then rm -f "$dir/fetched"; fi
        mv "$dir/sources.new" "$dir/sources.list"
        printf 'reading the package lists of %s\n' "$*" >&2
        if apt-get -c "$dir/apt.conf" -qq update >&2; then
            touch "$dir/fetched"
        elif [ -e "$dir/fetched" ]; then
            printf 'warning: the package lists of %s could not be refreshed; using those of %s\n' \
                "$*" "$(date -r "$dir/fetched" +%F)" >&2
        else
            apt_error "the package lists of $* could not be read" \
                "does the mirror of this machine's apt sources carry them?"
        fi
    ) 9>"$dir/lock"
}

# -c is read after the machine's own apt.conf.d and therefore wins over it; APT_CONFIG would be read before.
apt_private_get() { apt-get -c "$(realpath -m -- "$1")/apt.conf" "${@:2}"; }
apt_private_cache() { apt-cache -c "$(realpath -m -- "$1")/apt.conf" "${@:2}"; }
