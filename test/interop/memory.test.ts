// `clew mcp` as others use it: MCP Inspector's command line lists and calls everything, and the real client asks in a scripted
// conversation, where the session that asks is left out, by whatever the version of the client gives away about itself.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { asObject, isArray, type JsonObject, type JsonValue } from '../../src/base/json/json.ts';
import { idOf, makePlace, transcriptText, uuidOf } from '../memory/memory-kit.ts';
import { cleanEnv } from '../support/clew.ts';
import { clew } from '../support/dist.ts';
import { temporaryFolder, writeTree } from '../support/temp-folder.ts';
import { installPackage, startSession } from './client.ts';
import { clientOf } from './live.ts';

const run = promisify(execFile);

async function inspect(context: TestContext): Promise<(...args: readonly string[]) => Promise<JsonObject>> {
  const manifest = await installPackage('@modelcontextprotocol/inspector', '2.12.0');
  const bin = path.join(path.dirname(manifest), '../../.bin/mcp-inspector');
  const place = makePlace(context);
  place.plant({ cwd: place.project, id: '1', turns: [{ prompt: 'why does the parser fail?', answer: 'A comma.' }] });
  // It passes on nothing else of its environment.
  const env = { ...cleanEnv(), HOME: place.folder };
  const server = [process.execPath, clew, 'mcp', '--root', place.root];
  return async (...args) => {
    const { stdout } = await run(process.execPath, [bin, '--cli', ...server, ...args], {
      env,
      cwd: place.project,
    }).catch((error: { stdout: string }) => error); // it exits with an error for results that are errors
    return asObject(JSON.parse(stdout) as JsonValue) ?? {};
  };
}

test('MCP Inspector lists and calls every tool', async (context) => {
  const ask = await inspect(context);
  const { tools } = await ask('--method', 'tools/list');
  assert.ok(isArray(tools));
  assert.deepEqual(
    tools.map((tool) => asObject(tool)?.name),
    ['search', 'read', 'outline', 'usage'],
  );
  const call = async (name: string, ...args: readonly string[]): Promise<string> =>
    JSON.stringify(
      await ask('--method', 'tools/call', '--tool-name', name, ...args.flatMap((each) => ['--tool-arg', each])),
    );
  const reference = `clew:${idOf('1').slice(0, 13)}#${uuidOf('1', 0).slice(0, 13)}`;
  assert.ok((await call('search', 'query=parser fails')).includes(reference));
  assert.match(await call('read', `reference=${reference}`), /A comma/);
  assert.match(await call('outline'), /why does the parser fail/);
  assert.match(await call('usage', 'by=session'), /total: /);
  assert.match(await call('read', `reference=${reference}`, 'tokens=1000000'), /-32602.*"isError":true/);
  assert.match(await call('search', `query=${'x'.repeat(2000)}`), /-32602.*"isError":true/);
  assert.match(JSON.stringify(await ask('--method', 'resources/templates/list')), /clew:\/\/session\/\{session\}/);
  assert.match(JSON.stringify(await ask('--method', 'prompts/list')), /recall/);
});

for (const version of ['2.1.325', '2.1.45']) {
  test(`${version} searches and reads past sessions, but not the session that asks`, async (context) => {
    const folder = temporaryFolder(context);
    const config = path.join(folder, 'mcp.json');
    const server = { command: process.execPath, args: [clew, 'mcp'], env: { CLEW_HOME: path.join(folder, 'state') } };
    writeFileSync(config, JSON.stringify({ mcpServers: { clew: server } }));
    const reference = `clew:${idOf('1')}#1`;
    const live = await startSession({
      cli: await clientOf(version),
      args: ['--mcp-config', config, '--allowedTools', 'mcp__clew__search,mcp__clew__read'],
      prompt: 'What did we do about the walrus parser? [[ask]]',
      prepare: (home) => {
        // The folder that the client will run in.
        const cwd = path.join(path.dirname(home), 'project');
        const turns = [{ prompt: 'the walrus parser', answer: 'Fixed.' }];
        const slug = cwd.replaceAll(/[^A-Za-z0-9]/g, '-');
        writeTree(path.join(home, '.claude/projects', slug), {
          [`${idOf('1')}.jsonl`]: transcriptText({ cwd, id: '1', turns }),
        });
      },
      scripts: () => ({
        ask: [
          { blocks: [{ type: 'tool_use', name: 'mcp__clew__search', input: { query: 'walrus parser' } }] },
          { blocks: [{ type: 'tool_use', name: 'mcp__clew__read', input: { reference } }] },
          { blocks: [{ type: 'text', text: 'done' }] },
        ],
      }),
    });
    assert.equal(live.exitCode, 0, live.stderr);
    const sent = JSON.stringify(live.requests.at(-1)?.body ?? {});
    // The prompt of the session that asks has the same words. Its file may be there already or not.
    assert.match(sent, /1 of 1 turns that match, in [12] sessions/);
    assert.match(sent, /\| assistant: Fixed\./);
  });
}
