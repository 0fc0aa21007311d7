// Stops a command at every system call by which it changes a file: kills it there, answers with an error, lets another process
// append to what it works on, or runs a second command meanwhile. Then the next ordinary command and an undo run. What is then
// on the disk is compared with the bytes from before and with those of an undisturbed run.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, existsSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { brotliDecompressSync } from 'node:zlib';
import { encodeSlug } from '../../src/store/roots.ts';
import { type ChangingCall, type FaultyRun, numberCalls, runWithFault } from '../support/changing-calls.ts';
import type { Run } from '../support/clew.ts';
import { clew } from '../support/dist.ts';
import { type ExploredCommand, errorsFor } from './explored-commands.ts';
import { type ExploredPlace, explored, readPlace } from './explored-place.ts';
import { type FollowedUp, type FollowUp, readOperations } from './follow-up.ts';
import { type Appended, judgePoint, type Observed, type Tree } from './judge.ts';

/** What happens at a call: `kill`, an error, `append`, or the second command. */
export interface ExploredPoint {
  readonly what: string;
  /** Its path has no time and folder of a run. */
  readonly call: ChangingCall;
}

/** What an undisturbed run is like. */
export interface CleanRun {
  readonly calls: readonly ChangingCall[];
  readonly before: Tree;
  readonly after: Tree;
  readonly listedBefore: readonly string[];
  readonly listedAfter: readonly string[];
  /** The undo restores what was there before. */
  readonly undone?: Tree;
  readonly faults: readonly string[];
}

export interface PointResult {
  readonly isReached: boolean;
  readonly faults: readonly string[];
}

const secondLines: readonly string[] = ['star {spare}', 'undo', 'history --json', 'ls --json'];

/** The point as it is given to CLEW_POINT. */
export function nameOf({ what, call }: ExploredPoint): string {
  return `${what}|${call.name}|${call.nth}|${call.path}`;
}

/** All points of a command, in the order of its calls. */
export function listPoints(calls: readonly ChangingCall[]): readonly ExploredPoint[] {
  return calls.flatMap((call, i) => {
    const second = `second ${secondLines[i % secondLines.length]}`;
    return ['kill', ...errorsFor(call.name), 'append', second].map((what) => ({ what, call }));
  });
}

export class Explorer {
  readonly #place: ExploredPlace;
  readonly #command: ExploredCommand;
  #clock = 0;
  #known: readonly string[] = [];
  #listedBefore: readonly string[] = [];
  /** What was there before a command that appends. */
  #grown: Tree = new Map();

  constructor(place: ExploredPlace, command: ExploredCommand) {
    this.#place = place;
    this.#command = command;
  }

  /** Prepares the place, and runs the command once to number its calls. */
  async runClean(): Promise<CleanRun> {
    const { before: lines, isUndo, isRecorded, hasNoResult, usesIndex = false, status = 0 } = this.#command;
    for (const line of lines) await this.#runFirst(line);
    const listed = await this.#runFirst('ls --json');
    this.#listedBefore = readIds(listed.stdout);
    const history = readOperations((await this.#runFirst('history --json')).stdout);
    this.#known = history.slice(isUndo ? 1 : 0).map(({ id }) => id);
    // An index names the files by their inodes, which are others after each reset.
    if (!usesIndex) removeIndex(this.#place.state);
    this.#place.keep();
    this.#tick();
    if (this.#command.isAppending === true) this.#grown = this.#readTree();
    const before = this.#readTree();
    const { run, calls } = await numberCalls(this.#program(), this.#place.folders);
    const after = this.#readTree();
    if (run.status !== status) throw new Error(`clew ${this.#command.line}: exit ${run.status}, ${run.stderr}`);
    if (hasNoResult !== true && sameTree(before, after)) throw new Error(`clew ${this.#command.line} changed nothing`);
    const followed = await this.#followUp();
    const undone = followed.undo === undefined ? {} : { undone: this.#normalised(followed.undo.tree) };
    const general = calls.map((call) => ({ ...call, path: this.#withoutRun(call.path) }));
    const clean = {
      calls: general,
      before,
      after,
      listedBefore: this.#listedBefore,
      listedAfter: followed.listed,
      ...undone,
    };
    const isUndoable = isRecorded && !isUndo && this.#undoes;
    const faults = [
      ...(isUndoable && followed.undo === undefined ? ['an undisturbed run is not in the history'] : []),
      ...(followed.leftovers.length > 0 ? [`an undisturbed run leaves ${followed.leftovers.join(', ')}`] : []),
    ];
    return { ...clean, faults };
  }

  /** Kills the command at a call; `false` if it did not get there. */
  async killAt(call: ChangingCall): Promise<boolean> {
    this.#tick();
    const { isReached } = await runWithFault(
      this.#program(),
      { ...call, path: this.#withRun(call.path) },
      { kind: 'kill', ms: 10_000 },
    );
    return isReached;
  }

  async visit(clean: CleanRun, point: ExploredPoint): Promise<PointResult> {
    for (let ms = 150; ; ms *= 4) {
      this.#place.reset();
      this.#tick();
      const result = await this.#visitOnce(clean, point, ms);
      // A machine that is busy may not act while the call waits.
      if (result.isReached || ms > 5000) return result;
    }
  }

  async #visitOnce(clean: CleanRun, { what, call }: ExploredPoint, ms: number): Promise<PointResult> {
    const { env, work, top, words } = this.#place;
    const here = { ...call, path: this.#withRun(call.path) };
    const appended: Appended[] = [];
    let second: Promise<Run> | undefined;
    let seenAtSecond: Observed['seenAtSecond'];
    const act = async (): Promise<void> => {
      if (what === 'append') {
        const isLate = sameTree(this.#readTree(), clean.after);
        appended.push(...appendLines(top, clean.before).map((each) => ({ ...each, isLate })));
      } else {
        const args = argsOf(what.replace('second ', ''), words);
        second = runProcess([process.execPath, clew, ...args], env, work);
        // It may wait for the lock until the paused command has ended.
        const ended = await Promise.race([second, new Promise<undefined>((end) => setTimeout(end, 1200))]);
        if (ended !== undefined && args[0] === 'history')
          seenAtSecond = { history: this.#unknown(readOperations(ended.stdout)), tree: this.#readTree() };
      }
    };
    const isSecond = what.startsWith('second ');
    const fault =
      what === 'kill'
        ? ({ kind: 'kill', ms: ms * 2 } as const)
        : what === 'append' || isSecond
          ? ({ kind: 'pause', ms: isSecond ? ms + 1400 : ms, act } as const)
          : ({ kind: 'error', error: what } as const);
    const run: FaultyRun = await runWithFault(this.#program(), here, fault);
    const secondRun = await second;
    if (!run.isReached) return { isReached: false, faults: [] };
    const tree = this.#readTree();
    const again =
      this.#command.isRunAgain === true && run.status !== 0
        ? await runProcess([process.execPath, clew, ...argsOf(this.#command.line, words)], env, work)
        : undefined;
    const followed = await this.#followUp();
    const observed: Observed = {
      what,
      run,
      tree,
      followed: { ...followed, tree: [...this.#normalised(followed.tree)], ...this.#normalisedUndo(followed) },
      appended: appended.map((each) => ({ ...each, line: this.#withoutRun(each.line) })),
      ...(secondRun === undefined ? {} : { second: secondRun }),
      ...(again === undefined ? {} : { again }),
      ...(fault.kind === 'error' ? this.#refusedBy(call) : {}),
      ...(seenAtSecond === undefined ? {} : { seenAtSecond }),
    };
    return { isReached: true, faults: judgePoint(this.#command, clean, observed) };
  }

  /** One that was refused once is not tried for ever: an empty folder and a temporary file hurt nobody. */
  #refusedBy({ name, path: file }: ChangingCall): Pick<Observed, 'kept' | 'isUnsynced'> {
    const relative = file.replace('{top}/', '');
    if (name === 'rmdir') return { kept: `${relative}/` };
    if (name === 'unlink') return { kept: path.relative(this.#place.top, this.#withRun(file)) };
    return { isUnsynced: name === 'fsync' };
  }

  #normalisedUndo({ undo }: FollowedUp): Pick<FollowedUp, 'undo'> {
    return undo === undefined ? {} : { undo: { ...undo, tree: [...this.#normalised(undo.tree)] } };
  }

  #unknown<T extends { readonly id: string }>(history: readonly T[]): readonly T[] {
    return history.filter(({ id }) => !this.#known.includes(id));
  }

  get #undoes(): boolean {
    return this.#command.isRecorded && this.#command.name !== 'redact-no-backup';
  }

  #program(): Parameters<typeof runWithFault>[0] {
    const { env, work, words } = this.#place;
    return {
      argv: [process.execPath, '--import', steadyStart, clew, ...argsOf(this.#command.line, words)],
      env: { ...env, CLEW_STEADY_SEED: '1', CLEW_STEADY_CLOCK: String(this.#clock) },
      cwd: work,
    };
  }

  async #runFirst(line: string): Promise<Run> {
    const { env, work, words } = this.#place;
    const run = await runProcess([process.execPath, clew, ...argsOf(line, words)], env, work);
    if (run.status !== 0) throw new Error(`clew ${line}: exit ${run.status}, ${run.stderr}`);
    return run;
  }

  async #followUp(): Promise<FollowedUp> {
    const { top, state, work, env } = this.#place;
    const request: FollowUp = {
      place: { top, state, work, env },
      next: ['star', explored.other],
      known: this.#known,
      undoes: this.#undoes,
    };
    const run = await runProcess([process.execPath, followUp, 'follow-up'], env, work, JSON.stringify(request));
    if (run.status !== 0) throw new Error(`the follow-up of ${this.#command.name}: ${run.stderr}`);
    return JSON.parse(run.stdout) as FollowedUp;
  }

  /** The next whole second but one: in the second of a run, its clock is the same. */
  #tick(): void {
    this.#clock = (Math.floor(Date.now() / 1000) + 3) * 1000;
  }

  #readTree(): Tree {
    return this.#normalised(readPlace(this.#place));
  }

  /** Without the stars of the commands that run meanwhile and afterwards. */
  #normalised(tree: Iterable<readonly [string, string]>): Tree {
    const aside = ['', `${explored.other}.star`, `${explored.spare}.star`].map((name) => `state/stars/${name}`);
    const rest = [...tree].filter(([name]) => !aside.includes(name));
    const known = rest.map(
      ([name, bytes]) => [this.#withoutRun(name), this.#withoutRun(unpacked(name, bytes))] as const,
    );
    return new Map(known.map(([name, bytes]) => [name, withoutGrowth(bytes, this.#grown.get(name))]));
  }

  /** A text without the time and the folder of the run. */
  #withoutRun(text: string): string {
    return this.#ofRun().reduce((rest, [own, general]) => rest.replaceAll(own, general), text);
  }

  #withRun(text: string): string {
    return this.#ofRun().reduceRight((rest, [own, general]) => rest.replaceAll(general, own), text);
  }

  #ofRun(): readonly (readonly [string, string])[] {
    const iso = new Date(this.#clock).toISOString();
    const { top } = this.#place;
    return [
      [iso, '{time}'],
      [iso.replace(/[:.]/g, '-'), '{file time}'],
      [iso.slice(0, 19).replace(/[-:]/g, ''), '{stamp}'],
      [String(this.#clock), '{clock}'],
      [top, '{top}'],
      [encodeSlug(top), '{slug}'],
    ];
  }
}

function removeIndex(state: string): void {
  for (const name of readdirSync(state).filter((each) => each.startsWith('index.db'))) rmSync(path.join(state, name));
}

/** Without whole lines that the command has added, but with those of the other process. */
function withoutGrowth(bytes: string, before: string | undefined): string {
  if (before === undefined || before === '' || !bytes.startsWith(before)) return bytes;
  const added = bytes.slice(before.length).split(/(?<=\n)/);
  return before + added.filter((line) => line.includes('"appended-') || !isWholeLine(line)).join('');
}

function isWholeLine(line: string): boolean {
  try {
    return line.endsWith('\n') && typeof JSON.parse(line) === 'object';
  } catch {
    return false;
  }
}

/** The time in a bundle is compressed. */
function unpacked(name: string, bytes: string): string {
  if (!name.endsWith('.clew')) return bytes;
  const raw = Buffer.from(bytes, 'latin1');
  const start = raw.indexOf('\n') + 1;
  try {
    return raw.toString('latin1', 0, start) + brotliDecompressSync(raw.subarray(start)).toString('latin1');
  } catch {
    return bytes;
  }
}

const steadyStart = new URL('../support/steady-start.js', import.meta.url).href;
const followUp = fileURLToPath(new URL('./follow-up.js', import.meta.url));

export function argsOf(line: string, words: Readonly<Record<string, string>>): readonly string[] {
  return line.split(' ').map((word) => word.replaceAll(/\{(\w+)\}/g, (_, name: string) => words[name] ?? name));
}

export function sameTree(a: Tree, b: Tree): boolean {
  return a.size === b.size && [...a].every(([name, bytes]) => b.get(name) === bytes);
}

function readIds(json: string): readonly string[] {
  return (JSON.parse(json) as readonly { readonly sessionId: string }[]).map(({ sessionId }) => sessionId).sort();
}

/** As a client does it: each file is opened, appended to and closed, and made again if it is gone. */
function appendLines(top: string, before: Tree): readonly Omit<Appended, 'isLate'>[] {
  const names = [...before.keys()].filter(
    (name) =>
      name.endsWith(`/${explored.subject}.jsonl`) || name.endsWith('history.jsonl') || /agent-s1\.jsonl$/.test(name),
  );
  return names.flatMap((name, i) => {
    const file = path.join(top, name.replaceAll('{slug}', encodeSlug(top)));
    if (!existsSync(path.dirname(file))) return [];
    const sessionId = explored.subject;
    const uuid = `appended-${i}`;
    const line = name.endsWith('history.jsonl')
      ? { display: uuid, pastedContents: {}, timestamp: 1_767_434_500_000, project: path.join(top, 'work'), sessionId }
      : { type: 'user', uuid, parentUuid: null, sessionId, message: { role: 'user', content: 'meanwhile' } };
    appendFileSync(file, `${JSON.stringify(line)}\n`);
    return [{ name, mark: uuid, line: JSON.stringify(line) }];
  });
}

export async function runProcess(
  argv: readonly string[],
  env: Readonly<Record<string, string>>,
  cwd: string,
  input = '',
): Promise<Run> {
  const [program = '', ...args] = argv;
  const child = spawn(program, args, { env, cwd });
  const closed = once(child, 'close');
  child.stdin.on('error', () => {}).end(input);
  const [stdout, stderr] = await Promise.all([readText(child.stdout), readText(child.stderr)]);
  const [status] = (await closed) as [number | null];
  return { status, stdout, stderr };
}
