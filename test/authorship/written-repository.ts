// A small repository with sessions, written step by step by a test, and the answers of `answerFiles` for it.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { answerFiles, type FilesAnswer, findTarget } from '../../src/authorship/answer/index.ts';
import { openIndex, updateRows } from '../../src/library/index/index.ts';
import { updateText } from '../../src/library/search/index.ts';
import { temporaryFolder } from '../support/temp-folder.ts';
import { SessionScript } from './session-script.ts';

export class WrittenRepository {
  readonly base: string;
  readonly folder: string;
  readonly root: string;
  readonly #clock = { now: Date.parse('2026-01-05T09:00:00Z') };

  constructor(context: { after(end: () => void): void }, { hasGit = true }: { hasGit?: boolean } = {}) {
    this.base = temporaryFolder(context);
    this.folder = path.join(this.base, 'project');
    this.root = path.join(this.base, 'claude');
    mkdirSync(this.folder);
    if (hasGit) this.git('init', '-q', '-b', 'main');
  }

  git(...args: string[]): string {
    const own = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', '-c', 'core.autocrlf=false'];
    return execFileSync('git', [...own, ...args], {
      cwd: this.folder,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  }

  commit(message: string): void {
    this.git('add', '-A');
    this.git('commit', '-q', '--allow-empty', '-m', message);
  }

  /** What the user types. */
  put(name: string, text: string, folder: string = this.folder): void {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), text);
  }

  read(name: string, folder: string = this.folder): string {
    return readFileSync(path.join(folder, name), 'utf8');
  }

  session(prompt = 'do it', cwd: string = this.folder): SessionScript {
    const session = new SessionScript({ root: this.root, cwd, version: '2.1.325', clock: this.#clock });
    session.prompt(prompt);
    return session;
  }

  /** An Edit by a session, on the disk too. */
  edit(session: SessionScript, name: string, from: string, to: string, folder: string = this.folder): void {
    const before = this.read(name, folder);
    const after = before.replace(from, () => to);
    this.put(name, after, folder);
    session.edit({ file: path.join(folder, name), before, after }, from, to);
  }

  write(session: SessionScript, name: string, after: string, before?: string, folder: string = this.folder): void {
    this.put(name, after, folder);
    session.write({ file: path.join(folder, name), before, after });
  }

  async answer(name: string, archive?: string): Promise<FilesAnswer> {
    const database = openIndex({ folder: path.join(this.base, 'state') });
    try {
      updateRows(database, { roots: [this.root] });
      updateText(database, { roots: [this.root] });
      const { target, repository } = await findTarget(path.join(this.folder, name), process.env);
      return await answerFiles([target], { database, repository, roots: [this.root], archive });
    } finally {
      database.close();
    }
  }

  /** Each line with the prompt of its author, `-` for none, `?` for unknown. */
  async authors(name: string, archive?: string): Promise<readonly string[]> {
    const { files } = await this.answer(name, archive);
    return (files[0]?.lines ?? []).map(({ text, verdict, edit, doubt }) => {
      const author = verdict === 'agent' ? edit?.author.prompt : verdict === 'not-agent' ? '-' : `? ${doubt}`;
      return `${author} | ${text}`;
    });
  }
}
