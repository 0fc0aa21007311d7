// Commands that run in the background. Each has an id, a file with its whole output, and a buffer with the output that
// has not been read yet. `close` ends all of them.
import { randomBytes } from 'node:crypto';
import { closeSync, writeSync } from 'node:fs';
import path from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import type {
  BackgroundOptions,
  BackgroundTask,
  BackgroundTasks,
  FileMemory,
  Launch,
  Sandbox,
  SeenFile,
  Todo,
  Workspace,
} from '../../contract/index.ts';
import { limits } from '../shared/index.ts';
import { cleanText, openOutput } from './output.ts';
import { type Shell, startShell } from './shell.ts';

export class ShellTasks implements BackgroundTasks {
  private readonly tasks = new Map<string, ShellTask>();
  private readonly adopted = new Set<Shell>();
  private readonly folder: string;
  private readonly onStart: (task: BackgroundTask) => void;

  constructor(folder: string, onStart: (task: BackgroundTask) => void = () => undefined) {
    this.folder = folder;
    this.onStart = onStart;
  }

  get all(): readonly BackgroundTask[] {
    return [...this.tasks.values()];
  }

  start(command: string, options: BackgroundOptions): BackgroundTask {
    const id = `b${randomBytes(4).toString('hex')}`;
    const task = new ShellTask(id, command, path.join(this.folder, `${id}.txt`), options);
    this.tasks.set(id, task);
    this.onStart(task);
    return task;
  }

  find(id: string): BackgroundTask | undefined {
    return this.tasks.get(id);
  }

  /** Takes over a shell whose command has ended but left processes running. */
  adopt(shell: Shell): void {
    this.adopted.add(shell);
    shell.unref();
    void shell.gone.then(() => this.adopted.delete(shell));
  }

  async close(): Promise<void> {
    const adopted = [...this.adopted];
    for (const shell of adopted) shell.kill();
    await Promise.all([
      ...[...this.tasks.values()].map((task) => task.kill('close')),
      ...adopted.map(({ gone }) => gone),
    ]);
  }
}

class ShellTask implements BackgroundTask {
  readonly id: string;
  readonly command: string;
  readonly callId: string;
  readonly description: string;
  readonly outputFile: string;
  readonly ended: Promise<void>;
  state: BackgroundTask['state'] = 'running';
  exitCode: number | undefined;
  stoppedBy: BackgroundTask['stoppedBy'];
  private untaken = '';
  private untakenCut = 0;
  private storedBytes = 0;
  private fd: number | undefined;
  private readonly decoder = new StringDecoder('utf8');
  private readonly shell: Shell;

  constructor(id: string, command: string, outputFile: string, options: BackgroundOptions) {
    this.id = id;
    this.command = command;
    this.callId = options.callId ?? '';
    this.description = options.description?.trim() || command;
    this.outputFile = outputFile;
    this.fd = openOutput(outputFile);
    this.shell = startShell(command, { ...options, onOutput: (bytes) => this.add(bytes) });
    this.shell.unref();
    this.ended = this.shell.exited.then(
      async ({ code }) => {
        // The last processes may still write.
        if (options.launch.confinement !== 'open') await this.shell.gone;
        this.finish(code, options.launch);
      },
      () => this.finish(127, options.launch),
    );
    const { timeoutMs } = options;
    if (timeoutMs === undefined) return;
    const timer = setTimeout(() => void this.kill('limit'), timeoutMs);
    timer.unref();
    void this.ended.finally(() => clearTimeout(timer));
  }

  takeOutput(): { readonly stdout: string; readonly stderr: string } {
    const cut =
      this.untakenCut > 0 ? `(${this.untakenCut} characters before this are only in ${this.outputFile})\n` : '';
    const stdout = cut + this.untaken.toWellFormed();
    this.untaken = '';
    this.untakenCut = 0;
    return { stdout, stderr: '' };
  }

  async kill(by: 'model' | 'host' | 'limit' | 'close'): Promise<void> {
    if (this.state === 'running') {
      this.state = 'killed';
      this.stoppedBy = by;
    }
    this.shell.stop();
    await Promise.all([this.ended, this.shell.gone]);
  }

  private add(bytes: Buffer): void {
    this.untaken += cleanText(this.decoder.write(bytes));
    const over = this.untaken.length - limits.bash.outputChars;
    if (over > 0) {
      this.untaken = this.untaken.slice(over);
      this.untakenCut += over;
    }
    if (this.fd === undefined || this.storedBytes > limits.bash.outputFileBytes) return;
    this.storedBytes += bytes.length;
    try {
      writeSync(this.fd, bytes);
    } catch {
      // A full disk must not end the task; unread output is still in memory.
    }
  }

  private finish(code: number, launch: Launch): void {
    for (const note of launch.finish()) this.add(Buffer.from(`${note}\n`));
    this.exitCode = code;
    if (this.state === 'running') this.state = code === 0 ? 'completed' : 'failed';
    if (this.fd !== undefined) closeSync(this.fd);
    this.fd = undefined;
  }
}

export interface WorkspaceOptions {
  readonly projectDir: string;
  readonly sessionDir: string;
  readonly env: NodeJS.ProcessEnv;
  /** Without a sandbox, commands run unconfined. */
  readonly sandbox?: Sandbox;
  readonly cwd?: string;
  readonly isCwdFixed?: boolean;
  readonly extraDirs?: readonly string[];
  readonly todos?: readonly Todo[];
  /** A sub-agent shares the background tasks of the session. */
  readonly background?: BackgroundTasks;
  /** Called with each command that starts in the background. */
  readonly onBackground?: (task: BackgroundTask) => void;
}

export function makeWorkspace(options: WorkspaceOptions): Workspace {
  const projectDir = path.resolve(options.projectDir);
  return {
    cwd: options.cwd ?? projectDir,
    isCwdFixed: options.isCwdFixed ?? false,
    projectDir,
    extraDirs: options.extraDirs ?? [],
    sessionDir: options.sessionDir,
    env: options.env,
    sandbox: options.sandbox ?? noSandbox,
    files: makeFileMemory(),
    background:
      options.background ?? new ShellTasks(path.join(options.sessionDir, 'tool-results'), options.onBackground),
    todos: options.todos ?? [],
  };
}

const noSandbox: Sandbox = {
  mechanism: 'none',
  launch: (_, { env }) => ({ confinement: 'open', prefix: [], env, finish: () => [] }),
  hiddenBelow: () => [],
};

export function makeFileMemory(): FileMemory {
  const files = new Map<string, SeenFile>();
  return {
    seen: (file) => files.get(file),
    remember: (file, seen) => void files.set(file, seen),
    forget: (file) => void files.delete(file),
  };
}
