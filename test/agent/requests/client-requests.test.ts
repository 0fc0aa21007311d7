// Every recorded request of client 2.1.325 (record-requests.ts in test/interop) against what Clew sends for the same
// model, flags, variables and settings.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { readRequestWish, wishedFields } from '../../../src/agent/loop/request-wish.ts';
import type { ModelRequest } from '../../../src/api/client/model.ts';
import { requestBody, requestHeaders } from '../../../src/api/client/request-body.ts';
import { EndpointFeatures } from '../../../src/api/client/request-features.ts';
import { bindingBeta } from '../../../src/api/request/thinking-prefix.ts';
import { modelOptions } from '../../../src/cli/input/model-options.ts';
import {
  type ClientHost,
  type RecordedRequest,
  type Recording,
  type RequestSetting,
  requestSettings,
  type SentFields,
} from './request-settings.ts';
import { sentFields } from './sent-fields.ts';

const recording = JSON.parse(
  readFileSync(new URL('../../../../test/interop/recordings/requests.json', import.meta.url), 'utf8'),
) as Recording;

/** What Clew sends. */
function sentByClew(host: ClientHost, model: string, { args = [], env = {}, settings }: RequestSetting): SentFields {
  const flags: Record<string, string> = {};
  for (let i = 0; i < args.length; i += 2) flags[(args[i] ?? '').slice(2)] = args[i + 1] ?? '';
  const wish = readRequestWish(
    { ...modelOptions(flags), isInteractive: false },
    env,
    settings === undefined ? [] : [settings],
  );
  const request: ModelRequest = {
    model,
    system: ['one', 'two'],
    messages: [{ role: 'user', content: [{ type: 'text', text: 'hello' }] }],
    tools: [{ name: 'Read', description: 'reads', inputSchema: { type: 'object' } }],
    ...wishedFields(model, wish),
  };
  const features = new EndpointFeatures(env, host).of(model);
  return sentFields(requestBody(request, features), requestHeaders(request, features)['anthropic-beta'], model);
}

/** Betas of the client whose features Clew does not use. */
const unusedBetas: Readonly<Record<string, string>> = {
  'claude-code-20250219': 'names the client',
  'prompt-caching-scope-2026-01-05': 'shares the cached system prompt between users',
  'per-turn-control-2026-07-01': 'the name in the client for a change of the effort in a message',
  'mid-conversation-tool-changes-2026-07-01': 'Clew does not add tools in messages',
  'mid-conversation-system-clear-at-2026-08-21': 'Clew sends reminders as texts of the user',
  'thinking-token-count-2026-05-13': 'an estimate of the tokens while the model thinks',
  'advanced-tool-use-2025-11-20': 'Clew sends all tools',
  'cache-diagnosis-2026-04-07': 'a report on cache misses',
};

/** The fields that have to agree: the marks by their time to live, the betas that both may use. */
function comparable({ messageEffort: _, temperature: __, thinking, marks, betas, ...fields }: SentFields) {
  const { block_binding: ___, ...plain } = thinking ?? {};
  return {
    ...fields,
    thinking: thinking === undefined ? undefined : plain,
    cached: marks.length === 0 ? 'not' : marks.every((mark) => mark.includes('1h')) ? '1h' : '5m',
    // Clew asks for the report about thinking in the history even if the answer has none.
    betas: betas.filter((name) => !(name in unusedBetas) && (thinking !== undefined || name !== bindingBeta)),
  };
}

type Comparable = ReturnType<typeof comparable>;

/** The fields that a beta belongs to. Clew sends a beta only together with its field; the client often without. */
const fieldOfBeta: Readonly<Record<string, (sent: Comparable) => unknown>> = {
  'context-management-2025-06-27': (sent) => sent.context_management,
  'effort-2025-11-24': (sent) => sent.effort,
  'interleaved-thinking-2025-05-14': ({ thinking }) => thinking !== undefined && thinking.type !== 'disabled',
};

interface Difference {
  readonly reason: string;
  readonly isMeant: (model: string, setting: string) => boolean;
  readonly change: Partial<Comparable>;
}

const differences: readonly Difference[] = [
  {
    reason: 'the variable is documented for all models of the line; the client obeys it for the newest only',
    isMeant: (model, setting) => {
      const [, line = 'no line'] = /^DISABLE_PROMPT_CACHING_(\w+)=1$/.exec(setting) ?? [];
      return model.includes(`-${line.toLowerCase()}`);
    },
    change: { cached: 'not' },
  },
  {
    reason: 'the API gives this model 4096 tokens',
    isMeant: (model) => model === 'claude-3-sonnet-20240229',
    change: { max_tokens: 4096 },
  },
  {
    reason: 'the model always thinks; the client does not know that it does, and leaves the field out',
    isMeant: (model, setting) => model === 'claude-mythos-5' && setting === 'MAX_THINKING_TOKENS=0',
    change: {
      thinking: { type: 'adaptive', display: 'omitted' },
      context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
      betas: [
        'context-management-2025-06-27',
        'effort-2025-11-24',
        'interleaved-thinking-2025-05-14',
        'thinking-binding-controls-2026-08-01',
      ],
    },
  },
];

function expected({ host, model, sent: recorded }: RecordedRequest, setting: string): Comparable {
  const sent = comparable(recorded);
  const more = differences.filter(({ isMeant }) => isMeant(model, setting)).map(({ change }) => change);
  const betas = sent.betas.filter((name) => fieldOfBeta[name]?.(sent) ?? name in fieldOfBeta === false);
  // A name with this mark asks for the long context; the client knows which models have it anyway.
  const long = model.endsWith('[1m]') ? ['context-1m-2025-08-07'] : [];
  const all = Object.assign({ ...sent, betas: [...new Set([...betas, ...long])].sort() }, ...more) as Comparable; // same fields
  return { ...all, betas: all.betas.filter((name) => host === 'anthropic' || name !== bindingBeta) };
}

for (const host of ['anthropic', 'gateway'] as const)
  test(`requests to ${host} are those of client ${recording.client}`, () => {
    // The client replaces models that it no longer offers; Clew asks for the model that the user names.
    const rows = recording.requests.filter((row) => row.host === host && row.sent.model === undefined);
    const cells = rows.flatMap((row) => row.settings.map((setting) => ({ row, setting })));
    assert.ok(cells.length > 20, `only ${cells.length} cells`);
    const wrong = cells.flatMap(({ row, setting }) => {
      const clew = comparable(sentByClew(host, row.model, requestSettings[setting] ?? {}));
      const client = expected(row, setting);
      const keys = [...new Set([...Object.keys(client), ...Object.keys(clew)])] as (keyof Comparable)[]; // own keys
      return keys
        .filter((key) => !isDeepStrictEqual(client[key], clew[key]))
        .map(
          (key) => `${row.model}, ${setting}: ${key} ${JSON.stringify(client[key])}, not ${JSON.stringify(clew[key])}`,
        );
    });
    assert.equal(wrong.join('\n'), '');
  });
