// Lines of a transcript → what happened, a few words each: for the page of running sessions.
import { resultText, withoutErrorTags } from '../../../session/calls/call-result.ts';
import { summariseInput } from '../../../session/calls/tool-summary.ts';
import type { Session } from '../../../session/load/session.ts';
import { type LineItem, lineItems } from '../../../session/story/line.ts';
import { Story } from '../../../session/story/story.ts';
import { isMessage, type Node } from '../../../session/transcript/node.ts';
import type { LiveLine } from '../../wire/wire.ts';
import { finite } from './listed-row.ts';

const textChars = 400;

export function liveLines(session: Session, nodes: readonly Node[], agentId: string | null): readonly LiveLine[] {
  const story = new Story(session);
  return nodes.filter(isMessage).flatMap((node) => {
    const place = { line: node.line, agentId, time: finite(node.time) };
    return [...lineItems(story, node)].flatMap((item) => {
      const live = liveItem(item);
      return live === undefined || (live.text === '' && live.tool === null) ? [] : [{ ...place, ...live }];
    });
  });
}

function liveItem(item: LineItem): Pick<LiveLine, 'kind' | 'tool' | 'text'> | undefined {
  switch (item.kind) {
    case 'prompt':
    case 'text':
    case 'error':
      return { kind: item.kind, tool: null, text: shorten(item.text.text) };
    case 'thinking':
      return { kind: 'thinking', tool: null, text: shorten(item.text?.text ?? '') };
    case 'call':
      return { kind: 'call', tool: item.tool, text: shorten(summariseInput(item.tool, item.input)) };
    case 'result':
      return {
        kind: item.isError ? 'error' : 'result',
        tool: null,
        text: shorten(withoutErrorTags(resultText(item.blocks))),
      };
    case 'note':
      return item.about === 'client' ? { kind: 'text', tool: null, text: shorten(item.text.text) } : undefined;
    default:
      item.kind satisfies 'queued' | 'context' | 'compaction' | 'summary' | 'fork' | 'image' | 'block'; // left out
      return undefined;
  }
}

function shorten(text: string): string {
  const start = text
    .trimStart()
    .slice(0, textChars * 2)
    .replace(/\s+/g, ' ')
    .trim();
  return start.slice(0, textChars).toWellFormed();
}
