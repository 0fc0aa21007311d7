// The examples of the Agent SDK's documentation, each with the script of the model.
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { JsonObject } from '../../src/base/json/json.ts';
import { type Example, say, typed, use } from './sdk-run.ts';

const touch = (file: string) => use('Bash', { command: `touch ${file}`, description: 'make it' });
const echo = (text: string) => use('Bash', { command: `echo ${text}`, description: 'say it' });
const calls = (...blocks: ReturnType<typeof use>[]) => ({ blocks });
const answers = (text: string) => ({ blocks: [say(text)] });

type Hook = (input: JsonObject) => Promise<JsonObject>;

export const examples: Readonly<Record<string, Example>> = {
  'quick start': {
    scripts: { fix: [calls(use('Write', { file_path: 'a.txt', content: 'hi' })), answers('done')] },
    run: async ({ ask }) => {
      await ask('go [[fix]]', { allowedTools: ['Read', 'Write'], permissionMode: 'acceptEdits' });
    },
  },
  'system prompts': {
    run: async ({ ask }) => {
      await ask('hello', { systemPrompt: 'You are a pirate' });
      await ask('hello', { systemPrompt: { type: 'preset', preset: 'claude_code', append: 'Be short.' } });
    },
  },
  'streaming input': {
    run: async ({ start, keep }) => {
      let release = (): void => undefined;
      const first = new Promise<void>((resolve) => {
        release = resolve;
      });
      async function* prompts(): AsyncGenerator<JsonObject> {
        yield typed('one');
        await first;
        yield typed('two');
      }
      for await (const message of start(prompts())) {
        keep(message);
        if (message.type === 'result') release();
      }
    },
  },
  'permissions: canUseTool': {
    scripts: { can: [calls(touch('a')), calls(touch('b')), answers('done')] },
    run: async ({ ask, note, project }) => {
      await ask('go [[can]]', {
        canUseTool: async (name: string, input: JsonObject, { toolUseID }: { toolUseID: string }) => {
          note(`${name} ${input.command} ${toolUseID.startsWith('toolu_')}`);
          return input.command === 'touch a'
            ? { behavior: 'allow', updatedInput: { ...input, command: 'touch changed' } }
            : { behavior: 'deny', message: 'not this one' };
        },
      });
      note(['a', 'b', 'changed'].filter((file) => existsSync(path.join(project, file))).join());
    },
  },
  'permissions: a refusal with interrupt': {
    scripts: { stop: [calls(touch('a')), answers('never')] },
    run: async ({ ask }) => {
      await ask('go [[stop]]', { canUseTool: async () => ({ behavior: 'deny', message: 'stop', interrupt: true }) });
    },
  },
  'permissions: nobody to ask': {
    scripts: { rule: [calls(touch('a')), answers('done')] },
    run: async ({ ask }) => {
      await ask('go [[rule]]');
    },
  },
  'questions of the model': {
    scripts: {
      question: [
        calls(
          use('AskUserQuestion', {
            questions: [
              {
                question: 'Which?',
                header: 'Pick',
                multiSelect: false,
                options: [
                  { label: 'A', description: 'a' },
                  { label: 'B', description: 'b' },
                ],
              },
            ],
          }),
        ),
        answers('done'),
      ],
    },
    run: async ({ ask, note }) => {
      await ask('go [[question]]', {
        canUseTool: async (name: string, input: JsonObject) => {
          note(name);
          return { behavior: 'allow', updatedInput: { ...input, answers: { 'Which?': 'B' } } };
        },
      });
    },
  },
  hooks: {
    scripts: { hook: [calls(echo('one')), calls(touch('guarded')), answers('done')] },
    run: async ({ ask, note, project }) => {
      const seen =
        (name: string, answer: Hook = async () => ({})): Hook =>
        async (input) => {
          note(`${name} ${input.hook_event_name} ${input.tool_name ?? ''}`);
          return answer(input);
        };
      const guard: Hook = async ({ tool_input }) =>
        JSON.stringify(tool_input).includes('guarded')
          ? {
              hookSpecificOutput: {
                hookEventName: 'PreToolUse',
                permissionDecision: 'deny',
                permissionDecisionReason: 'no',
              },
            }
          : {};
      await ask('go [[hook]]', {
        allowedTools: ['Bash'],
        hooks: {
          UserPromptSubmit: [{ hooks: [seen('prompt')] }],
          PreToolUse: [
            { matcher: 'Bash', hooks: [seen('guard', guard)] },
            { matcher: 'Write', hooks: [seen('never')] },
          ],
          PostToolUse: [{ hooks: [seen('after')] }],
          Stop: [{ hooks: [seen('stop')] }],
        },
      });
      note(`guarded: ${existsSync(path.join(project, 'guarded'))}`);
    },
  },
  'hooks: a guard that throws, and one that is late': {
    scripts: { bad: [calls(touch('made')), answers('done')] },
    run: async ({ ask, note, project }) => {
      const broken: Hook = async () => {
        throw new Error('broken');
      };
      const late: Hook = () => new Promise((resolve) => setTimeout(() => resolve({}), 4000));
      for (const [name, matcher] of [
        ['late', { timeout: 1, hooks: [late] }],
        ['blocks', { onFailure: 'block', hooks: [broken] }],
        ['continues', { hooks: [broken] }],
      ] as const) {
        await ask('go [[bad]]', { allowedTools: ['Bash'], hooks: { PreToolUse: [matcher] } });
        note(`${name}: ${existsSync(path.join(project, 'made'))}`);
      }
    },
  },
  'MCP in process': {
    scripts: {
      sum: [calls(use('mcp__calc__add', { a: 1, b: 2 })), calls(use('mcp__calc__fail', {})), answers('done')],
    },
    run: async ({ ask, sdk, z, note }) => {
      const add = sdk.tool('add', 'Adds', { a: z.number(), b: z.number() }, async ({ a, b }) => {
        note(`add ${a} ${b}`);
        return { content: [{ type: 'text', text: String(Number(a) + Number(b)) }] };
      });
      const fail = sdk.tool('fail', 'Fails', {}, async () => {
        throw new Error('kaputt');
      });
      const calc = sdk.createSdkMcpServer({ name: 'calc', version: '1.0.0', tools: [add, fail] });
      await ask('go [[sum]]', { mcpServers: { calc }, allowedTools: ['mcp__calc__add', 'mcp__calc__fail'] });
    },
  },
  'sub-agents': {
    scripts: {
      main: [
        calls(
          use('Agent', {
            description: 'look',
            prompt: 'work [[sub]]',
            subagent_type: 'helper',
            run_in_background: false,
          }),
        ),
        answers('done'),
      ],
      sub: [calls(echo('sub')), answers('sub done')],
    },
    run: async ({ ask }) => {
      const helper = { description: 'helps', prompt: 'You help', tools: ['Bash'] };
      await ask('go [[main]]', { agents: { helper }, allowedTools: ['Bash', 'Agent'] });
    },
  },
  'sub-agents: their text, and a call that a guard refuses': {
    scripts: {
      main: [
        calls(
          use('Agent', {
            description: 'look',
            prompt: 'work [[sub]]',
            subagent_type: 'helper',
            run_in_background: false,
          }),
        ),
        answers('done'),
      ],
      sub: [calls(touch('guarded')), answers('sub done')],
    },
    run: async ({ ask, note, project }) => {
      const helper = { description: 'helps', prompt: 'You help', tools: ['Bash'] };
      const guard: Hook = async ({ agent_type }) => {
        note(`guard ${agent_type}`);
        return {
          hookSpecificOutput: {
            hookEventName: 'PreToolUse',
            permissionDecision: 'deny',
            permissionDecisionReason: 'no',
          },
        };
      };
      const messages = await ask('go [[main]]', {
        agents: { helper },
        allowedTools: ['Bash', 'Agent'],
        forwardSubagentText: true,
        hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [guard] }] },
      });
      const denials = messages.at(-1)?.permission_denials;
      note(`denied ${Array.isArray(denials) ? denials.length : ''}, made ${existsSync(path.join(project, 'guarded'))}`);
    },
  },
  'sub-agents in the background': {
    scripts: {
      main: [
        calls(
          use('Agent', {
            description: 'look',
            prompt: 'work [[sub]]',
            subagent_type: 'helper',
            run_in_background: true,
          }),
        ),
        answers('started'),
        answers('seen'),
      ],
      // Slow, so that the first turn has ended.
      sub: [{ blocks: [say('first'), echo('sub')], delayMs: 700 }, answers('sub done')],
    },
    run: async ({ ask }) => {
      const helper = { description: 'helps', prompt: 'You help', tools: ['Bash'] };
      await ask('go [[main]]', { agents: { helper }, allowedTools: ['Bash', 'Agent'] });
    },
  },
  'sub-agents: one that a guard does not let start': {
    scripts: {
      main: [
        calls(use('Agent', { description: 'look', prompt: 'work', subagent_type: 'helper', run_in_background: false })),
        answers('done'),
      ],
    },
    run: async ({ ask, note }) => {
      const helper = { description: 'helps', prompt: 'You help', tools: ['Bash'] };
      const guard: Hook = async () => ({ decision: 'block', reason: 'no' });
      const hooks = { PreToolUse: [{ matcher: 'Task', hooks: [guard] }] };
      const messages = await ask('go [[main]]', { agents: { helper }, allowedTools: ['Agent'], hooks });
      note(JSON.stringify(messages.at(-1)?.permission_denials).replace(/toolu_\w+/, 'ID'));
    },
  },
  'hooks: what a guard cannot do, and answers that are wrong': {
    scripts: { touch: [calls(touch('made')), answers('done')] },
    run: async ({ ask, note, project }) => {
      const specific =
        (more: JsonObject, hookEventName = 'PreToolUse'): Hook =>
        async () => ({ hookSpecificOutput: { hookEventName, ...more } });
      const tries: readonly (readonly [string, JsonObject, Hook])[] = [
        ['an ask rule', { ask: ['Bash(touch *)'] }, specific({ permissionDecision: 'allow' })],
        ['another event', { allow: ['Bash'] }, specific({ permissionDecision: 'deny' }, 'Stop')],
        ['a text', { allow: ['Bash'] }, async () => 'deny' as unknown as JsonObject],
      ];
      for (const [name, permissions, guard] of tries) {
        await ask('go [[touch]]', { settings: { permissions }, hooks: { PreToolUse: [{ hooks: [guard] }] } });
        note(`${name}: ${existsSync(path.join(project, 'made'))}`);
      }
    },
  },
  'hooks: the input of every event of a turn': {
    scripts: { both: [calls(echo('one'), use('Bash', { command: 'exit 3', description: 'fail' })), answers('done')] },
    run: async ({ ask, note }) => {
      const seen: string[] = [];
      const hook: Hook = async (input) => {
        seen.push(`${input.hook_event_name}: ${Object.keys(input).sort().join(' ')}`);
        return {};
      };
      const events = 'UserPromptSubmit PreToolUse PostToolUse PostToolUseFailure PostToolBatch Stop'.split(' ');
      await ask('go [[both]]', {
        allowedTools: ['Bash'],
        hooks: Object.fromEntries(events.map((event) => [event, [{ hooks: [hook] }]])),
      });
      // The calls run at the same time.
      for (const each of seen.sort()) note(each);
    },
  },
  'hooks: a Stop hook that ends everything': {
    run: async ({ ask, note }) => {
      const messages = await ask('hello', { hooks: { Stop: [{ hooks: [async () => ({ continue: false })] }] } });
      note(String(messages.at(-1)?.terminal_reason));
    },
  },
  'sessions: continue where there is none': {
    run: async ({ ask, note }) => {
      note(String((await ask('hello', { continue: true })).at(-1)?.subtype));
    },
  },
  'hooks: the end of a turn': {
    scripts: { end: [calls(echo('one')), answers('done')] },
    run: async ({ ask, note }) => {
      const messages = await ask('go [[end]]', {
        allowedTools: ['Bash'],
        hooks: { PostToolUse: [{ hooks: [async () => ({ continue: false, stopReason: 'enough' })] }] },
      });
      note(String(messages.at(-1)?.terminal_reason));
      let blocks = 0;
      const once: Hook = async () => (blocks++ === 0 ? { decision: 'block', reason: 'not yet' } : {});
      await ask('hello', { hooks: { Stop: [{ hooks: [once] }] } });
    },
  },
  'permissions: a rule that asks, in bypass mode': {
    scripts: { rule: [calls(touch('a')), answers('done')] },
    run: async ({ ask, note, project }) => {
      await ask('go [[rule]]', {
        permissionMode: 'bypassPermissions',
        allowDangerouslySkipPermissions: true,
        settings: { permissions: { ask: ['Bash(touch *)'] } },
        canUseTool: async (name: string) => {
          note(name);
          return { behavior: 'deny', message: 'no' };
        },
      });
      note(String(existsSync(path.join(project, 'a'))));
    },
  },
  'sessions: resume and fork': {
    run: async ({ ask, note }) => {
      const idOf = (messages: readonly JsonObject[]) =>
        String(messages.find(({ type }) => type === 'result')?.session_id);
      const first = idOf(await ask('one'));
      const again = idOf(await ask('two', { resume: first }));
      const fork = idOf(await ask('three', { resume: first, forkSession: true }));
      const continued = idOf(await ask('four', { continue: true }));
      note(`resumed ${again === first}, forked ${fork !== first}, continued ${continued !== ''}`);
    },
  },
  'structured output': {
    scripts: { shape: [calls(use('StructuredOutput', { a: 5 })), answers('done')] },
    run: async ({ ask, note }) => {
      const schema = { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] };
      const messages = await ask('go [[shape]]', { outputFormat: { type: 'json_schema', schema } });
      note(JSON.stringify(messages.at(-1)?.structured_output ?? null));
    },
  },
  'cost tracking': {
    scripts: { cost: [calls(echo('one')), answers('done')] },
    run: async ({ ask, note }) => {
      const messages = await ask('go [[cost]]', { allowedTools: ['Bash'] });
      const { total_cost_usd, usage } = messages.at(-1) ?? {};
      const { input_tokens, output_tokens } = (usage ?? {}) as JsonObject; // a result has it
      note(`${Number(total_cost_usd).toFixed(4)} ${input_tokens} ${output_tokens}`);
    },
  },
  'methods of the query': {
    scripts: { edit: [calls(use('Write', { file_path: 'x.txt', content: 'hi' })), answers('done')] },
    run: async ({ start, keep, note, project }) => {
      const id = '11111111-1111-4111-8111-111111111111';
      let release = (): void => undefined;
      const over = new Promise<void>((resolve) => {
        release = resolve;
      });
      async function* prompts(): AsyncGenerator<JsonObject> {
        yield typed('go [[edit]]', { uuid: id });
        await over;
      }
      const query = start(prompts(), { permissionMode: 'acceptEdits', enableFileCheckpointing: true });
      for await (const message of query) {
        keep(message);
        if (message.type !== 'result') continue;
        note(
          `models ${(await query.supportedModels()).map(({ value, resolvedModel }) => `${value}=${resolvedModel}`)}`,
        );
        note(`account ${(await query.accountInfo()).apiKeySource}`);
        note(`servers ${(await query.mcpServerStatus()).length}`);
        note(`commands ${Array.isArray(await query.supportedCommands())}`);
        note(`context ${(await query.getContextUsage({ detail: 'summary' })).maxTokens}`);
        await query.setModel('sonnet');
        await query.setPermissionMode('plan');
        note(`bypass ${await query.setPermissionMode('bypassPermissions').then(String, () => 'refused')}`);
        const { canRewind, insertions, deletions } = await query.rewindFiles(id, { dryRun: true });
        note(`preview ${canRewind} ${insertions} ${deletions} ${existsSync(path.join(project, 'x.txt'))}`);
        note(`rewind ${(await query.rewindFiles(id)).canRewind} ${existsSync(path.join(project, 'x.txt'))}`);
        release();
      }
    },
  },
};
