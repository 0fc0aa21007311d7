// A seed → a small library that changes at random, in every way in which the files of an index may come, go, grow, take the
// place of another, or stay the same in a new inode; and what its folders hold, read without the code under test.
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { seededRandom } from '../../support/seeded-random.ts';

/** What a list says of a session, as its files say it. */
export interface WalkedSession {
  readonly path: string;
  readonly sizeBytes: number;
  readonly entries: number;
  readonly turns: number;
  readonly agents: number;
  readonly firstPrompt: string;
}

const folders = ['-home-ada-one', '-home-ada-two', '-home-ada-three'];
const ids = ['s1', 's2', 's3', 's4', 's5'];

export class ChangingLibrary {
  /** What was done, for the message of a failure. */
  readonly done: string[] = [];
  /** Every word that was ever written: each in one line of one file. */
  readonly words: string[] = [];
  readonly random: () => number;
  readonly #projects: string;
  #clock = 1_750_000_000;
  #made = 0;

  constructor(root: string, seed: number) {
    this.random = seededRandom(seed);
    this.#projects = path.join(root, 'projects');
    for (const folder of folders) mkdirSync(path.join(this.#projects, folder), { recursive: true });
  }

  pick<T>(values: readonly T[]): T | undefined {
    return values[Math.floor(this.random() * values.length)];
  }

  change(): void {
    const [name, change] = this.pick(Object.entries(changes)) ?? [];
    const said = change?.(this);
    if (said !== undefined) this.done.push(`${name} ${said}`);
  }

  /** Every transcript, also those of agents. */
  files(): readonly string[] {
    return readdirSync(this.#projects, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.jsonl'))
      .sort()
      .map((name) => path.join(this.#projects, name));
  }

  mains(): readonly string[] {
    return this.files().filter((file) => !path.basename(file).startsWith('agent-'));
  }

  agents(): readonly string[] {
    return this.files().filter((file) => path.basename(file).startsWith('agent-'));
  }

  /** A path for a main transcript, whether or not there is one. */
  somePlace(): string {
    return path.join(this.#projects, this.pick(folders) ?? '', `${this.pick(ids)}.jsonl`);
  }

  newAgent(main: string): string {
    const name = `agent-${++this.#made}.jsonl`;
    const folder = main.slice(0, -'.jsonl'.length);
    return this.random() < 0.5 ? path.join(folder, 'subagents', name) : path.join(path.dirname(main), name);
  }

  /** Writes a transcript: in the inode that the path has, if it has one. */
  write(file: string, sessionId: string, lines: number): void {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, '');
    this.append(file, sessionId, lines);
  }

  append(file: string, sessionId: string, lines: number): void {
    const isAgent = path.basename(file).startsWith('agent-');
    for (let i = 0; i < lines; i++) {
      const last = readLines(file).at(-1);
      const word = `w${++this.#made}x`;
      this.words.push(word);
      const role = last === undefined || last.type === 'assistant' ? 'user' : 'assistant';
      const message =
        role === 'user'
          ? { role, content: word }
          : { role, id: `m${this.#made}`, type: 'message', model: 'm', content: [{ type: 'text', text: word }] };
      const line = {
        type: role,
        uuid: `u${this.#made}`,
        parentUuid: last?.uuid ?? null,
        isSidechain: isAgent,
        ...(isAgent ? { agentId: path.basename(file, '.jsonl').slice('agent-'.length) } : {}),
        sessionId,
        cwd: '/home/ada',
        timestamp: new Date(1_750_000_000_000 + this.#made * 1000).toISOString(),
        message,
      };
      appendFileSync(file, `${JSON.stringify(line)}\n`);
    }
    this.touch(file);
  }

  /** The clock of the disk is too coarse to tell one change from the next. */
  touch(file: string): void {
    this.#clock += 1;
    utimesSync(file, this.#clock, this.#clock);
  }

  /** The same bytes and times in another inode, as a restored copy has them. */
  copyAnew(file: string): void {
    const { atime, mtime } = statSync(file);
    copyFileSync(file, `${file}.copy`);
    utimesSync(`${file}.copy`, atime, mtime);
    rmSync(file);
    renameSync(`${file}.copy`, file);
  }

  walk(): readonly WalkedSession[] {
    const agents = this.agents();
    return this.mains().map((main) => {
      const id = path.basename(main, '.jsonl');
      const lines = readLines(main);
      const prompts = lines.filter((line) => line.type === 'user').map((line) => String(line.message.content));
      const own = agents.filter((file) =>
        path.dirname(file) === path.dirname(main)
          ? readLines(file)[0]?.sessionId === id
          : file.startsWith(`${main.slice(0, -'.jsonl'.length)}${path.sep}`),
      );
      return {
        path: main,
        sizeBytes: statSync(main).size,
        entries: lines.length,
        turns: prompts.length,
        agents: own.length,
        firstPrompt: prompts[0] ?? '',
      };
    });
  }

  /** `word path` for each word that is still in a transcript. */
  findWords(): readonly string[] {
    const texts = this.files().map((file) => [file, readFileSync(file, 'utf8')] as const);
    return this.words.flatMap((word) =>
      texts.filter(([, text]) => text.includes(`"${word}"`)).map(([file]) => `${word} ${file}`),
    );
  }
}

interface WrittenLine {
  readonly type: 'user' | 'assistant';
  readonly uuid: string;
  readonly sessionId: string;
  readonly message: { readonly content: unknown };
}

function readLines(file: string): readonly WrittenLine[] {
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as WrittenLine); // written by `append`
}

function nameOf(file: string): string {
  return path.join(path.basename(path.dirname(file)), path.basename(file));
}

function moveFolder(from: string, to: string): void {
  const [old, place] = [from, to].map((file) => file.slice(0, -'.jsonl'.length)) as [string, string];
  if (existsSync(old) && !existsSync(place)) renameSync(old, place);
}

/** Each says what it did; `undefined`: there was nothing to do it with. */
const changes: Readonly<Record<string, (library: ChangingLibrary) => string | undefined>> = {
  create: (library) => {
    const file = library.somePlace();
    if (existsSync(file)) return undefined;
    library.write(file, path.basename(file, '.jsonl'), 1 + Math.floor(library.random() * 4));
    return nameOf(file);
  },
  'add an agent to': (library) => {
    const main = library.pick(library.mains());
    if (main === undefined) return undefined;
    const agent = library.newAgent(main);
    library.write(agent, path.basename(main, '.jsonl'), 2);
    return `${nameOf(main)}: ${nameOf(agent)}`;
  },
  'give to another session': (library) => {
    const agent = library.pick(library.agents());
    const main = library.pick(library.mains());
    if (agent === undefined || main === undefined) return undefined;
    library.write(agent, path.basename(main, '.jsonl'), 2);
    return `${nameOf(agent)}, now of ${path.basename(main)}`;
  },
  'append to': (library) => {
    const file = library.pick(library.files());
    if (file === undefined) return undefined;
    library.append(file, readLines(file)[0]?.sessionId ?? 's1', 1 + Math.floor(library.random() * 3));
    return nameOf(file);
  },
  'move a session': (library) => {
    const from = library.pick(library.mains());
    const to = library.somePlace();
    if (from === undefined || existsSync(to)) return undefined;
    renameSync(from, to);
    moveFolder(from, to);
    return `${nameOf(from)} → ${nameOf(to)}`;
  },
  'move over another': (library) => {
    const [from, to] = [library.pick(library.mains()), library.pick(library.mains())];
    if (from === undefined || to === undefined || from === to) return undefined;
    renameSync(from, to);
    return `${nameOf(from)} → ${nameOf(to)}`;
  },
  swap: (library) => {
    // Lines of an agent are not prompts, wherever they are.
    const alike = library.random() < 0.7 ? library.mains() : library.agents();
    const [one, other] = [library.pick(alike), library.pick(alike)];
    if (one === undefined || other === undefined || one === other) return undefined;
    renameSync(one, `${one}.swap`);
    renameSync(other, one);
    renameSync(`${one}.swap`, other);
    return `${nameOf(one)} ↔ ${nameOf(other)}`;
  },
  delete: (library) => {
    const file = library.pick(library.files());
    if (file === undefined) return undefined;
    rmSync(file);
    if (library.random() < 0.5) rmSync(file.slice(0, -'.jsonl'.length), { recursive: true, force: true });
    return nameOf(file);
  },
  'copy to a new file': (library) => {
    const file = library.pick(library.files());
    if (file === undefined) return undefined;
    library.copyAnew(file);
    return nameOf(file);
  },
  'copy all to new files': (library) => {
    for (const file of library.files()) library.copyAnew(file);
    return '';
  },
  // What a disk does that gives the inode of a deleted file to the next one.
  'reuse the inode of': (library) => {
    const from = library.pick(library.mains());
    const to = library.somePlace();
    if (from === undefined || existsSync(to)) return undefined;
    renameSync(from, to);
    library.write(to, path.basename(to, '.jsonl'), 2);
    return `${nameOf(from)} in ${nameOf(to)}`;
  },
  'write again': (library) => {
    const file = library.pick(library.files());
    if (file === undefined) return undefined;
    library.write(file, readLines(file)[0]?.sessionId ?? 's1', Math.max(1, readLines(file).length));
    return nameOf(file);
  },
  cut: (library) => {
    const file = library.pick(library.files());
    if (file === undefined || readLines(file).length < 2) return undefined;
    const text = readFileSync(file, 'utf8');
    truncateSync(file, text.lastIndexOf('\n', text.length - 2) + 1);
    library.touch(file);
    return nameOf(file);
  },
};
