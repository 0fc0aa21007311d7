// Undamaged sessions of real clients: doctor must find nothing in them, and tests plant damage in
// them. Three files of the corpus are left out, because the client itself damaged them while writing.
import path from 'node:path';
import { agentIdOf } from '../../src/store/session-files.ts';
import { corpusFolder } from './corpus.ts';
import { filesBelow } from './paths.ts';

/** With the findings of doctor. */
export const damagedByClient: Readonly<Record<string, string>> = {
  '1.0.57/interrupt-text/-home-dev-widgets/deee9fd4-12c4-4bca-94a3-0533bc3ae81f.jsonl': 'G-replayed',
  '1.0.57/interrupt/-home-dev-widgets/4d0d9165-c704-4d9f-938b-d76fc2c99155.jsonl': 'G-replayed',
  '2.1.29/tui-mixed/-home-kim-widgets/74bac871-6d62-4067-86c3-bbf34255e9a7.jsonl': 'G-phantom-parent',
};

/** Sessions in which the client itself kept an answer with its thinking after its own summary (/compact). */
export const unboundByClient: readonly string[] = [
  '2.1.325/tui-rename-compact-clear/-home-kim-widgets/0a88e777-c530-47ae-b6b9-a3928d53d003.jsonl',
];

export const realFolder: string = path.join(corpusFolder, 'corpus/real');

/** Files next to the sessions: the typed prompts, and the input of hooks. */
const notSessions: ReadonlySet<string> = new Set(['_history.jsonl', 'hook-events.jsonl']);

export function healthyFiles(): readonly string[] {
  return filesBelow(realFolder, '.jsonl').filter(
    (file) =>
      agentIdOf(file) === undefined &&
      !notSessions.has(path.basename(file)) &&
      !(path.relative(realFolder, file) in damagedByClient) &&
      !unboundByClient.includes(path.relative(realFolder, file)),
  );
}
