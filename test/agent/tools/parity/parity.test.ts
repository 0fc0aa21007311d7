// Each call of calls.ts, in Clew: it must do what the client did (recorded.json), except for the differences named here.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import type { CallContext } from '../../../../src/agent/contract/tool.ts';
import { makeTools } from '../../../../src/agent/tools/all.ts';
import { makeWorkspace } from '../../../../src/agent/tools/shell/background.ts';
import { temporaryFolder } from '../../../support/temp-folder.ts';
import { callGroups, type ParityCall, placed } from './calls.ts';
import { differences } from './differences.ts';
import { writeFixture } from './fixture.ts';
import { effectOf, type Observation, observe } from './observe.ts';

type Recorded = Readonly<Record<string, Readonly<Record<string, Observation>>>>;

const recorded = JSON.parse(readFileSync('test/agent/tools/parity/recorded.json', 'utf8')) as Recorded;

for (const [group, calls] of Object.entries(callGroups))
  test(`calls of the group ${group} do what they do in the client`, async (t) => {
    const root = temporaryFolder(t);
    const folders = {
      '<P>': path.join(root, 'project'),
      '<H>': path.join(root, 'home'),
      '<E>': path.join(root, 'extra'),
    };
    for (const folder of Object.values(folders)) mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folders['<H>'], 'in-home.txt'), 'home\n');
    writeFixture(folders['<P>']);
    const home = process.env.HOME;
    process.env.HOME = folders['<H>'];
    t.after(() => {
      process.env.HOME = home;
    });
    const run = makeRunner(root, folders);
    t.after(() => run.close());
    const differing: string[] = [];
    for (const call of calls) {
      const name = `${call.tool} ${call.id}`;
      const wanted = recorded[group]?.[name];
      assert.ok(wanted, `${group}: ${name} is not recorded; run record-tools.js`);
      const found = await run.call(call);
      const reason = differences[`${group}: ${name}`];
      if (reason === undefined) check(found, wanted, `${group}: ${name} ${JSON.stringify(call.input)}`, differing);
      else assert.notDeepEqual(found, wanted, `${group}: ${name} no longer differs: remove it from differences.ts`);
    }
    assert.equal(differing.join('\n'), '');
  });

test('every named difference is of a call', () => {
  const names = Object.entries(callGroups).flatMap(([group, calls]) =>
    calls.map(({ tool, id }) => `${group}: ${tool} ${id}`),
  );
  assert.deepEqual(
    Object.keys(differences).filter((name) => !names.includes(name)),
    [],
  );
});

function check(found: Observation, wanted: Observation, name: string, differing: string[]): void {
  if (isDeepStrictEqual(found, wanted)) return;
  const keys = (['isError', 'blocks', 'stored', 'data', 'effect'] as const).filter(
    (key) => !isDeepStrictEqual(found[key], wanted[key]),
  );
  const lines = keys.map(
    (key) => `  ${key}: ${JSON.stringify(found[key])}\n  in the client: ${JSON.stringify(wanted[key])}`,
  );
  differing.push([name, ...lines].join('\n'));
}

function makeRunner(root: string, folders: Readonly<Record<'<P>' | '<H>' | '<E>', string>>) {
  const projectDir = folders['<P>'];
  const workspace = makeWorkspace({
    projectDir,
    sessionDir: path.join(root, 'session'),
    extraDirs: [folders['<E>']],
    env: process.env,
  });
  const tools = makeTools();
  let count = 0;
  const context: Omit<CallContext, 'callId'> = {
    confinement: 'open',
    isApproved: false,
    mayTouch: () => true,
    signal: new AbortController().signal,
    workspace,
    progress: () => undefined,
    keepFile: async () => undefined,
    askUser: async () => undefined,
    askModel: async () => ({ problem: 'no model in this test' }),
    startAgent: async () => assert.fail('no agent in this test'),
  };
  return {
    close: () => workspace.background.close(),
    call: async (call: ParityCall): Promise<Observation> => {
      const tool = tools.find(({ name }) => name === call.tool);
      assert.ok(tool, call.tool);
      const parsed = tool.parse(placed(call.input, folders));
      const result =
        'problem' in parsed
          ? { isError: true, content: parsed.problem, stored: `Error: ${parsed.problem}` }
          : await tool.run(parsed.input, { ...context, callId: `toolu_${++count}` });
      return observe(call, result, effectOf(call, projectDir), folders);
    },
  };
}
