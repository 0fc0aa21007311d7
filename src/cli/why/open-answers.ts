// Runs the question for `clew why` and `clew log`: the index is brought up to date, and progress is shown.

import { type AnswerOptions, answerFiles, type FilesAnswer, type Target } from '../../authorship/answer/index.ts';
import { UserError } from '../../base/errors/index.ts';
import { archiveFolder } from '../../library/archive/index.ts';
import { sessionIds } from '../../library/text/index.ts';
import type { CommandInput } from '../command/index.ts';
import { bringTextUpToDate, rootsOf, withIndex } from '../input/index.ts';
import { shortIds } from '../render/index.ts';
import { showProgress } from '../terminal/index.ts';

export interface OpenAnswers {
  readonly answer: FilesAnswer;
  /** The shown part of each session id. */
  readonly ids: ReadonlyMap<string, string>;
}

export async function openAnswers(
  input: CommandInput,
  targets: readonly Target[],
  repository: AnswerOptions['repository'],
): Promise<OpenAnswers> {
  const roots = rootsOf(input);
  const progress = showProgress({ stderr: input.io.stderr, label: 'reading what sessions wrote' });
  return withIndex(input, async (database) => {
    bringTextUpToDate(input, database);
    try {
      const answer = await answerFiles(targets, {
        database,
        repository,
        roots,
        archive: archiveFolder(input.io.env),
        onRead: (done, total) => progress.update(done, total),
        onProblem: (file, error) => addProblem(input, file, error),
      });
      return { answer, ids: shortIds(sessionIds(database, roots)) };
    } finally {
      progress.end();
    }
  });
}

function addProblem(input: CommandInput, file: string, error: unknown): void {
  if (!(error instanceof UserError)) throw error;
  input.unread.addFailed(file, error);
}
