// Sessions for tests of exports: written to a temporary folder, read as an export reads them.
import path from 'node:path';
import type { TestContext } from 'node:test';
import { type ExportSource, exportSource } from '../../src/export/source/source.ts';
import { loadSource } from '../../src/surgery/engine/plan.ts';
import { redactorFor } from '../../src/surgery/redact/session-redactor.ts';
import { temporaryFolder, writeTree } from '../support/temp-folder.ts';

export const sessionId = '3f2b8c1e-0000-4000-8000-000000000001';

export async function sourceOf(file: string, isPlain = false): Promise<ExportSource> {
  const source = await loadSource(file);
  return exportSource(source.session, isPlain ? undefined : redactorFor([source]));
}

/** `files`: side files, named by their path in the project folder. */
export async function sourceFrom(
  context: TestContext,
  text: string,
  files: Readonly<Record<string, string>> = {},
): Promise<ExportSource> {
  const folder = temporaryFolder(context);
  writeTree(folder, { [`${sessionId}.jsonl`]: text, ...files });
  return sourceOf(path.join(folder, `${sessionId}.jsonl`));
}

export async function textFrom(chunks: AsyncIterable<string> | Iterable<string>): Promise<string> {
  const parts: string[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  return parts.join('');
}
