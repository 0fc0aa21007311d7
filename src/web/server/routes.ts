// Addresses → questions to the list and the workers → answers. A route reads its words, asks, and puts keys where the
// workers had paths; what is refused has been refused before (guard.ts).
import { type Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { apiRoutes, type LiveAnswer, pageRoutes, type SearchAnswer, type Status } from '../wire.ts';
import type { AppliedFix, LibraryDoctorAnswer, OperationRow } from '../wire-health.ts';
import type { ReceiptsAnswer, TopAnswer, UsageAnswer } from '../wire-usage.ts';
import type { Assets } from './assets.ts';
import type { LibraryDoctorFound } from './doctor-work.ts';
import { maxBodyBytes } from './guard.ts';
import { readApplyFix, readNumber, readWords } from './query.ts';
import { failureOf, Refusal, type StatusFailure } from './refusal.ts';
import { refusalPage, wantsPage } from './refused.ts';
import type { AppliedFound, OperationFound } from './repair-answers.ts';
import type { Roster } from './roster.ts';
import { safeHeaders, sandboxHeaders } from './safe-headers.ts';
import type { SearchFound } from './search-answers.ts';
import type { Answer, Thread } from './thread.ts';
import type { ReceiptsFound, TopFound, UsageFound } from './usage-answers.ts';

export interface Desk {
  readonly roster: Roster;
  readonly reader: Thread;
  readonly doctor: Thread;
  readonly allowsChanges: boolean;
  status(): Status;
  /** The list has the rows that were used last; all rows. */
  readonly hasNewest: Promise<void>;
  readonly isReady: Promise<void>;
  onFault(message: string): void;
}

export function makeRoutes(desk: Desk): Hono {
  const app = newApp(desk.onFault);
  const onError = (): never => {
    throw new Refusal(413, 'the request is too large');
  };
  app.use(bodyLimit({ maxSize: maxBodyBytes, onError }));
  app.get(apiRoutes.status, (context) => json(context, desk.status()));
  app.get(apiRoutes.sessions, async (context) => {
    const query = readWords.sessions(words(context));
    await desk.hasNewest;
    if (!desk.roster.covers(query)) await desk.isReady;
    return json(context, desk.roster.page(query));
  });
  // A link may be opened before the list is there.
  app.use('/api/*', async (_, next) => {
    await desk.isReady;
    await next();
  });
  addLibrary(app, desk);
  addSession(app, desk);
  addUsage(app, desk);
  addDoctor(app, desk);
  return app;
}

/** The page's own files. They hold no data, so that a tab without the token can say what it lacks. */
export function makeFileRoutes(assets: Assets, onFault: Desk['onFault']): Hono {
  const app = newApp(onFault);
  addFiles(app, assets);
  return app;
}

function newApp(onFault: Desk['onFault']): Hono {
  const app = new Hono({ strict: true });
  const answer = (context: Context, { status, ...failure }: StatusFailure): Response => {
    const code = status as ContentfulStatusCode; // of an error
    if (!wantsPage(context.req.header())) return context.json(failure, code, safeHeaders);
    return context.body(refusalPage(failure), code, { ...safeHeaders, 'content-type': 'text/html; charset=utf-8' });
  };
  app.onError((error, context) => {
    const failure = failureOf(error);
    if (failure.status === 500) onFault(error.stack ?? String(error));
    return answer(context, failure);
  });
  app.notFound((context) =>
    answer(context, { status: 404, error: 'there is nothing here', next: 'go back to the list' }),
  );
  return app;
}

function addLibrary(app: Hono, { roster, reader }: Desk): void {
  app.get(apiRoutes.projects, async (context) => {
    return json(context, roster.projects());
  });
  app.get(apiRoutes.search, async (context) => {
    const { session, ...query } = readWords.search(words(context));
    const path = session === undefined ? {} : { path: roster.pathOf(session) };
    const { total, sessions } = await reader.askJson<SearchFound>('search', { ...query, ...path });
    const known = sessions.flatMap(({ path: main, ...rest }) => {
      const key = roster.keyOf(main);
      return key === undefined ? [] : [{ key, ...rest, title: roster.rowOf(main)?.title ?? rest.title }];
    });
    return json(context, { total, sessions: known } satisfies SearchAnswer);
  });
  app.get(apiRoutes.live, async (context) => {
    const sessions = roster
      .live()
      .slice(0, maxLive)
      .map(async ({ row, pid }) => {
        const query = { key: row.key, path: row.path, agentId: null };
        return { row, pid, recent: await reader.askJson<LiveAnswer['sessions'][number]['recent']>('recent', query) };
      });
    const told = await Promise.allSettled(sessions);
    return json(context, { sessions: told.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : [])) });
  });
}

const maxLive = 50;

function addSession(app: Hono, { roster, reader }: Desk): void {
  const ask = async (context: Context, method: string, query: object): Promise<Answer> => {
    const path = roster.pathOf(context.req.param('key') ?? '');
    return reader.ask(method, { ...query, path, key: roster.keyOf(path) });
  };
  const add = (route: string, method: string, read: (context: Context) => object): void => {
    app.get(route, async (context) => bytes(context, await ask(context, method, read(context))));
  };
  add(apiRoutes.head, 'head', (context) => readWords.head(words(context)));
  add(apiRoutes.turns, 'turns', (context) => readWords.turns(words(context)));
  add(apiRoutes.place, 'place', (context) => readWords.place(words(context)));
  add(apiRoutes.line, 'line', (context) => {
    return { ...readWords.line(words(context)), line: readNumber(context.req.param('line') ?? '') };
  });
  add(apiRoutes.text, 'text', (context) => readWords.value(words(context)));
  add(apiRoutes.image, 'image', (context) => readWords.value(words(context)));
  add(apiRoutes.find, 'find', (context) => readWords.find(words(context)));
  add(apiRoutes.markdown, 'markdown', (context) => readWords.markdown(words(context)));
}

function addUsage(app: Hono, { roster, reader }: Desk): void {
  const ask = async <T>(context: Context, method: string): Promise<T> => {
    const { session, ...query } = readWords.usage(words(context));
    return reader.askJson<T>(method, { ...query, ...(session === undefined ? {} : { path: roster.pathOf(session) }) });
  };
  const named = (path: string) => {
    const row = roster.rowOf(path);
    return row === undefined ? undefined : { key: row.key, title: row.title ?? row.firstPrompt };
  };
  app.get(apiRoutes.usage, async (context) => {
    const found = await ask<UsageFound>(context, 'usage');
    const rows = found.rows.map(({ path, ...row }) => ({
      ...row,
      session: path === null ? null : (named(path) ?? null),
    }));
    return json(context, { ...found, rows } satisfies UsageAnswer);
  });
  app.get(apiRoutes.tools, async (context) => json(context, await ask(context, 'tools')));
  app.get(apiRoutes.top, async (context) => {
    const { sessions, turns } = await ask<TopFound>(context, 'top');
    return json(context, {
      sessions: sessions.flatMap(({ path, ...rest }) => {
        const row = roster.rowOf(path);
        return row === undefined
          ? []
          : [{ key: row.key, title: row.title ?? row.firstPrompt, project: row.project, ...rest }];
      }),
      turns: turns.flatMap(({ path, ...rest }) => {
        const session = named(path);
        return session === undefined ? [] : [{ ...session, ...rest }];
      }),
    } satisfies TopAnswer);
  });
  app.get(apiRoutes.receipts, async (context) => {
    const found = await ask<ReceiptsFound>(context, 'receipts');
    const receipts = found.receipts.map(({ main, ...rest }) => ({ key: roster.keyOf(main) ?? '', ...rest }));
    return json(context, { ...found, receipts } satisfies ReceiptsAnswer);
  });
}

function addDoctor(app: Hono, { roster, doctor, allowsChanges }: Desk): void {
  const pathOf = (context: Context): string => roster.pathOf(context.req.param('key') ?? '');
  const mayChange = (): void => {
    if (!allowsChanges) throw new Refusal(403, 'this server only reads', 'start it with --allow-changes');
  };
  const withKey = ({ sessionId, path }: { readonly sessionId: string; readonly path: string }) => {
    return { key: roster.keyOf(path) ?? sessionId, id: sessionId };
  };
  const operationRow = (found: OperationFound): OperationRow => {
    return { ...found, from: found.from.map(withKey), to: found.to.map(withKey) };
  };
  const libraryAnswer = (found: LibraryDoctorFound): LibraryDoctorAnswer => ({
    ...found,
    sessions: found.sessions.flatMap(({ path, ...rest }) => {
      const row = roster.rowOf(path);
      return row === undefined
        ? []
        : [{ ...rest, key: row.key, title: row.title ?? row.firstPrompt, project: row.project }];
    }),
  });
  app.get(apiRoutes.diagnosis, async (context) => {
    const path = pathOf(context);
    return bytes(context, await doctor.ask('diagnosis', { path, key: roster.keyOf(path) }));
  });
  app.get(apiRoutes.fix, async (context) => bytes(context, await doctor.ask('preview', { path: pathOf(context) })));
  app.post(apiRoutes.fix, async (context) => {
    mayChange();
    const fix = readApplyFix(await context.req.json().catch(() => undefined));
    const found = await doctor.askJson<AppliedFound>('apply', { ...fix, path: pathOf(context) });
    return json(context, { ...found, to: withKey(found.to) } satisfies AppliedFix);
  });
  app.get(apiRoutes.operations, async (context) => {
    return json(context, (await doctor.askJson<readonly OperationFound[]>('operations', {})).map(operationRow));
  });
  app.post(apiRoutes.undo, async (context) => {
    mayChange();
    return json(context, operationRow(await doctor.askJson<OperationFound>('undo', { id: context.req.param('id') })));
  });
  app.get(apiRoutes.doctor, async (context) => {
    return json(context, libraryAnswer(await doctor.askJson<LibraryDoctorFound>('library', {})));
  });
  app.post(apiRoutes.doctor, async (context) => {
    return json(context, libraryAnswer(await doctor.askJson<LibraryDoctorFound>('start', {})));
  });
}

function addFiles(app: Hono, assets: Assets): void {
  const page = async (context: Context): Promise<Response> => {
    const asset = assets.page;
    if (asset === undefined) throw new Refusal(503, 'the page has not been built', 'run `npm run build`');
    const { bytes: body, coding } = await assets.packed('/', asset, context.req.header('accept-encoding') ?? '');
    return context.body(Uint8Array.from(body), 200, { ...safeHeaders, 'content-type': asset.type, ...coded(coding) });
  };
  for (const route of pageRoutes) app.get(route, page);
  app.get('*', async (context, next) => {
    const asset = assets.find(context.req.path);
    if (asset === undefined) return next();
    const { bytes: body, coding } = await assets.packed(
      context.req.path,
      asset,
      context.req.header('accept-encoding') ?? '',
    );
    return context.body(Uint8Array.from(body), 200, {
      ...safeHeaders,
      'content-type': asset.type,
      ...(asset.isHashed ? { 'cache-control': 'private, max-age=31536000, immutable' } : {}),
      ...coded(coding),
    });
  });
}

function coded(coding: string | undefined): Record<string, string> {
  return coding === undefined ? {} : { 'content-encoding': coding, vary: 'accept-encoding' };
}

/** The words of the address; a word that stands twice counts the first time. */
function words(context: Context): Record<string, string> {
  return context.req.query();
}

function json(context: Context, value: unknown): Response {
  return context.json(value as object, 200, safeHeaders);
}

/** What comes out of a transcript as it is may be opened by itself, and then may do nothing. */
function bytes(context: Context, { type, bytes: body }: Answer): Response {
  const headers = type === 'application/json' ? safeHeaders : sandboxHeaders;
  return context.body(Uint8Array.from(body), 200, { ...headers, 'content-type': type });
}
