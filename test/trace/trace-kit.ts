// What the tests of tracing share: transcripts as files, and all spans that any number of runs make of them.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { type AgentLookup, findAgentTranscripts, noAgents } from '../../src/trace/read/agents.ts';
import { type ReadTurnsOptions, readTurns, type TraceCursor } from '../../src/trace/read/cursor.ts';
import type { TraceSpan } from '../../src/trace/span/span.ts';
import type { SpanContext } from '../../src/trace/spans/conversation-spans.ts';
import { looseAgentSpans, spansOfTurn } from '../../src/trace/spans/spans.ts';
import { corpusFolder } from '../support/corpus.ts';
import { filesBelow } from '../support/paths.ts';
import { temporaryFolder, writeTree } from '../support/temp-folder.ts';

export function writeLines(folder: string, lines: readonly object[], name = 'sess1.jsonl'): string {
  const file = path.join(folder, name);
  writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  return file;
}

/** The spans of a whole file in one run. */
export function spansOf(
  file: string,
  options: ReadTurnsOptions = {},
  context: Partial<SpanContext> = {},
): readonly TraceSpan[] {
  const { turns } = readTurns(file, undefined, { isOver: true, ...options });
  return turns.flatMap((turn) => spansOfTurn(turn, { sessionId: turn.sessionId, agents: noAgents, ...context }));
}

/** All spans of a session, with its sub-agents, started or not. */
export async function allSpansOf(file: string): Promise<readonly TraceSpan[]> {
  const agents = await findAgentTranscripts(file);
  const spans = spansOf(file, {}, { agents });
  const started = new Set(spans.flatMap(({ detail }) => (detail.kind === 'subagent' ? [detail.agentId] : [])));
  const loose = looseAgentSpans(agents, started, { sessionId: path.basename(file, '.jsonl'), agents });
  return [...spans, ...loose.flatMap((each) => each.spans)];
}

export interface Run {
  /** How much of the file there is. */
  readonly bytes: number;
  readonly options: ReadTurnsOptions;
}

/** The spans of several runs over a file that grows between them; the cursor goes through JSON, as on disk. */
export function spansOfRuns(
  file: string,
  copy: string,
  runs: readonly Run[],
  agents: AgentLookup,
): readonly TraceSpan[] {
  const content = readFileSync(file);
  let cursor: TraceCursor | undefined;
  const spans: TraceSpan[] = [];
  for (const { bytes, options } of runs) {
    writeFileSync(copy, content.subarray(0, bytes));
    const read = readTurns(copy, cursor, { sessionId: 's', ...options });
    cursor = JSON.parse(JSON.stringify(read.cursor)) as TraceCursor;
    for (const turn of read.turns) spans.push(...spansOfTurn(turn, { sessionId: 's', agents }));
  }
  return spans;
}

/** As lines that can be compared, whatever the order in which they were made. */
export function sorted(spans: readonly TraceSpan[]): readonly string[] {
  return spans.map((span) => JSON.stringify(span)).sort();
}

/** The main transcripts of the corpora. */
export function corpusTranscripts(): readonly string[] {
  return filesBelow(path.join(corpusFolder, 'corpus'), '.jsonl').filter(
    (file) =>
      !/agent[-_]|_agent\.|journal\.jsonl$|_home|_history|hook-events/.test(
        path.relative(corpusFolder, file).split('/').slice(-1)[0] ?? '',
      ),
  );
}

/** Files named by their path; the main transcript is `main.jsonl`, whose path comes back. */
export function writeSession(context: TestContext, files: Readonly<Record<string, string>>): string {
  const folder = temporaryFolder(context);
  writeTree(folder, files);
  return path.join(folder, 'main.jsonl');
}

/** The first hex digits of a SHA-256, which is what the ids of traces and spans are (docs/tracing.md). */
export function hash(content: string, length: number): string {
  return createHash('sha256').update(content).digest('hex').slice(0, length);
}
