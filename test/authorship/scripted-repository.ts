// A seed → a repository that twelve sessions and the user wrote together, and the author of every line, which is kept
// line by line while the files are written: no line is attributed by comparing texts.
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { seededRandom } from '../support/seeded-random.ts';
import { type FileCall, SessionScript } from './session-script.ts';

/** `hand`, or `SESSION#TURN`. */
export type Author = string;

interface TrueLine {
  readonly text: string;
  readonly author: Author;
}

interface TrueFile {
  readonly lines: readonly TrueLine[];
  readonly lineEnd: '\n' | '\r\n';
  readonly hasLastNewline: boolean;
}

type Tree = Map<string, TrueFile>;

export interface ScriptedRepository {
  readonly folder: string;
  readonly root: string;
  readonly files: ReadonlyMap<string, readonly TrueLine[]>;
  /** What happened, for the report of a failure. */
  readonly events: readonly string[];
}

export function makeRepository(base: string, seed: number): ScriptedRepository {
  const world = new World(base, seed);
  world.run();
  return world;
}

const sessionCount = 12;
const verbs = ['load', 'parse', 'merge', 'render', 'check', 'store', 'split', 'count'];
const nouns = ['Order', 'Invoice', 'Report', 'Widget', 'Customer', 'Ledger', 'Price', 'Branch'];

class World implements ScriptedRepository {
  readonly folder: string;
  readonly root: string;
  readonly events: string[] = [];
  readonly #random: () => number;
  readonly #clock = { now: Date.parse('2026-01-05T09:00:00Z') };
  readonly #seed: number;
  /** The files of each checkout as they are on the disk. */
  #trees = new Map<string, Tree>();
  /** The files of each commit of the main branch. */
  readonly #commits: { hash: string; tree: Tree; author: Author }[] = [];
  #words = 0;
  #names = 0;

  constructor(base: string, seed: number) {
    this.#seed = seed;
    this.#random = seededRandom(seed);
    this.folder = path.join(base, 'my repo ü');
    this.root = path.join(base, 'claude');
  }

  get files(): ReadonlyMap<string, readonly TrueLine[]> {
    return new Map([...this.#tree()].map(([name, { lines }]) => [name, lines]));
  }

  run(): void {
    mkdirSync(this.folder, { recursive: true });
    this.#git(['init', '-q', '-b', 'main']);
    this.#trees.set(this.folder, new Map());
    for (let i = 0; i < 3; i++) this.#newFile(`src/hand${i}.ts`, this.#block(24, 'hand'), i);
    this.#commit('hand', 'start');
    for (let i = 0; i < sessionCount; i++) {
      if (i % 4 === 3) this.#worktreeSession(i);
      else this.#session(i);
      this.#handWork();
    }
  }

  // --- sessions

  #session(number: number): void {
    const session = this.#open(this.folder);
    const turns = 2 + this.#below(2);
    for (let turn = 0; turn < turns; turn++) {
      session.prompt(`task ${number}.${turn}: change the ${this.#pick(nouns)}`);
      const edits = 2 + this.#below(4);
      for (let i = 0; i < edits; i++) this.#agentEdit(session, this.folder);
      if (this.#chance(0.3)) this.#handEdit(this.folder);
      if (this.#chance(0.1)) this.#discard();
      if (this.#chance(0.5)) this.#agentCommit(session, `work ${number}.${turn}`);
      else if (this.#chance(0.4)) this.#commit('hand', `by hand ${number}.${turn}`);
    }
    session.save();
    if (this.#chance(0.3)) this.#revertLast();
  }

  /** Works on one file in a worktree; the main branch changes others meanwhile, and git merges them. */
  #worktreeSession(number: number): void {
    this.#commit('hand', `before worktree ${number}`);
    const checkout = path.join(path.dirname(this.folder), `wt-${number}`);
    const branch = `feature-${number}`;
    this.#git(['worktree', 'add', '-q', '-b', branch, checkout]);
    this.#trees.set(checkout, new Map(this.#tree()));
    const session = this.#open(checkout);
    session.prompt(`feature ${number}`);
    const name = this.#pick([...this.#tree(checkout).keys()]);
    this.#agentEdit(session, checkout, name);
    this.#agentEdit(session, checkout, name);
    session.bash(`git commit -am "feature ${number}"`);
    this.#git(['-C', checkout, 'add', '-A']);
    this.#git(['-C', checkout, 'commit', '-q', '--allow-empty', '-m', `feature ${number}`]);
    session.save();
    const other = [...this.#tree().keys()].find((each) => each !== name);
    if (other !== undefined) this.#handEdit(this.folder, other);
    this.#commit('hand', `meanwhile ${number}`);
    this.#git(['merge', '-q', '--no-ff', '-m', `merge ${branch}`, branch]);
    this.#put(this.folder, name, this.#file(checkout, name), false);
    this.#remember('hand');
    this.#git(['worktree', 'remove', '--force', checkout]);
    this.#trees.delete(checkout);
    this.events.push(`worktree ${number} on ${name}`);
  }

  #open(cwd: string): SessionScript {
    this.#clock.now += 3_600_000;
    const version = this.#chance(0.5) ? '2.1.45' : '2.1.325';
    return new SessionScript({ root: this.root, cwd, version, clock: this.#clock });
  }

  #agentEdit(session: SessionScript, checkout: string, only?: string): void {
    const author = `${session.id}#${session.turn}`;
    const kind = this.#pick([
      'insert',
      'insert',
      'insert',
      'replace',
      'replace',
      'new',
      'write',
      'multi',
      'heredoc',
      'append',
      'rename',
      'fail',
      'agent',
      'everywhere',
      'delete',
      'move',
      'changed',
      'sed',
      'again',
    ]);
    const name = only ?? this.#pick([...this.#tree(checkout).keys()]);
    this.events.push(`${author.slice(0, 8)}#${session.turn} ${kind} ${name}`);
    const file = this.#file(checkout, name);
    switch (only !== undefined && ['new', 'rename'].includes(kind) ? 'insert' : kind) {
      case 'new': {
        const created = `src/file${++this.#names}.ts`;
        this.#newFile(created, this.#block(16 + this.#below(24), author), this.#names, checkout);
        session.write(this.#call(checkout, created, undefined));
        return;
      }
      case 'heredoc': {
        if (only !== undefined) return;
        const created = `src/shell${++this.#names}.sh`;
        const lines = this.#block(10, author);
        this.#put(checkout, created, { lines, lineEnd: '\n', hasLastNewline: true });
        session.bash(`mkdir -p src && cat > ${created} <<'EOF'\n${lines.map(({ text }) => `${text}\n`).join('')}EOF`);
        return;
      }
      case 'append': {
        if (!file.hasLastNewline || file.lineEnd === '\r\n') return;
        const lines = this.#block(2, author);
        session.bash(`cat >> '${name}' <<'EOF'\n${lines.map(({ text }) => `${text}\n`).join('')}EOF`);
        this.#put(checkout, name, { ...file, lines: [...file.lines, ...lines] });
        return;
      }
      case 'write': {
        const before = textOf(file);
        const next = this.#changed(this.#changed(file, author), author);
        this.#put(checkout, name, next);
        session.write(this.#call(checkout, name, before));
        return;
      }
      case 'rename': {
        const renamed = `lib/renamed${++this.#names}.ts`;
        mkdirSync(path.join(checkout, 'lib'), { recursive: true });
        this.#git(['-C', checkout, 'add', '-A']);
        this.#git(['-C', checkout, 'mv', name, renamed]);
        this.#tree(checkout).delete(name);
        this.#tree(checkout).set(renamed, file);
        session.bash(`git mv '${name}' ${renamed}`);
        this.#editCall(session, checkout, renamed, this.#changed(file, author));
        return;
      }
      case 'fail': {
        const added = this.#block(2, 'hand');
        const from = file.lines[0]?.text ?? '';
        const to = [from, ...added.map(({ text }) => text)].join('\n');
        session.failedEdit(path.join(checkout, name), from, to, this.#chance(0.5));
        // The user types it instead.
        if (this.#chance(0.5))
          this.#put(checkout, name, { ...file, lines: [...file.lines.slice(0, 1), ...added, ...file.lines.slice(1)] });
        return;
      }
      case 'agent': {
        const agentId = session.agent(`sub-task on ${name}`);
        this.#editCall(session, checkout, name, this.#changed(file, author), agentId);
        return;
      }
      case 'multi': {
        const before = textOf(file);
        const first = this.#changed(file, author);
        const second = this.#changed(first, author);
        const edits = [replacementFor(file, first), replacementFor(first, second)];
        this.#put(checkout, name, second);
        session.multiEdit(
          this.#call(checkout, name, before),
          edits.map(({ from, to }) => ({ old_string: from, new_string: to })),
        );
        return;
      }
      case 'everywhere': {
        const word = this.#pick(nouns);
        const by = `${word}${++this.#words}`;
        if (!file.lines.some(({ text }) => text.includes(word))) return;
        const before = textOf(file);
        const lines = file.lines.map((line) =>
          line.text.includes(word) ? { text: line.text.replaceAll(word, by), author } : line,
        );
        this.#put(checkout, name, { ...file, lines });
        session.edit(this.#call(checkout, name, before), word, by, { isEverywhere: true });
        return;
      }
      case 'sed': {
        const word = this.#pick(verbs);
        const by = `${word}All${++this.#words}`;
        const lines = file.lines.map((line) =>
          line.text.includes(word) ? { text: line.text.replaceAll(word, by), author } : line,
        );
        this.#put(checkout, name, { ...file, lines });
        session.bash(`sed -i 's/${word}/${by}/g' '${name}'`);
        return;
      }
      case 'changed': {
        const at = this.#below(file.lines.length + 1);
        const proposed = this.#statements(3, author);
        const written = proposed.map((line, i) =>
          i === 1 ? { text: `${line.text} // changed`, author: 'hand' } : line,
        );
        const planned = { ...file, lines: [...file.lines.slice(0, at), ...proposed, ...file.lines.slice(at)] };
        const { from, to } = replacementFor(file, planned);
        const before = textOf(file);
        this.#put(checkout, name, {
          ...file,
          lines: [...file.lines.slice(0, at), ...written, ...file.lines.slice(at)],
        });
        session.changedEdit(this.#call(checkout, name, before), from, to);
        return;
      }
      case 'move': {
        if (file.lines.length < 8) return;
        const from = this.#below(file.lines.length - 4);
        const block = file.lines.slice(from, from + 3);
        if (!block.every(({ text }) => text.length > 12)) return;
        const rest = [...file.lines.slice(0, from), ...file.lines.slice(from + 3)];
        this.#editCall(session, checkout, name, { ...file, lines: [...rest, ...block] });
        return;
      }
      case 'again': {
        // The same text as an earlier line of another author, in another place.
        const copied = this.#pick(file.lines);
        const at = this.#below(file.lines.length + 1);
        const isNext = file.lines[at]?.text === copied.text || file.lines[at - 1]?.text === copied.text;
        if (isNext || copied.text.length < 10) return;
        const lines = [...file.lines.slice(0, at), { text: copied.text, author }, ...file.lines.slice(at)];
        this.#editCall(session, checkout, name, { ...file, lines });
        return;
      }
      case 'delete': {
        if (file.lines.length < 12) return;
        const at = this.#below(file.lines.length - 3);
        const lines = [...file.lines.slice(0, at), ...file.lines.slice(at + 2)];
        this.#editCall(session, checkout, name, { ...file, lines });
        return;
      }
      default:
        this.#editCall(session, checkout, name, this.#changed(file, author));
    }
  }

  #editCall(session: SessionScript, checkout: string, name: string, next: TrueFile, agentId?: string): void {
    const file = this.#file(checkout, name);
    const before = textOf(file);
    const { from, to } = replacementFor(file, next);
    this.#put(checkout, name, next);
    if (from === to) return;
    session.edit(this.#call(checkout, name, before), from, to, agentId === undefined ? {} : { agentId });
  }

  #call(checkout: string, name: string, before: string | undefined): FileCall {
    return { file: path.join(checkout, name), before, after: textOf(this.#file(checkout, name)) };
  }

  #agentCommit(session: SessionScript, message: string): void {
    const hash = this.#commit(`${session.id}#${session.turn}`, message);
    if (hash !== undefined)
      session.bash(
        `git add -A && git commit -m "${message}"`,
        `[main ${hash.slice(0, 7)}] ${message}\n 1 file changed`,
      );
  }

  // --- the user

  #handWork(): void {
    const edits = this.#below(3);
    for (let i = 0; i < edits; i++) this.#handEdit(this.folder);
    if (this.#chance(0.3)) this.#format();
    if (this.#chance(0.7)) this.#commit('hand', `hand work ${this.#words}`);
    if (this.#chance(0.15)) this.#handRename();
  }

  #handEdit(checkout: string, only?: string): void {
    const name = only ?? this.#pick([...this.#tree(checkout).keys()]);
    const file = this.#file(checkout, name);
    const kind = this.#pick(['change', 'change', 'overwrite', 'move', 'copy', 'common', 'retype']);
    this.events.push(`hand ${kind} ${name}`);
    if (kind === 'overwrite') {
      // A block of an agent, or any other, is written again.
      const at = this.#below(Math.max(1, file.lines.length - 3));
      const lines = [...file.lines.slice(0, at), ...this.#block(3, 'hand'), ...file.lines.slice(at + 3)];
      this.#put(checkout, name, { ...file, lines });
    } else if (kind === 'move' && file.lines.length > 6) {
      const from = this.#below(file.lines.length - 3);
      const block = file.lines.slice(from, from + 2);
      if (!block.every(({ text }) => text.length > 12)) return;
      const rest = [...file.lines.slice(0, from), ...file.lines.slice(from + 2)];
      this.#put(checkout, name, { ...file, lines: [...block, ...rest] });
    } else if (kind === 'copy' && file.lines.length > 0) {
      const copied = this.#pick(file.lines);
      const at = this.#below(file.lines.length + 1);
      const lines = [...file.lines.slice(0, at), { text: copied.text, author: 'hand' }, ...file.lines.slice(at)];
      this.#put(checkout, name, { ...file, lines });
    } else if (kind === 'common') {
      const at = this.#below(file.lines.length + 1);
      const text = this.#pick(['}', 'return;', '', '  break;']);
      const lines = [...file.lines.slice(0, at), { text, author: 'hand' }, ...file.lines.slice(at)];
      this.#put(checkout, name, { ...file, lines });
    } else if (kind === 'retype') {
      // A line is deleted and committed; in the next commit it is typed again.
      const at = file.lines.findIndex(({ author, text }) => author !== 'hand' && text.length > 15);
      if (at < 0 || checkout !== this.folder) return;
      const text = file.lines[at]?.text ?? '';
      this.#commit('hand', `before retyping ${++this.#words}`);
      this.#put(checkout, name, { ...file, lines: file.lines.toSpliced(at, 1) });
      this.#commit('hand', `without a line ${this.#words}`);
      this.#put(checkout, name, { ...file, lines: file.lines.toSpliced(at, 1, { text, author: 'hand' }) });
      this.#commit('hand', `typed again ${this.#words}`);
    } else this.#put(checkout, name, this.#changed(file, 'hand'));
  }

  /** A formatter re-indents; the authors stay. */
  #format(): void {
    const name = this.#pick([...this.#tree().keys()]);
    const file = this.#file(this.folder, name);
    this.events.push(`format ${name}`);
    const lines = file.lines.map(({ text, author }) => ({ text: text.replace(/^( +)/, '$1$1'), author }));
    this.#put(this.folder, name, { ...file, lines });
  }

  #handRename(): void {
    this.#commit('hand', 'before a rename');
    const name = this.#pick([...this.#tree().keys()]);
    const renamed = `src/moved by hand ${++this.#names}.ts`;
    const file = this.#file(this.folder, name);
    this.#git(['mv', name, renamed]);
    this.#tree().delete(name);
    this.#tree().set(renamed, file);
    this.events.push(`hand rename ${name} → ${renamed}`);
    if (this.#chance(0.5)) this.#put(this.folder, renamed, this.#changed(file, 'hand'));
    if (this.#chance(0.7)) this.#commit('hand', `rename ${renamed}`);
  }

  /** `git checkout -- .`: everything since the last commit is gone. */
  #discard(): void {
    const last = this.#commits.at(-1);
    if (last === undefined) return;
    this.events.push('discard');
    this.#git(['reset', '-q', '--hard']);
    this.#git(['clean', '-qfd']);
    this.#trees.set(this.folder, new Map(last.tree));
  }

  #revertLast(): void {
    this.#commit('hand', `before a revert ${this.#words}`);
    const before = this.#commits.at(-2);
    const parents = this.#git(['rev-list', '--parents', '-1', 'HEAD']).trim().split(' ');
    if (before === undefined || parents.length !== 2) return;
    this.events.push('git revert');
    this.#git(['revert', '--no-edit', 'HEAD']);
    this.#trees.set(this.folder, new Map(before.tree));
    this.#remember('hand');
    if (this.#chance(0.3)) {
      const again = this.#commits.at(-2)?.tree;
      if (again === undefined) return;
      this.events.push('git revert of the revert');
      this.#git(['revert', '--no-edit', 'HEAD']);
      this.#trees.set(this.folder, new Map(again));
      this.#remember('hand');
    }
  }

  // --- content

  #changed(file: TrueFile, author: Author): TrueFile {
    const { lines } = file;
    const at = this.#below(lines.length + 1);
    if (this.#chance(0.5) || lines.length < 4)
      return {
        ...file,
        lines: [...lines.slice(0, at), ...this.#block(1 + this.#below(12), author), ...lines.slice(at)],
      };
    const from = this.#below(lines.length - 1);
    const count = 1 + this.#below(2);
    const next = this.#statements(1 + this.#below(3), author);
    return { ...file, lines: [...lines.slice(0, from), ...next, ...lines.slice(from + count)] };
  }

  /** A function with a blank line, or statements. */
  #block(size: number, author: Author): TrueLine[] {
    if (size < 4) return this.#statements(size, author);
    const name = `${this.#pick(verbs)}${this.#pick(nouns)}${++this.#words}`;
    const inner = this.#statements(size - 3, author, '  ');
    return [{ text: '', author }, { text: `export function ${name}() {`, author }, ...inner, { text: '}', author }];
  }

  #statements(count: number, author: Author, indent = ''): TrueLine[] {
    return Array.from({ length: count }, () => ({ text: `${indent}${this.#statement()}`, author }));
  }

  #statement(): string {
    const kind = this.#random();
    if (kind < 0.1) return 'return;';
    if (kind < 0.2) return `const value = ${this.#pick(verbs)}();`;
    return `const ${this.#pick(verbs)}${++this.#words} = ${this.#pick(verbs)}${this.#pick(nouns)}(${this.#below(100)});`;
  }

  // --- disk and git

  #newFile(name: string, lines: readonly TrueLine[], variant: number, checkout: string = this.folder): void {
    const lineEnd = variant % 5 === 1 ? '\r\n' : '\n';
    this.#put(checkout, name, { lines, lineEnd, hasLastNewline: variant % 4 !== 2 });
  }

  #tree(checkout: string = this.folder): Tree {
    return this.#trees.get(checkout) as Tree;
  }

  #file(checkout: string, name: string): TrueFile {
    return this.#tree(checkout).get(name) as TrueFile;
  }

  #put(checkout: string, name: string, file: TrueFile, isWritten = true): void {
    this.#tree(checkout).set(name, file);
    if (!isWritten) return;
    const target = path.join(checkout, name);
    mkdirSync(path.dirname(target), { recursive: true });
    rmSync(target, { force: true });
    writeFileSync(target, textOf(file));
  }

  #commit(author: Author, message: string): string | undefined {
    this.#git(['add', '-A']);
    if (this.#git(['status', '--porcelain']).trim() === '' && this.#commits.length > 0) return undefined;
    this.#git(['commit', '-q', '-m', message]);
    this.events.push(`commit ${message}`);
    return this.#remember(author);
  }

  #remember(author: Author): string {
    const hash = this.#git(['rev-parse', 'HEAD']).trim();
    this.#commits.push({ hash, tree: new Map(this.#tree()), author });
    return hash;
  }

  /** With an even seed commits have the time of the sessions; with an odd one clocks say nothing. */
  #git(args: readonly string[]): string {
    this.#clock.now += 1000;
    const date = `@${Math.floor(this.#clock.now / 1000)} +0000`;
    const settings = ['user.name=Kim', 'user.email=kim@example.com', 'core.autocrlf=false', 'commit.gpgsign=false'];
    return execFileSync('git', [...settings.flatMap((each) => ['-c', each]), ...args], {
      cwd: this.folder,
      encoding: 'utf8',
      env: {
        PATH: process.env.PATH ?? '',
        HOME: path.dirname(this.folder),
        GIT_CONFIG_NOSYSTEM: '1',
        ...(this.#seed % 2 === 0 && { GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date }),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  }

  #below(count: number): number {
    return Math.floor(this.#random() * count);
  }

  #chance(share: number): boolean {
    return this.#random() < share;
  }

  #pick<T>(values: readonly T[]): T {
    return values[this.#below(values.length)] as T;
  }
}

function textOf({ lines, lineEnd, hasLastNewline }: TrueFile): string {
  return lines.map(({ text }) => text).join(lineEnd) + (hasLastNewline && lines.length > 0 ? lineEnd : '');
}

/** The smallest stretch of whole lines that differs, with as many lines around it as make it unique. */
function replacementFor(before: TrueFile, after: TrueFile): { from: string; to: string } {
  const old = before.lines.map(({ text }) => text);
  const fresh = after.lines.map(({ text }) => text);
  let start = 0;
  while (start < old.length && start < fresh.length && before.lines[start] === after.lines[start]) start++;
  let end = 0;
  while (
    end < old.length - start &&
    end < fresh.length - start &&
    before.lines[old.length - 1 - end] === after.lines[fresh.length - 1 - end]
  )
    end++;
  const whole = old.join('\n');
  for (let around = 1; ; around++) {
    const from = old.slice(Math.max(0, start - around), old.length - Math.max(0, end - around)).join('\n');
    const to = fresh.slice(Math.max(0, start - around), fresh.length - Math.max(0, end - around)).join('\n');
    const isUnique = from !== '' && whole.split(from).length === 2;
    if (isUnique || around > old.length) return { from, to };
  }
}
