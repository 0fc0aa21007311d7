// A script of model replies → `clew chat` in a real terminal, with a temporary folder and home.
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { type MessagesServer, startScriptedServer } from '../../src/api/server/messages-server.ts';
import type { Script, ScriptStep } from '../../src/api/server/script.ts';
import { temporaryFolder, writeTree } from './temp-folder.ts';
import { command, openTerminal, type Terminal } from './terminal.ts';
import { tinyImage } from './tiny-images.ts';

export interface ChatRun {
  readonly terminal: Terminal;
  readonly server: MessagesServer;
  readonly folder: string;
  readonly sessionFile: () => string;
}

export function text(said: string): ScriptStep {
  return { blocks: [{ type: 'text', text: said }] };
}

export function bash(shell: string): ScriptStep {
  return {
    blocks: [
      { type: 'text', text: 'I run it.' },
      { type: 'tool_use', name: 'Bash', input: { command: shell } },
    ],
  };
}

/** `flags` get double quotes if needed. */
export async function startChat(
  context: TestContext,
  script: Script,
  flags = '',
  more: Readonly<Record<string, string>> = {},
): Promise<ChatRun> {
  const folder = temporaryFolder(context);
  writeTree(folder, {
    'project/lamp.ts': 'export const lamp = 1;\n',
    'project/lamp.png': tinyImage('png', 8, 8),
  });
  const server = await startScriptedServer({ script });
  context.after(() => server.close());
  const root = path.join(folder, 'claude');
  const env = {
    CLEW_HOME: path.join(folder, 'state'),
    CLEW_ROOTS: root,
    HOME: folder,
    ANTHROPIC_BASE_URL: server.url,
    ANTHROPIC_API_KEY: 'test',
    ...more,
  };
  const terminal = openTerminal(context, 80, 30, env);
  const program = `sh -c 'echo $$ > ../pid; exec ${command(`chat ${flags}`).replaceAll("'", '"')}'`;
  terminal.type(`cd '${folder}/project'; clear; ${program}; echo "exit $?"`, 'Enter');
  await terminal.screen(/asks first/);
  const sessionFile = (): string => {
    const file = readdirSync(root, { recursive: true, encoding: 'utf8' }).find((name) =>
      /projects\/[^/]+\/[\w-]+\.jsonl$/.test(name),
    );
    assert.ok(file !== undefined);
    return path.join(root, file);
  };
  return { terminal, server, folder, sessionFile };
}
