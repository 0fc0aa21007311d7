// Sessions, a home and tracers for tests of delivery.
import { spawn } from 'node:child_process';
import path from 'node:path';
import { text as readText } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { JsonObject } from '../../src/base/json/json.ts';
import { readTraceConfig } from '../../src/trace/config/config.ts';
import { createTraceContext, type TraceContext } from '../../src/trace/session/context.ts';
import type { SessionRun } from '../../src/trace/session/trace-session.ts';
import type { TracerTask } from '../trace/tracer.ts';
import { cleanEnv } from './clew.ts';
import { assistant, toolResult, toolUse, user } from './session-text.ts';
import { temporaryFolder } from './temp-folder.ts';

/** The environment of a tracer that sends OTLP JSON to `url`. */
export function traceEnv(
  home: string,
  url: string,
  more: Readonly<Record<string, string>> = {},
): Record<string, string> {
  return {
    ...cleanEnv(),
    HOME: home,
    CLEW_HOME: path.join(home, 'clew'),
    CLEW_TRACE_ENDPOINT: url,
    CLEW_TRACE_PROFILE: 'langfuse',
    CLEW_TRACE_FORMAT: 'json',
    ...more,
  };
}

export function contextFor(env: Readonly<Record<string, string>>): TraceContext {
  return createTraceContext(env, readTraceConfig(env));
}

export function homeFor(context: TestContext): string {
  return temporaryFolder(context);
}

/** A turn with a tool call, as lines for `sessionText`: a prompt, a call, its result, an answer. */
export function toolTurn(id: string, prompt = `prompt ${id}`): readonly JsonObject[] {
  return [
    user(prompt),
    assistant([toolUse(`toolu_${id}`, 'Read', { file_path: `/w/${id}` })], {
      message: { id: `msg_${id}a`, stop_reason: 'tool_use' },
    }),
    user([toolResult(`toolu_${id}`, `content of ${id}`)]),
    assistant(`answer ${id}`, { message: { id: `msg_${id}b` } }),
  ];
}

export function runOf(file: string, atEnd: SessionRun['atEnd'] = 'turn'): SessionRun {
  return { file, sessionId: path.basename(file, '.jsonl'), atEnd, endMs: undefined, fromStart: false };
}

export interface TracerEnd {
  /** `undefined` where it was killed. */
  readonly steps: number | undefined;
  readonly stderr: string;
}

export async function runTracer(env: Readonly<Record<string, string>>, task: TracerTask): Promise<TracerEnd> {
  const program = fileURLToPath(new URL('../trace/tracer.js', import.meta.url));
  const child = spawn(process.execPath, [program, JSON.stringify(task)], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise<NodeJS.Signals | number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve(signal ?? code));
  });
  const [end, stdout, stderr] = await Promise.all([ended, readText(child.stdout), readText(child.stderr)]);
  if (end === 'SIGKILL') return { steps: undefined, stderr };
  if (end !== 0) throw new Error(`the tracer ended with ${end}: ${stderr.slice(0, 2000)}`);
  return { steps: Number(stdout), stderr };
}
