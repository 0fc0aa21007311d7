// clew guard as a hook of Claude Code, which runs it before every tool call and every prompt. It never fails: exit code 2
// would block the call, so every error is a notice, and the call passes. Without limits it reads one small file.
import { fstatSync, statSync } from 'node:fs';
import { UserError } from '../../base/errors/index.ts';
import { jsonText } from '../../base/json/index.ts';
import { readJsonInput } from '../../base/process/index.ts';
import { type GuardLimits, limitsFrom, readGuard } from '../../library/guard/index.ts';
import { stateFolder } from '../../store/index.ts';

export async function runLean(args: readonly string[]): Promise<string | undefined> {
  if (args.some(isForPeople) || isTerminal(0)) return undefined;
  try {
    const { limits, roots, isHardInLine } = questionOf(args);
    if (limits === undefined || (limits.soft === undefined && limits.hard === undefined)) return '';
    const { answerHook } = await import('./answer.ts');
    const answer = answerHook(readJsonInput(), { limits, roots, isHardInLine, env: process.env, nowMs: Date.now() });
    return answer === undefined ? '' : `${jsonText(answer)}\n`;
  } catch (error) {
    return `${jsonText({ systemMessage: failureText(error) })}\n`;
  }
}

/** Words and flags of the full command. */
function isForPeople(arg: string): boolean {
  return ['set', 'status', 'off', '--session', '--json', '--help', '-h', '--no-color'].includes(arg);
}

interface Question {
  readonly limits: GuardLimits | undefined;
  readonly roots: readonly string[];
  readonly isHardInLine: boolean;
}

function questionOf(args: readonly string[]): Question {
  const values = new Map<string, string>();
  const roots: string[] = [];
  for (let i = 0; i < args.length; i++) {
    const [, name = '', inline] = /^--(soft|hard|per|timezone|root)(?:=(.*))?$/s.exec(args[i] ?? '') ?? [];
    const value = inline ?? args[++i];
    if (name === '' || value === undefined)
      throw new UserError(
        `the hook does not understand ${args[i - 1] ?? args[i]}`,
        'clew guard --help lists its flags',
      );
    if (name === 'root') roots.push(value);
    else values.set(name, value);
  }
  const words = {
    soft: values.get('soft'),
    hard: values.get('hard'),
    per: values.get('per'),
    timeZone: values.get('timezone'),
  };
  const usual = readGuard(stateFolder(process.env));
  const limits = values.size === 0 ? usual : limitsFrom(words, usual);
  return { limits, roots, isHardInLine: values.has('hard') };
}

function failureText(error: unknown): string {
  const why = error instanceof Error ? error.message : String(error);
  return `clew guard: ${why.replace(/\s+/g, ' ').slice(0, 500)}; until then no limit is checked`;
}

/** Without `node:tty`, which loads streams and sockets: a character device that is not the null device. */
function isTerminal(descriptor: number): boolean {
  try {
    const stats = fstatSync(descriptor);
    return stats.isCharacterDevice() && stats.rdev !== statSync('/dev/null', { throwIfNoEntry: false })?.rdev;
  } catch {
    return false;
  }
}
