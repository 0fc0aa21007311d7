// Which files the instructions may import: judged like Read calls, and the user is asked about those outside the project.
import { homedir } from 'node:os';
import path from 'node:path';
import { isInside } from '../access/index.ts';
import type { AgentOptions, AskConsent } from '../contract/index.ts';
import { type Judge, readProtection } from '../permission/index.ts';
import type { MemoryOptions } from '../prompt/index.ts';

export interface MemoryImportsParts {
  readonly options: AgentOptions;
  readonly judge: Judge;
  readonly extraDirs: readonly string[];
  /** `undefined` before the agent runs. */
  readonly consent: (wish: Parameters<AskConsent>[0]) => ReturnType<AskConsent> | undefined;
}

export class MemoryImports {
  readonly #parts: MemoryImportsParts;
  readonly #allowed = new Map<string, Promise<boolean>>();

  constructor(parts: MemoryImportsParts) {
    this.#parts = parts;
  }

  memoryOptions(cwd: string): MemoryOptions {
    const { options, extraDirs } = this.#parts;
    const { root, settingSources, isInteractive } = options;
    return {
      ...{ cwd, root, home: homedir(), extraDirs, settingSources },
      judgeRead: (file) => this.#judgeRead(file, cwd),
      ...(isInteractive ? { allowImport: (file, by) => this.#allow(file, by) } : {}),
    };
  }

  /** Imports that the user has not been asked about are left out. */
  quietMemoryOptions(cwd: string): MemoryOptions {
    return { ...this.memoryOptions(cwd), allowImport: async (file) => (await this.#allowed.get(file)) ?? false };
  }

  /** An import is judged like a Read call in default mode. */
  async #judgeRead(file: string, cwd: string): Promise<'allow' | 'ask' | 'deny' | undefined> {
    const { judge, extraDirs } = this.#parts;
    const call = { id: 'import', name: 'Read', input: { file_path: file } };
    const { kind } = judge.judge(call, { mode: 'default', cwd, isReadOnly: true });
    if (kind !== 'ask') return kind;
    // Outside the project the judge asks for every file; here only files that may hold secrets matter.
    const isOwn = await isInside(file, [cwd, ...extraDirs]);
    return isOwn || readProtection(file.split(path.sep)) !== undefined ? 'ask' : undefined;
  }

  /** Asks once per file and run. */
  #allow(file: string, by: string): Promise<boolean> {
    const asked = this.#allowed.get(file) ?? this.#ask(file, by);
    this.#allowed.set(file, asked);
    return asked;
  }

  async #ask(file: string, by: string): Promise<boolean> {
    const details = [`${by} imports it, and it is outside the project or may contain secrets`];
    const wish = { title: `Send ${file} with the instructions?`, details, canKeep: false };
    return (await this.#parts.consent(wish))?.isGiven === true;
  }
}
