import assert from 'node:assert/strict';
import { symlinkSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { agentIdOf, sessionFiles } from '../../src/store/session-files.ts';
import { corpusFolder } from '../support/corpus.ts';
import { filesBelow } from '../support/paths.ts';
import { temporaryFolder, writeTree } from '../support/temp-folder.ts';

test('an agent id is the text between "agent-" and the ending, whatever its length', () => {
  const table = {
    'agent-a98ee2d.jsonl': 'a98ee2d',
    'agent-12345678.jsonl': '12345678',
    'agent-acompact-1f2e3d.jsonl': 'acompact-1f2e3d',
    'agent-a5ea2cfbf7e70159b.meta.json': 'a5ea2cfbf7e70159b',
    'some/where/agent-x.jsonl': 'x',
    'agent-.jsonl': undefined,
    'agent-x.json': undefined,
    'agent-x.jsonl.bak': undefined,
    'my-agent-x.jsonl': undefined,
    'journal.jsonl': undefined,
  };
  assert.deepEqual(Object.fromEntries(Object.keys(table).map((name) => [name, agentIdOf(name)])), table);
});

test('a session without side files has only its main transcript', async (t) => {
  const folder = temporaryFolder(t);
  assert.deepEqual(await sessionFiles(path.join(folder, 'missing/s1.jsonl')), {
    sessionId: 's1',
    main: path.join(folder, 'missing/s1.jsonl'),
    folder: path.join(folder, 'missing/s1'),
    agents: [],
    flatAgents: [],
    journals: [],
    toolResults: [],
    problems: [],
  });
});

test('all side files of a session are found, sorted, in every layout at once', async (t) => {
  const folder = temporaryFolder(t);
  const at = (name: string): string => path.join(folder, name);
  writeTree(folder, {
    's1.jsonl': '',
    's2.jsonl': '',
    'agent-flat2.jsonl': '',
    'agent-flat1.jsonl': '',
    's1/custom-title.json': '{}',
    's1/archived.json': '{}',
    's1/tool-results/toolu_1.txt': '',
    's1/tool-results/b1.txt': '',
    's1/subagents/agent-b.jsonl': '',
    's1/subagents/agent-b.meta.json': '{}',
    's1/subagents/agent-a.jsonl': '',
    's1/subagents/agent-orphan.meta.json': '{}',
    's1/subagents/agent-a/subagents/agent-deep.jsonl': '',
    's1/subagents/workflows/agent-loose.jsonl': '',
    's1/subagents/workflows/wf1/agent-w.jsonl': '',
    's1/subagents/workflows/wf1/agent-w.meta.json': '{}',
    's1/subagents/workflows/wf1/journal.jsonl': '',
    's2/subagents/agent-other.jsonl': '',
  });
  assert.deepEqual(await sessionFiles(at('s1.jsonl')), {
    sessionId: 's1',
    main: at('s1.jsonl'),
    folder: at('s1'),
    agents: [
      { agentId: 'a', path: at('s1/subagents/agent-a.jsonl') },
      { agentId: 'deep', path: at('s1/subagents/agent-a/subagents/agent-deep.jsonl') },
      { agentId: 'b', path: at('s1/subagents/agent-b.jsonl'), metaPath: at('s1/subagents/agent-b.meta.json') },
      { agentId: 'loose', path: at('s1/subagents/workflows/agent-loose.jsonl') },
      {
        agentId: 'w',
        path: at('s1/subagents/workflows/wf1/agent-w.jsonl'),
        metaPath: at('s1/subagents/workflows/wf1/agent-w.meta.json'),
        workflow: 'wf1',
      },
    ],
    flatAgents: [at('agent-flat1.jsonl'), at('agent-flat2.jsonl')],
    journals: [at('s1/subagents/workflows/wf1/journal.jsonl')],
    toolResults: [at('s1/tool-results/b1.txt'), at('s1/tool-results/toolu_1.txt')],
    customTitle: at('s1/custom-title.json'),
    archived: at('s1/archived.json'),
    problems: [],
  });
});

test('links to folders are not entered, so a loop ends and other sessions stay out; linked files count', async (t) => {
  const folder = path.join(temporaryFolder(t), 'projects/-p');
  const at = (name: string): string => path.join(folder, name);
  writeTree(folder, { 's1/subagents/agent-a.jsonl': '', 's2/subagents/agent-z.jsonl': '', 'elsewhere.jsonl': '' });
  symlinkSync('..', at('s1/subagents/loop'));
  symlinkSync('../..', at('s1/subagents/all'));
  symlinkSync(at('elsewhere.jsonl'), at('s1/subagents/agent-linked.jsonl'));
  symlinkSync(at('gone.jsonl'), at('s1/subagents/agent-dangling.jsonl'));
  const { agents } = await sessionFiles(at('s1.jsonl'));
  assert.deepEqual(
    agents.map((agent) => agent.agentId),
    ['a', 'linked'],
  );
});

test('a side folder that cannot be read is a problem in the result', async (t) => {
  const folder = temporaryFolder(t);
  symlinkSync('s1', path.join(folder, 's1'));
  const { agents, problems } = await sessionFiles(path.join(folder, 's1.jsonl'));
  assert.deepEqual(
    [agents, problems],
    [[], ['subagents', 'tool-results'].map((name) => ({ path: path.join(folder, 's1', name), code: 'ELOOP' }))],
  );
});

test('an agent transcript that is itself named as main is not its own sub-agent', async (t) => {
  const folder = temporaryFolder(t);
  writeTree(folder, { 'agent-a.jsonl': '', 'agent-b.jsonl': '' });
  const { flatAgents } = await sessionFiles(path.join(folder, 'agent-a.jsonl'));
  assert.deepEqual(flatAgents, [path.join(folder, 'agent-b.jsonl')]);
});

test('every file of the real sessions belongs to one of them', async () => {
  const real = path.join(corpusFolder, 'corpus/real');
  const projects = [...filesBelow(real, '.jsonl'), ...filesBelow(real, '.txt'), ...filesBelow(real, '.json')].filter(
    (file) => path.relative(real, file).split(path.sep)[2]?.startsWith('-'),
  );
  const mains = projects.filter((file) => isMain(path.relative(real, file)));
  const claimed = new Set<string>();
  for (const main of mains) {
    const files = await sessionFiles(main);
    assert.deepEqual(files.problems, []);
    const agents = files.agents.flatMap((agent) => [agent.path, ...(agent.metaPath ? [agent.metaPath] : [])]);
    for (const file of [main, ...agents, ...files.flatAgents, ...files.journals, ...files.toolResults])
      claimed.add(file);
    for (const file of [files.customTitle, files.archived]) if (file !== undefined) claimed.add(file);
  }
  const unclaimed = projects.filter((file) => !claimed.has(file)).map((file) => path.basename(file));
  assert.deepEqual([...new Set(unclaimed)], ['sessions-index.json']);
  assert.equal(mains.length, 197);
});

test('the published workflow sample has three agents and a journal', async () => {
  const samples = path.join(corpusFolder, 'corpus/public/handgemacht-ai__claude-code-log/test/test_data');
  const id = '11110000-0000-4000-8000-000000000001';
  const { agents, journals } = await sessionFiles(path.join(samples, 'workflow_basic', `${id}.jsonl`));
  assert.deepEqual(
    agents.map(({ agentId, workflow }) => [agentId, workflow]),
    [
      ['ag000001', 'wf_demo01'],
      ['ag000002', 'wf_demo01'],
      ['ag000003', 'wf_demo01'],
    ],
  );
  assert.deepEqual(
    journals.map((file) => path.basename(file)),
    ['journal.jsonl'],
  );
});

function isMain(relative: string): boolean {
  const parts = relative.split(path.sep);
  return parts.length === 4 && relative.endsWith('.jsonl') && agentIdOf(relative) === undefined;
}
