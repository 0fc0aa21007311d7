// A real terminal in tmux, for typing and for reading the screen.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { cleanEnv } from './clew.ts';
import { clew } from './dist.ts';
import { isAlive, processesBelow } from './processes.ts';
import { temporaryFolder } from './temp-folder.ts';
import { waitFor } from './wait.ts';

export interface Terminal {
  type(...keys: readonly string[]): void;
  /** As a bracketed paste. */
  paste(text: string): void;
  resize(columns: number, rows: number): void;
  /** The screen, once it matches and stops changing (apart from a clock); fails on a timeout. */
  screen(wanted: RegExp): Promise<string>;
  /** Of its window. */
  title(): string;
  /** How often a program rang. */
  bells(): number;
  /** All output, including the screen. */
  scrollback(): string;
  /** Like closing its window. */
  close(): void;
}

/** For the `skip` of a test: which of these programs are missing. */
export function skipWithout(...programs: readonly string[]): string | false {
  const missing = programs.filter((program) => spawnSync(program, ['-V']).error !== undefined);
  return missing.length === 0 ? false : `${missing.join(' and ')} is not on this machine`;
}

/** Quoted for a shell. */
export function command(args: string): string {
  return `'${process.execPath}' '${clew}' ${args}`;
}

/** Our programs never pause for longer within a frame; if the machine does, the next check finds the rest. */
const stillMs = 40;
/** For a busy machine. */
const longestMs = 60_000;

/** Spinners and clocks do not count as a change of the screen. */
function withoutClocks(shown: string): string {
  return shown.replace(/[\u2800-\u28ff]|\d+/g, '#');
}

export function openTerminal(
  context: TestContext,
  columns: number,
  rows: number,
  more: Readonly<Record<string, string>> = {},
): Terminal {
  // Runs before the folder is removed, in this order: without its socket the server cannot be ended.
  context.after(() => closeTerminal(tmux));
  const folder = temporaryFolder(context);
  const [socket, bells] = [path.join(folder, 'tmux'), path.join(folder, 'bells')];
  const tmux = (...args: readonly string[]): string => {
    const env = { ...cleanEnv(), NO_COLOR: '', TERM: 'xterm-256color', LC_ALL: 'C.UTF-8', PS1: '$ ', ...more };
    return spawnSync('tmux', ['-S', socket, '-f', '/dev/null', ...args], { encoding: 'utf8', env }).stdout;
  };
  tmux('new-session', '-d', '-s', 't', '-x', String(columns), '-y', String(rows), 'sh');
  tmux('set-hook', '-g', 'alert-bell', `run-shell "printf x >> '${bells}'"`);
  return {
    type: (...keys) => void tmux('send-keys', '-t', 't', ...keys),
    paste: (text) => {
      tmux('set-buffer', text);
      tmux('paste-buffer', '-p', '-t', 't');
    },
    resize: (width, height) => void tmux('resize-window', '-t', 't', '-x', String(width), '-y', String(height)),
    close: () => void tmux('kill-server'),
    title: () => tmux('display-message', '-p', '-t', 't', '#{pane_title}').trim(),
    bells: () => (existsSync(bells) ? readFileSync(bells, 'utf8').length : 0),
    scrollback: () => tmux('capture-pane', '-p', '-S', '-', '-t', 't'),
    screen: async (wanted) => {
      const end = Date.now() + longestMs;
      let shown = '';
      let before = '';
      while (Date.now() < end) {
        shown = tmux('capture-pane', '-p', '-t', 't');
        if (wanted.test(shown) && withoutClocks(shown) === before) return shown;
        before = withoutClocks(shown);
        await setTimeout(stillMs);
      }
      throw new Error(`the screen never showed ${wanted}:\n${shown}`);
    },
  };
}

/** A program that ignores the hang-up is a bug: the test fails, and the program is still killed. */
async function closeTerminal(tmux: (...args: readonly string[]) => string): Promise<void> {
  const shell = Number(tmux('display-message', '-p', '-t', 't', '#{pane_pid}'));
  const programs = shell > 0 ? processesBelow(shell) : [];
  tmux('kill-server');
  try {
    await waitFor(
      () => !programs.some(isAlive),
      () => `the terminal is closed, but its programs run: ${programs.filter(isAlive)}`,
    );
  } finally {
    for (const pid of programs.filter(isAlive)) process.kill(pid, 'SIGKILL');
  }
}
