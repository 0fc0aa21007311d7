// Records as they are written → the objects of `clew tail --json` (docs/json.md): one for everything that was said,
// called and answered.
import { isoDate, type JsonValue } from '../../base/json/index.ts';
import { textOf } from '../../format/entry/index.ts';
import type { NewRecord } from '../../library/watch/index.ts';
import { lineItems, Story } from '../../session/story/index.ts';
import { agentIdOf, looseRecord, sessionIdOf } from './loose-record.ts';

export function* tailObjects(record: NewRecord): Generator<object> {
  const { node, session } = looseRecord(record);
  const { head, place } = record;
  const make = (kind: string, about: Partial<About>): object => ({
    kind,
    time: isoDate(head.time),
    sessionId: sessionIdOf(record),
    agentId: agentIdOf(record) ?? null,
    path: place.path,
    uuid: head.uuid ?? null,
    text: about.text ?? null,
    toolUseId: about.toolUseId ?? null,
    tool: about.tool ?? null,
    input: about.input ?? null,
    isError: about.isError ?? null,
    from: about.from ?? null,
  });
  for (const item of lineItems(new Story(session), node)) {
    switch (item.kind) {
      case 'prompt':
      case 'text':
        yield make(item.kind, { text: item.text.text });
        break;
      case 'thinking':
        yield make('thinking', { text: item.text?.text ?? '' });
        break;
      case 'call':
        yield make('call', { toolUseId: item.id, tool: item.tool, input: item.input ?? {} });
        break;
      case 'result':
        yield make('result', { text: textOf(item.blocks), toolUseId: item.id, isError: item.isError });
        break;
      case 'error':
      case 'note':
        if (item.kind === 'note' && item.about === 'message')
          yield make('message', { text: item.text.text, from: item.from ?? null });
        // What the client writes in place of an answer is an answer in the transcript.
        else if (node.type === 'assistant') yield make('text', { text: item.text.text });
        break;
      default:
        item.kind satisfies 'queued' | 'context' | 'compaction' | 'summary' | 'fork' | 'image' | 'block'; // left out
    }
  }
}

interface About {
  readonly text: string;
  readonly toolUseId: string;
  readonly tool: string;
  readonly input: JsonValue;
  readonly isError: boolean;
  readonly from: string | null;
}
