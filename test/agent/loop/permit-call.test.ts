// Which of hooks, rules and the user decides about a call, and with which input.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HookVerdict } from '../../../src/agent/contract/hook.ts';
import type { Approval, Decision } from '../../../src/agent/contract/permission.ts';
import { permitCall } from '../../../src/agent/loop/permit-call.ts';
import type { JsonObject } from '../../../src/base/json/json.ts';
import { call, fakeTool } from '../../support/loop-kit.ts';

interface Said {
  readonly hook?: Partial<HookVerdict>;
  readonly rules?: (input: JsonObject) => Decision;
  readonly person?: Approval;
}

/** `run` and the input, or who refused; then whether the user was asked. */
async function permit({ hook = {}, rules = () => allow, person }: Said): Promise<readonly [string, boolean]> {
  let isAsked = false;
  const parts: Parameters<typeof permitCall>[1] = {
    tools: () => [fakeTool('Write')],
    hooks: { run: async () => ({ context: [], messages: [], ...hook }) },
    judge: { judge: ({ input }) => rules(input), addRule: async () => undefined },
    approve: async () => {
      isAsked = true;
      assert.ok(person !== undefined, 'nobody should be asked');
      return person;
    },
    updatePermissions: async () => undefined,
    mode: () => 'default',
    workspace: () => ({ cwd: '/project' }),
  };
  const { id, name, input } = call('Write', { file: 'a' }) as { id: string; name: string; input: JsonObject };
  const permitted = await permitCall({ view: { id, name, input }, uuid: 'u' }, parts, new AbortController().signal);
  if (permitted.kind === 'run') return [`run ${JSON.stringify(permitted.view.input)}`, isAsked];
  return [permitted.kind === 'stop' ? 'stop' : permitted.refused, isAsked];
}

const allow: Decision = { kind: 'allow', why: 'ok' };
const deny: Decision = { kind: 'deny', why: 'a rule denies it' };
const ask: Decision = { kind: 'ask', why: 'it writes', always: [] };
const askByRule: Decision = { ...ask, isByRule: true };
const hookSays = (decision: 'allow' | 'ask' | 'deny', more: Partial<HookVerdict> = {}): Partial<HookVerdict> => ({
  permission: { decision, reason: 'the hook says so' },
  ...more,
});
const yes: Approval = { kind: 'allow' };
const no: Approval = { kind: 'deny', message: 'no', isInterrupt: false };

const cases: readonly (readonly [title: string, said: Said, decision: string, isAsked: boolean])[] = [
  ['a rule that allows', {}, 'run {"file":"a"}', false],
  ['a rule that denies', { rules: () => deny }, 'permission', false],
  ['a hook that allows what a rule denies', { hook: hookSays('allow'), rules: () => deny }, 'permission', false],
  [
    'a hook that allows what would be asked for',
    { hook: hookSays('allow'), rules: () => ask },
    'run {"file":"a"}',
    false,
  ],
  [
    'a hook that allows what an ask rule wants to be asked for, as in 2.1.325',
    { hook: hookSays('allow'), rules: () => askByRule, person: no },
    'permission',
    true,
  ],
  ['a hook that denies what a rule allows', { hook: hookSays('deny') }, 'hook', false],
  ['a hook that asks about what a rule allows', { hook: hookSays('ask'), person: no }, 'permission', true],
  ['a hook that blocks and allows', { hook: hookSays('allow', { blocked: 'no' }) }, 'hook', false],
  ['a hook that stops the turn', { hook: { stop: 'enough' } }, 'stop', false],
  ['the user agrees', { rules: () => ask, person: yes }, 'run {"file":"a"}', true],
  ['the user refuses', { rules: () => ask, person: no }, 'permission', true],
  [
    'the user changes the input',
    { rules: () => ask, person: { ...yes, input: { file: 'c' } } },
    'run {"file":"c"}',
    true,
  ],
  [
    'an input of the person that does not fit',
    { rules: () => ask, person: { ...yes, input: { bad: 1 } } },
    'input',
    true,
  ],
  ['an input of a hook that does not fit', { hook: { updatedInput: { bad: 1 } } }, 'hook', false],
];

for (const [title, said, decision, isAsked] of cases)
  test(`permission of a call: ${title}`, async () => {
    assert.deepEqual(await permit(said), [decision, isAsked]);
  });

test('the rules judge the input after a hook changed it', async () => {
  const rules = ({ file }: JsonObject): Decision => (file === 'b' ? deny : allow);
  assert.deepEqual(await permit({ hook: { updatedInput: { file: 'b' } }, rules }), ['permission', false]);
  const others = ({ file }: JsonObject): Decision => (file === 'a' ? deny : allow);
  assert.deepEqual(await permit({ hook: { updatedInput: { file: 'b' } }, rules: others }), ['run {"file":"b"}', false]);
});
