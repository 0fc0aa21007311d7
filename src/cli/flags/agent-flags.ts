// Flags of `clew -p` and `clew chat` that say what an agent runs with, named as in Claude Code.
import type { Flag } from '../command/index.ts';
import { modelFlags } from './model-flags.ts';

export const agentFlags: readonly Flag[] = [
  ...modelFlags,
  { name: '--system-prompt', value: 'TEXT', summary: 'replace the system prompt' },
  { name: '--system-prompt-file', value: 'FILE', summary: 'the same, from a file' },
  { name: '--append-system-prompt', value: 'TEXT', summary: 'add to the system prompt' },
  { name: '--append-system-prompt-file', value: 'FILE', summary: 'the same, from a file' },
  { name: '--tools', value: 'NAME...', summary: 'only these built-in tools; "" for none', isRepeatable: true },
  { name: '--agents', value: 'JSON', summary: 'more sub-agents: {"NAME": {"description": …, "prompt": …}}' },
  { name: '--agent', value: 'NAME', summary: 'work as this agent: its prompt, tools and model' },
  { name: '--settings', value: 'FILE|JSON', summary: 'settings that precede all settings files' },
  {
    name: '--setting-sources',
    value: 'LIST',
    summary: 'which configuration is used: user,project,local; "" for none',
  },
  { name: '--strict-mcp-config', summary: 'only the MCP servers of --mcp-config' },
  { name: '--name', short: '-n', value: 'TITLE', summary: 'the title of a new session' },
  { name: '--betas', value: 'NAME...', summary: 'beta features of the API', isRepeatable: true },
];

/**
 * Flags of Claude Code and of the Agent SDK that Clew does not have. Each is refused by name, so that no program
 * believes that it has an effect.
 */
export const unsupportedFlags: readonly { readonly flag: Flag; readonly instead: string }[] = [
  unsupported(
    '--plugin-dir',
    'PATH...',
    'put its skills, commands and agents into .claude, its servers into --mcp-config',
  ),
  unsupported(
    '--plugin-url',
    'URL...',
    'put its skills, commands and agents into .claude, its servers into --mcp-config',
  ),
  unsupported('--include-hook-events', undefined, 'leave it out'),
  unsupported('--session-mirror', undefined, 'leave out sessionStore and read the session files'),
  unsupported('--project-config-root', 'DIR', 'start it in that folder, or give its settings with --settings'),
  unsupported('--managed-settings', 'JSON', 'give the restrictions with --settings'),
  unsupported('--task-budget', 'TOKENS', 'limit the run with --max-turns or --max-budget-usd'),
  unsupported('--resume-drops-turn', 'UUID', 'leave it out; --resume-session-at alone works'),
  unsupported('--prompt-suggestions', '[BOOLEAN]', 'leave it out'),
  unsupported('--brief', undefined, 'leave it out'),
  unsupported('--chrome', undefined, 'leave it out'),
  unsupported('--ide', undefined, 'leave it out'),
  unsupported('--remote-control', '[NAME]', 'leave it out'),
  unsupported('--background', undefined, 'start it with nohup or a job runner'),
  unsupported('--worktree', '[NAME]', 'make one with git worktree and start it there'),
  unsupported('--from-pr', '[PR]', 'resume a session with --resume'),
  unsupported('--file', 'SPEC...', 'name the files in the prompt'),
  unsupported('--bare', undefined, 'use --setting-sources "" --strict-mcp-config'),
  unsupported('--safe-mode', undefined, 'use --setting-sources "" --strict-mcp-config'),
  unsupported('--restricted', undefined, 'use --tools and --disallowedTools'),
];

function unsupported(name: string, value: string | undefined, instead: string) {
  const isRepeatable = value?.endsWith('...') === true;
  const flag: Flag = {
    name,
    summary: 'not supported',
    isHidden: true,
    ...(value === undefined ? {} : { value }),
    ...(isRepeatable ? { isRepeatable } : {}),
  };
  return { flag, instead };
}
