// Parses query parameters and the body of a change, and refuses with the name of the parameter that is wrong. All limits
// are here: no later code gets a number or a text that is too large for it.
import { z } from 'zod';
import { findModes } from '../../../export/wire/index.ts';
import {
  type ActionName,
  type ActionOptions,
  type ActionRequest,
  type ApiSchema,
  type ApplyFix,
  actionNamed,
  type BulkQuestion,
  type BulkRequest,
  type eventsPath,
  exportFormats,
  searchModes,
  sessionFilters,
  sessionSorts,
  textKinds,
  usageKinds,
} from '../../wire/index.ts';
import { Refusal } from '../protocol/index.ts';
import { isTimeZone } from './date-groups.ts';

const count = z.coerce.number().int().min(0).max(1_000_000_000);
const flag = z.enum(['0', '1', 'true', 'false']).transform((word) => word === '1' || word === 'true');
const name = z.string().min(1).max(200);
const folder = z.string().min(1).max(4_096);
const day = z.string().regex(/^\d{4}-?\d{2}-?\d{2}$/);
const part = { agent: name.optional() };
const branch = { branch: count.min(1).max(100_000).optional() };

const usage = z.strictObject({
  by: z.enum(usageKinds).optional(),
  since: day.optional(),
  until: day.optional(),
  project: folder.optional(),
  session: name.optional(),
  active: flag.optional(),
});
const value = z.strictObject({ ...part, record: count, pointer: z.string().max(4_096) });

type Path = Exclude<keyof ApiSchema, typeof eventsPath>;
/** The query of a path, as the handler gets it; `undefined` for a path without one. */
export type QueryOf<P extends Path> = ApiSchema[P] extends { $get: { input: infer Input } }
  ? 'query' extends keyof Input
    ? NonNullable<Input['query']>
    : undefined
  : undefined;
type PathWithQuery = { [P in Path]: QueryOf<P> extends undefined ? never : P }[Path];

/** Zod's type of an optional parameter includes `undefined`. */
type Parsed<Query> = {
  readonly [K in keyof Query]: Record<never, never> extends Pick<Query, K> ? Query[K] | undefined : Query[K];
};

/** A query has words, a body has values. */
const choice = z.union([z.boolean(), flag]);
const actionOptions = z.strictObject({
  at: name.optional(),
  title: z.string().max(2_000).optional(),
  tag: z.string().max(2_000).optional(),
  tools: z.string().max(2_000).optional(),
  truncateResults: count.optional(),
  truncateInputs: count.optional(),
  thinking: choice.optional(),
  images: choice.optional(),
  progress: choice.optional(),
  bookkeeping: choice.optional(),
  keepLast: count.optional(),
  olderThan: count.optional(),
  agents: choice.optional(),
  keepTurns: count.optional(),
  dropOld: choice.optional(),
  keepThinking: choice.optional(),
  format: z.enum(exportFormats).optional(),
  inPlace: choice.optional(),
  portable: choice.optional(),
});

const queries: { readonly [P in PathWithQuery]: z.ZodType<Parsed<QueryOf<P>>> } = {
  '/api/sessions': z.strictObject({
    sort: z.enum(sessionSorts).optional(),
    reverse: flag.optional(),
    project: folder.optional(),
    text: z.string().max(200).optional(),
    only: z.enum(sessionFilters).optional(),
    fold: flag.optional(),
    open: z.string().max(4_000).optional(),
    zone: z.string().min(1).max(100).refine(isTimeZone, 'not a time zone').optional(),
    id: name.optional(),
    counts: flag.optional(),
    offset: count.optional(),
    limit: count.min(1).max(1_000).optional(),
  }),
  '/api/search': z.strictObject({
    text: z.string().min(1).max(500),
    mode: z.enum(searchModes).optional(),
    project: folder.optional(),
    session: name.optional(),
    kind: z.enum(textKinds).optional(),
    tool: name.optional(),
    since: day.optional(),
    until: day.optional(),
    offset: count.optional(),
    limit: count.min(1).max(500).optional(),
    perSession: count.min(1).max(500).optional(),
  }),
  '/api/usage': usage,
  '/api/usage/tools': usage,
  '/api/usage/spending': usage,
  '/api/usage/cache': usage,
  '/api/usage/top': usage,
  '/api/usage/receipts': usage,
  '/api/people': z.strictObject({ since: day.optional() }),
  '/api/sessions/:key': z.strictObject({
    ...part,
    ...branch,
    fromTurn: count.min(1).optional(),
    start: flag.optional(),
    since: name.optional(),
  }),
  '/api/sessions/:key/turns': z.strictObject({
    ...part,
    ...branch,
    from: count.optional(),
    to: count.optional(),
    version: name.optional(),
  }),
  '/api/sessions/:key/place': z.strictObject({ ...part, line: count.min(1) }),
  '/api/sessions/:key/lines/:line': z.strictObject({ ...part }),
  '/api/sessions/:key/text': value,
  '/api/sessions/:key/image': value,
  '/api/sessions/:key/find': z.strictObject({
    text: z.string().min(1).max(500),
    mode: z.enum(findModes).optional(),
    from: z.string().max(300).optional(),
    limit: count.min(1).max(1_000).optional(),
  }),
  '/api/sessions/:key/slice': z.strictObject({
    ...part,
    line: count.min(1),
    kind: name,
    nth: count,
    from: count,
    to: count,
  }),
  '/api/sessions/:key/side': z.strictObject({ ...part, ...branch, turn: count.min(1).optional() }),
  '/api/sessions/:key/edits': z.strictObject({ ...part, ...branch, turn: count.min(1).optional(), file: count }),
  '/api/sessions/:key/context': z.strictObject({ ...part, ...branch, turn: count.min(1).optional() }),
  '/api/sessions/:key/export': z.strictObject({ format: z.enum(exportFormats) }),
  '/api/sessions/:key/actions/:action': actionOptions,
  '/api/sessions/:key/markdown': z.strictObject({ ...part, ...branch, turn: count.min(1).optional() }),
};

const lineNumber = count.min(1);
const applyFix = z.object({ strategy: z.string().max(40).optional(), inPlace: z.boolean().optional() });

/** Refuses unknown parameters too: they are a mistake of the caller, and silence would hide it. */
export function readQuery<P extends Path>(path: P, words: Readonly<Record<string, string>>): QueryOf<P>;
export function readQuery(path: Path, words: Readonly<Record<string, string>>): unknown {
  return path in queries ? given<unknown>(queries[path as PathWithQuery].safeParse(words)) : undefined;
}

export function readNumber(text: string): number {
  return given(lineNumber.safeParse(text));
}

export function readApplyFix(body: unknown): ApplyFix {
  return given(applyFix.strict().safeParse(body));
}

const fingerprint = z.string().regex(/^[0-9a-f]{32}$/);
const actionRequest = z.strictObject({ options: actionOptions, fingerprint });
/** So many keys fit into a body. */
const maxSessions = 500;
const bulkQuestion = z.strictObject({ options: actionOptions, keys: z.array(name).min(1).max(maxSessions) });
const bulkRequest = z.strictObject({
  options: actionOptions,
  sessions: z
    .array(z.strictObject({ key: name, fingerprint }))
    .min(1)
    .max(maxSessions),
});

/** The action of this name, which must take these options. */
export function readAction(text: string, options: ActionOptions, scope?: 'many'): ActionName {
  const action = actionNamed(text);
  if (action === undefined) throw new Refusal(404, `there is no action "${text}"`);
  if (scope === 'many' && !action.scopes.includes(scope))
    throw new Refusal(400, `${action.name} works on one session at a time`);
  for (const given of Object.keys(options))
    if (!action.options.some((option) => option.name === given))
      throw new Refusal(400, `"${given}": ${action.name} has no such option`);
  const missing = action.options.find(({ name: needed, isNeeded }) => isNeeded && (options[needed] ?? '') === '');
  if (missing !== undefined) throw new Refusal(400, `"${missing.name}": ${action.name} needs it`);
  const { needsOneOf } = action;
  if (needsOneOf?.every((each) => options[each] === undefined || options[each] === false))
    throw new Refusal(400, `choose what to ${action.name}`, `one of ${needsOneOf.join(', ')}`);
  return action.name;
}

export function readActionRequest(body: unknown): ActionRequest {
  return given<unknown>(actionRequest.safeParse(body)) as ActionRequest; // zod leaves missing keys out
}

export function readBulkQuestion(body: unknown): BulkQuestion {
  return given<unknown>(bulkQuestion.safeParse(body)) as BulkQuestion;
}

export function readBulkRequest(body: unknown): BulkRequest {
  return given<unknown>(bulkRequest.safeParse(body)) as BulkRequest;
}

/** A parameter that is missing has no key in the object. */
type Given<T> = T extends object ? { [K in keyof T]: Exclude<T[K], undefined> } : T;

function given<T>(result: z.ZodSafeParseResult<T>): Given<T> {
  if (result.success) return result.data as Given<T>; // zod leaves missing keys out
  const [issue] = result.error.issues;
  const where = issue?.path.join('.') ?? '';
  throw new Refusal(400, where === '' ? (issue?.message ?? 'malformed') : `"${where}": ${issue?.message}`);
}
