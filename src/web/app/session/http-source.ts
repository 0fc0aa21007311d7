// The session page's data from the server it came from.
import type { FindResult, SessionHead, TurnView } from '../../../export/page/view.ts';
import type { Client } from '../../client.ts';
import { readAddress, writeAddress } from './address.ts';
import type { SessionSource, SessionStart } from './source.ts';

export type PageClient = Client<SessionHead, TurnView, FindResult>;

export interface SourceOptions {
  readonly watch: SessionSource['watch'];
  readonly agentId?: string | null;
}

export function httpSource(client: PageClient, key: string, options: SourceOptions): SessionSource {
  const { watch, agentId = null } = options;
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
    imageUrl: async (ref, signal) => {
      const image = await client.image(key, { ...part, ...ref }, signal);
      // A blob is of the page's own origin: nothing that could run may become one.
      if (!/^image\/(?:png|jpeg|gif|webp)$/.test(image.type)) throw new Error('this is not an image');
      return URL.createObjectURL(image);
    },
    line: (line) => client.line(key, line, part),
    find: (query, signal) => client.find(key, { ...part, ...query }, signal),
    markdown: (query) => client.markdown(key, { ...part, ...query }),
    place: (line) => client.place(key, line, part),
    ofAgent: (id) => httpSource(client, key, { watch, agentId: id }),
    watch,
  };
}
