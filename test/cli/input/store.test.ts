// --store, --person, --group and --everyone: which store is read, whose sessions, and which calls are refused.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { FlagValues } from '../../../src/cli/command/index.ts';
import { refuseWithStore, storeChoice } from '../../../src/cli/input/index.ts';
import { temporaryFolder, writeTree } from '../../support/temp-folder.ts';

function choose(context: TestContext, flags: FlagValues, { config, ...env }: Readonly<Record<string, string>> = {}) {
  const home = temporaryFolder(context);
  if (config !== undefined) writeTree(home, { 'team.json': config });
  const io = { env: { CLEW_HOME: home, ...env } } as unknown as Parameters<typeof storeChoice>[0]['io'];
  return storeChoice({ flags, io });
}

const address = 'postgres://ada@db.example/clew';
const config = JSON.stringify({ store: address });

test('without --store a command reads this machine, also if a store is set up', async (context) => {
  assert.equal(await choose(context, {}, { config, CLEW_STORE: address }), undefined);
  assert.equal(await choose(context, { store: false, everyone: false }, { config }), undefined);
});

test('the address is the one that was typed, else that of CLEW_STORE, else that of team.json', async (context) => {
  const addressOf = async (store: string | boolean, env?: Readonly<Record<string, string>>) =>
    (await choose(context, { store }, env))?.address;
  assert.equal(
    await addressOf('postgres://typed/x', { config, CLEW_STORE: 'postgres://other/x' }),
    'postgres://typed/x',
  );
  assert.equal(await addressOf(true, { config, CLEW_STORE: 'postgres://other/x' }), 'postgres://other/x');
  assert.equal(await addressOf(true, { config }), address);
  assert.equal(await addressOf('', { config }), address);
});

test('by default the sessions are those of the user', async (context) => {
  const people = async (flags: FlagValues) => (await choose(context, { store: address, ...flags }))?.people;
  assert.deepEqual(await people({}), { kind: 'me' });
  assert.deepEqual(await people({ person: ' ada ' }), { kind: 'person', name: 'ada' });
  assert.deepEqual(await people({ group: 'compilers' }), { kind: 'group', name: 'compilers' });
  assert.deepEqual(await people({ everyone: true }), { kind: 'everyone' });
});

test('calls that make no sense are refused with what to do next', async (context) => {
  const refused: readonly (readonly [FlagValues, Readonly<Record<string, string>>, RegExp])[] = [
    [{ everyone: true }, { config }, /^--everyone is for the team's store; add --store$/],
    [{ store: true }, {}, /^there is no store to read; give --store postgres:.*team\.json$/],
    [{ store: address, person: 'ada', group: 'x' }, {}, /^--person and --group exclude each other; use one of them$/],
    [{ store: address, person: ' ' }, {}, /^--person is empty; give --person a name$/],
    [{ store: address, root: ['/x'] }, {}, /^--root does not work with --store: .*; leave out --root$/],
    [{ store: address, demo: true }, {}, /^--demo does not work with --store: .*; leave out --demo$/],
    [{ store: 'https://gate.example' }, {}, /^a gateway takes pushes only; read the store with --store postgres:/],
  ];
  for (const [flags, env, message] of refused)
    await assert.rejects(choose(context, flags, env), (error: Error) => message.test(error.message), String(message));
});

test('a flag that does not work with the store is refused with the reason, and taken without --store', () => {
  const reasons = { live: 'the store has only what was pushed' };
  assert.throws(
    () => refuseWithStore({ flags: { store: '', live: true } }, reasons),
    /^UserError: --live does not work with --store: the store has only what was pushed; leave out --live$/,
  );
  refuseWithStore({ flags: { live: true } }, reasons);
  refuseWithStore({ flags: { store: '', live: false } }, reasons);
});
