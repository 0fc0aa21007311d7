// A fake Claude Code for tests: it prints a version, and for each session that it knows it posts the
// given messages to ANTHROPIC_BASE_URL. It writes its environment and its process id to a file next to itself.
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type JsonObject, type JsonValue, parseJson } from '../../src/base/json/json.ts';
import { probeSessions } from '../../src/doctor/client-probe/probe-sessions.ts';
import { recordings } from '../interop/recordings.ts';

export interface FakeClient {
  readonly path: string;
  /** What it wrote in its last run. */
  readonly noted: () =>
    | { readonly pid: number; readonly cwd: string; readonly env: Readonly<Record<string, string>> }
    | undefined;
}

export interface FakeClientOptions {
  readonly version: string;
  /** By session: what it sends instead of the recording of client 2.1.325; `null`: it refuses. */
  readonly instead?: Readonly<Record<string, JsonValue>>;
  /** It sends nothing and never ends. */
  readonly hangs?: boolean;
}

export function writeFakeClient(
  folder: string,
  { version, instead = {}, hangs = false }: FakeClientOptions,
): FakeClient {
  const recorded = parseJson(readFileSync(path.join(recordings, 'probe/2.1.325.json'), 'utf8')) as JsonObject;
  const answers = probeSessions().map(({ name, transcript }) => {
    const messages = name in instead ? instead[name] : recorded[name];
    if (messages === undefined) throw new Error(`nothing is recorded for ${name}`);
    return [transcript, messages];
  });
  const program = path.join(folder, 'claude');
  const notes = path.join(folder, 'notes.json');
  writeFileSync(path.join(folder, 'answers.json'), JSON.stringify(answers));
  writeFileSync(program, script({ version, hangs, notes, answers: path.join(folder, 'answers.json') }));
  chmodSync(program, 0o755);
  return {
    path: program,
    noted: () => {
      try {
        return JSON.parse(readFileSync(notes, 'utf8')) as ReturnType<FakeClient['noted']>;
      } catch {
        return undefined;
      }
    },
  };
}

function script(values: { version: string; hangs: boolean; notes: string; answers: string }): string {
  return `#!/usr/bin/env node
const { readFileSync, readdirSync, writeFileSync, renameSync } = require('node:fs');
const path = require('node:path');
const { version, hangs, notes, answers } = ${JSON.stringify(values)};
if (process.argv.includes('--version')) {
  console.log(version + ' (Claude Code)');
  process.exit(0);
}
writeFileSync(notes + process.pid, JSON.stringify({ pid: process.pid, cwd: process.cwd(), env: process.env }));
renameSync(notes + process.pid, notes);
if (hangs) setInterval(() => {}, 1000);
else {
  const projects = path.join(process.env.HOME, '.claude/projects');
  const folder = path.join(projects, readdirSync(projects)[0]);
  const id = process.argv[process.argv.indexOf('--resume') + 1];
  const transcript = readFileSync(path.join(folder, id + '.jsonl'), 'utf8');
  const [, messages] = JSON.parse(readFileSync(answers, 'utf8')).find(([known]) => known === transcript);
  if (messages === null) {
    console.error('No conversation found');
    process.exit(1);
  }
  const body = JSON.stringify({ model: 'm', max_tokens: 9, tools: [{ name: 'Read', input_schema: { type: 'object' } }], messages });
  const headers = { 'content-type': 'application/json', 'x-api-key': 'k', 'anthropic-version': '2023-06-01' };
  fetch(process.env.ANTHROPIC_BASE_URL + '/v1/messages', { method: 'POST', headers, body }).catch(() => {});
}
`;
}
