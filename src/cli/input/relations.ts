// One loaded session → how it is related to others, as far as the index knows them. The index is not brought up to date
// for it: showing a session must not read all others.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { openCurrentIndex } from '../../library/index/index.ts';
import {
  findRelations,
  type MarkedSession,
  markedSessions,
  type Relation,
  readJobs,
} from '../../library/lineage/index.ts';
import { summarise } from '../../session/facts/index.ts';
import type { Session } from '../../session/load/index.ts';
import { turnPromptText, turnsOf } from '../../session/turns/index.ts';
import { stateFolder } from '../../store/index.ts';
import type { CommandInput } from '../command/index.ts';
import { madeByReader } from './lineage.ts';
import { rootsOf } from './session.ts';

export function relationsOfSession(input: CommandInput, session: Session): readonly Relation[] {
  const main = path.resolve(session.files.main);
  const roots = rootsOf(input);
  const known = sessionsOfIndex(input, roots);
  const own = known.find((each) => each.path === main);
  const others = known.filter((each) => each.path !== main);
  const root = roots.find((each) => main.startsWith(each + path.sep)) ?? '';
  const marked = { ...markedSession(session), path: main, root, ...(own && { firstPrompt: own.firstPrompt }) };
  const sources = { jobs: readJobs(roots), madeBy: madeByReader(input.io) };
  // A session of the index may have been deleted since.
  return findRelations([...others, marked], sources)
    .of(main)
    .map((relation) =>
      relation.path === undefined || existsSync(relation.path) ? relation : { ...relation, path: undefined },
    );
}

function sessionsOfIndex({ io }: CommandInput, roots: readonly string[]): readonly MarkedSession[] {
  try {
    const database = openCurrentIndex(stateFolder(io.env));
    if (database === undefined) return [];
    try {
      return markedSessions(database, roots);
    } finally {
      database.close();
    }
  } catch {
    return []; // commands that need the index report what is wrong with it
  }
}

function markedSession(session: Session): MarkedSession {
  const summary = summarise(session);
  const first = turnsOf(session)[0];
  const firstPrompt = first === undefined ? undefined : turnPromptText(session, first)?.trim().slice(0, 500);
  return { ...summary, root: '', firstPrompt: firstPrompt === '' ? undefined : firstPrompt };
}
