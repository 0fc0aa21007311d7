// Replaces the secrets in every text of a trace request: names, keys, values, messages. In place: a request may be large.
import { asString, isObject, parseJson } from '../../../base/json/index.ts';
import { Placeholders, type RuleSet, redactText } from '../../../surgery/secrets/index.ts';
import type { AnyValue, Attributed, KeyValue, ResourceSpans, TraceRequest } from '../otlp/index.ts';

/** A secret that one span makes recognisable is replaced in all spans of the request. */
export function redactRequest(request: TraceRequest, ruleSet: RuleSet): void {
  const state = new Placeholders();
  const clean = cleanTexts.get(ruleSet) ?? new CleanTexts();
  cleanTexts.set(ruleSet, clean);
  const redact = (text: string): string => {
    if (text.length < 4 || clean.has(text)) return text;
    const { text: redacted, found } = redactText(text, state, ruleSet);
    if (found.length === 0) clean.add(text);
    return redacted;
  };
  mapTexts(request, { redact, named: (key, value) => redactNamed(key, value, redact) });
  if (state.size === 0) return;
  const again = (text: string): string => state.replaceKnown(text);
  mapTexts(request, { redact: again, named: (_, value) => again(value) });
}

/** Names and keys are the same in all spans. */
class CleanTexts {
  #texts = new Set<string>();

  has(text: string): boolean {
    return this.#texts.has(text);
  }

  add(text: string): void {
    if (text.length > 80) return;
    if (this.#texts.size >= 20_000) this.#texts = new Set();
    this.#texts.add(text);
  }
}

/**
 * The texts without secrets, for each set of rules. One that a later request makes recognisable is found by `replaceKnown`.
 */
const cleanTexts = new WeakMap<RuleSet, CleanTexts>();

/** Longer values have their own context. */
const longestNamed = 1_000;

/** Some rules need the name of a value: `{"password":"…"}`. */
function redactNamed(key: string, value: string, redact: (text: string) => string): string {
  const direct = redact(value);
  if (value.length > longestNamed || key.length > longestNamed) return direct;
  const last = key.slice(key.lastIndexOf('.') + 1);
  const json = redact(JSON.stringify({ [last]: direct }));
  const read = parseJson(json);
  const [only] = isObject(read) ? Object.values(read) : [];
  return asString(only) ?? '[redacted]';
}

interface TextMap {
  readonly redact: (text: string) => string;
  /** A value, by its key. */
  readonly named: (key: string, value: string) => string;
}

function mapTexts({ resourceSpans = [] }: TraceRequest, map: TextMap): void {
  for (const each of resourceSpans) {
    mapAttributes(each.resource, map);
    mapMember(each, 'schemaUrl', map);
    mapScopes(each, map);
  }
}

function mapScopes({ scopeSpans = [] }: ResourceSpans, map: TextMap): void {
  for (const each of scopeSpans) {
    mapMember(each, 'schemaUrl', map);
    mapAttributes(each.scope, map);
    if (each.scope !== undefined) for (const name of ['name', 'version'] as const) mapMember(each.scope, name, map);
    for (const span of each.spans ?? []) {
      mapMember(span, 'name', map);
      mapMember(span, 'traceState', map);
      mapAttributes(span, map);
      if (span.status !== undefined) mapMember(span.status, 'message', map);
      for (const event of span.events ?? []) {
        mapMember(event, 'name', map);
        mapAttributes(event, map);
      }
      for (const link of span.links ?? []) {
        mapMember(link, 'traceState', map);
        mapAttributes(link, map);
      }
    }
  }
}

function mapMember<K extends string>(of: { [P in K]?: string }, name: K, { redact }: TextMap): void {
  const text = of[name];
  if (text !== undefined) of[name] = redact(text);
}

function mapAttributes(of: Attributed | undefined, map: TextMap): void {
  mapPairs(of?.attributes, map);
}

function mapPairs(pairs: readonly KeyValue[] | undefined, map: TextMap): void {
  for (const pair of pairs ?? []) {
    const key = pair.key ?? '';
    mapValue(pair.value, key, map);
    if (key !== '') pair.key = map.redact(key);
  }
}

function mapValue(value: AnyValue | undefined, key: string, map: TextMap): void {
  if (value === undefined) return;
  if (value.stringValue !== undefined) value.stringValue = map.named(key, value.stringValue);
  if (value.bytesValue !== undefined) value.bytesValue = mapBytes(value.bytesValue, key, map);
  for (const each of value.arrayValue?.values ?? []) mapValue(each, key, map);
  mapPairs(value.kvlistValue?.values, map);
}

/** Bytes that are text are redacted like text. */
function mapBytes(base64: string, key: string, { named }: TextMap): string {
  const bytes = Buffer.from(base64, 'base64');
  const text = bytes.toString('utf8');
  if (!Buffer.from(text, 'utf8').equals(bytes)) return base64;
  const redacted = named(key, text);
  return redacted === text ? base64 : Buffer.from(redacted, 'utf8').toString('base64');
}
