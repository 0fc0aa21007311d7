import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { test } from 'node:test';
import { collectServers, expandVariables, type ServerConfig } from '../../../src/agent/mcp/config.ts';
import { judgeServer, nameTool } from '../../../src/agent/mcp/servers.ts';
import { findUserConfig, type SettingsFile } from '../../../src/agent/settings/settings.ts';
import { temporaryFolder, writeTree } from '../../support/temp-folder.ts';
import { optionsIn } from './mcp-kit.ts';

const servers = (...names: readonly string[]) =>
  JSON.stringify({ mcpServers: Object.fromEntries(names.map((name) => [name, { command: 'x' }])) });

test('the nearest configuration of a name is used', async (t) => {
  const top = temporaryFolder(t);
  const options = optionsIn(top);
  const inUser = { mcpServers: { a: { command: 'u' }, b: { command: 'u' }, c: { command: 'u' }, d: { command: 'u' } } };
  writeTree(top, {
    'app/.mcp.json': servers('a', 'b', 'c'),
    'flags.json': servers('a'),
    '.claude.json': JSON.stringify({ ...inUser, projects: { [options.cwd]: { mcpServers: { b: { command: 'l' } } } } }),
  });
  const settings: SettingsFile[] = [{ scope: 'user', file: 's.json', value: { mcpServers: { e: { command: 's' } } } }];
  const collected = await collectServers({ ...options, settings, flags: ['../flags.json', servers('f')] });
  assert.deepEqual(
    collected.servers.map(({ name, scope, source }) => [name, scope, path.basename(source)]),
    [
      ['a', 'flag', 'flags.json'],
      ['f', 'flag', '--mcp-config'],
      ['b', 'local', '.claude.json'],
      ['c', 'project', '.mcp.json'],
      ['e', 'user', 's.json'],
      ['d', 'user', '.claude.json'],
    ],
  );
});

test('variables are replaced if they are set or have a default, and otherwise reported', async (t) => {
  const options = { ...optionsIn(temporaryFolder(t)), env: { KEY: 'k', EMPTY: '' } };
  const dollar = '$';
  const flag = JSON.stringify({
    mcpServers: {
      local: {
        command: `${dollar}{TOOL:-node}`,
        args: [`${dollar}{KEY}`, '$KEY', `${dollar}{EMPTY:-d}`],
        env: { A: `${dollar}{KEY}!`, N: 1 },
      },
      remote: { type: 'http', url: `http://h/${dollar}{KEY}`, headers: { Authorization: `Bearer ${dollar}{KEY}` } },
      lacking: { command: 'x', args: [`${dollar}{NO_1}${dollar}{NO_2}`] },
    },
  });
  const { servers: found } = await collectServers({ ...options, flags: [flag] });
  assert.deepEqual(
    found.map(({ name, scope, source, ...target }) => target),
    [
      { transport: 'stdio', command: 'node', args: ['k', '$KEY', 'd'], env: { A: 'k!', N: '1' } },
      { transport: 'http', url: 'http://h/k', headers: { Authorization: 'Bearer k' } },
      { transport: 'invalid', problem: 'NO_1, NO_2 is not set in the environment' },
    ],
  );
  assert.deepEqual(expandVariables('a$b', {}), { text: 'a$b', missing: [] });
});

test('a server that is configured wrongly says what is wrong', async (t) => {
  const wrong: readonly (readonly [unknown, string])[] = [
    [7, 'its configuration is not an object'],
    [{}, 'it has neither "command" nor "url"'],
    [{ command: 7 }, 'it has neither "command" nor "url"'],
    [{ command: 'x', args: 'y' }, '"args" is not a list of strings'],
    [{ command: 'x', args: [1] }, '"args" is not a list of strings'],
    [{ command: 'x', env: { A: {} } }, '"env" is not an object of strings'],
    [{ command: 'x\0y' }, 'its command contains a null byte'],
    [{ type: 'http' }, 'it has no "url"'],
    [{ type: 'ws', url: 'http://x' }, 'its type "ws" is unknown'],
    [{ type: 'carrier-pigeon', command: 'x' }, 'its type "carrier-pigeon" is unknown'],
    [{ type: 'http', url: 'file:///etc/passwd' }, '"url" is not an http or https URL'],
    [{ type: 'sse', url: 'no address' }, '"url" is not an http or https URL'],
    [{ url: 'http://x', headers: [] }, '"headers" is not an object of strings'],
  ];
  const flag = JSON.stringify({ mcpServers: Object.fromEntries(wrong.map(([value], index) => [`s${index}`, value])) });
  const { servers: found } = await collectServers({ ...optionsIn(temporaryFolder(t)), flags: [flag] });
  assert.deepEqual(
    found.map((server) => (server.transport === 'invalid' ? server.problem : server)),
    wrong.map(([, problem]) => problem),
  );
});

test('only a flag in JSON configures a server of the program that runs the agent; no file does', async (t) => {
  const top = temporaryFolder(t);
  const options = optionsIn(top);
  const mine = (name: string) => ({ mcpServers: { [name]: { type: 'sdk', name } } });
  writeTree(top, {
    'app/.mcp.json': JSON.stringify(mine('project')),
    'flags.json': JSON.stringify(mine('file')),
    '.claude.json': JSON.stringify({ ...mine('user'), projects: { [options.cwd]: mine('local') } }),
  });
  const settings: SettingsFile[] = [{ scope: 'user', file: 's.json', value: mine('settings') }];
  const host = { servers: [], connect: () => assert.fail('nothing is connected') };
  const flags = ['../flags.json', JSON.stringify(mine('json'))];
  const { servers: found } = await collectServers({ ...options, settings, flags, host });
  assert.deepEqual(Object.fromEntries(found.map(({ name, transport }) => [name, transport])), {
    file: 'invalid',
    json: 'sdk',
    settings: 'invalid',
    local: 'invalid',
    project: 'invalid',
    user: 'invalid',
  });
});

test('a broken file is a notice, a broken flag is an error', async (t) => {
  const top = temporaryFolder(t);
  const options = optionsIn(top);
  writeTree(top, { 'app/.mcp.json': '{"mcpServers": ', '.claude.json': '[]' });
  assert.deepEqual(await collectServers(options), {
    servers: [],
    notices: [
      `${top}/.claude.json is not a JSON object; its MCP servers are ignored`,
      `${top}/app/.mcp.json is not a JSON object; its MCP servers are ignored`,
    ],
  });
  for (const flag of ['nowhere.json', '{"a": 1}', '{broken', '.mcp.json'])
    await assert.rejects(collectServers({ ...options, flags: [flag] }), { name: 'UserError' }, flag);
});

test('a pipe in place of a file does not block', async (t) => {
  const options = optionsIn(temporaryFolder(t));
  spawnSync('mkfifo', [path.join(options.cwd, '.mcp.json')]);
  assert.deepEqual(await collectServers(options), { servers: [], notices: [] });
});

test('the user’s configuration is next to ~/.claude, or inside any other folder', () => {
  assert.equal(findUserConfig('/home/kim/.claude/', '/home/kim'), '/home/kim/.claude.json');
  assert.equal(findUserConfig('/tmp/other', '/home/kim'), '/tmp/other/.claude.json');
});

test('servers of the project need the user’s approval, whatever the project says', async () => {
  const server: ServerConfig = { name: 'a', scope: 'project', source: '.mcp.json', transport: 'invalid', problem: '' };
  const from = (scope: SettingsFile['scope'], value: SettingsFile['value']): SettingsFile => ({
    scope,
    file: 'f',
    value,
  });
  const judge = (...settings: readonly SettingsFile[]) => judgeServer(server, settings, undefined);
  assert.equal(await judge(), 'unanswered');
  assert.equal(
    await judge(from('project', { enableAllProjectMcpServers: true, enabledMcpjsonServers: ['a'] })),
    'unanswered',
  );
  assert.equal(await judge(from('user', { enableAllProjectMcpServers: true })), 'approved');
  assert.equal(await judge(from('user', { enableAllProjectMcpServers: 'yes' })), 'unanswered');
  assert.equal(await judge(from('local', { enabledMcpjsonServers: ['a'] })), 'approved');
  assert.equal(await judge(from('local', { enabledMcpjsonServers: ['b'] })), 'unanswered');
  assert.equal(
    await judge(from('user', { enableAllProjectMcpServers: true }), from('project', { disabledMcpjsonServers: ['a'] })),
    'disabled',
  );
  assert.equal(await judgeServer(server, [], async () => true), 'approved');
  assert.equal(await judgeServer(server, [], async () => false), 'disabled');
  assert.equal(await judgeServer({ ...server, scope: 'user' }, [], undefined), 'approved');
});

test('names are accepted by the API and unique', () => {
  const taken = new Set<string>();
  const names = [
    nameTool('my server', 'do it', taken),
    nameTool('my_server', 'do_it', taken),
    nameTool('my.server', 'do it', taken),
    nameTool('s', 'x'.repeat(300), taken),
    nameTool('s', '', taken),
    nameTool('сервер', '🙂', taken),
  ];
  assert.deepEqual(names.slice(0, 1), ['mcp__my_server__do_it']);
  assert.equal(new Set(names).size, names.length);
  for (const name of names) assert.match(name, /^[a-zA-Z0-9_-]{1,128}$/);
});
