// The environment and `trace.json` → the destinations of spans. An error names the wrong setting; values of headers and
// keys are never printed.
import { asObject, asString, isArray, isObject, type JsonObject, type JsonValue } from '../../base/json/index.ts';
import type { Environment } from '../../base/node/index.ts';
import type { ContentMode } from '../span/index.ts';
import {
  asBoolean,
  checkShape,
  flagOf,
  headerName,
  headersOf,
  headerValue,
  isYes,
  oneOf,
  split,
  timeoutOf,
  wrong,
} from './config-values.ts';

const profileNames = ['langfuse', 'genai', 'openinference'] as const;
/** The conventions that a destination expects spans to follow. */
export type ProfileName = (typeof profileNames)[number];
export const contentModes: readonly ContentMode[] = ['full', 'no-tool-content', 'metadata'];
const wireFormats = ['protobuf', 'json'] as const;
/** How spans are encoded for a destination. */
export type WireFormat = (typeof wireFormats)[number];

/** A back end that spans are sent to. */
export interface Destination {
  /** Names its folders; letters, digits, `-` and `_`. */
  readonly name: string;
  readonly profile: ProfileName;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly format: WireFormat;
  readonly content: ContentMode;
  readonly isRedacted: boolean;
  readonly hasThinking: boolean;
  /** The project of a Phoenix server. */
  readonly project: string | undefined;
  /** The models whose cost is sent, with `*` as a wildcard; by default none. */
  readonly cost?: readonly string[] | undefined;
  readonly timeoutMs: number;
}

export function destinationsOf(env: Environment, file: JsonObject): readonly Destination[] {
  const found = [
    ...fileDestinations(env, file),
    ...(env.CLEW_TRACE_ENDPOINT === undefined ? [] : [ownDestination(env, file, env.CLEW_TRACE_ENDPOINT)]),
    ...langfuseDestination(env, file),
  ];
  const all = found.length > 0 ? found : otelDestination(env, file);
  const names = new Set<string>();
  for (const { name } of all) {
    if (names.has(name)) throw wrong(`two destinations have the name "${name}"`, 'rename one of them');
    names.add(name);
  }
  return all;
}

interface Settings {
  readonly name: string;
  readonly profile: string | undefined;
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly format?: string | undefined;
  readonly content?: string | undefined;
  readonly redact?: boolean | undefined;
  readonly thinking?: boolean | undefined;
  readonly project?: string | undefined;
  readonly cost?: string | undefined;
  /** The default content mode. */
  readonly fallbackContent?: ContentMode;
}

function makeDestination(env: Environment, file: JsonObject, settings: Settings): Destination {
  const { name, endpoint, headers } = settings;
  if (!/^[\w-]{1,60}$/.test(name))
    throw wrong(`"${name}" is not a valid name for a destination`, 'use letters, digits, - and _');
  const profile = oneOf(settings.profile ?? guessProfile(endpoint), profileNames, `the profile of ${name}`);
  const { fallbackContent = 'full' } = settings;
  const content = settings.content ?? env.CLEW_TRACE_CONTENT ?? asString(file.content) ?? fallbackContent;
  const cost = modelsOf(settings.cost ?? env.CLEW_TRACE_COST);
  return {
    name,
    profile,
    url: tracesUrl(endpoint, profile, name),
    headers: { ...(profile === 'langfuse' ? { 'x-langfuse-ingestion-version': '4' } : {}), ...headers },
    format: oneOf(settings.format ?? env.CLEW_TRACE_FORMAT ?? 'protobuf', wireFormats, `the format of ${name}`),
    content: oneOf(content, contentModes, `the content of ${name}`),
    isRedacted: settings.redact ?? flagOf(env.CLEW_TRACE_REDACT, true, 'CLEW_TRACE_REDACT'),
    hasThinking: settings.thinking ?? flagOf(env.CLEW_TRACE_THINKING, false, 'CLEW_TRACE_THINKING'),
    project: settings.project ?? env.CLEW_TRACE_PROJECT,
    timeoutMs: timeoutOf(env),
    ...(cost === undefined ? {} : { cost }),
  };
}

/** `all`, `off`, or names of models. */
function modelsOf(text: string | undefined): readonly string[] | undefined {
  if (text === undefined || /^(?:off|0|false|no)$/i.test(text.trim())) return undefined;
  return /^(?:all|on|1|true|yes)$/i.test(text.trim()) ? ['*'] : split(text);
}

function ownDestination(env: Environment, file: JsonObject, endpoint: string): Destination {
  const headers = headersOf(env.CLEW_TRACE_HEADERS, 'CLEW_TRACE_HEADERS');
  return makeDestination(env, file, { name: 'default', profile: env.CLEW_TRACE_PROFILE, endpoint, headers });
}

/** Users have these keys for other programs too, so tracing must be switched on, as in cc-langfuse. */
function langfuseDestination(env: Environment, file: JsonObject): readonly Destination[] {
  const flag = env.CC_LANGFUSE_TRACE ?? env.TRACE_TO_LANGFUSE;
  const isOn = flag === undefined ? env.CLEW_TRACE_PROFILE === 'langfuse' : isYes(flag, 'TRACE_TO_LANGFUSE');
  if (!isOn || (env.CLEW_TRACE_ENDPOINT !== undefined && flag === undefined)) return [];
  const get = (name: string): string | undefined => env[`CC_LANGFUSE_${name}`] || env[`LANGFUSE_${name}`] || undefined;
  const [publicKey, secretKey] = [get('PUBLIC_KEY'), get('SECRET_KEY')];
  if (publicKey === undefined || secretKey === undefined)
    throw wrong('the keys of Langfuse are missing', 'set LANGFUSE_PUBLIC_KEY and LANGFUSE_SECRET_KEY');
  const endpoint = get('HOST') ?? get('BASE_URL') ?? get('BASEURL') ?? 'https://cloud.langfuse.com';
  const token = Buffer.from(`${publicKey}:${secretKey}`).toString('base64');
  return [
    makeDestination(env, file, {
      name: 'langfuse',
      profile: 'langfuse',
      endpoint,
      headers: { authorization: `Basic ${token}` },
    }),
  ];
}

/**
 * The standard variables of OpenTelemetry, used only if nothing else names a destination. Users set an endpoint for all
 * signals for the client's metrics: it gets no content by default.
 */
function otelDestination(env: Environment, file: JsonObject): readonly Destination[] {
  if (env.OTEL_SDK_DISABLED === 'true' || env.OTEL_TRACES_EXPORTER === 'none') return [];
  const whole = env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT;
  const base = env.OTEL_EXPORTER_OTLP_ENDPOINT;
  if (whole === undefined && base === undefined) return [];
  const protocol = env.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL ?? env.OTEL_EXPORTER_OTLP_PROTOCOL ?? 'http/protobuf';
  if (protocol === 'grpc')
    throw wrong(
      'OTEL_EXPORTER_OTLP_PROTOCOL is grpc, which Clew does not support',
      'set CLEW_TRACE_ENDPOINT to the HTTP port',
    );
  const headers = {
    ...headersOf(env.OTEL_EXPORTER_OTLP_HEADERS, 'OTEL_EXPORTER_OTLP_HEADERS'),
    ...headersOf(env.OTEL_EXPORTER_OTLP_TRACES_HEADERS, 'OTEL_EXPORTER_OTLP_TRACES_HEADERS'),
  };
  const format = protocol === 'http/json' ? 'json' : 'protobuf';
  const endpoint = whole ?? `${base?.replace(/\/+$/, '')}/v1/traces`;
  const fallbackContent = whole === undefined ? 'metadata' : 'full';
  const settings = {
    name: 'otel',
    profile: env.CLEW_TRACE_PROFILE,
    endpoint,
    headers,
    format,
    fallbackContent,
  } as const;
  return [makeDestination(env, file, settings)];
}

function fileDestinations(env: Environment, file: JsonObject): readonly Destination[] {
  const list = isArray(file.destinations) ? file.destinations : [];
  return list.map((each, i) => {
    if (!isObject(each)) throw wrong(`destination ${i + 1} in trace.json is not an object`, 'see docs/tracing.md');
    const name = asString(each.name) ?? (i === 0 ? 'file' : `file-${i + 1}`);
    const where = `destination "${name}" in trace.json`;
    checkShape(each, destinationShape, where);
    const endpoint = asString(each.endpoint);
    if (endpoint === undefined) throw wrong(`${where} has no "endpoint"`, 'add one');
    const headers: Record<string, string> = {};
    for (const [key, value] of Object.entries(asObject(each.headers) ?? {}))
      headers[headerName(key, name)] = headerValue(fromEnv(env, headerText(value, key, where), name), key);
    return makeDestination(env, file, {
      name,
      profile: asString(each.profile),
      endpoint,
      headers,
      format: asString(each.format),
      content: asString(each.content),
      redact: asBoolean(each.redact),
      thinking: asBoolean(each.thinking),
      project: asString(each.project),
      cost: asString(each.cost),
    });
  });
}

function headerText(value: JsonValue | undefined, key: string, where: string): string {
  if (typeof value === 'string') return value;
  throw wrong(`the header "${key}" of ${where} is not a string`, 'put it in quotes');
}

/** `$NAME` is replaced by the variable, so that the file needs no keys. */
function fromEnv(env: Environment, value: string, name: string): string {
  return value.replace(/\$\{?([A-Z][A-Z0-9_]*)\}?/g, (_, variable: string) => {
    const found = env[variable];
    if (found === undefined)
      throw wrong(`a header of "${name}" in trace.json needs ${variable}, which is not set`, 'set it');
    return found;
  });
}

const destinationShape = {
  name: 'string',
  profile: 'string',
  endpoint: 'string',
  headers: 'object',
  format: 'string',
  content: 'string',
  redact: 'boolean',
  thinking: 'boolean',
  project: 'string',
  cost: 'string',
} as const;

function guessProfile(endpoint: string): ProfileName {
  if (/langfuse|\/api\/public\/otel/i.test(endpoint)) return 'langfuse';
  return /phoenix|:6006\b|arize/i.test(endpoint) ? 'openinference' : 'genai';
}

function tracesUrl(endpoint: string, profile: ProfileName, name: string): string {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol))
    throw wrong(`the endpoint of "${name}" is not an http(s) address`, 'write it like http://127.0.0.1:4318');
  if (url.username !== '' || url.password !== '')
    throw wrong(`the endpoint of "${name}" has a user name or password`, 'put it into a header');
  const bare = url.pathname.replace(/\/+$/, '');
  if (bare.endsWith('/v1/traces')) return url.href;
  const base = profile === 'langfuse' && !bare.endsWith('/api/public/otel') ? `${bare}/api/public/otel` : bare;
  url.pathname = `${base}/v1/traces`;
  return url.href;
}
