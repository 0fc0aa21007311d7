// The session page's data from the server it came from.
import type { FindResult, SessionHead, TurnView } from '../../../export/page/view.ts';
import type { Client } from '../../client.ts';
import type { AppendEvent } from '../../wire.ts';
import type { SessionSource } from './source.ts';

export type PageClient = Client<SessionHead, TurnView, FindResult>;

export function httpSource(client: PageClient, key: string, agentId: string | null = null): SessionSource {
  const part = agentId === null ? {} : { agent: agentId };
  return {
    key,
    agentId,
    head: async (branch, signal) => (await client.head(key, { ...part, branch }, signal)).head,
    parts: async (branch, from, to, signal) => (await client.turns(key, { ...part, branch, from, to }, signal)).parts,
    text: (ref) => client.text(key, { ...part, ...ref }),
    imageUrl: (ref) => client.imageUrl(key, { ...part, ...ref }),
    line: (line) => client.line(key, line, part),
    find: (query, signal) => client.find(key, { ...part, ...query }, signal),
    markdown: (query) => client.markdown(key, { ...part, ...query }),
    place: (line) => client.place(key, line, part),
    ofAgent: (id) => httpSource(client, key, id),
    watch: (onChange) => {
      const events = new EventSource(client.eventsUrl({ watch: [key] }));
      let isFirst = true;
      // The server says hello again when it had to leave something out, or the connection was lost.
      events.addEventListener('hello', () => {
        if (!isFirst) onChange({ agentId: null, fromPart: 0 });
        isFirst = false;
      });
      events.addEventListener('append', (event: MessageEvent<string>) => {
        const grown = JSON.parse(event.data) as AppendEvent; // what the server sends under this name
        if (grown.key === key) onChange({ agentId: grown.agentId, fromPart: grown.fromPart });
      });
      return () => events.close();
    },
  };
}
