// Machines that push to a store: each with its own state, configuration and sessions, as the command would find them.
import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { IndexHandle, listSessions, type ReadSummaries, updateRows } from '../../src/library/index/index.ts';
import { loadPrices, UsageStore } from '../../src/library/usage/index.ts';
import { PriceList } from '../../src/models/index.ts';
import { usualRuleSet } from '../../src/surgery/secrets/index.ts';
import { type CollectContext, loadStoreKey, localSessions, rulesVersion } from '../../src/team/collect/index.ts';
import { readTeamConfig } from '../../src/team/config/index.ts';
import { openTarget, type PushOptions, pushFolder } from '../../src/team/push/index.ts';
import type { Endable } from '../support/after-test.ts';
import { temporaryFolder, writeTree } from '../support/temp-folder.ts';
import { toolResult, toolUse, transcript } from '../support/transcript-builder.ts';

export interface Machine {
  readonly home: string;
  readonly root: string;
  readonly env: Readonly<Record<string, string>>;
  /** Writes `team.json`. */
  share(config: object): void;
  /** Writes files below `projects`. */
  write(files: Readonly<Record<string, string | Buffer>>): void;
  /** The path of a file below `projects`. */
  file(name: string): string;
}

export interface MachineOptions {
  readonly name?: string;
  /** By path below `projects`. */
  readonly files?: Readonly<Record<string, string | Buffer>>;
  /** The level of everything. */
  readonly level?: string;
}

/** `address`: of the store, for its person. */
export function machineOf(
  context: Endable,
  address: string,
  { name = 'laptop', files = {}, level }: MachineOptions = {},
): Machine {
  const folder = temporaryFolder(context);
  const [home, root] = [path.join(folder, 'state'), path.join(folder, 'root')];
  mkdirSync(home);
  const machine: Machine = {
    home,
    root,
    env: { CLEW_HOME: home, CLEW_ROOTS: root, CLEW_MACHINE: name, CLEW_STORE: address },
    share: (config) => writeFileSync(path.join(home, 'team.json'), JSON.stringify(config)),
    write: (tree) => writeTree(path.join(root, 'projects'), tree),
    file: (below) => path.join(root, 'projects', below),
  };
  mkdirSync(path.join(root, 'projects'), { recursive: true });
  machine.write(files);
  if (level !== undefined) machine.share({ level });
  return machine;
}

/** Runs `work` with what the command would give to a push of this machine. */
export async function withLocalPush<T>(
  { env, root }: Pick<Machine, 'env' | 'root'>,
  work: (options: PushOptions) => Promise<T>,
): Promise<T> {
  const folder = env.CLEW_HOME ?? '';
  const config = readTeamConfig(env);
  const address = config.store ?? '';
  const index = new IndexHandle({ folder });
  try {
    return await index.work((database) => {
      const roots = [root];
      const summaries: ReadSummaries = new Map();
      updateRows(database, { roots, summaries });
      const { sessions: listed } = listSessions(database, { roots, summaries });
      const usage = new UsageStore({ folder, roots });
      usage.update({ prices: new PriceList(loadPrices(env)) });
      const ruleSet = usualRuleSet(folder);
      const context: CollectContext = {
        database,
        machine: config.machine,
        key: loadStoreKey(pushFolder(env)),
        rules: { ruleSet, version: rulesVersion(ruleSet, '') },
        nowMs: Date.now(),
      };
      const sessions = localSessions({ database, roots, listed, usage, summaries });
      const patienceMs = 120_000;
      return work({
        env,
        config,
        address,
        sessions,
        context,
        patienceMs,
        openTarget: () => openTarget(address, config),
      });
    });
  } finally {
    index.close();
  }
}

/** What a small session has, by its own lines. */
export interface SmallSession {
  readonly name: string;
  readonly text: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly messages: number;
  readonly calls: number;
  readonly prompts: number;
}

/** One to four turns, each with an answer and a tool call; `random` is from 0 to 1. */
export function smallSession(random: () => number, cwd: string): SmallSession {
  const id = randomUUID();
  const lines: object[] = [];
  const sums = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, messages: 0, calls: 0, prompts: 0 };
  const startMs = Date.parse('2026-02-20T00:00:00Z') + Math.floor(random() * 40 * 86_400_000);
  const below = (limit: number): number => 1 + Math.floor(random() * limit);
  let parentUuid: string | null = null;
  const add = (type: string, message: object): void => {
    const uuid = randomUUID();
    const timestamp = new Date(startMs + lines.length * 60_000).toISOString();
    lines.push({
      parentUuid,
      isSidechain: false,
      cwd,
      sessionId: id,
      version: '2.1.80',
      type,
      message,
      uuid,
      timestamp,
    });
    parentUuid = uuid;
  };
  for (let turn = below(4); turn > 0; turn--) {
    const call = `toolu_${randomUUID().replaceAll('-', '')}`;
    const usage = { input_tokens: below(500), output_tokens: below(3000), cache_read_input_tokens: below(90_000) };
    add('user', { role: 'user', content: `do number ${turn}` });
    add('assistant', {
      id: `msg_${randomUUID()}`,
      type: 'message',
      role: 'assistant',
      model: ['claude-sonnet-4-5-20250929', 'claude-opus-4-5-20251101'][below(2) - 1],
      content: [{ type: 'tool_use', id: call, name: 'Read', input: { file_path: `${cwd}/a.ts` } }],
      stop_reason: 'tool_use',
      usage,
    });
    add('user', { role: 'user', content: [{ type: 'tool_result', tool_use_id: call, content: 'text' }] });
    sums.inputTokens += usage.input_tokens;
    sums.outputTokens += usage.output_tokens;
    sums.cacheReadTokens += usage.cache_read_input_tokens;
    sums.messages++;
    sums.calls++;
    sums.prompts++;
  }
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  return { name: `${cwd.replaceAll('/', '-')}/${id}.jsonl`, text, ...sums };
}

/** A session with a word of its own in every place that has text. */
export function canarySession(): {
  readonly files: Readonly<Record<string, string>>;
  readonly canaries: readonly string[];
} {
  const id = '11111111-1111-4111-a111-111111111111';
  const text = transcript({ cwd: '/home/dev/CANARY-cwd', gitBranch: 'CANARY-branch', slug: 'CANARY-slug' })
    .user('CANARY-prompt')
    .assistant([
      { type: 'thinking', thinking: 'CANARY-thinking', signature: 'CANARY-signature' },
      { type: 'text', text: 'CANARY-answer' },
      toolUse('t1', 'Bash', { command: 'CANARY-command', description: 'CANARY-description' }),
      toolUse('t2', 'Read', { file_path: '/home/dev/CANARY-file' }),
    ])
    .user([toolResult('t1', 'CANARY-output'), toolResult('t2', 'CANARY-content', { is_error: true })], {
      toolUseResult: { stdout: 'CANARY-stdout' },
    })
    .system('informational', { content: 'CANARY-note' })
    .attachment('file', ['CANARY-attachment'])
    .aside('custom-title', { customTitle: 'CANARY-title' })
    .aside('tag', { tag: 'CANARY-tag' })
    .aside('pr-link', { prUrl: 'https://CANARY-link/1', prNumber: 1, prRepository: 'CANARY/repository' })
    .queue('enqueue', 'CANARY-queued')
    .aside('CANARY-type', { anything: 'CANARY-anything' })
    .text();
  const agent = transcript({ isSidechain: true, agentId: 'a1' }).user('CANARY-task').assistant('CANARY-report').text();
  const folder = '-home-dev-CANARY-cwd';
  const files = {
    [`${folder}/${id}.jsonl`]: text,
    [`${folder}/${id}/subagents/agent-a1.jsonl`]: agent,
    [`${folder}/${id}/subagents/agent-a1.meta.json`]: '{"description":"CANARY-meta"}',
    [`${folder}/${id}/tool-results/CANARY-name.txt`]: 'CANARY-stored',
    [`${folder}/CANARY-session.jsonl`]: text.replaceAll(id, 'CANARY-session'),
  };
  return {
    files,
    canaries: [
      ...new Set(
        Object.values(files)
          .join('\n')
          .match(/CANARY[-/]\w+/g),
      ),
    ],
  };
}
