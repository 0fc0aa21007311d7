// The environment of a command, without the keys of the agent. In a sandbox it has only variables for output and
// program paths: any other value may be a secret or name a program to run.

const ownKeys = /^(?:ANTHROPIC_(?:API_KEY|AUTH_TOKEN|CUSTOM_HEADERS)|CLAUDE_CODE_OAUTH_TOKEN)$/;
const plain =
  /^(?:PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_\w+|TERM|COLORTERM|COLUMNS|LINES|NO_COLOR|FORCE_COLOR|TZ|CI|NODE_ENV|CLAUDECODE)$/;

export function openEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !ownKeys.test(name)));
}

export function confinedEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = Object.entries(env).filter(([name]) => plain.test(name));
  // git refuses a repository of another owner; in the sandbox its programs can do no harm.
  const git = { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'safe.directory', GIT_CONFIG_VALUE_0: '*' };
  return { ...Object.fromEntries(kept), TMPDIR: '/tmp', GIT_OPTIONAL_LOCKS: '0', GIT_PAGER: 'cat', ...git };
}
