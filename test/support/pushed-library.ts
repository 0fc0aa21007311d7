// The sessions below a root, pushed into a store at one level, without the outbox of `clew push`.
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { IndexHandle, listSessions, updateRows } from '../../src/library/index/index.ts';
import { updateText } from '../../src/library/search/index.ts';
import { loadPrices, UsageStore } from '../../src/library/usage/index.ts';
import { PriceList } from '../../src/models/index.ts';
import { usualRuleSet } from '../../src/surgery/secrets/index.ts';
import {
  baseIdOf,
  collectSession,
  loadStoreKey,
  localSessions,
  rulesVersion,
  secondIdOf,
} from '../../src/team/collect/index.ts';
import type { LevelNumber } from '../../src/team/contract/index.ts';
import { connect, DatabaseTarget } from '../../src/team/database/index.ts';

export interface PushedLibrary {
  readonly address: string;
  readonly root: string;
  /** CLEW_HOME of the machine. */
  readonly home: string;
  readonly level: LevelNumber;
  readonly machine?: string;
}

/** Returns how many sessions were pushed. */
export async function pushLibrary({ address, root, home, level, machine = 'laptop' }: PushedLibrary): Promise<number> {
  mkdirSync(home, { recursive: true });
  const handle = new IndexHandle({ folder: home });
  const target = new DatabaseTarget(await connect(address));
  try {
    return await handle.work(async (database) => {
      updateRows(database, { roots: [root] });
      updateText(database, { roots: [root] });
      const listed = listSessions(database, { roots: [root] }).sessions;
      const prices = new PriceList(loadPrices({ CLEW_HOME: home }));
      const usage = new UsageStore({ folder: home, roots: [root] });
      usage.update({ prices });
      const sessions = localSessions({ database, roots: [root], listed, usage, prices: prices.prices.version });
      const key = loadStoreKey(path.join(home, 'push'));
      const ruleSet = usualRuleSet(home);
      const rules = { ruleSet, version: rulesVersion(ruleSet, '') };
      const context = { database, machine, key, rules, nowMs: Date.now() };
      const taken = new Set<string>();
      for (const session of sessions) {
        const base = baseIdOf(session.path, key);
        const sessionId = taken.has(base) ? secondIdOf(base, session.path, key) : base;
        taken.add(base);
        const answer = await target.push(await collectSession(session, { sessionId, level }, context));
        if (answer.state !== 'open' && answer.state !== 'same') throw new Error(`${base}: ${JSON.stringify(answer)}`);
      }
      return sessions.length;
    });
  } finally {
    await target.close();
    handle.close();
  }
}
