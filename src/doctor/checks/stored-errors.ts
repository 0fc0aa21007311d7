// Answers that the client itself wrote to tell of an error → findings: they are no history, and one of them tells that
// the conversation no longer fits.
import { textOf } from '../../format/entry/block.ts';
import { contentOf } from '../../format/entry/entry.ts';
import { readEntry } from '../../session/load/session.ts';
import { syntheticModel } from '../../session/resume/client/client.ts';
import { isMessage, type Node } from '../../session/transcript/node.ts';
import { type ExaminedSession, findingPlace } from './examined-session.ts';
import { type Finding, makeFinding } from './finding.ts';

export function checkErrors(examined: ExaminedSession): Finding[] {
  if (examined.session.isAgent) return [];
  const lines = [...(examined.refused === undefined ? examined.chain : examined.order)].filter(isMessage);
  const errors = lines.filter((node) => node.isApiError);
  const [first] = errors;
  if (first === undefined) return [];
  const sent = errors.find((node) => node.message?.model !== syntheticModel);
  const message = `${errors.length === 1 ? 'an error message' : `${errors.length} error messages`} of the client among the answers`;
  const effect =
    sent === undefined ? 'the client leaves them out of every request' : 'the model is told them as its own words';
  const echo = makeFinding(
    'A-error-echo',
    sent === undefined ? 'info' : 'warn',
    findingPlace(examined, sent ?? first),
    message,
    effect,
  );
  return [
    echo,
    ...tooLong(
      examined,
      lines.findLast((node) => node.type === 'assistant'),
    ),
  ];
}

function tooLong(examined: ExaminedSession, last: Node | undefined): Finding[] {
  if (last === undefined || !last.isApiError) return [];
  const text = textOf(contentOf(readEntry(examined.session, last)));
  if (!/prompt is too long|request_too_large|exceeds the maximum allowed number of bytes/i.test(text)) return [];
  const effect = 'every request fails with 400, and /compact may fail as well';
  return [
    makeFinding(
      'A-too-long',
      'fatal',
      findingPlace(examined, last),
      'the last answer says that the prompt is too long',
      effect,
    ),
  ];
}
