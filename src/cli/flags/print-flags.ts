// The flags of a headless run, named as in Claude Code. In a file of their own, so that help and completion do not load
// the agent.
import { permissionModes } from '../../agent/contract/index.ts';
import type { Flag } from '../command/index.ts';
import { agentFlags, unsupportedFlags } from './agent-flags.ts';
import { progressEntries, root } from './common-flags.ts';

export const printFlags: readonly Flag[] = [
  { name: '--print', short: '-p', summary: 'print the answer and exit (`clew -p` is `clew print`)' },
  { name: '--output-format', value: 'FORMAT', summary: 'text, json (the result) or stream-json (all messages)' },
  { name: '--input-format', value: 'FORMAT', summary: 'text, or stream-json: one message per line' },
  { name: '--include-partial-messages', summary: 'with stream-json: also partial answers' },
  { name: '--replay-user-messages', summary: 'with stream-json: also the prompts' },
  { name: '--forward-subagent-text', summary: 'with stream-json: also the text of sub-agents' },
  { name: '--verbose', summary: 'text: report progress on stderr; json: all messages' },
  { name: '--model', value: 'MODEL', summary: 'opus, sonnet, haiku or a full name' },
  { name: '--max-turns', value: 'N', summary: 'stop after N answers of the model' },
  { name: '--max-budget-usd', value: 'USD', summary: 'stop when this amount is spent' },
  { name: '--price', value: 'IN,OUT', summary: 'dollars per million tokens, for models of unknown price' },
  { name: '--permission-mode', value: 'MODE', summary: permissionModes.join(', ') },
  { name: '--dangerously-skip-permissions', summary: 'allow everything (bypassPermissions)' },
  { name: '--trust-project', summary: 'use the hooks, servers, rules and skills of this folder for this run' },
  {
    name: '--allowedTools',
    value: 'RULE...',
    summary: 'allow these tools: Read "Bash(git log:*)"',
    isRepeatable: true,
  },
  { name: '--allowed-tools', value: 'RULE...', summary: 'the same', isRepeatable: true, isHidden: true },
  { name: '--disallowedTools', value: 'RULE...', summary: 'forbid these tools', isRepeatable: true },
  { name: '--disallowed-tools', value: 'RULE...', summary: 'the same', isRepeatable: true, isHidden: true },
  {
    name: '--permission-prompt-tool',
    value: 'TOOL',
    summary: 'who decides about other calls: stdio (the Agent SDK) or an MCP tool',
  },
  {
    name: '--allow-dangerously-skip-permissions',
    summary: 'a program may switch to bypassPermissions during the run',
  },
  ...agentFlags,
  { name: '--mcp-config', value: 'FILE...', summary: 'additional MCP servers: files or JSON', isRepeatable: true },
  { name: '--add-dir', value: 'DIR...', summary: 'additional working directories', isRepeatable: true },
  { name: '--continue', short: '-c', summary: 'resume the newest session of this folder' },
  { name: '--resume', short: '-r', value: 'SESSION', summary: 'resume this session: id, title or path' },
  { name: '--fork-session', summary: 'resume in a copy' },
  { name: '--session-id', value: 'UUID', summary: 'the id of the new session, or of the copy' },
  { name: '--resume-session-at', value: 'UUID', summary: 'with --resume: only up to this message' },
  { name: '--no-session-persistence', summary: 'do not store the session' },
  { name: '--json-schema', value: 'JSON', summary: 'the answer is JSON that matches this JSON Schema' },
  { name: '--debug-file', value: 'FILE', summary: 'append every step of the run to FILE' },
  progressEntries,
  root,
  ...unsupportedFlags.map(({ flag }) => flag),
];
