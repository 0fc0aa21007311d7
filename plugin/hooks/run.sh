#!/bin/sh
# Runs the server and the hooks of this plugin. A hook never fails and prints nothing, except for the verdict of the
# guard and the message that Clew is not installed. One that is not configured ends here, before Node is started.
clew=${0%/*}/../bin/clew
# Where Clew keeps its settings.
state=${CLEW_HOME:-${XDG_STATE_HOME:-$HOME/.local/state}/clew}

is_installed() {
  command -v clew >/dev/null 2>&1 || [ -f "${0%/*}/../../dist/clew.js" ]
}

# Only settings that are for Clew count: OTEL_EXPORTER_OTLP_ENDPOINT may be there for the client's own metrics.
is_traced() {
  case $CLEW_TRACE in 0 | false | no | off) return 1 ;; esac
  [ -n "$CLEW_TRACE$CLEW_TRACE_ENDPOINT$CLEW_TRACE_PROFILE$TRACE_TO_LANGFUSE$CC_LANGFUSE_TRACE" ] ||
    [ -f "$state/trace.json" ] || return 1
  ! is_in_settings 'trace-hook\.js\|clew trace hook'
}

# Takes the input of the hook. The file next to the program starts in half the time.
trace() {
  found=$(readlink -f "$(command -v clew)" 2>/dev/null)
  for file in "${found%/*}/trace-hook.js" "${0%/*}/../../dist/trace-hook.js"; do
    if [ -f "$file" ]; then
      printf '%s' "$1" | node "$file" >/dev/null 2>&1
      return
    fi
  done
  printf '%s' "$1" | sh "$clew" trace hook >/dev/null 2>&1
}

# Whether settings.json has such a command: `clew setup`, `clew trace install` or the user put it there.
is_in_settings() {
  grep -qs "$1" "${CLAUDE_CONFIG_DIR:-$HOME/.claude}/settings.json"
}

case $1 in
  mcp)
    if [ "$2" = true ]; then exec sh "$clew" mcp --all-projects; fi
    exec sh "$clew" mcp
    ;;
  start)
    if ! is_installed; then
      message='The plugin clew needs the program clew, which is not in the PATH: run npm install -g clew, then restart'
      printf '{"systemMessage":"%s"}\n' "$message"
    elif is_traced; then
      input=$(cat)
      trace "$input" >/dev/null 2>&1 &
    fi
    ;;
  stop)
    if is_traced && is_installed; then trace "$(cat)"; fi
    ;;
  end)
    is_installed || exit 0
    input=$(cat)
    # The client waits 1.5 seconds at most, but does not end what runs in the background.
    if ! is_in_settings 'archive --auto'; then
      printf '%s' "$input" | sh "$clew" archive --auto >/dev/null 2>&1 &
    fi
    if is_traced; then trace "$input" >/dev/null 2>&1 & fi
    ;;
  guard)
    # `clew guard set` writes it.
    if [ -f "$state/guard.json" ] && is_installed && ! is_in_settings 'clew[^"]* guard'; then
      # Its verdict is on stdout. Exit code 2 would block the call, and an old Clew that has no guard returns it.
      sh "$clew" guard 2>/dev/null
    fi
    ;;
esac
exit 0

