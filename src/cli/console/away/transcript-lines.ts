// A session file → the lines of its active branch, complete and safe, as `clew show --full` prints them.
import { loadSession } from '../../../session/load/index.ts';
import { Story } from '../../../session/story/index.ts';
import { turnsOf } from '../../../session/turns/index.ts';
import { showItem } from '../../show/index.ts';
import { type Style, safeText } from '../../terminal/index.ts';

export async function readTranscriptLines(
  file: string,
  { style, columns }: { readonly style: Style; readonly columns: number },
): Promise<readonly string[]> {
  const session = await loadSession(file);
  const branch = session.branches.find(({ active }) => active);
  const story = new Story(session, { branch });
  let text = '';
  for (const turn of turnsOf(session, branch))
    for (const item of story.items(turn))
      for await (const chunk of showItem(story, item, { full: true, style, width: columns })) text += chunk;
  return safeText(text, style).replace(/^\n+/, '').trimEnd().split('\n');
}
