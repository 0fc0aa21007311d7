// The session page's data from the server it came from.
import type { FindResult, SessionHead, TurnView } from '../../../export/page/view.ts';
import type { Client } from '../../client.ts';
import type { AppendEvent } from '../../wire.ts';
import { readAddress, writeAddress } from './address.ts';
import type { SessionSource, SessionStart } from './source.ts';

export type PageClient = Client<SessionHead, TurnView, FindResult>;

export function httpSource(client: PageClient, key: string, agentId: string | null = null): SessionSource {
  const part = agentId === null ? {} : { agent: agentId };
  let shown: { readonly version?: string } = {};
  return {
    key,
    agentId,
    exported: null,
    startPlace: () => readAddress(location.search),
    addressOf: (place) => writeAddress(key, place),
    head: async (branch, signal, fromTurn = 1) => (await client.head(key, { ...part, branch, fromTurn }, signal)).head,
    start: async (branch, signal) => {
      const { head, version, isWhole } = await client.head(key, { ...part, branch, start: true }, signal);
      if (isWhole) return { head };
      shown = { version };
      const rest: SessionStart['rest'] = async (stop) => {
        const whole = await client.head(key, { ...part, branch, since: version }, stop);
        shown = {};
        return whole;
      };
      return { head, rest };
    },
    parts: async (branch, from, to, signal) =>
      (await client.turns(key, { ...part, ...shown, branch, from, to }, signal)).parts,
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
