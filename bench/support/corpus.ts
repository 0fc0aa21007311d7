// Generates the transcripts of the benchmarks: deterministic, with the shapes and proportions of real sessions (tool
// results and their twins are most of the bytes, text is full of escapes, a few lines are very long). All text is
// generated.
import { createHash } from 'node:crypto';
import { closeSync, existsSync, mkdirSync, openSync, renameSync, statSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

export interface CorpusPlan {
  readonly sessions: number;
  readonly linesPerSession: number;
  readonly bytesPerLine: number;
}

/** The folder of a corpus, a root for `--root`; generated on first use and kept for later runs. */
export function corpusFolder(name: string, plan: CorpusPlan): string {
  const root = path.join(
    tmpdir(),
    'clew-bench',
    `${name}-${plan.sessions}-${plan.linesPerSession}-${plan.bytesPerLine}`,
  );
  if (existsSync(root)) return root;
  const making = `${root}.making`;
  for (let session = 0; session < plan.sessions; session++) writeSession(making, session, plan);
  renameSync(making, root);
  return root;
}

export function corpusFiles(root: string, plan: CorpusPlan): readonly string[] {
  return Array.from({ length: plan.sessions }, (_, session) => sessionPath(root, session));
}

export function sizeMb(files: readonly string[]): number {
  return files.reduce((sum, file) => sum + statSync(file).size, 0) / 1e6;
}

function sessionPath(root: string, session: number): string {
  return path.join(root, 'projects', `-home-ada-project-${session % 7}`, `${uuid(`session ${session}`)}.jsonl`);
}

function writeSession(root: string, session: number, plan: CorpusPlan): void {
  const file = sessionPath(root, session);
  mkdirSync(path.dirname(file), { recursive: true });
  const out = openSync(file, 'w');
  let pending = '';
  for (const line of sessionLines(session, plan)) {
    pending += `${line}\n`;
    if (pending.length < 1 << 20) continue;
    writeSync(out, pending);
    pending = '';
  }
  writeSync(out, pending);
  closeSync(out);
}

/** Turns of a prompt, four calls with their results, and an answer: ten lines. */
function* sessionLines(session: number, plan: CorpusPlan): Generator<string> {
  const sessionId = uuid(`session ${session}`);
  const cwd = `/home/ada/project-${session % 7}`;
  let parentUuid: string | null = null;
  let time = Date.UTC(2026, 0, 1 + (session % 28));
  for (let i = 0; i < plan.linesPerSession; i++) {
    const own = uuid(`${session} ${i}`);
    time += 700;
    const envelope = {
      parentUuid,
      isSidechain: false,
      userType: 'external',
      cwd,
      sessionId,
      version: '2.1.45',
      gitBranch: 'main',
    };
    const tail = { uuid: own, timestamp: new Date(time).toISOString() };
    yield JSON.stringify({ ...envelope, ...body(session, i, plan.bytesPerLine), ...tail });
    parentUuid = own;
  }
}

function body(session: number, i: number, bytes: number): object {
  const step = i % 10;
  const id = `${session}_${i - (step === 0 ? 0 : 1)}`;
  if (step === 0) return { type: 'user', message: { role: 'user', content: prose(i, 240) } };
  if (step === 9) return answer(id, { type: 'text', text: prose(i, bytes / 2) }, 'end_turn');
  if (step % 2 === 1) {
    const input = { file_path: `/home/ada/project/src/part-${i}.ts` };
    return answer(
      `${session}_${i}`,
      { type: 'tool_use', id: `toolu_${session}_${i}`, name: 'Read', input },
      'tool_use',
    );
  }
  // Results contain the same text twice, as in real files; every fiftieth is very long.
  const text = source(i, i % 50 === 2 ? bytes * 20 : bytes / 2);
  const block = { tool_use_id: `toolu_${session}_${i - 1}`, type: 'tool_result', content: text };
  return {
    type: 'user',
    message: { role: 'user', content: [block] },
    toolUseResult: { type: 'text', file: { filePath: '/home/ada/project/src/part.ts', content: text, numLines: 40 } },
  };
}

function answer(id: string, block: object, stopReason: string): object {
  const usage = {
    input_tokens: 4,
    cache_creation_input_tokens: 310,
    cache_read_input_tokens: 18_000,
    cache_creation: { ephemeral_5m_input_tokens: 310, ephemeral_1h_input_tokens: 0 },
    output_tokens: 180,
    service_tier: 'standard',
  };
  const message = { id: `msg_${id}`, type: 'message', role: 'assistant', model: 'claude-sonnet-4-5-20250929' };
  const rest = { content: [block], stop_reason: stopReason, stop_sequence: null, usage };
  return { type: 'assistant', message: { ...message, ...rest }, requestId: `req_${id}` };
}

// An escaped quote every two hundred bytes or so, as measured in published transcripts: quotes slow down a scanner that
// jumps from quote to quote.
const sentences = [
  'The keeper lights the lamp before dusk and writes the hour into the log. ',
  'Nothing in the table says why the second column is wider than the first. ',
  'Run the tests again, then look at the one that fails "only sometimes". ',
  '灯台の光は霧の日にこそ役に立つ。',
];
const code = [
  "    const width = options.width ?? '100%';\n",
  "    if (!entry.isVisible) return { ok: false, reason: 'hidden' };\n",
  '  }\n',
  '  /** Answers the pages that link here, newest first; drafts are left out unless they are asked for by name. */\n',
  '    const links = pages.filter((page) => page.links.some((link) => link.target === path)).sort(byDate);\n',
  '\tfor (const page of pages) index.set(page.path, { title: page.title, hash: hashOf(page.source), tags: page.tags });\n',
  '    throw new Error(["page", path, "is not in the index"].join(" "));\n',
];

function prose(seed: number, length: number): string {
  return fill(sentences, seed, length);
}

function source(seed: number, length: number): string {
  return fill(code, seed, length);
}

function fill(parts: readonly string[], seed: number, length: number): string {
  let text = '';
  for (let i = seed; text.length < length; i++) text += parts[(i * 7 + (i >> 3)) % parts.length];
  return text;
}

function uuid(name: string): string {
  const hex = createHash('sha256').update(name).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
