// The flags of a headless run, named as in Claude Code. In a file of their own, so that help and completion do not load
// the agent.
import { permissionModes } from '../../agent/permission-mode.ts';
import type { Flag } from '../command.ts';
import { root } from '../common-flags.ts';

export const printFlags: readonly Flag[] = [
  { name: '--print', short: '-p', summary: 'answer and end (`clew -p` is `clew print`)' },
  { name: '--output-format', value: 'FORMAT', summary: 'text, json (its result) or stream-json (everything)' },
  { name: '--input-format', value: 'FORMAT', summary: 'text, or stream-json: messages, one a line' },
  { name: '--include-partial-messages', summary: 'with stream-json: also the pieces of answers' },
  { name: '--replay-user-messages', summary: 'with stream-json: also the prompts' },
  { name: '--verbose', summary: 'text: say on stderr what is done; json: all messages' },
  { name: '--model', value: 'MODEL', summary: 'opus, sonnet, haiku or a full name' },
  { name: '--max-turns', value: 'N', summary: 'end after N answers of the model' },
  { name: '--max-budget-usd', value: 'USD', summary: 'end when so much is spent' },
  { name: '--price', value: 'IN,OUT', summary: 'dollars per million tokens, for models without a known price' },
  { name: '--permission-mode', value: 'MODE', summary: permissionModes.join(', ') },
  { name: '--dangerously-skip-permissions', summary: 'allow everything (bypassPermissions)' },
  { name: '--trust-project', summary: 'take the hooks, servers, rules and skills of this folder, this time' },
  { name: '--allowedTools', value: 'RULE...', summary: 'allow these: Read "Bash(git log:*)"', isRepeatable: true },
  { name: '--allowed-tools', value: 'RULE...', summary: 'the same', isRepeatable: true, isHidden: true },
  { name: '--disallowedTools', value: 'RULE...', summary: 'forbid these', isRepeatable: true },
  { name: '--disallowed-tools', value: 'RULE...', summary: 'the same', isRepeatable: true, isHidden: true },
  { name: '--system-prompt', value: 'TEXT', summary: 'in place of our system prompt' },
  { name: '--append-system-prompt', value: 'TEXT', summary: 'behind the system prompt' },
  { name: '--mcp-config', value: 'FILE...', summary: 'more MCP servers: files, or JSON', isRepeatable: true },
  { name: '--add-dir', value: 'DIR...', summary: 'more folders to work in', isRepeatable: true },
  { name: '--continue', short: '-c', summary: 'go on with the newest session of this folder' },
  { name: '--resume', short: '-r', value: 'SESSION', summary: 'go on with this session: id, title or path' },
  { name: '--fork-session', summary: 'go on in a copy' },
  { name: '--session-id', value: 'UUID', summary: 'the id of the new session, or of the copy' },
  { name: '--progress-entries', summary: 'write `progress` lines too, as older clients did' },
  root,
];
