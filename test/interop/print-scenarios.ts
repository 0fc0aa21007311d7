// The runs whose printed messages are compared with the client's and with the SDK's types.
import type { ScriptBlock } from './mock-reply.ts';
import { bash, type PrintScenario, say } from './print-streams.ts';

const all = '--dangerously-skip-permissions';
const schema = JSON.stringify({ type: 'object', properties: { n: { type: 'number' } }, required: ['n'] });
const output = (input: ScriptBlock['input']): ScriptBlock => ({ type: 'tool_use', name: 'StructuredOutput', input });
const agent: ScriptBlock = {
  type: 'tool_use',
  name: 'Agent',
  // The client starts sub-agents in the background by default.
  input: { description: 'look', prompt: '[[sub]] go', subagent_type: 'general-purpose', run_in_background: false },
};
const hook = (command: string) => [{ hooks: [{ type: 'command', command }] }];

export const printScenarios: Readonly<Record<string, PrintScenario>> = {
  plain: { prompts: ['[[s]]'], scripts: { s: [{ blocks: [say('Hello.')] }] } },
  tools: {
    prompts: ['[[s]]'],
    args: [all],
    scripts: {
      s: [
        { blocks: [say('Look.'), bash('echo hi')] },
        { blocks: [{ type: 'tool_use', name: 'Write', input: { file_path: 'new.txt', content: 'x\n' } }] },
        { blocks: [bash('exit 3')] },
        { blocks: [{ type: 'tool_use', name: 'NoSuchTool', input: {} }] },
        { blocks: [say('Done.')] },
      ],
    },
  },
  'parallel calls': {
    prompts: ['[[s]]'],
    args: [all],
    scripts: { s: [{ blocks: [bash('echo a'), bash('echo b')] }, { blocks: [say('Done.')] }] },
  },
  thinking: {
    prompts: ['[[s]]'],
    scripts: { s: [{ blocks: [{ type: 'thinking', thinking: 'Hm.', signature: 'c2ln' }, say('Done.')] }] },
  },
  'sub-agent': {
    prompts: ['[[s]]'],
    args: [all],
    scripts: {
      s: [{ blocks: [agent] }, { blocks: [say('Both.')] }],
      sub: [{ blocks: [say('Hm.'), bash('echo sub')] }, { blocks: [say('Report.')] }],
    },
  },
  'sub-agent with text': {
    prompts: ['[[s]]'],
    args: [all, '--forward-subagent-text'],
    scripts: {
      s: [{ blocks: [agent] }, { blocks: [say('Both.')] }],
      sub: [{ blocks: [say('Hm.'), bash('echo sub')] }, { blocks: [say('Report.')] }],
    },
  },
  'error after retries': {
    prompts: ['[[s]]'],
    env: { CLAUDE_CODE_MAX_RETRIES: '2', CLEW_MAX_RETRIES: '2' },
    scripts: { s: [{ status: 529, errorType: 'overloaded_error', message: 'Overloaded' }] },
  },
  'no permission for the API': {
    prompts: ['[[s]]'],
    scripts: { s: [{ status: 403, errorType: 'permission_error', message: 'no' }] },
  },
  'max turns': {
    prompts: ['[[s]]'],
    args: [all, '--max-turns', '2'],
    scripts: {
      s: [{ blocks: [bash('echo 1'), bash('echo 1b')] }, { blocks: [bash('echo 2')] }, { blocks: [say('x')] }],
    },
  },
  budget: {
    prompts: ['[[s]]'],
    args: [all, '--max-budget-usd', '0.001'],
    scripts: { s: [{ blocks: [bash('echo 1')] }, { blocks: [say('x')] }] },
  },
  refusal: {
    prompts: ['[[s]]'],
    scripts: { s: [{ blocks: [say('I cannot')], stopReason: 'refusal' }] },
  },
  'permission denied': {
    prompts: ['[[s]]'],
    scripts: { s: [{ blocks: [bash('mkdir one')] }, { blocks: [say('ok')] }] },
  },
  'output limit': {
    prompts: ['[[s]]'],
    scripts: { s: [{ blocks: [say('half')], stopReason: 'max_tokens' }, { blocks: [say('rest')] }] },
  },
  'partial messages': {
    prompts: ['[[s]]'],
    args: [all, '--include-partial-messages'],
    scripts: { s: [{ blocks: [say('Say'), bash('echo a')] }, { blocks: [say('Done.')] }] },
  },
  'several prompts, replayed': {
    prompts: ['[[s]]', '[[t]]'],
    args: ['--replay-user-messages'],
    scripts: { s: [{ blocks: [say('one')] }], t: [{ blocks: [say('two')] }] },
  },
  'interrupt in a call': {
    prompts: ['[[s]]'],
    args: [all],
    interruptOn: /"name":"Bash"/,
    scripts: { s: [{ blocks: [say('Running.'), bash('sleep 20')] }, { blocks: [say('x')] }] },
  },
  'json schema': {
    prompts: ['[[s]]'],
    args: ['--json-schema', schema],
    scripts: { s: [{ blocks: [output({ n: 'x' })] }, { blocks: [output({ n: 4 })] }, { blocks: [say('x')] }] },
  },
  'json schema, never matched': {
    prompts: ['[[s]]'],
    args: ['--json-schema', schema],
    scripts: { s: [{ blocks: [output({ n: 'x' })] }] },
  },
  'local commands': {
    prompts: ['[[s]]', '/cost', '/context', '/model sonnet', '/compact', '/help', '/clear', '[[t]]'],
    scripts: { s: [{ blocks: [say('one')] }], t: [{ blocks: [say('two')] }] },
  },
  'prompt blocked by a hook': {
    prompts: ['[[s]]'],
    settings: { hooks: { UserPromptSubmit: hook('echo no >&2; exit 2') } },
    scripts: { s: [{ blocks: [say('x')] }] },
  },
  'stop hook': {
    prompts: ['[[s]]'],
    settings: { hooks: { Stop: hook('[ -e once ] || { touch once; echo again >&2; exit 2; }') } },
    scripts: { s: [{ blocks: [say('one')] }, { blocks: [say('two')] }] },
  },
};
