// Small transcripts for the tests of the reader.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { loadTranscript, type Transcript, type TranscriptOptions } from '../../src/session/transcript/transcript.ts';
import { temporaryFolder } from '../support/temp-folder.ts';

export const record = (uuid: string, text = 'hi'): string =>
  `{"parentUuid":null,"sessionId":"s","type":"user","message":{"role":"user","content":"${text}"},"uuid":"${uuid}","timestamp":"2026-01-03T10:00:00.000Z"}`;

export const u1: string = record('u1');
export const u2: string = record('u2');
export const u3: string = record('u3');

export function load(context: TestContext, content: string | Buffer, options?: TranscriptOptions): Transcript {
  const file = path.join(temporaryFolder(context), 'session.jsonl');
  writeFileSync(file, content);
  return loadTranscript(file, options);
}

export const size: number = u1.length;
