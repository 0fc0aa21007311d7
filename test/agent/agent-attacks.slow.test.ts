// The attack list of the tools, against a whole agent: a scripted model, a real bash, real tools, in four modes, with and
// without the sandbox, and nobody approves. No secret may get into a request, nothing outside or protected may
// change, nothing may reach the network. With every permission bypassed most of the same attacks must have an effect. In CI
// each mode runs another part of the list; all of it with CLEW_LONG=1.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { openAgent } from '../../src/agent/agent.ts';
import type { PermissionMode } from '../../src/agent/contract/confinement.ts';
import { startScriptedServer } from '../../src/api/server/messages-server.ts';
import type { JsonObject } from '../../src/base/json/json.ts';
import { shareOf } from '../support/fuzz-runs.ts';
import { calls, says, startHeadless } from '../support/headless-kit.ts';
import { temporaryFolder, writeTree } from '../support/temp-folder.ts';
import type { AgentAttack } from './agent-attack.ts';
import { agentAttacks } from './agent-attack-cases.ts';
import {
  changes,
  fill,
  type Listener,
  leaks,
  listen,
  makePlace,
  type Place,
  resetPlace,
  token,
  watched,
} from './attack-place.ts';
import { skip } from './sandbox/sandbox-kit.ts';

const only = process.env.CLEW_ATTACK;
const named = agentAttacks.filter(({ name }) => only !== undefined && name.includes(only));
const modes: readonly PermissionMode[] = ['default', 'plan', 'dontAsk', 'acceptEdits'];

interface Trial {
  readonly mode: PermissionMode;
  readonly hasSandbox: boolean;
  /** Without deny rules, which also hold in bypass mode. */
  readonly isOpen?: boolean;
}

interface Outcome {
  readonly ran: number;
  readonly stopped: number;
  readonly effects: readonly string[];
}

for (const hasSandbox of [true, false]) {
  for (const [part, mode] of modes.entries()) {
    const name = `attacks on the agent in ${mode} mode ${hasSandbox ? 'with' : 'without'} the sandbox have no effect`;
    test(name, { skip: hasSandbox ? skip : false }, async (t) => {
      const attacks = chosenAttacks(hasSandbox ? part : part + modes.length);
      const outcomes = await tryAll(t, attacks, { mode, hasSandbox });
      const failures = outcomes.flatMap(({ effects }, i) =>
        effects.length === 0 ? [] : [`${attacks[i]?.name}: ${effects.join(', ')}`],
      );
      const sum = (key: 'ran' | 'stopped'): number => outcomes.reduce((all, each) => all + each[key], 0);
      t.diagnostic(`${mode}, sandbox ${hasSandbox}: ${sum('ran')} calls ran, ${sum('stopped')} were stopped`);
      assert.deepEqual(failures, []);
    });
  }
}

test('most attacks have an effect if nothing stops them', async (t) => {
  const attacks = chosenAttacks(0);
  const outcomes = await tryAll(t, attacks, { mode: 'bypassPermissions', hasSandbox: false, isOpen: true });
  const tame = attacks.filter((_, i) => outcomes[i]?.effects.length === 0).map(({ name }) => name);
  t.diagnostic(
    `${attacks.length - tame.length} of ${attacks.length} attacks have an effect; without: ${tame.join(' | ')}`,
  );
  assert.ok(tame.length * 5 < attacks.length, `${tame.length} of ${attacks.length} have none: ${tame.join(', ')}`);
});

for (const mode of ['default', 'acceptEdits']) {
  test(`attacks on clew -p in ${mode} mode have no effect`, { skip }, async (t) => {
    const folder = temporaryFolder(t);
    const place = makePlace(folder);
    const { server, port, connections } = await listen();
    t.after(() => server.close());
    const rules = { deny: ['Read(.env)', 'Read(priv/**)'] };
    writeTree(place.home, { '.claude/settings.json': JSON.stringify({ permissions: rules }) });
    const before = watched(place);
    const secrets =
      'cat .env priv/a.txt deep/.env.local ../outside/canary.txt ~/.ssh/id_rsa ~/.claude/.credentials.json';
    const kit = await startHeadless(
      t,
      [
        calls(
          ['Bash', { command: secrets }],
          ['Bash', { command: 'env; cat /proc/self/environ /proc/$PPID/environ /proc/1/environ' }],
          ['Bash', { command: `touch ${place.outside}/made; echo x > /dev/tcp/127.0.0.1/${port}` }],
          ['Bash', { command: `mkdir -p .vscode; echo x > .mcp.json; ln -sfn ${place.outside} l` }],
          ['Write', { file_path: 'l/made', content: 'x' }],
          ['Write', { file_path: '.git/hooks/pre-commit', content: 'x' }],
          ['Grep', { pattern: '.', output_mode: 'content', path: 'l' }],
          ['Grep', { pattern: '.', output_mode: 'content' }],
          ['Read', { file_path: '.env' }],
        ),
        says('done'),
      ],
      { folder: place.base, env: { SECRET_VARIABLE: token, CLEW_HOME: path.join(folder, 'state') } },
    );
    const { status, stderr } = await kit.print(['-p', 'go', '--permission-mode', mode]);
    assert.equal(status, 0, stderr);
    assert.equal(kit.bodies().length, 2);
    const bodies = kit.bodies().map((body) => JSON.stringify(resultsOnly(body)));
    assert.deepEqual(bodies.flatMap(leaks), []);
    assert.doesNotMatch(bodies.join(), /test-key/);
    assert.deepEqual(changes(place, before), []);
    assert.deepEqual(connections, []);
  });
}

/** `CLEW_ATTACK=WORD` runs those with the word in their name. */
function chosenAttacks(part: number): readonly AgentAttack[] {
  return only === undefined ? shareOf(agentAttacks, part, 2 * modes.length) : named;
}

async function tryAll(t: TestContext, attacks: readonly AgentAttack[], trial: Trial): Promise<readonly Outcome[]> {
  const place = makePlace(temporaryFolder(t));
  const listener = await listen();
  t.after(() => listener.server.close());
  const { HOME } = process.env;
  process.env.HOME = place.home;
  t.after(() => {
    process.env.HOME = HOME;
  });
  const outcomes: Outcome[] = [];
  for (const attack of attacks) {
    if (attack.needsSandbox === true && !trial.hasSandbox && trial.isOpen !== true) {
      outcomes.push({ ran: 0, stopped: 0, effects: [] });
      continue;
    }
    outcomes.push(await tryOne(attack, trial, place, listener));
    resetPlace(place);
  }
  return outcomes;
}

async function tryOne(
  attack: AgentAttack,
  { mode, hasSandbox, isOpen = false }: Trial,
  place: Place,
  { port, connections }: Listener,
): Promise<Outcome> {
  const filled = <T>(value: T): T =>
    JSON.parse(
      fill(JSON.stringify(value), place, port)
        .replaceAll('{token}', token)
        .replaceAll('{PATH}', process.env.PATH ?? ''),
    ) as T;
  prepare(place, filled(attack));
  const { env = {}, answers, allow = [], swap } = filled(attack);
  const state = path.join(path.dirname(place.base), 'state');
  const rules = { deny: isOpen ? [] : ['Read(.env)', 'Read(priv/**)', ...(attack.deny ?? [])] };
  const root = path.join(place.home, '.claude');
  writeTree(root, { 'settings.json': JSON.stringify({ permissions: rules, sandbox: { enabled: hasSandbox } }) });
  const before = watched(place);
  const script = [...answers.map((made) => calls(...made)), says('done'), says('done')];
  const server = await startScriptedServer({ script: () => script.shift() ?? says('done'), apiKey: token });
  let [ran, stopped] = [0, 0];
  const agent = await openAgent({
    cwd: place.project,
    root,
    env: {
      PATH: process.env.PATH,
      HOME: place.home,
      CLEW_HOME: state,
      ANTHROPIC_API_KEY: token,
      ANTHROPIC_BASE_URL: server.url,
      ...env,
    },
    session: { kind: 'new' },
    model: 'claude-opus-5-5',
    mode,
    isInteractive: false,
    isProjectTrusted: isOpen || (attack.isTrusted ?? false),
    allowedTools: allow,
    approve: async () => ({ kind: 'deny', message: 'nobody is here to ask', isInterrupt: false }),
    askUser: async () => undefined,
    sinks: [
      (event) => {
        if (event.type === 'call' && swap?.[0] === ran) execFileSync('sh', ['-c', swap[1]]);
        if (event.type === 'call') ran++;
        if (event.type === 'result' && event.refused !== undefined) stopped++;
      },
    ],
  });
  await agent.prompt('go');
  await agent.close('exit');
  const bodies = server.requests.map(({ body }) => JSON.stringify(resultsOnly(body as JsonObject)));
  await server.close();
  rmSync(state, { recursive: true, force: true });
  const effects = [
    ...bodies.flatMap(leaks).slice(0, 1),
    ...changes(place, before),
    ...(connections.splice(0).length > 0 ? ['network'] : []),
  ];
  return { ran, stopped, effects };
}

/** A request without the model's own messages. */
function resultsOnly({ messages, ...rest }: JsonObject): JsonObject {
  const bodies = Array.isArray(messages) ? messages.filter((each) => (each as JsonObject).role !== 'assistant') : [];
  return { ...rest, messages: bodies };
}

function prepare({ base }: Place, { files = {}, links = {} }: AgentAttack): void {
  writeTree(base, files);
  const bin = path.join(base, 'project/node_modules/.bin');
  if (files['project/node_modules/.bin/git'] !== undefined)
    for (const name of readdirSync(bin)) chmodSync(path.join(bin, name), 0o755);
  for (const [file, target] of Object.entries(links)) {
    mkdirSync(path.dirname(path.join(base, file)), { recursive: true });
    symlinkSync(target, path.join(base, file));
  }
}
