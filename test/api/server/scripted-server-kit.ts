import type { TestContext } from 'node:test';
import {
  type MessagesServer,
  type ServerOptions,
  startScriptedServer,
} from '../../../src/api/server/messages-server.ts';
import type { ReplyBlock, Script, ScriptedReply } from '../../../src/api/server/script.ts';

export const blocks: readonly ReplyBlock[] = [
  {
    type: 'thinking',
    thinking: 'They want the file, so it has to be read first of all. '.repeat(3),
    signature: 'c2ln',
  },
  { type: 'text', text: `${'x'.repeat(39)}😀 and more text than one piece holds, ünd so on` },
  { type: 'redacted_thinking', data: 'b3BhcXVl' },
  { type: 'text', text: 'cited', citations: [{ type: 'char_location', cited_text: 'a' }] },
  {
    type: 'tool_use',
    id: 'toolu_1',
    name: 'Read',
    input: { file_path: '/w/a-rather-long-name.ts', limit: 3, deep: { a: [1, null] } },
  },
  { type: 'tool_use', id: 'toolu_2', name: 'List', input: {} },
];

export const pong: ScriptedReply = { blocks: [{ type: 'text', text: 'pong' }] };

export async function start(t: TestContext, script: Script, options: ServerOptions = {}): Promise<MessagesServer> {
  const server = await startScriptedServer({ script, ...options });
  t.after(() => server.close());
  return server;
}
