// The session page's data from its server.
import { type Client, keyParam, readJson, readText } from '../../../client/index.ts';
import type { HeadQuery } from '../../../wire/index.ts';
import { readAddress, type SessionSource, type SessionStart, writeAddress } from '../source/index.ts';
import { paperSource, type ReadNow, readPrintable } from './printable.ts';
import { ReadVersion } from './read-version.ts';

export interface SourceOptions {
  readonly watch: SessionSource['watch'];
  /** The version that the session has when its changes begin to arrive. */
  readonly watchCurrent?: (onCurrent: (version: string) => void) => () => void;
  readonly watchPresence?: NonNullable<SessionSource['watchPresence']>;
  readonly agentId?: string | null;
  readonly readNow?: ReadNow;
}

const maxSimilar = 50;

export function httpSource(client: Client, key: string, options: SourceOptions): SessionSource {
  const { watch, watchCurrent, watchPresence, readNow, agentId = null } = options;
  const part = agentId === null ? {} : { agent: agentId };
  const routes = client.sessions[':key'];
  const param = keyParam(key);
  const getHead = (query: HeadQuery, signal?: AbortSignal) =>
    readJson(routes.$get({ param, query: { ...part, ...query } }, until(signal)));
  let shown: { readonly version?: string } = {};
  const version = new ReadVersion();
  const source: SessionSource = {
    key,
    agentId,
    exported: null,
    startPlace: () => readAddress(location.search),
    addressOf: (place) => writeAddress(key, place),
    head: async (branch, signal, fromTurn = 1) => {
      const answer = await getHead({ branch, fromTurn }, signal);
      version.read(answer.version);
      return answer.head;
    },
    start: async (branch, signal) => {
      const beginning = await getHead({ branch, start: true }, signal);
      const { head } = beginning;
      if (beginning.isWhole) {
        version.read(beginning.version);
        return { head };
      }
      shown = { version: beginning.version };
      const rest: SessionStart['rest'] = async (stop) => {
        const whole = await getHead({ branch, since: beginning.version }, stop);
        shown = {};
        version.read(whole.version);
        return whole;
      };
      return { head, rest };
    },
    parts: async (branch, from, to, signal) => {
      const query = { ...part, ...shown, branch, from, to };
      return (await readJson(routes.turns.$get({ param, query }, until(signal)))).parts;
    },
    text: (ref) => readText(routes.text.$get({ param, query: { ...part, ...ref } })),
    imageUrl: async (ref, signal) => {
      const response = await routes.image.$get({ param, query: { ...part, ...ref } }, until(signal));
      const image = await response.blob();
      // A blob is of the page's own origin: nothing that could run may become one.
      if (!/^image\/(?:png|jpeg|gif|webp)$/.test(image.type)) throw new Error('this is not an image');
      return URL.createObjectURL(image);
    },
    line: (line) => readJson(routes.lines[':line'].$get({ param: { ...param, line: String(line) }, query: part })),
    find: (query, signal) => readJson(routes.find.$get({ param, query }, until(signal))),
    slice: ({ agentId: agent, line, kind, nth }, from, to, signal) => {
      const query = { ...(agent === null ? {} : { agent }), line, kind, nth, from, to };
      return readJson(routes.slice.$get({ param, query }, until(signal)));
    },
    markdown: (query) => readText(routes.markdown.$get({ param, query: { ...part, ...query } })),
    place: async (line) => (await readJson(routes.place.$get({ param, query: { ...part, line } }))).shown,
    side: {
      context: async (at, signal) =>
        (await readJson(routes.context.$get({ param, query: { ...part, ...at } }, until(signal)))).ledger,
      view: (at, signal) => readJson(routes.side.$get({ param, query: { ...part, ...at } }, until(signal))),
      edits: (at, signal) => readJson(routes.edits.$get({ param, query: { ...part, ...at } }, until(signal))),
    },
    ofAgent: (id) => httpSource(client, key, { watch, agentId: id }),
    watch: (onChange) => {
      const changed = (): void => onChange({ agentId: null, fromPart: 0 });
      const ends = [watchCurrent?.((current) => version.compare(current, changed)), watch(onChange)];
      return () => {
        for (const end of ends) end?.();
      };
    },
    ...(watchPresence === undefined ? {} : { watchPresence }),
    similar: async () => {
      if (!/^[\da-f-]{4,36}$/i.test(key)) return [];
      const { rows } = await readJson(client.sessions.$get({ query: { id: key, limit: maxSimilar } }));
      return rows.map(({ title, firstPrompt, person, ...row }) => ({
        ...row,
        title: `${person === null ? '' : `${person}: `}${title ?? firstPrompt ?? 'Untitled session'}`,
      }));
    },
  };
  if (readNow === undefined) return source;
  return {
    ...source,
    printable: (head) => {
      const pages = readPrintable(readNow, key, head);
      return { pages, source: paperSource(readNow, source, pages) };
    },
  };
}

function until(signal: AbortSignal | undefined): { readonly init?: RequestInit } {
  return signal === undefined ? {} : { init: { signal } };
}
