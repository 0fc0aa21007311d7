// What a chat shows when a session opens: its header, and the end of a session that is resumed.
import type { SessionOpened } from '../../agent/contract/index.ts';
import { counted, oneLine } from '../../base/text/index.ts';
import { version } from '../../base/version/index.ts';
import { shortFolder } from '../render/index.ts';
import type { Style } from '../terminal/index.ts';
import type { Item } from './transcript/index.ts';

export function headerItem(cwd: string, { style, columns }: { style: Style; columns: number }): Item {
  const place = `${style.accent('◆')} ${style.bold(`clew ${version}`)} ${style.muted(`in ${oneLine(shortFolder(cwd), columns - 16)}`)}`;
  return { kind: 'lines', lines: [place, style.muted(`  ${oneLine('/help for commands and keys', columns - 3)}`)] };
}

const resumedRows = 12;

/** Returns nothing for a new session; for a resumed one, its last lines and its number of messages. */
export async function resumedItems(
  opened: SessionOpened,
  { style, columns }: { readonly style: Style; readonly columns: number },
): Promise<readonly Item[]> {
  const { sessionId, file, messageCount } = opened;
  if (messageCount === 0) return [];
  const lines = await lastLines(file, { style, columns });
  const note: Item = { kind: 'note', text: `resuming ${sessionId}, ${counted(messageCount, 'message')} so far` };
  return lines.length === 0 ? [note] : [{ kind: 'lines', lines }, note];
}

async function lastLines(file: string, options: { style: Style; columns: number }): Promise<readonly string[]> {
  try {
    // Loaded lazily: it needs the whole session reader, which a new chat does not.
    const { previewOf } = await import('../tail/preview.ts');
    const lines = await previewOf({ path: file, project: '', root: '' }, options);
    const last = lines.slice(-resumedRows);
    return last.slice(last.findIndex((line) => line !== ''));
  } catch {
    return [];
  }
}
