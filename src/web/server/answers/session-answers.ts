// Questions of the session page → answers, from cached sessions: the head, parts of turns, the place of a line, the
// raw line, the whole of a cut text, an image, what was found and the text around it, Markdown.

import { contextLedger } from '../../../context/ledger/index.ts';
import { exportMarkdown } from '../../../export/markdown/index.ts';
import {
  branchNumbered,
  findInSession,
  imageAt,
  type OpenSession,
  partsOf,
  sessionHead,
  shownPlace,
  sliceOfText,
  textAt,
  turnViews,
} from '../../../export/page/index.ts';
import { type ExportSource, exportSource } from '../../../export/source/index.ts';
import type { FindResult, SessionHead, TextSlice, TurnView } from '../../../export/wire/index.ts';
import { loadPrices } from '../../../library/usage/index.ts';
import { PriceList } from '../../../models/index.ts';
import type { Session } from '../../../session/load/index.ts';
import { readLineBatches } from '../../../store/index.ts';
import { loadSource } from '../../../surgery/engine/index.ts';
import { redactorFor, type SessionRedactor } from '../../../surgery/redact/index.ts';
import { usualRuleSet } from '../../../surgery/secrets/index.ts';
import type {
  ContextAnswer,
  ContextQuery,
  FindQuery,
  HeadAnswer,
  HeadQuery,
  LineAnswer,
  MarkdownQuery,
  PlaceAnswer,
  SessionPart,
  SliceQuery,
  TurnsAnswer,
  TurnsQuery,
  ValueQuery,
} from '../../wire/index.ts';
import { type Encoded, Refusal } from '../protocol/index.ts';
import {
  type CachedSession,
  type Extent,
  extentOf,
  firstChangedPart,
  type SessionCache,
  startMark,
} from './session-cache.ts';
import { type ExportAsked, exportPieces, exportTypes } from './session-export.ts';

/** The server has turned the key into the path. */
export type Of<Query> = Query & { readonly path: string; readonly key: string };

const defaultParts = 20;
const maxParts = 200;
/** An answer ends after the part that exceeds this: the page draws it while it asks for the next. */
const enoughChars = 4 * 1024 * 1024;
const maxRawBytes = 1024 * 1024;
const maxExportBytes = 64 * 1024 * 1024;
const maxStarts = 100;
const maxSlice = 200_000;

export class SessionAnswers {
  readonly #cache: SessionCache;
  readonly #prices = new PriceList(loadPrices());
  /** A session that has grown is another object; one that left the cache takes its heads along. */
  readonly #heads = new WeakMap<Session, Map<string, SessionHead>>();
  /** How far the beginnings that pages have reach, by path and version. */
  readonly #starts = new Map<string, Extent>();

  /** Each has read all files of the session, like that of `clew export`. */
  readonly #redactors = new WeakMap<Session, Promise<SessionRedactor>>();
  /** Clew's own state folder, where the user's rules for secrets are. */
  readonly #state: string;

  constructor(cache: SessionCache, state: string) {
    this.#cache = cache;
    this.#state = state;
  }

  /** Loads what a page asks for first, before it asks. */
  async prepare({ path }: { readonly path: string }): Promise<void> {
    await this.head({ path, key: '', start: true });
  }

  async head(query: Of<HeadQuery>): Promise<HeadAnswer<SessionHead>> {
    const { session, version, isWhole } = await this.#openStart(query, query.start === true);
    const { key, branch = 1, fromTurn = 1, since } = query;
    requireBranch(session, branch);
    const known = this.#heads.get(session)?.get(`${branch} ${fromTurn}`);
    const head = known ?? sessionHead(session, { branch, fromTurn, prices: this.#prices });
    this.#heads.set(session, (this.#heads.get(session) ?? new Map()).set(`${branch} ${fromTurn}`, head));
    const before = since === undefined ? undefined : this.#starts.get(`${query.path}\n${since}`);
    const fromPart = before === undefined || branch !== 1 ? 0 : firstChangedPart(session, before);
    return { key, version, isWhole, fromPart, head };
  }

  async turns(query: Of<TurnsQuery>): Promise<TurnsAnswer<TurnView>> {
    const { session, version } = await this.#openStart(query, query.version?.startsWith(startMark) === true);
    const { branch = 1, from = 0 } = query;
    requireBranch(session, branch);
    const total = partsOf(session, branchNumbered(session, branch)).all.length;
    const to = Math.min(query.to ?? from + defaultParts, from + maxParts, total);
    const parts: TurnView[] = [];
    let chars = 0;
    // A few at a time: what they share is computed once for each call.
    for (let at = from; at < to && chars < enoughChars; at += 4) {
      const views = turnViews(session, { branch, from: at, to: Math.min(at + 4, to) });
      parts.push(...views);
      chars += JSON.stringify(views).length;
    }
    return { version, parts, total, next: from + parts.length < to ? from + parts.length : null };
  }

  async place(query: Of<SessionPart & { readonly line: number }>): Promise<PlaceAnswer> {
    const { line, agent = null, path } = query;
    return { line, agentId: agent, shown: await shownPlace(await this.#openWhole(path), agent, line) };
  }

  async line(query: Of<SessionPart & { readonly line: number }>): Promise<LineAnswer> {
    const { session } = await this.#open(query);
    const { path, nodes } = session.transcript;
    // Damaged lines have no record: reading starts at the last record before the line.
    const before = nodes.findLast((node) => node.line < query.line);
    const from = { offset: before?.offset ?? 0, number: before?.line ?? 1 };
    for (const batch of readLineBatches(path, { from, maxLineBytes: maxRawBytes }))
      for (const { number, offset, length, bytes } of batch)
        if (number === query.line) {
          const text = bytes.subarray(0, maxRawBytes).toString('utf8');
          return { line: number, offset, sizeBytes: length, text, isCut: length > maxRawBytes };
        }
    throw new Refusal(404, `there is no line ${query.line}`);
  }

  async text(query: Of<ValueQuery>): Promise<Encoded<string>> {
    const { session } = await this.#open(query);
    const text = textAt(session, query);
    if (text === undefined) throw new Refusal(404, 'there is no such text');
    return { type: 'text/plain; charset=utf-8', bytes: Buffer.from(text) };
  }

  async image(query: Of<ValueQuery>): Promise<Encoded<Blob>> {
    const { session } = await this.#open(query);
    const image = imageAt(session, query);
    if (image === undefined) throw new Refusal(404, 'there is no such image');
    return { type: image.type, bytes: image.bytes };
  }

  /** In the session and all its sub-agents. */
  async find({ path, text, mode = 'text', from, limit = 100 }: Of<FindQuery>): Promise<FindResult> {
    return findInSession(await this.#openWhole(path), { text, mode, limit, ...(from === undefined ? {} : { from }) });
  }

  async slice(query: Of<SliceQuery>): Promise<TextSlice> {
    const { agent, line, kind, nth, from, to } = query;
    const { session } = await this.#open(query);
    const slice = sliceOfText(
      session,
      { agentId: agent ?? null, line, kind, nth },
      from,
      Math.min(to, from + maxSlice),
    );
    if (slice === undefined) throw new Refusal(404, 'there is no such text');
    return slice;
  }

  /** What `clew export --format md` writes, without secrets. */
  async markdown(query: Of<MarkdownQuery>): Promise<Encoded<string>> {
    const { session } = await this.#open(query);
    const { branch = 1, turn } = query;
    requireBranch(session, branch);
    const source = await this.#withoutSecrets(session, query.path);
    const pieces = exportMarkdown(source, { branch, ...(turn === undefined ? {} : { turn }) });
    return { type: exportTypes.md, bytes: await joinPieces(pieces, 'use `clew export --format md`') };
  }

  /** What `clew export` writes. */
  async export(query: Of<ExportAsked>): Promise<Encoded<string>> {
    const { session } = await this.#open(query);
    const source = await this.#withoutSecrets(session, query.path);
    const bytes = await joinPieces(exportPieces(source, query), 'use `clew export --output FILE`');
    return { type: exportTypes[query.format], bytes };
  }

  /** What a request was made of; read from the whole session, and only when it is asked for. */
  async context(query: Of<ContextQuery>): Promise<ContextAnswer> {
    const { session, version } = await this.#open(query);
    const { branch = 1, turn, agent } = query;
    requireBranch(session, branch);
    const options = {
      branch,
      ...(turn === undefined ? {} : { turn }),
      ...(agent === undefined ? {} : { agentId: agent }),
    };
    return { version, ledger: contextLedger(session, options) };
  }

  /** Where the beginning was wanted, and the whole is there, the whole is answered: it begins alike, or the page asks. */
  async #openStart(query: Of<TurnsQuery>, mayBeStart: boolean): Promise<CachedSession & { readonly isWhole: boolean }> {
    // How many branches there are is known at the end.
    if (!mayBeStart || query.agent !== undefined || (query.branch ?? 1) !== 1)
      return { ...(await this.#open(query)), isWhole: true };
    const cached = await this.#cache.openStart(query.path);
    const isWhole = !cached.version.startsWith(startMark);
    if (!isWhole) this.#rememberStart(`${query.path}\n${cached.version}`, cached);
    return { ...cached, isWhole };
  }

  #rememberStart(name: string, cached: CachedSession): void {
    if (this.#starts.has(name)) return;
    const [oldest] = this.#starts.size >= maxStarts ? this.#starts.keys() : [];
    if (oldest !== undefined) this.#starts.delete(oldest);
    this.#starts.set(name, extentOf(cached));
  }

  async #withoutSecrets(session: Session, path: string): Promise<ExportSource> {
    return exportSource(session, await this.#redactorOf(path));
  }

  async #redactorOf(path: string): Promise<SessionRedactor> {
    const { session } = await this.#cache.open(path);
    const learn = async (): Promise<SessionRedactor> =>
      redactorFor([await loadSource(path, { isOnlyRead: true })], usualRuleSet(this.#state));
    const redactor = this.#redactors.get(session) ?? learn();
    this.#redactors.set(session, redactor);
    return redactor;
  }

  #open({ path, agent }: Of<SessionPart>): Promise<CachedSession> {
    return agent === undefined ? this.#cache.open(path) : this.#cache.openAgent(path, agent);
  }

  async #openWhole(path: string): Promise<OpenSession> {
    const { session } = await this.#cache.open(path);
    const openAgent = async (agentId: string): Promise<Session | undefined> => {
      try {
        return (await this.#cache.openAgent(path, agentId)).session;
      } catch {
        return undefined; // unknown, gone or unreadable
      }
    };
    return { session, openAgent };
  }
}

async function joinPieces(pieces: AsyncIterable<string> | Iterable<string>, next: string): Promise<Buffer> {
  const joined: Buffer[] = [];
  let bytes = 0;
  for await (const piece of pieces) {
    const last = Buffer.from(piece);
    joined.push(last);
    bytes += last.length;
    if (bytes > maxExportBytes) throw new Refusal(413, 'the session is too long for this', next);
  }
  return Buffer.concat(joined);
}

function requireBranch(session: Session, branch: number): void {
  if (branch !== 1 && branch > session.branches.length)
    throw new Refusal(404, `the session has ${session.branches.length} branches`);
}
