// The environment and `trace.json` → what is traced, its labels, and its destinations (destinations.ts).

import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { asObject, asString, type JsonObject, parseJson } from '../../base/json/index.ts';
import type { Environment } from '../../base/node/index.ts';
import { readText } from '../../store/index.ts';
import type { SpanParent } from '../span/index.ts';
import { tracePlaces } from '../state/index.ts';
import { checkShape, flagOf, isYes, split, stringsOf, wrong } from './config-values.ts';
import { type Destination, destinationsOf } from './destinations.ts';

/** A value that is not a traceparent is ignored, as W3C Trace Context asks. */
function parentOf(env: Environment): SpanParent | undefined {
  return (
    parseTraceparent(env.CC_LANGFUSE_TRACEPARENT) ?? (hasOwnTraces(env) ? undefined : parseTraceparent(env.TRACEPARENT))
  );
}

/** With its own tracing on, Claude Code sets `TRACEPARENT` for its child processes: that span did not start the session. */
function hasOwnTraces(env: Environment): boolean {
  const names = ['CLAUDE_CODE_ENHANCED_TELEMETRY_BETA', 'ENABLE_BETA_TRACING_DETAILED'];
  return names.some((name) => env[name] !== undefined && !/^(?:0|false|no|off)?$/i.test(env[name]?.trim() ?? ''));
}

function parseTraceparent(text: string | undefined): SpanParent | undefined {
  const match = /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(?:-.*)?$/.exec(
    text?.trim().toLowerCase() ?? '',
  );
  const [, traceId = '', spanId = ''] = match ?? [];
  return match === null || /^0+$/.test(traceId) || /^0+$/.test(spanId) ? undefined : { traceId, spanId };
}

/** Labels that every trace of a user gets. */
export interface Labels {
  readonly userId?: string;
  readonly environment?: string;
  readonly release?: string;
  readonly tags?: readonly string[];
  readonly wrapperSpan?: boolean;
}

/** What is traced and where it is sent. */
export interface TraceConfig {
  /** The user switched tracing off, which differs from not setting it up. */
  readonly isOff: boolean;
  readonly destinations: readonly Destination[];
  /** Folders to trace, or with `!` not to trace; empty for all. */
  readonly projects: readonly string[];
  readonly keepsForks: boolean;
  readonly isCompat: boolean;
  readonly strictSeed: boolean;
  readonly labels: Labels;
  /** Makes ids predictable, see ids.ts. */
  readonly traceSeed: string | undefined;
  /** The user's own rules for secrets, see docs/surgery.md. */
  readonly rulesFile: string | undefined;
  /** The parent span of turns; only the hook uses it. */
  readonly parent?: SpanParent | undefined;
}

/** Reads the trace settings from environment variables and trace.json. */
export function readTraceConfig(variables: Environment): TraceConfig {
  // An empty variable counts as unset, as in OpenTelemetry.
  const env = Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== ''));
  const file = readConfigFile(env);
  const isOff = env.CLEW_TRACE !== undefined && !isYes(env.CLEW_TRACE, 'CLEW_TRACE');
  const labels = labelsOf(env, file);
  const destinations = isOff ? [] : destinationsOf(env, file);
  if (destinations.some(({ profile }) => profile === 'langfuse')) checkEnvironment(labels.environment);
  return {
    isOff,
    destinations,
    projects:
      env.CLEW_TRACE_PROJECTS === undefined ? stringsOf(file.projects, 'projects') : split(env.CLEW_TRACE_PROJECTS),
    keepsForks: flagOf(env.CLEW_TRACE_KEEP_FORKS, file.keepForks, 'CLEW_TRACE_KEEP_FORKS'),
    isCompat: flagOf(env.CLEW_TRACE_COMPAT, file.compat, 'CLEW_TRACE_COMPAT'),
    strictSeed: flagOf(env.CLEW_TRACE_STRICT_SEED, file.strictSeed, 'CLEW_TRACE_STRICT_SEED'),
    labels,
    traceSeed: env.CLEW_TRACE_SEED ?? asString(file.seed),
    rulesFile: env.CLEW_TRACE_RULES ?? asString(file.rules),
    parent: parentOf(env),
  };
}

function labelsOf(env: Environment, file: JsonObject): Labels {
  const userId = env.CLEW_TRACE_USER ?? env.CC_LANGFUSE_USER_ID ?? env.LANGFUSE_USER_ID ?? asString(file.user);
  const environment = env.CLEW_TRACE_ENVIRONMENT ?? env.LANGFUSE_TRACING_ENVIRONMENT ?? asString(file.environment);
  const release = env.CLEW_TRACE_RELEASE ?? env.LANGFUSE_RELEASE ?? asString(file.release);
  const tags = env.CLEW_TRACE_TAGS === undefined ? stringsOf(file.tags, 'tags') : split(env.CLEW_TRACE_TAGS);
  return {
    ...(userId === undefined ? {} : { userId }),
    ...(environment === undefined ? {} : { environment }),
    ...(release === undefined ? {} : { release }),
    ...(tags.length === 0 ? {} : { tags }),
    wrapperSpan: flagOf(env.CLEW_TRACE_WRAPPER_SPAN, file.wrapperSpan, 'CLEW_TRACE_WRAPPER_SPAN'),
  };
}

/** Langfuse would show the traces under another name. */
function checkEnvironment(name: string | undefined): void {
  if (name === undefined || /^(?!langfuse)[a-z0-9_-]{1,40}$/.test(name)) return;
  throw wrong(
    'Langfuse does not accept this name of an environment',
    'use at most 40 lowercase letters, digits, - and _, not starting with langfuse',
  );
}

const fileShape = {
  destinations: 'list',
  projects: 'list',
  tags: 'list',
  keepForks: 'boolean',
  compat: 'boolean',
  strictSeed: 'boolean',
  wrapperSpan: 'boolean',
  content: 'string',
  user: 'string',
  environment: 'string',
  release: 'string',
  seed: 'string',
  rules: 'string',
} as const;

function readConfigFile(env: Environment): JsonObject {
  const { config } = tracePlaces(env);
  const text = readText(config);
  if (text === undefined) {
    // It may name what must not be sent.
    if (existsSync(config)) throw wrong(`${config} cannot be read`, 'make it readable, or remove it');
    return {};
  }
  const found = asObject(parseJson(text));
  if (found === undefined) throw wrong(`${config} is not a JSON object`, 'correct it or remove it');
  checkShape(found, fileShape, 'trace.json');
  return found;
}

/** The last entry that matches decides. */
export function isTraced({ projects }: Pick<TraceConfig, 'projects'>, cwd: string | undefined): boolean {
  let traced = projects.every((entry) => entry.startsWith('!'));
  for (const entry of projects) {
    const isOut = entry.startsWith('!');
    if (cwd !== undefined && fits(cwd, isOut ? entry.slice(1) : entry)) traced = !isOut;
  }
  return traced;
}

function fits(cwd: string, pattern: string): boolean {
  const full = pattern
    .trim()
    .replace(/^~(?=$|\/)/, homedir())
    .replace(/(?<=.)\/+$/, '');
  if (!full.includes('/')) return cwd.split('/').some((part) => wildcard(full).test(part));
  const parts = cwd.split('/');
  return parts.some((_, i) => wildcard(full).test(parts.slice(0, i + 1).join('/') || '/'));
}

function wildcard(pattern: string): RegExp {
  const source = pattern.split('*').map((piece) => piece.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${source.join('[^/]*')}$`);
}
