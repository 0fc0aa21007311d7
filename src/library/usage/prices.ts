// Files on the disk → the prices to count with: the bundled table, over it the table that `clew prices update` wrote, over
// that the user's own prices. A file that cannot be used is named, and the others are used without it.

import { existsSync } from 'node:fs';
import path from 'node:path';
import { exitCodes, systemErrorCode, UserError } from '../../base/errors/index.ts';
import { readRegularText } from '../../base/files/index.ts';
import { formatBytes } from '../../base/text/index.ts';
import { version as clewVersion } from '../../base/version/index.ts';
import {
  bundledPrices,
  isTableText,
  layFlat,
  layTable,
  PriceProblem,
  type Prices,
  type PriceTable,
  readPriceTable,
} from '../../models/index.ts';
import { diskError, replaceFile, stateFolder, writeNewFile } from '../../store/index.ts';

/** Where `clew prices update` writes, and where users may put prices of their own. */
function pricesFile(env: NodeJS.ProcessEnv = process.env): string {
  return path.join(stateFolder(env), 'prices.json');
}

/** No table is larger. */
const maxTableBytes: number = 4 * 1024 * 1024;

/**
 * The bundled prices, with `prices.json` of Clew's state folder and the file that `CLEW_PRICES` names laid over them. A
 * named file that cannot be used is an error.
 */
export function loadPrices(env: NodeJS.ProcessEnv = process.env): Prices {
  const named = env.CLEW_PRICES;
  const kept = loadKept(pricesFile(env), Boolean(named));
  return named ? loadNamed(path.resolve(named), kept) : kept;
}

function loadKept(file: string, isNamedBeside: boolean): Prices {
  try {
    const text = readRegularText(file, { maxBytes: maxTableBytes });
    // Flat prices are the user's own, and CLEW_PRICES names other ones.
    if (isNamedBeside && !isTableText(text)) return bundledPrices;
    if (!isTableText(text)) return layFlat(bundledPrices, text, file, path.basename(file));
    const table = readPriceTable(text);
    if (table.version >= bundledPrices.version) return layTable(bundledPrices, table, text, file);
    return withNotice(
      `${file} is of ${table.version}, older than the prices of ${bundledPrices.version} that come with Clew`,
    );
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(systemErrorCode(error) ?? '')) return bundledPrices;
    if (error instanceof PriceProblem) return withNotice(`${file} cannot be used: ${error.message}`);
    if (error instanceof UserError) return withNotice(error.message);
    if (systemErrorCode(error) === undefined) throw error;
    return withNotice(`cannot read ${file} (${systemErrorCode(error)})`);
  }
}

function withNotice(what: string): Prices {
  const next = `the prices of ${bundledPrices.version} are used; delete it, or run \`clew prices update FILE\``;
  return { ...bundledPrices, notices: [`${what}; ${next}`] };
}

function loadNamed(file: string, base: Prices): Prices {
  const text = readNamed(file);
  try {
    if (isTableText(text)) return layTable(base, readPriceTable(text), text, file);
    return layFlat(base, text, file, path.basename(file));
  } catch (error) {
    if (!(error instanceof PriceProblem)) throw error;
    throw new UserError(
      `${file} cannot be used: ${error.message}`,
      'write it as docs/prices.md shows, or unset CLEW_PRICES',
    );
  }
}

function readNamed(file: string): string {
  try {
    return readRegularText(file, { maxBytes: maxTableBytes });
  } catch (error) {
    const isMissing = ['ENOENT', 'ENOTDIR'].includes(systemErrorCode(error) ?? '');
    if (isMissing) throw new UserError(`there is no ${file}`, 'set CLEW_PRICES to a file of prices, or unset it');
    throw diskError(error, 'read', file);
  }
}

// A file or an address with a table of prices → prices.json in Clew's state folder, if the table is right and not older
// than the one in use. Nothing but the request itself is sent.

export interface UpdateOptions {
  readonly env: NodeJS.ProcessEnv;
  /** For a proxy; Node's own if not given. */
  readonly fetch?: typeof globalThis.fetch;
  readonly cwd: string;
  /** Check and compare, but write nothing. */
  readonly isTrial?: boolean;
  /** For an answer from the network. */
  readonly timeoutMs?: number;
}

export interface PriceUpdate {
  /** What was written, or would be. */
  readonly file: string;
  readonly version: string;
  readonly previousVersion: string;
  readonly models: number;
  /** Models that had no price before, and those whose prices differ. */
  readonly added: readonly string[];
  readonly changed: readonly string[];
  /** A prices.json that could not be read as one is kept under this name. */
  readonly backup?: string;
}

/** `source` is a path or an https address. */
export async function updatePrices(source: string, options: UpdateOptions): Promise<PriceUpdate> {
  if (options.isTrial === true && isAddress(source))
    throw new UserError('a dry run asks no server', 'download the table and name the file, or leave out --dry-run');
  const file = pricesFile(options.env);
  const kept = keptText(file);
  const text = isAddress(source)
    ? await fetchText(source, options.fetch ?? fetch, options.timeoutMs ?? usualTimeoutMs)
    : readSource(path.resolve(options.cwd, source));
  const table = readTable(source, text);
  const before = loadPrices({ ...options.env, CLEW_PRICES: undefined });
  if (table.version < before.day) {
    throw new UserError(
      `${source} is of ${table.version}, older than the prices of ${before.day} in use`,
      'nothing was changed: name a newer table',
      exitCodes.refused,
    );
  }
  const update = { file, version: table.version, previousVersion: before.day, ...compare(before, table, text, file) };
  if (options.isTrial === true) return update;
  const backup = await write(file, text, kept);
  return backup === undefined ? update : { ...update, backup };
}

/** Prices that someone wrote by hand are never replaced. */
function keptText(file: string): string | undefined {
  if (!existsSync(file)) return undefined;
  const text = readSource(file);
  const { notices, files } = loadPrices({ CLEW_HOME: path.dirname(file) });
  if (isTableText(text) || notices.length > 0 || files.length === 0) return text;
  throw new UserError(
    `${file} holds prices of your own`,
    'nothing was changed: move it elsewhere, set CLEW_PRICES to it, and run this again',
    exitCodes.refused,
  );
}

function readSource(file: string): string {
  try {
    return readRegularText(file, { maxBytes: maxTableBytes });
  } catch (error) {
    throw error instanceof UserError ? error : diskError(error, 'read', file);
  }
}

function readTable(source: string, text: string): PriceTable {
  try {
    return readPriceTable(text);
  } catch (error) {
    if (!(error instanceof PriceProblem)) throw error;
    const next = 'nothing was changed: docs/prices.md shows how a table is written';
    throw new UserError(`${source} is not a table of prices: ${error.message}`, next);
  }
}

function compare(
  before: Prices,
  table: PriceTable,
  text: string,
  file: string,
): Pick<PriceUpdate, 'models' | 'added' | 'changed'> {
  const after = layTable(bundledPrices, table, text, file);
  const known = new Map(before.models.map(({ id, prices }) => [id, JSON.stringify(prices.map(bare))]));
  const news = after.models.filter(({ id, prices }) => known.get(id) !== JSON.stringify(prices.map(bare)));
  return {
    models: table.models.length,
    added: news.filter(({ id }) => !known.has(id)).map(({ id }) => id),
    changed: news.filter(({ id }) => known.has(id)).map(({ id }) => id),
  };
}

/** Ignores notes and the order of fields. */
function bare(row: Prices['models'][number]['prices'][number]): unknown {
  const { from, to, input, output, cacheRead, cacheWrite5m, cacheWrite1h, longPrompt: long, fast } = row;
  const rates = [input, output, cacheRead, cacheWrite5m, cacheWrite1h];
  return [from, to, rates, long && [long.overPromptTokens, bare(long)], fast && bare(fast)];
}

async function write(file: string, text: string, kept: string | undefined): Promise<string | undefined> {
  if (kept === undefined) {
    await writeNewFile(file, [Buffer.from(text)]);
    return undefined;
  }
  const isTable = isTableText(kept);
  return (await replaceFile(file, Buffer.from(text), isTable ? {} : { backup: true })).backup;
}

const usualTimeoutMs = 20_000;
const mostRedirects = 3;
const ownNames = ['127.0.0.1', 'localhost', '[::1]'];

function isAddress(source: string): boolean {
  return /^[a-z][a-z0-9+.-]+:\/\//i.test(source);
}

async function fetchText(source: string, fetch: typeof globalThis.fetch, timeoutMs: number): Promise<string> {
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    let url = addressOf(source);
    for (let hops = 0; hops <= mostRedirects; hops++) {
      const headers = { accept: 'application/json', 'user-agent': `clew/${clewVersion}` };
      const response = await fetch(url, { redirect: 'manual', signal, headers });
      const target = response.headers.get('location');
      if (response.status >= 300 && response.status < 400 && target !== null) {
        await response.body?.cancel();
        url = addressOf(new URL(target, url).href);
        continue;
      }
      if (!response.ok) throw failure(`${url.host} answered ${response.status}`);
      return await readBody(response, url.host);
    }
    throw failure(`${source} redirects more than ${mostRedirects} times`);
  } catch (error) {
    if (error instanceof UserError) throw error;
    const why = signal.aborted
      ? `gave no answer within ${timeoutMs / 1000} s`
      : `cannot be reached (${reasonOf(error)})`;
    throw failure(`${source} ${why}`);
  }
}

function addressOf(source: string): URL {
  const next = 'name a file, or an address that begins with https://';
  if (!URL.canParse(source)) throw new UserError(`${source} is not a whole address`, next);
  const url = new URL(source);
  const isOwn = url.protocol === 'http:' && ownNames.includes(url.hostname);
  if (url.protocol !== 'https:' && !isOwn) throw new UserError(`${source} is not an https address`, next);
  if (url.username !== '' || url.password !== '')
    throw new UserError('an address with a name or a password is not read', next);
  return url;
}

async function readBody(response: Response, host: string): Promise<string> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  // Leaving the loop cancels the rest.
  for await (const piece of response.body ?? []) {
    bytes += piece.length;
    if (bytes > maxTableBytes) throw failure(`the answer of ${host} is larger than ${formatBytes(maxTableBytes)}`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  const { code, message } = cause as { code?: unknown; message?: unknown };
  return String(code ?? message ?? cause);
}

function failure(message: string): UserError {
  const next = 'nothing was changed: try again, or download the table and name the file';
  return new UserError(message.replace(/\s+/g, ' '), next, exitCodes.failed);
}
