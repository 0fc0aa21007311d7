// Found secrets, without their values → a table of their kinds and places, with how to rotate each kind.
import path from 'node:path';
import type { JsonObject } from '../../base/json/index.ts';
import { counted } from '../../base/text/index.ts';
import type { Session } from '../../session/load/index.ts';
import { turnsOf } from '../../session/turns/index.ts';
import type { RedactedSecret } from '../../surgery/redact/index.ts';

export function secretsText(secrets: readonly RedactedSecret[], main: string, turns: TurnsByLine): string {
  if (secrets.length === 0) return '';
  const width = Math.max(...secrets.map(({ placeholder }) => placeholder.length));
  const rows = secrets.map(
    ({ placeholder, count, places }) =>
      `    ${placeholder.padEnd(width)}  ${counted(count, 'place')}: ${placesText(places, main, turns)}`,
  );
  return foundText(rows, secrets);
}

/** One row for each place, with an excerpt. */
export function findingsText(secrets: readonly RedactedSecret[], main: string, turns: TurnsByLine): string {
  const width = Math.max(...secrets.map(({ kind }) => kind.length));
  const rows = secrets.flatMap(({ kind, places }) => {
    const name = `    ${kind.padEnd(width)}  `;
    const shown = places.slice(0, most).map((place) => {
      return `${name}${placesText([place], main, turns)}: ${place.excerpt}`;
    });
    const left = places.length - shown.length;
    return left === 0 ? shown : [...shown, `${name}the same value in ${counted(left, 'more place')}: see --json`];
  });
  return foundText(rows, secrets);
}

function foundText(rows: readonly string[], secrets: readonly RedactedSecret[]): string {
  const kinds = new Map(secrets.map(({ kind, rotate }) => [kind, rotate]));
  const rotate = [...kinds].map(([kind, how]) => `    ${kind}: ${how}`);
  return `${['  found:', ...rows, '  rotate them, because they were sent to the model:', ...rotate].join('\n')}\n`;
}

export function secretsJson(secrets: readonly RedactedSecret[], main: string, turns: TurnsByLine): JsonObject[] {
  return secrets.map(({ kind, placeholder, count, rotate, places }) => ({
    kind,
    placeholder,
    count,
    rotate,
    places: places.map(({ file, line, excerpt }) => ({
      file,
      line,
      turn: (file === main ? turns.get(line) : undefined) ?? null,
      excerpt,
    })),
  }));
}

export type TurnsByLine = ReadonlyMap<number, number>;

/** The turn that each line of the main transcript is part of. */
export function turnsByLine(session: Session): TurnsByLine {
  return new Map(turnsOf(session).flatMap((turn, i) => turn.nodes.map((node): [number, number] => [node.line, i + 1])));
}

/** `lines 3, 9 (turns 1, 2); tool-results/a.txt line 1`, the first few of each. */
function placesText(places: RedactedSecret['places'], main: string, turns: TurnsByLine): string {
  const byFile = new Map<string, number[]>();
  for (const { file, line } of places) byFile.set(file, [...(byFile.get(file) ?? []), line]);
  const texts = [...byFile].map(([file, lines]) => {
    const name = file === main ? '' : `${nameOf(file, main)} `;
    const inTurns = file === main ? [...new Set(lines.flatMap((line) => turns.get(line) ?? []))] : [];
    return `${name}${lines[0] === 0 ? '(its name)' : listed('line', lines)}${inTurns.length === 0 ? '' : ` (${listed('turn', inTurns)})`}`;
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
