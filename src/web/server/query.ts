// The words of an address, and the body of a change → typed questions, or a refusal that says which word is wrong. All
// limits stand here: nothing behind it gets a number or a text that it could not bear.
import { z } from 'zod';
import { type SearchQuery, type SessionsQuery, sessionSorts } from '../wire.ts';
import type { ApplyFix } from '../wire-health.ts';
import type { FindQuery, HeadQuery, MarkdownQuery, SessionPart, TurnsQuery, ValueQuery } from '../wire-session.ts';
import { type UsageQuery, usageKinds } from '../wire-usage.ts';
import { Refusal } from './refusal.ts';

const count = z.coerce.number().int().min(0).max(1_000_000_000);
const flag = z.enum(['0', '1', 'true', 'false']).transform((word) => word === '1' || word === 'true');
const name = z.string().min(1).max(200);
const folder = z.string().min(1).max(4_096);
const day = z.string().regex(/^\d{4}-?\d{2}-?\d{2}$/);
const part = { agent: name.optional() };
const branch = { branch: count.min(1).max(100_000).optional() };

const shapes = {
  sessions: z.object({
    sort: z.enum(sessionSorts).optional(),
    reverse: flag.optional(),
    project: folder.optional(),
    text: z.string().max(200).optional(),
    only: z.enum(['live', 'damaged', 'expiring', 'unexamined']).optional(),
    offset: count.optional(),
    limit: count.min(1).max(1_000).optional(),
  }),
  search: z.object({
    text: z.string().min(1).max(500),
    mode: z.enum(['words', 'exact', 'regex']).optional(),
    project: folder.optional(),
    session: name.optional(),
    limit: count.min(1).max(500).optional(),
    perSession: count.min(1).max(500).optional(),
  }),
  usage: z.object({
    by: z.enum(usageKinds).optional(),
    since: day.optional(),
    until: day.optional(),
    project: folder.optional(),
    session: name.optional(),
  }),
  head: z.object({
    ...part,
    ...branch,
    fromTurn: count.min(1).optional(),
    start: flag.optional(),
    since: name.optional(),
  }),
  turns: z.object({ ...part, ...branch, from: count.optional(), to: count.optional(), version: name.optional() }),
  place: z.object({ ...part, line: count.min(1) }),
  line: z.object({ ...part }),
  value: z.object({ ...part, record: count, pointer: z.string().max(4_096) }),
  find: z.object({
    ...part,
    ...branch,
    text: z.string().min(1).max(500),
    from: count.optional(),
    limit: count.min(1).max(1_000).optional(),
  }),
  markdown: z.object({ ...part, ...branch, turn: count.min(1).optional() }),
} as const;

const lineNumber = count.min(1);
const applyFix = z.object({ strategy: z.string().max(40).optional(), inPlace: z.boolean().optional() });

export type Words = Readonly<Record<string, string>>;

/** A word that nobody knows is refused too: it is a mistake of whoever asks, and silence would hide it. */
export const readWords: {
  readonly sessions: (words: Words) => SessionsQuery;
  readonly search: (words: Words) => SearchQuery;
  readonly usage: (words: Words) => UsageQuery;
  readonly head: (words: Words) => HeadQuery;
  readonly turns: (words: Words) => TurnsQuery;
  readonly place: (words: Words) => SessionPart & { readonly line: number };
  readonly line: (words: Words) => SessionPart;
  readonly value: (words: Words) => ValueQuery;
  readonly find: (words: Words) => FindQuery;
  readonly markdown: (words: Words) => MarkdownQuery;
} = {
  sessions: (words) => given(shapes.sessions.strict().safeParse(words)),
  search: (words) => given(shapes.search.strict().safeParse(words)),
  usage: (words) => given(shapes.usage.strict().safeParse(words)),
  head: (words) => given(shapes.head.strict().safeParse(words)),
  turns: (words) => given(shapes.turns.strict().safeParse(words)),
  place: (words) => given(shapes.place.strict().safeParse(words)),
  line: (words) => given(shapes.line.strict().safeParse(words)),
  value: (words) => given(shapes.value.strict().safeParse(words)),
  find: (words) => given(shapes.find.strict().safeParse(words)),
  markdown: (words) => given(shapes.markdown.strict().safeParse(words)),
};

export function readNumber(text: string): number {
  return given(lineNumber.safeParse(text));
}

export function readApplyFix(body: unknown): ApplyFix {
  return given(applyFix.strict().safeParse(body));
}

/** An optional word that was left out is no key of the object. */
type Given<T> = T extends object ? { [K in keyof T]: Exclude<T[K], undefined> } : T;

function given<T>(result: z.ZodSafeParseResult<T>): Given<T> {
  if (result.success) return result.data as Given<T>; // see above
  const [issue] = result.error.issues;
  const where = issue?.path.join('.') ?? '';
  throw new Refusal(400, where === '' ? (issue?.message ?? 'malformed') : `"${where}": ${issue?.message}`);
}
