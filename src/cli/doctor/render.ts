// A diagnosis → text for the terminal: a verdict, how much a resume loads, a picture of the chain, and the findings,
// worst first, each with its place, its effect and its repair.

import { counted, formatCount, neutralise, oneLine } from '../../base/text/index.ts';
import {
  damageClasses,
  type Finding,
  isSevere,
  type Segment,
  type Severity,
  severities,
} from '../../doctor/checks/index.ts';
import type { Diagnosis } from '../../doctor/diagnosis/index.ts';
import { isRepairable } from '../../doctor/repair/index.ts';
import { clientsWithout } from '../../session/resume/client/index.ts';
import { leftAfterCompaction } from '../../session/resume/request/index.ts';
import { hanging, wrapSpans } from '../render/index.ts';
import type { Paint, Style } from '../terminal/index.ts';

export interface DoctorTextOptions {
  readonly style: Style;
  readonly width: number;
  /** The width of lines that are cut, not wrapped. */
  readonly cutWidth: number;
  readonly title: string | undefined;
}

export function diagnosisText(diagnosis: Diagnosis, options: DoctorTextOptions): string {
  const { style, cutWidth, title } = options;
  const parts = [
    `${style.heading(oneLine(title ?? '(untitled)', cutWidth))}\n${style.muted(oneLine(diagnosis.sessionId, cutWidth))}`,
    verdict(diagnosis, options),
    picture(diagnosis, options),
    ...grouped(diagnosis.findings)
      .slice(0, maxShown)
      .map((group) => findingText(group, diagnosis, options)),
    footer(diagnosis, options),
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

const maxShown = 40;

export function severityPaint(style: Style, severity: Severity): Paint {
  switch (severity) {
    case 'fatal':
    case 'loss':
      return style.error;
    case 'warn':
      return style.yellow;
    case 'info':
      return style.muted;
  }
  severity satisfies never;
}

/** `2 losses, 1 warning`. */
function tally(findings: readonly Pick<Finding, 'severity'>[]): string {
  const words: Readonly<Record<Severity, readonly [string, string]>> = {
    fatal: ['fatal finding', 'fatal findings'],
    loss: ['loss', 'losses'],
    warn: ['warning', 'warnings'],
    info: ['note', 'notes'],
  };
  const parts = severities.flatMap((severity) => {
    const count = findings.filter((finding) => finding.severity === severity).length;
    return count === 0 ? [] : [counted(count, ...words[severity])];
  });
  return parts.join(', ');
}

function verdict(diagnosis: Diagnosis, { style, width }: DoctorTextOptions): string {
  const { findings, reachable, reachableOld } = diagnosis;
  const [worst] = findings;
  const isBad = worst !== undefined && isSevere(worst);
  const mark = isBad ? '✗' : worst?.severity === 'warn' ? '!' : '✓';
  const paint = isBad ? style.error : worst?.severity === 'warn' ? style.yellow : style.ok;
  const counts = findings.length === 0 ? '' : ` (${tally(findings)})`;
  const said = hanging(`${verdictWords(diagnosis)}${counts}`, { mark, width, paintMark: paint, paint });
  const now = `A resume loads ${loadedText(reachable)}`;
  const before =
    reachableOld.loaded === reachable.loaded
      ? `so do ${clientsWithout('followsFileOrder')}`
      : `${clientsWithout('followsFileOrder')} load ${formatCount(reachableOld.loaded)}`;
  const text = `${now}; ${before}.${compactionText(diagnosis)}`;
  const loads = wrapSpans([{ text, paint: (each) => each }], width).map((line) => line.text);
  return reachable.of === 0 ? said : [said, '', ...loads].join('\n');
}

function compactionText({ compactsFirst }: Diagnosis): string {
  if (compactsFirst === null) return '';
  const { tokens, limit } = compactsFirst;
  const size = `about ${formatCount(tokens)} tokens, over its limit of ${formatCount(limit)}`;
  return ` The client will compact it first (${size}): what is left is ${leftAfterCompaction}.`;
}

function loadedText({ loaded, of }: Diagnosis['reachable']): string {
  const all = counted(of, 'entry', 'entries');
  return loaded === of ? `all of its ${all}` : `${formatCount(loaded)} of its ${all}`;
}

function verdictWords({ findings, reachable }: Diagnosis): string {
  const worst = findings[0]?.severity;
  if (findings.some(({ code }) => code === 'F-empty')) return 'There is no conversation in it';
  if (worst === 'fatal') {
    return findings[0]?.code === 'G-refused' ? 'Claude Code does not resume it' : 'Every request of it is rejected';
  }
  if (worst === 'loss') {
    return reachable.loaded < reachable.of ? 'A resume loses a part of it' : 'Something of it is left out';
  }
  if (worst === 'warn') return 'The current client resumes all of it; others may not';
  return findings.length === 0 ? 'Nothing is wrong with it' : 'Nothing is lost';
}

/** The chain from its beginning: one line per segment, with a bar as long as its share. */
function picture({ chain }: Diagnosis, { style, width }: DoctorTextOptions): string {
  if (chain.length === 0) return '';
  const most = Math.max(...chain.map((segment) => segment.entries));
  const room = width < 60 ? 6 : 12;
  const shown = chain.slice(0, maxShown);
  const lines = shown.flatMap((segment, i) => {
    const paint = segmentPaint(style, segment.kind);
    const filled = Math.max(1, Math.round((segment.entries / most) * room));
    const bar = segmentBar[segment.kind].repeat(filled).padEnd(room);
    const line = `  ${paint(bar)} ${oneLine(segmentText(segment), Math.max(8, width - room - 3))}`;
    const isCut = segment.kind === 'loaded' && shown[i - 1]?.kind === 'lost';
    return isCut ? [`  ${style.error('╳'.padEnd(room))} ${style.error('the chain breaks here')}`, line] : [line];
  });
  if (chain.length > shown.length) lines.push(style.muted(`  and ${formatCount(chain.length - shown.length)} more`));
  return lines.join('\n');
}

const segmentBar: Readonly<Record<Segment['kind'], string>> = { compacted: '·', loaded: '█', lost: '░', branch: '┆' };

function segmentPaint(style: Style, kind: Segment['kind']): Paint {
  if (kind === 'loaded') return style.ok;
  return kind === 'lost' ? style.error : style.muted;
}

function segmentText({ kind, entries, fromLine, toLine, beside }: Segment): string {
  const lines = fromLine === toLine ? `line ${fromLine}` : `lines ${fromLine}–${toLine}`;
  const offChain = beside === 0 ? '' : `, ${formatCount(beside)} of them not on the chain`;
  switch (kind) {
    case 'compacted':
      return `${counted(entries, 'line')} before the last compaction, ${lines}`;
    case 'loaded':
      return `${counted(entries, 'entry', 'entries')} loaded, ${lines}${offChain}`;
    case 'lost':
      return `${counted(entries, 'entry', 'entries')} not loaded, ${lines}`;
    case 'branch':
      return `another branch, ${counted(entries, 'line')}, ${lines}`;
  }
  kind satisfies never;
}

interface Group {
  readonly first: Finding;
  readonly others: readonly Finding[];
}

/** Findings of one kind and effect in one file are shown once. */
function grouped(findings: readonly Finding[]): readonly Group[] {
  const groups = new Map<string, { first: Finding; others: Finding[] }>();
  for (const finding of findings) {
    const key = `${finding.code} ${finding.severity} ${finding.file} ${finding.effect}`;
    const known = groups.get(key);
    if (known === undefined) groups.set(key, { first: finding, others: [] });
    else known.others.push(finding);
  }
  return [...groups.values()];
}

function findingText(
  { first, others }: Group,
  { path }: Diagnosis,
  { style, width, cutWidth }: DoctorTextOptions,
): string {
  const { code, severity, file, line, effect, fix } = first;
  const paint = severityPaint(style, severity);
  const place = [...(line === 0 ? [] : [`line ${line}`]), ...(file === path ? [] : [fileName(file)])].join(' of ');
  const head = `${severity.toUpperCase()} ${code}${place === '' ? '' : `, ${place}`}`;
  const more = others.length === 0 ? '' : `, and ${counted(others.length, 'place')} more like it`;
  const indent = 2;
  const say = (text: string, mark: string): string =>
    hanging(text, { mark, width: width - indent, paintMark: style.muted, paint: (each) => each }).replace(/^/gm, '  ');
  return [
    paint(oneLine(head, cutWidth)),
    say(`${whatIsWrong(first)}${more}`, '·'),
    say(effect, '→'),
    say(fix, '+'),
  ].join('\n');
}

/** A message about the line itself already says what the title says. */
function whatIsWrong({ code, line, message }: Finding): string {
  const { title } = damageClasses[code];
  if (message.startsWith('the line ')) return message.replace('the line', `line ${line}`);
  return message === title ? message : `${title}: ${message}`;
}

function fileName(file: string): string {
  return neutralise(file.split(/[\\/]/).at(-1) ?? file);
}

function footer(diagnosis: Diagnosis, { style, width }: DoctorTextOptions): string {
  const { findings, sessionId } = diagnosis;
  const groups = grouped(findings).length;
  const rest = groups > maxShown ? `${formatCount(groups - maxShown)} more findings: --json lists them all. ` : '';
  const id = sessionId.slice(0, 8);
  const next = findings.some(isSevere)
    ? `${findings.some(isRepairable) ? `\`clew doctor ${id} --fix\` repairs it; ` : ''}\`clew show ${id}\` shows all of it`
    : findings.some(({ code }) => code === 'F-expiring')
      ? '`clew archive` keeps a copy'
      : `\`claude --resume ${sessionId}\` continues it`;
  const text = findings.some(({ code }) => code === 'F-empty')
    ? `${rest}\`clew rm --empty\` deletes such files`
    : `${rest}${next}`;
  return wrapSpans([{ text, paint: style.muted }], width)
    .map((line) => line.text)
    .join('\n');
}
