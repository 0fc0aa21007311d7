// Shared by the commands that change sessions: load the SESSION arguments, run the plan, print the outcome.
import path from 'node:path';
import type { Violation } from '../../api/rules/index.ts';
import { UserError } from '../../base/errors/index.ts';
import { type JsonObject, jsonText } from '../../base/json/index.ts';
import { counted, formatBytes, formatCount, neutralise, shellQuote } from '../../base/text/index.ts';
import { cwdOf } from '../../session/load/index.ts';
import { refuseUnreadable, type SessionFileOptions } from '../../session/transcript/index.ts';
import {
  loadSource,
  type OperateOptions,
  type Outcome,
  operate,
  type Plan,
  type Source,
} from '../../surgery/engine/index.ts';
import { type CommandInput, textFlag } from '../command/index.ts';
import { findSessionArgument, type NameOptions, refuseAgent, rootsOf, spareMemoryFor } from '../input/index.ts';
import { shortOperation } from '../render/index.ts';
import { writeOut } from '../terminal/index.ts';
import { operationNotices } from './notices.ts';

export async function sourceArgument(
  input: CommandInput,
  { isChange, ...options }: Pick<SessionFileOptions, 'isOnlyRead'> & NameOptions = {},
): Promise<Source> {
  const file = await findSessionArgument(input, { isChange: isChange ?? options.isOnlyRead !== true });
  return sourceOf(file, { ...options, roots: rootsOf(input) });
}

export async function sourceOf(file: string, options: SessionFileOptions): Promise<Source> {
  spareMemoryFor(file);
  const source = await loadSource(file, options);
  refuseUnreadable(source.session.transcript);
  refuseAgent(source.session);
  return source;
}

export function neededFlag({ flags }: CommandInput, name: string, word: string): string {
  const value = textFlag(flags, name);
  if (value === undefined) throw new UserError(`--${name} ${word} is missing`, 'add it, or see `--help`');
  return value;
}

/** Runs the plan with the common flags (`--dry-run`, `--json`, `--portable`) and prints the outcome. */
export async function runPlan(
  input: CommandInput,
  plan: Plan,
  sources: readonly Source[],
  options: OperateOptions = {},
): Promise<Outcome> {
  const { flags, io } = input;
  const outcome = await operate(plan, sources, {
    ...options,
    ...operationNotices(io),
    isDryRun: flags['dry-run'] === true,
    isPortable: flags.portable === true,
  });
  await printOutcome(input, outcome, sources[0]);
  return outcome;
}

export async function printOutcome({ flags, io }: CommandInput, outcome: Outcome, source?: Source): Promise<void> {
  const text = flags.json === true ? `${jsonText(outcomeJson(outcome), 2)}\n` : outcomeText(outcome, source);
  await writeOut([flags.json === true ? text : neutralise(text)], io);
}

export function outcomeJson(outcome: Outcome): JsonObject {
  const { operation, id, isWritten, from, to, others, changed, dropped, proof, thinking, notes, sizeBytes } = outcome;
  const { reachable, before, pairs, violations, untouchedIdentical } = proof;
  return {
    operation,
    id: id ?? null,
    written: isWritten,
    from: { ...from },
    to: { ...to },
    others: others.map((place) => ({ ...place })),
    changed,
    dropped: dropped.map(({ file, line, uuid, reason }) => ({ file: file ?? null, line, uuid: uuid ?? null, reason })),
    proof: {
      reachable: { ...reachable },
      before: { ...before },
      pairs: { ...pairs },
      violations: violations.map(violationJson),
      untouchedIdentical,
    },
    thinking: { ...thinking },
    notes,
    sizeBytes: { ...sizeBytes },
  };
}

export function violationJson({ rule, status, message, messageIndex, blockIndex }: Violation): JsonObject {
  return { rule, status, message, messageIndex: messageIndex ?? null, blockIndex: blockIndex ?? null };
}

export function outcomeText(outcome: Outcome, source?: Source): string {
  const { from, to, proof, changed, dropped, isWritten, notes, sizeBytes } = outcome;
  const isSame = from.sessionId === to.sessionId && from.path === to.path;
  const target = isSame ? 'in place' : `→ ${targetText(outcome)}`;
  const lines = [
    `${isWritten ? '' : 'would '}${outcome.operation} ${from.sessionId.slice(0, 8)} ${target}`,
    `  ${counted(changed, 'line')} changed, ${formatCount(dropped.length)} dropped, ${sizeText(sizeBytes)}`,
    `  resuming ${outcome.others.length > 0 ? 'the first ' : ''}restores ${restoredText(proof)}`,
    `  ${pairsText(proof.pairs)}, untouched lines identical`,
    proof.violations.length === 0
      ? '  the API would accept it'
      : `  the API would reject it: ${proof.violations[0]?.message}`,
    ...reasonLines(dropped),
    ...notes.map((note) => `  ${note}`),
  ];
  if (isWritten) {
    const cwd = outcome.workingFolder ?? (source === undefined ? undefined : cwdOf(source.session));
    const enter = cwd === undefined ? '' : `cd ${shellQuote(cwd)} && `;
    lines.push(`  resume:  ${enter}claude --resume ${to.sessionId}`);
    if (outcome.id !== undefined) lines.push(`  undo:    clew undo ${shortOperation(outcome.id ?? '')}`);
  }
  return `${lines.join('\n')}\n`;
}

/** A session that only moved is described by its new folder. */
function targetText({ from, to, others }: Outcome): string {
  if (to.sessionId === from.sessionId) {
    const along = others.length === 0 ? '' : `, and ${counted(others.length, 'more session')}`;
    return `${path.dirname(to.path)}${along}`;
  }
  const made = [to, ...others].map(({ sessionId }) => sessionId);
  const more = made.length > 5 ? ` and ${made.length - 5} more` : '';
  return made.slice(0, 5).join(', ') + more;
}

function pairsText({ calls, answered }: Outcome['proof']['pairs']): string {
  if (calls === 0) return 'no tool calls';
  return answered === calls
    ? `${counted(calls, 'tool call')}, each answered`
    : `${formatCount(answered)} of ${counted(calls, 'tool call')} answered`;
}

function restoredText({ before, reachable: { loaded, of } }: Outcome['proof']): string {
  const messages =
    loaded === of && of > 1 ? `all ${counted(of, 'message')}` : `${formatCount(loaded)} of ${counted(of, 'message')}`;
  const isSame = before.loaded === loaded && before.of === of;
  return isSame ? messages : `${messages} (before: ${formatCount(before.loaded)} of ${formatCount(before.of)})`;
}

function sizeText({ before, after }: Outcome['sizeBytes']): string {
  return before === after ? formatBytes(after) : `${formatBytes(before)} → ${formatBytes(after)}`;
}

/** Each reason with the number of lines dropped for it. */
function reasonLines(dropped: Outcome['dropped']): readonly string[] {
  const counts = new Map<string, number>();
  for (const { reason } of dropped) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1]).map(([reason, count]) => `    ${formatCount(count)} × ${reason}`);
}
