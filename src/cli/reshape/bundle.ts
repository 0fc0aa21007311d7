// clew bundle SESSION… -o FILE: sessions in one file for another machine.
import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import { exitCodes, UserError } from '../../base/errors/index.ts';
import { jsonText } from '../../base/json/index.ts';
import { counted, formatBytes, neutralise } from '../../base/text/index.ts';
import { type LeftOutFile, type Manifest, type WrittenBundle, writeBundle } from '../../surgery/bundle/index.ts';
import type { Source } from '../../surgery/engine/index.ts';
import { type FoundSecret, redactorFor } from '../../surgery/redact/index.ts';
import type { CommandInput } from '../command/index.ts';
import { rulesArgument } from '../input/index.ts';
import { neededFlag, sourceArgument } from '../operation/index.ts';
import { writeOut } from '../terminal/index.ts';

export async function run(input: CommandInput): Promise<void> {
  const { flags, io, words } = input;
  const file = path.resolve(io.cwd, neededFlag(input, 'output', 'FILE'));
  if (existsSync(file)) throw new UserError(`${file} already exists`, 'choose another file', exitCodes.refused);
  const sources = new Map<string, Source>();
  for (const word of words) {
    const source = await sourceArgument({ ...input, argument: word }, { isChange: false });
    sources.set(source.session.files.main, source);
  }
  const isDryRun = flags['dry-run'] === true;
  const redactor = flags['no-redact'] === true ? undefined : redactorFor([...sources.values()], rulesArgument(input));
  const manifest = await writeBundle(file, [...sources.values()], {
    isDryRun,
    keepsAll: flags['all-files'] === true,
    ...(redactor === undefined ? {} : { redact: redactor.redact, renameFile: redactor.renameFile }),
  });
  const after = isDryRun ? undefined : statSync(file).size;
  const text =
    flags.json === true
      ? `${jsonText(bundleJson(file, manifest, after), 2)}\n`
      : bundleText(file, manifest, after, redactor?.list() ?? []);
  await writeOut([flags.json === true ? text : neutralise(text)], io);
}

function bundleJson(file: string, manifest: WrittenBundle, after: number | undefined): object {
  return {
    operation: 'bundle',
    written: after !== undefined,
    path: file,
    redacted: manifest.isRedacted,
    sessions: manifest.sessions.map(({ sessionId, title, files }) => ({
      sessionId,
      title: title ?? null,
      files: files.length,
    })),
    notes: manifest.notes,
    leftOut: manifest.leftOut.map((each) => leftOutJson(each)),
    sizeBytes: { before: rawSize(manifest), after: after ?? null },
  };
}

function leftOutJson({ file, reason, isByChoice }: LeftOutFile): object {
  return { file, reason, allFilesIncludes: isByChoice };
}

function bundleText(
  file: string,
  manifest: WrittenBundle,
  after: number | undefined,
  secrets: readonly FoundSecret[],
): string {
  const count = manifest.sessions.reduce((sum, { files }) => sum + files.length, 0);
  const size = `${formatBytes(rawSize(manifest))}${after === undefined ? '' : ` → ${formatBytes(after)}`}`;
  const lines = [
    `${after === undefined ? 'would bundle' : 'bundled'} ${counted(manifest.sessions.length, 'session')} into ${file}`,
    `  ${counted(count, 'file')}, ${size}`,
    manifest.isRedacted
      ? `  ${counted(secrets.length, 'secret')} removed; passwords in plain words are not found, so check the file before you send it`
      : '  nothing was redacted: the file contains the sessions as they are',
    ...manifest.notes.map((note) => `  ${note}`),
    ...(after === undefined ? [] : [`  import: clew import ${path.basename(file)}`]),
  ];
  return `${lines.join('\n')}\n`;
}

function rawSize({ sessions }: Manifest): number {
  return sessions.flatMap(({ files }) => files).reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
}
