// A transcript while damage is planted in it: its lines, which of them are still undamaged, and new lines at
// its end.
import { createHash } from 'node:crypto';
import { isObject, type JsonObject, type JsonValue, parseJson } from '../../src/base/json/json.ts';

export type Random = () => number;

export class PlantFile {
  readonly lines: PlantLine[];
  readonly random: Random;
  ending = '\n';
  isTerminated = true;
  hasBom = false;
  encoding: 'utf8' | 'utf16le' | 'utf16be' = 'utf8';
  #ids = 0;

  constructor(healthy: Buffer, random: Random) {
    this.random = random;
    const texts = healthy.toString('utf8').split('\n');
    if (texts.at(-1) === '') texts.pop();
    this.lines = texts.map((text) => ({ bytes: Buffer.from(text), isTaken: false }));
  }

  bytes(): Buffer {
    const ending = Buffer.from(this.ending);
    const parts = this.lines.flatMap((line, i) => (i > 0 ? [ending, line.bytes] : [line.bytes]));
    if (this.isTerminated) parts.push(ending);
    const utf8 = Buffer.concat(this.hasBom ? [Buffer.from([0xef, 0xbb, 0xbf]), ...parts] : parts);
    if (this.encoding === 'utf8') return utf8;
    const utf16 = Buffer.from(utf8.toString('utf8'), 'utf16le');
    return this.encoding === 'utf16le' ? utf16 : utf16.swap16();
  }

  entry(line: PlantLine): JsonObject {
    const value = parseJson(line.bytes.toString('utf8'));
    return isObject(value) ? value : {};
  }

  set(line: PlantLine, entry: JsonObject): void {
    line.bytes = Buffer.from(JSON.stringify(entry));
    line.isTaken = true;
  }

  uuid(): string {
    const hex = createHash('sha256')
      .update(`${this.random()} ${this.#ids++}`)
      .digest('hex');
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
  }

  /** The last line of the conversation, the parent of new lines. */
  tail(): JsonObject {
    for (let i = this.lines.length - 1; i >= 0; i--) {
      const entry = this.entry(this.lines[i] as PlantLine); // i is in range
      if (isLink(entry) && entry.isSidechain !== true && entry.agentId === undefined) return entry;
    }
    return {};
  }

  /** A line after the end, or after `fields.parentUuid`; three seconds later. */
  append(type: string, fields: JsonObject): JsonObject {
    const { sessionId = 'session', cwd = '/w', version = '2.1.325' } = this.tail();
    const entry = {
      parentUuid: this.tail().uuid ?? null,
      isSidechain: false,
      type,
      uuid: this.uuid(),
      timestamp: this.nextTime(),
      sessionId,
      cwd,
      version,
      ...fields,
    };
    this.lines.push({ bytes: Buffer.from(JSON.stringify(entry)), isTaken: true });
    return entry;
  }

  isPinned(): boolean {
    return this.lines.some(
      (line) => this.entry(line).type === 'last-prompt' && this.entry(line).leafUuid !== undefined,
    );
  }

  pin(leafUuid: JsonValue): void {
    const pin = { type: 'last-prompt', leafUuid, sessionId: this.tail().sessionId ?? null };
    this.lines.push({ bytes: Buffer.from(JSON.stringify(pin)), isTaken: true });
  }

  nextTime(): string {
    const times = this.lines.map((line) => Date.parse(String(this.entry(line).timestamp)));
    const newest = times.reduce((most, time) => (time > most ? time : most), 0);
    return new Date(newest + 3000).toISOString();
  }

  user(content: JsonValue, fields: JsonObject = {}): JsonObject {
    return this.append('user', { message: { role: 'user', content }, ...fields });
  }

  assistant(content: JsonValue, fields: JsonObject = {}): JsonObject {
    const message = { id: `msg_${this.uuid()}`, type: 'message', role: 'assistant', model: this.model(), content };
    return this.append('assistant', { message, ...fields });
  }

  model(): JsonValue {
    const models = this.lines.flatMap((line) => modelOf(this.entry(line)) ?? []);
    return models.findLast((model) => model !== '<synthetic>') ?? 'claude-opus-4-5-20251101';
  }

  /** The messages of the chain as it is written. */
  chain(): PlantLine[] {
    const byUuid = new Map(this.lines.map((line) => [this.entry(line).uuid, line]));
    const chain: PlantLine[] = [];
    for (let at = byUuid.get(this.tail().uuid); at !== undefined && !chain.includes(at); ) {
      chain.push(at);
      at = byUuid.get(this.entry(at).parentUuid ?? '');
    }
    return chain.reverse().filter((line) => isMessage(this.entry(line)));
  }

  /** Undamaged lines, from the second on. */
  free(): PlantLine[] {
    return this.chain()
      .slice(1)
      .filter((line) => !line.isTaken);
  }

  lineAfter(line: PlantLine): PlantLine | undefined {
    return this.lines[this.lines.indexOf(line) + 1];
  }

  take(fits: (line: PlantLine) => boolean = () => true): PlantLine | undefined {
    const free = this.free().filter(fits);
    const line = free[Math.floor(this.random() * free.length)];
    if (line !== undefined) line.isTaken = true;
    return line;
  }

  insertBefore(line: PlantLine, bytes: Buffer): void {
    this.lines.splice(this.lines.indexOf(line), 0, { bytes, isTaken: true });
  }

  insertAfter(line: PlantLine, bytes: Buffer): void {
    this.lines.splice(this.lines.indexOf(line) + 1, 0, { bytes, isTaken: true });
  }
}

export interface PlantLine {
  bytes: Buffer;
  isTaken: boolean;
}

export function isLink(entry: JsonObject): boolean {
  return isMessage(entry) || entry.type === 'system' || entry.type === 'attachment';
}

export function isMessage(entry: JsonObject): boolean {
  return (
    (entry.type === 'user' || entry.type === 'assistant') &&
    typeof entry.uuid === 'string' &&
    entry.isSidechain !== true
  );
}

function modelOf(entry: JsonObject): JsonValue | undefined {
  return entry.type === 'assistant' && isObject(entry.message) ? entry.message.model : undefined;
}
