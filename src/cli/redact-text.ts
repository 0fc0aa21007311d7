// Secrets that were found, without their values → a table of kinds and places, and what to do with each kind.
import path from 'node:path';
import type { JsonObject } from '../base/json.ts';
import type { Session } from '../session/session.ts';
import { turnsOf } from '../session/turns.ts';
import type { RedactedSecret } from '../surgery/redact.ts';
import { counted } from './wording.ts';

export function secretsText(secrets: readonly RedactedSecret[], main: string, session?: Session): string {
  if (secrets.length === 0) return '';
  const turns = session === undefined ? new Map<number, number>() : turnsByLine(session);
  const width = Math.max(...secrets.map(({ placeholder }) => placeholder.length));
  const rows = secrets.map(
    ({ placeholder, count, places }) =>
      `    ${placeholder.padEnd(width)}  ${counted(count, 'place')}: ${placesText(places, main, turns)}`,
  );
  const kinds = new Map(secrets.map(({ kind, rotate }) => [kind, rotate]));
  const rotate = [...kinds].map(([kind, how]) => `    ${kind}: ${how}`);
  return `${['  found:', ...rows, '  rotate, because they were sent to the model:', ...rotate].join('\n')}\n`;
}

export function secretJson({ kind, placeholder, count, rotate, places }: RedactedSecret): JsonObject {
  return { kind, placeholder, count, rotate, places: places.map(({ file, line }) => ({ file, line })) };
}

function turnsByLine(session: Session): Map<number, number> {
  return new Map(turnsOf(session).flatMap((turn, i) => turn.nodes.map((node): [number, number] => [node.line, i + 1])));
}

/** `lines 3, 9 (turns 1, 2); tool-results/a.txt line 1`, the first few of each. */
function placesText(places: RedactedSecret['places'], main: string, turns: ReadonlyMap<number, number>): string {
  const byFile = new Map<string, number[]>();
  for (const { file, line } of places) byFile.set(file, [...(byFile.get(file) ?? []), line]);
  const texts = [...byFile].map(([file, lines]) => {
    const name = file === main ? '' : `${nameOf(file, main)} `;
    const said = file === main ? [...new Set(lines.flatMap((line) => turns.get(line) ?? []))] : [];
    return `${name}${listed('line', lines)}${said.length === 0 ? '' : ` (${listed('turn', said)})`}`;
  });
  return firstOf(texts, '; ');
}

function nameOf(file: string, main: string): string {
  const side = main.replace(/\.jsonl$/, '');
  if (file.startsWith(`${side}${path.sep}`)) return path.relative(side, file);
  const root = path.dirname(path.dirname(path.dirname(main)));
  return file.startsWith(`${root}${path.sep}`) ? path.relative(root, file) : file;
}

function listed(word: string, numbers: readonly number[]): string {
  return `${word}${numbers.length === 1 ? '' : 's'} ${firstOf(numbers.map(String), ', ')}`;
}

const most = 6;

function firstOf(texts: readonly string[], joint: string): string {
  return texts.length <= most ? texts.join(joint) : `${texts.slice(0, most).join(joint)}${joint}…`;
}
