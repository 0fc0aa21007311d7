// One handler for each route of the API: it asks the session list and the workers, and replaces the paths of the workers
// by the keys that the page knows.
import type {
  ActionDone,
  ApiSchema,
  BulkResult,
  eventsPath,
  LibraryDoctorAnswer,
  OperationRow,
  Status,
  UsageQuery,
} from '../../wire/index.ts';
import type { ActionFound, ActionTarget } from '../actions/index.ts';
import type { OperationFound, UsageAsked } from '../answers/index.ts';
import { type Encoded, Refusal } from '../protocol/index.ts';
import type { LibraryDoctorFound, Thread } from '../workers/index.ts';
import {
  type QueryOf,
  readAction,
  readActionRequest,
  readApplyFix,
  readBulkQuestion,
  readBulkRequest,
  readNumber,
} from './query.ts';
import type { SessionList } from './session-list.ts';

export interface HandlerParts {
  readonly sessions: SessionList;
  readonly reader: Thread<'reader'>;
  readonly doctor: Thread<'doctor'>;
  readonly allowsChanges: boolean;
  /** The folder of the built page as one file, for exports. */
  readonly exportFolder: string;
  status(): Status;
  /** The user has confirmed in the page that it may change sessions. */
  confirmChanges(): void;
  /** The list has the sessions that are only in the archive. */
  hasArchive(): Promise<void>;
  /** An action on the session `from` has written the sessions `to`, or its undo has removed them. */
  changed(from: string | undefined, to: readonly { readonly sessionId: string; readonly path: string }[]): void;
  /** The list has the rows that were used last. */
  readonly hasNewest: Promise<void>;
  /** The list has all rows. */
  readonly isReady: Promise<void>;
}

type ApiPath = Exclude<keyof ApiSchema, typeof eventsPath>;

export interface RouteRequest<Param, Query> {
  readonly param: Param;
  readonly query: Query;
  /** The body as JSON, `undefined` if it is not. */
  readBody(): Promise<unknown>;
}

type ParamOf<Endpoint> = Endpoint extends { input: { param: infer Param } } ? Param : unknown;
type Answer<T> = T | Encoded<T>;
type Handler<P extends ApiPath, Endpoint> = Endpoint extends { output: infer Output }
  ? (request: RouteRequest<ParamOf<Endpoint>, QueryOf<P>>) => Answer<Output> | Promise<Answer<Output>>
  : never;
export type Handlers = {
  readonly [P in ApiPath]: { readonly [M in keyof ApiSchema[P]]: Handler<P, ApiSchema[P][M]> };
};

const maxLive = 50;

export function makeHandlers(parts: HandlerParts): Handlers {
  const { sessions, reader, doctor, allowsChanges } = parts;
  const session = ({ key }: { readonly key: string }): { readonly path: string; readonly key: string } => {
    const path = sessions.pathOf(key);
    return { path, key: sessions.keyOf(path) ?? key };
  };
  const titled = (path: string) => {
    const row = sessions.rowOf(path);
    return row === undefined ? undefined : { key: row.key, title: row.title ?? row.firstPrompt };
  };
  const listed = (path: string) => {
    const row = sessions.rowOf(path);
    return row === undefined ? undefined : { key: row.key, title: row.title ?? row.firstPrompt, project: row.project };
  };
  const ofUsage = ({ session: key, ...query }: UsageQuery): UsageAsked => {
    return { ...query, ...(key === undefined ? {} : { path: sessions.pathOf(key) }) };
  };
  const requireChanges = (): void => {
    if (!allowsChanges) throw new Refusal(403, 'this server is read-only', 'start it with --allow-changes');
  };
  /** For actions: also confirmed in the page, once for each start of the server. */
  const requireConfirmed = (): void => {
    requireChanges();
    if (parts.status().changes !== 'allowed')
      throw new Refusal(403, 'changes are not confirmed yet', 'confirm in the page that it may change sessions');
  };
  const target = (key: string): ActionTarget => {
    const path = sessions.pathOf(key);
    const row = sessions.rowOf(path);
    return { path, key: row?.key ?? key, id: row?.id ?? key };
  };
  const actionDone = ({ to, ...found }: ActionFound): ActionDone => ({ ...found, to: to.map(withKey) });
  const withKey = ({ sessionId, path }: { readonly sessionId: string; readonly path: string }) => {
    return { key: sessions.keyOf(path) ?? sessionId, id: sessionId };
  };
  const operationRow = (found: OperationFound): OperationRow => {
    return { ...found, from: found.from.map(withKey), to: found.to.map(withKey) };
  };
  const libraryAnswer = (found: LibraryDoctorFound): LibraryDoctorAnswer => ({
    ...found,
    sessions: found.sessions.flatMap(({ path, ...rest }) => {
      const row = listed(path);
      return row === undefined ? [] : [{ ...rest, ...row }];
    }),
  });
  return {
    '/api/status': { $get: () => parts.status() },
    '/api/sessions': {
      $get: async ({ query }) => {
        await parts.hasNewest;
        if (!sessions.covers(query)) await parts.isReady;
        return sessions.page(query);
      },
    },
    '/api/projects': { $get: () => sessions.projects() },
    '/api/search': {
      $get: async ({ query: { session: key, ...query } }) => {
        const within = key === undefined ? {} : { path: sessions.pathOf(key) };
        const found = await reader.askValue('search', { ...query, ...within });
        const known = found.sessions.flatMap(({ path, ...rest }) => {
          const row = sessions.rowOf(path);
          return row === undefined
            ? []
            : [{ key: row.key, person: row.person, ...rest, title: row.title ?? rest.title }];
        });
        return { ...found, sessions: known };
      },
    },
    '/api/live': {
      $get: async () => {
        const live = sessions.live().slice(0, maxLive);
        const answers = await Promise.allSettled(
          live.map(async ({ row, pid }) => {
            const recent = await reader.askValue('recent', { key: row.key, path: row.path, agentId: null });
            return { row, pid, recent };
          }),
        );
        return { sessions: answers.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : [])) };
      },
    },
    '/api/sessions/:key': { $get: ({ param, query }) => reader.ask('head', { ...query, ...session(param) }) },
    '/api/sessions/:key/presence': { $get: ({ param }) => sessions.presenceOf(param.key) },
    '/api/sessions/:key/turns': { $get: ({ param, query }) => reader.ask('turns', { ...query, ...session(param) }) },
    '/api/sessions/:key/place': { $get: ({ param, query }) => reader.ask('place', { ...query, ...session(param) }) },
    '/api/sessions/:key/lines/:line': {
      $get: ({ param, query }) => {
        const line = readNumber(param.line);
        return reader.ask('line', { ...query, line, ...session(param) });
      },
    },
    '/api/sessions/:key/text': { $get: ({ param, query }) => reader.ask('text', { ...query, ...session(param) }) },
    '/api/sessions/:key/image': { $get: ({ param, query }) => reader.ask('image', { ...query, ...session(param) }) },
    '/api/sessions/:key/find': { $get: ({ param, query }) => reader.ask('find', { ...query, ...session(param) }) },
    '/api/sessions/:key/slice': { $get: ({ param, query }) => reader.ask('slice', { ...query, ...session(param) }) },
    '/api/sessions/:key/markdown': {
      $get: ({ param, query }) => reader.ask('markdown', { ...query, ...session(param) }),
    },
    '/api/sessions/:key/side': { $get: ({ param, query }) => reader.ask('side', { ...query, ...session(param) }) },
    '/api/sessions/:key/edits': { $get: ({ param, query }) => reader.ask('edits', { ...query, ...session(param) }) },
    '/api/sessions/:key/context': {
      $get: ({ param, query }) => reader.ask('context', { ...query, ...session(param) }),
    },
    '/api/usage': {
      $get: async ({ query }) => {
        const found = await reader.askValue('usage', ofUsage(query));
        const rows = found.rows.map(({ path, ...row }) => ({
          ...row,
          session: path === null ? null : (titled(path) ?? null),
        }));
        return { ...found, rows };
      },
    },
    '/api/usage/tools': { $get: ({ query }) => reader.ask('tools', ofUsage(query)) },
    '/api/usage/spending': { $get: ({ query }) => reader.ask('spending', ofUsage(query)) },
    '/api/usage/cache': { $get: ({ query }) => reader.ask('cache', ofUsage(query)) },
    '/api/usage/top': {
      $get: async ({ query }) => {
        const found = await reader.askValue('top', ofUsage(query));
        return {
          sessions: found.sessions.flatMap(({ path, ...rest }) => {
            const row = listed(path);
            return row === undefined ? [] : [{ ...row, ...rest }];
          }),
          turns: found.turns.flatMap(({ path, ...rest }) => {
            const row = titled(path);
            return row === undefined ? [] : [{ ...row, ...rest }];
          }),
        };
      },
    },
    '/api/usage/receipts': {
      $get: async ({ query }) => {
        const found = await reader.askValue('receipts', ofUsage(query));
        const receipts = found.receipts.map(({ main, ...rest }) => ({ key: sessions.keyOf(main) ?? '', ...rest }));
        return { ...found, receipts };
      },
    },
    '/api/people': { $get: ({ query }) => reader.ask('people', query) },
    '/api/sessions/:key/doctor': { $get: ({ param }) => doctor.ask('diagnosis', session(param)) },
    '/api/sessions/:key/fix': {
      $get: ({ param }) => doctor.ask('preview', { path: sessions.pathOf(param.key) }),
      $post: async ({ param, readBody }) => {
        requireChanges();
        const fix = readApplyFix(await readBody());
        const found = await doctor.askValue('apply', { ...fix, path: sessions.pathOf(param.key) });
        return { ...found, to: withKey(found.to) };
      },
    },
    '/api/sessions/:key/export': {
      $get: ({ param, query }) => {
        return reader.ask('export', { ...query, ...session(param), codeFolder: parts.exportFolder });
      },
    },
    '/api/sessions/:key/actions/:action': {
      $get: ({ param, query: options }) => {
        const action = readAction(param.action, options);
        return doctor.ask('previewAction', { action, options, session: target(param.key) });
      },
      $post: async ({ param, readBody }) => {
        requireConfirmed();
        const { options, fingerprint } = readActionRequest(await readBody());
        const action = readAction(param.action, options);
        const asked = { action, options, fingerprint, session: target(param.key) };
        const found = await doctor.askValue('applyAction', asked);
        parts.changed(asked.session.path, found.to);
        return actionDone(found);
      },
    },
    '/api/changes': {
      $post: () => {
        requireChanges();
        parts.confirmChanges();
        return parts.status();
      },
    },
    '/api/actions/:action/preview': {
      $post: async ({ param, readBody }) => {
        const { options, keys } = readBulkQuestion(await readBody());
        const action = readAction(param.action, options, 'many');
        const targets = keys.map((key) => target(key));
        const answers = await doctor.askValue('previewActions', { action, options, sessions: targets });
        const found = answers.map((answer, i) => ({ key: keys[i] ?? '', ...answer }));
        const lines = found.flatMap((each) => (each.failure === null ? [each.preview.command] : []));
        return { action, sessions: found, command: lines.join('\n') };
      },
    },
    '/api/actions/:action': {
      $post: async ({ param, readBody }) => {
        requireConfirmed();
        const { options, sessions: asked } = readBulkRequest(await readBody());
        const action = readAction(param.action, options, 'many');
        const targets = asked.map(({ key, fingerprint }) => ({ ...target(key), fingerprint }));
        const found = await doctor.askValue('applyActions', { action, options, sessions: targets });
        const results = found.sessions.map((each, i): BulkResult<{ readonly done: ActionDone }> => {
          const key = asked[i]?.key ?? '';
          if (each.failure === null) parts.changed(targets[i]?.path, each.done.to);
          return each.failure === null ? { key, failure: null, done: actionDone(each.done) } : { key, ...each };
        });
        return { action, operation: found.operation, sessions: results };
      },
    },
    '/api/operations': { $get: async () => (await doctor.askValue('operations', {})).map(operationRow) },
    '/api/operations/:id/undo': {
      $post: async ({ param }) => {
        requireChanges();
        const undone = await doctor.askValue('undo', { id: param.id });
        const row = operationRow(undone);
        parts.changed(undefined, undone.to);
        return row;
      },
    },
    '/api/doctor': {
      $get: async () => libraryAnswer(await doctor.askValue('library', {})),
      $post: async () => libraryAnswer(await doctor.askValue('start', {})),
    },
  };
}
