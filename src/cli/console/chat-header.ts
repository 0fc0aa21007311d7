// What the chat begins with: who is speaking, where, and of a session that goes on, how it ended.
import type { SessionOpened } from '../../agent/event.ts';
import { oneLine } from '../../base/terminal-text.ts';
import { version } from '../../base/version.ts';
import type { Style } from '../terminal/style.ts';
import { counted, shortFolder } from '../wording.ts';
import type { Item } from './item.ts';

export function headerItem(cwd: string, { style, columns }: { style: Style; columns: number }): Item {
  const place = `${style.accent('◆')} ${style.bold(`clew ${version}`)} ${style.muted(`in ${oneLine(shortFolder(cwd), columns - 16)}`)}`;
  return { kind: 'lines', lines: [place, style.muted(`  ${oneLine('/help for commands and keys', columns - 3)}`)] };
}

const resumedRows = 12;

/** Nothing for a new session; for one that goes on, its last lines and how much the model is told of it. */
export async function resumedItems(
  opened: SessionOpened,
  { style, columns }: { readonly style: Style; readonly columns: number },
): Promise<readonly Item[]> {
  const { sessionId, file, messageCount } = opened;
  if (messageCount === 0) return [];
  const lines = await lastLines(file, { style, columns });
  const note: Item = { kind: 'note', text: `going on in ${sessionId}, ${counted(messageCount, 'message')} so far` };
  return lines.length === 0 ? [note] : [{ kind: 'lines', lines }, note];
}

async function lastLines(file: string, options: { style: Style; columns: number }): Promise<readonly string[]> {
  try {
    // It brings the whole reader of sessions along, which a new chat does without.
    const { previewOf } = await import('../picker/preview.ts');
    const lines = await previewOf({ path: file, project: '', root: '' }, options);
    const last = lines.slice(-resumedRows);
    return last.slice(last.findIndex((line) => line !== ''));
  } catch {
    return [];
  }
}
