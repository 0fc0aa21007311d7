// A store with the sessions of people who share at different levels, and `clew open --store` over it for one of them.
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { TestContext } from 'node:test';
import type { Page } from 'playwright-core';
import type { LevelNumber } from '../../src/team/contract/index.ts';
import { desktop, type OpenedPage, openPage } from '../support/browser.ts';
import { pushLibrary } from '../support/pushed-library.ts';
import { type RunningClew, startClew } from '../support/running-clew.ts';
import { startTeamStore, type TeamStore, type TestRole } from '../support/team-store.ts';
import { temporaryFolder, writeTree } from '../support/temp-folder.ts';
import { transcript } from '../support/transcript-builder.ts';

export const opus = 'claude-opus-4-5-20251101';
export const dayMs = 86_400_000;

export interface SessionParts {
  readonly id: string;
  readonly cwd: string;
  readonly title?: string;
  readonly prompts: readonly string[];
  readonly answer: string;
  /** Days before today. */
  readonly daysAgo: number;
  /** Of each answer: all input is new. Opus costs $5 and $25 per million. */
  readonly tokens: { readonly input: number; readonly output: number };
}

/** As the client writes it, by its name below `projects`. */
export function filesOf(sessions: readonly SessionParts[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    sessions.map(({ id, cwd, title, prompts, answer, daysAgo, tokens }) => {
      const at = Date.now() - daysAgo * dayMs;
      const lines = transcript({ cwd, sessionId: id });
      prompts.forEach((prompt, i) => {
        const timestamp = new Date(at - (prompts.length - i) * 60_000).toISOString();
        const usage = { input_tokens: tokens.input, output_tokens: tokens.output };
        // Lines with one uuid would be copies of each other.
        const uuid = (nth: number): string => `${id.slice(0, -4)}${String(nth).padStart(4, '0')}`;
        lines.user(prompt, { timestamp, uuid: uuid(2 * i) });
        lines.assistant(answer, {
          timestamp,
          uuid: uuid(2 * i + 1),
          message: { id: `msg_${id}_${i}`, model: opus, usage, stop_reason: 'end_turn' },
        });
      });
      const named =
        title === undefined ? '' : `${JSON.stringify({ type: 'custom-title', customTitle: title, sessionId: id })}\n`;
      return [`${cwd.replaceAll('/', '-')}/${id}.jsonl`, lines.text() + named];
    }),
  );
}

export interface Shared {
  readonly person: string;
  readonly level: LevelNumber;
  readonly machine: string;
  readonly sessions: readonly SessionParts[];
}

export interface PageStore extends TeamStore {
  /** Pushes all sessions of a machine; again with another level, if it is the same machine. */
  share(shared: Shared): Promise<void>;
}

/** `groups`: the members by group; the one with a star leads it. */
export async function startPageStore(
  context: TestContext,
  people: Readonly<Record<string, TestRole>>,
  groups: Readonly<Record<string, readonly string[]>>,
): Promise<PageStore> {
  const store = await startTeamStore(context, people);
  for (const [group, members] of Object.entries(groups)) {
    store.server.run(`INSERT INTO clew.groups SELECT tenant, '${group}' FROM clew.tenants`);
    for (const member of members)
      store.server.run(`INSERT INTO clew.members SELECT tenant, '${group}', person, ${member.endsWith('*')}
        FROM clew.people WHERE name = '${member.replace('*', '')}'`);
  }
  const folder = temporaryFolder(context);
  let pushes = 0;
  return {
    ...store,
    share: async ({ person, level, machine, sessions }) => {
      const root = path.join(folder, machine);
      const home = path.join(folder, `index ${++pushes}`);
      mkdirSync(path.join(root, 'projects'), { recursive: true });
      writeTree(path.join(root, 'projects'), filesOf(sessions));
      await pushLibrary({ address: store.addressOf(person), root, home, level, machine });
    },
  };
}

export interface StorePage {
  readonly clew: RunningClew;
  /** CLEW_HOME of the server. */
  readonly home: string;
  readonly url: string;
  open(address: string, view?: typeof desktop): Promise<OpenedPage>;
  /** A request with the token, and the text of its answer. */
  ask(address: string, init?: RequestInit): Promise<{ readonly status: number; readonly text: string }>;
}

/** `clew open --store`, as it runs for whoever has the address. */
export async function openStorePage(
  context: TestContext,
  address: string,
  flags: readonly string[] = ['--everyone'],
): Promise<StorePage> {
  const home = path.join(temporaryFolder(context), 'state');
  const clew = startClew(context, ['open', '--store', address, ...flags, '--no-browser', '--json'], {
    CLEW_HOME: home,
  });
  const { url } = JSON.parse(await clew.prints(/\n/)) as { url: string };
  const { hash, origin } = new URL(url);
  const token = hash.replace('#token=', '');
  return {
    clew,
    home,
    url,
    open: (place, view = desktop) => openPage(`${new URL(place, origin).href}${hash}`, view),
    ask: async (place, init = {}) => {
      const headers = { 'x-clew-token': token, origin, 'content-type': 'application/json' };
      const response = await fetch(new URL(place, origin), { ...init, headers });
      return { status: response.status, text: await response.text() };
    },
  };
}

/** The texts of all cells of a table, by row. */
export function tableTexts(page: Page, name: string): Promise<readonly (readonly string[])[]> {
  const rows = page.getByRole('table', { name }).locator('tbody tr');
  return rows.evaluateAll((all) =>
    all.map((row) => Array.from(row.children, (cell) => (cell as HTMLElement).innerText.replace(/\s+/g, ' ').trim())),
  );
}
