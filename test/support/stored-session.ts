// A session as it is pushed, with a row in every table of its level. Each level has a word of its own, which a test searches for.
import { Buffer } from 'node:buffer';
import type { LevelNumber, SessionRows } from '../../src/team/contract/index.ts';

export interface StoredSessionOptions {
  readonly id: string;
  /** Letters only: `marybob` gives `marybobmetrics`, `marybobtitle`, `marybobtext`, `marybobcopy` and `marybobfile`. */
  readonly word: string;
  readonly level?: LevelNumber;
  readonly machine?: string;
  /** ISO, in UTC. */
  readonly at?: string;
  readonly contentKey?: string;
}

export function storedSession(options: StoredSessionOptions): SessionRows {
  const {
    id,
    word,
    level = 4,
    machine = 'laptop',
    at = '2026-03-04T05:06:07.000Z',
    contentKey = `key ${level}`,
  } = options;
  const time = Date.parse(at);
  const month = `${at.slice(0, 7)}-01`;
  const from = <T>(lowest: LevelNumber, ...rows: readonly T[]): readonly T[] => (level >= lowest ? rows : []);
  const pack = (isOriginal: boolean, text: string): SessionRows['packs'][number] => ({
    isOriginal,
    nth: 0,
    chunk: 0,
    name: `${id}.jsonl`,
    sizeBytes: text.length,
    sha256: 'sum',
    mode: 0o600,
    mtimeMs: time,
    codec: 'none',
    data: Buffer.from(text),
  });
  return {
    head: {
      sessionId: id,
      baseId: id,
      machine,
      level,
      contentKey,
      month,
      months: [month],
      mainBytes: 10,
      mainSha256: `main ${contentKey}`,
      rules: level >= 3 ? 'rules 1' : null,
      startedAt: at,
      endedAt: at,
      projectHash: `${word}metrics`,
      facts: { turns: 1 },
    },
    cells: [
      {
        quarter: Math.floor(time / 900_000),
        model: 'm',
        isFast: false,
        isLowerBound: false,
        messages: 1,
        inputTokens: 100,
        outputTokens: 10,
        cacheReadTokens: 0,
        cacheWrite5mTokens: 0,
        cacheWrite1hTokens: 0,
        costMicroUsd: 5,
      },
    ],
    calls: [{ callKey: `${word}metrics`, name: 'Read', calledAt: time, isError: false }],
    prompts: [{ promptKey: `${word}metrics`, typedAt: time, isCopy: false }],
    titles: from(2, {
      title: `${word}title`,
      cwd: `/${word}title`,
      path: `/${word}title/x`,
      facts: { tag: `${word}title` },
    }),
    callPaths: from(2, { nth: 0, calledAt: time, touched: `${word}title.ts` }),
    documents: from(3, {
      agent: '',
      line: 1,
      kind: 'prompt',
      part: 0,
      saidAt: time,
      tool: null,
      uuid: null,
      // Long enough for a table of its own (TOAST).
      text: `${word}text ${unlikeItself(4000)}`,
      words: `'${word}text':1`,
      tokens: 1,
      facts: null,
    }),
    exchanges: from(3, {
      agent: '',
      line: 1,
      firstLine: 1,
      endLine: 2,
      saidAt: time,
      words: `'p${word}text':1`,
      tokens: [1, 0, 0, 0, 0],
      facts: null,
    }),
    packs: [...from(3, pack(false, `${word}copy`)), ...from(4, pack(true, `${word}file`))],
  };
}

/** Text that compression does not shorten. */
function unlikeItself(length: number): string {
  let state = 1;
  return Array.from({ length }, () => {
    state = (state * 48_271) % 2_147_483_647;
    return String.fromCharCode(33 + (state % 90));
  }).join('');
}
