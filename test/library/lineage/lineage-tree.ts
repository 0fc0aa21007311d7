// A root with one small tree of transcripts for each way in which a session can come from another one.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type Fields, type TranscriptBuilder, transcript } from '../../support/transcript-builder.ts';

/** `id('a', 1)`: the first session of family `a`. */
export function id(family: string, n: number): string {
  return `${family.padEnd(8, '0')}-0000-4000-8000-${String(n).padStart(12, '0')}`;
}

let uuids = 0;

/** Uuids and answers of their own, unlike those of the builder, which are the same in every transcript. */
export function talk(session: string, prompts: readonly string[], fields: Fields = {}): TranscriptBuilder {
  const builder = transcript({ sessionId: session, ...fields });
  builder.after(++uuids * 60_000);
  for (const [i, prompt] of prompts.entries()) {
    builder.user(prompt, { uuid: `u${uuids}-${i}` });
    builder.assistant(`done ${i}`, { uuid: `a${uuids}-${i}`, message: { id: `msg_${uuids}_${i}` } });
  }
  return builder;
}

/** The lines of `from`, as a copy has them, and then more. */
export function copyOf(from: TranscriptBuilder, session: string, change: Fields, more: readonly string[] = []): string {
  const copied = from.entries.map((entry) => JSON.stringify({ ...entry, ...change }));
  const own = more.length === 0 ? [] : talk(session, more).entries.map((entry) => JSON.stringify(entry));
  return [...copied, ...own, ''].join('\n');
}

export class Root {
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
  }

  fileOf(session: string, slug = '-home-dev-widgets'): string {
    return path.join(this.folder, 'projects', slug, `${session}.jsonl`);
  }

  add(session: string, text: string | TranscriptBuilder, slug?: string): void {
    const file = this.fileOf(session, slug);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, typeof text === 'string' ? text : text.text());
  }

  addJob(job: string, state: object): void {
    const folder = path.join(this.folder, 'jobs', job);
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, 'state.json'), JSON.stringify(state));
  }
}
