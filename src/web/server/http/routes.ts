// The routes of the server: addresses → the handlers of the API, and the page's own files. Requests that are refused never
// get here (guard.ts).
import { type Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { pageRoutes } from '../../wire/index.ts';
import { failureOf, isEncoded, Refusal, type StatusFailure } from '../protocol/index.ts';
import type { Asset, Assets } from './assets.ts';
import { maxBodyBytes, refusalPage, safeHeaders, sandboxHeaders, wantsPage } from './guard.ts';
import { type HandlerParts, type Handlers, makeHandlers, type RouteRequest } from './handlers.ts';
import { readQuery } from './query.ts';

export interface RouteParts extends HandlerParts {
  onFault(message: string): void;
}

/** They answer before the list has all rows. */
const earlyPaths: readonly (keyof Handlers)[] = ['/api/status', '/api/sessions'];

export function makeRoutes(parts: RouteParts): Hono {
  const app = newApp(parts.onFault);
  const onError = (): never => {
    throw new Refusal(413, 'the request is too large');
  };
  app.use(bodyLimit({ maxSize: maxBodyBytes, onError }));
  const handlers = makeHandlers(parts);
  for (const path of Object.keys(handlers) as (keyof Handlers)[])
    for (const [method, handle] of Object.entries(handlers[path]))
      app.on(method.slice('$'.length).toUpperCase(), path, async (context) => {
        // A link may be opened before the list is complete.
        if (!earlyPaths.includes(path)) await parts.isReady;
        const { key } = context.req.param() as { readonly key?: string }; // of a session, in the paths that have one
        if (key !== undefined && parts.sessions.findPath(key) === undefined) await parts.hasArchive();
        const request: RouteRequest<unknown, unknown> = {
          param: context.req.param(),
          query: readQuery(path, context.req.query()),
          readBody: () => context.req.json().catch(() => undefined),
        };
        // `Handlers` and `readQuery` give each path the types of its own parameters.
        return respond(context, await (handle as (request: RouteRequest<unknown, unknown>) => unknown)(request));
      });
  return app;
}

/** The page's own files. They hold no data, so a tab without the token can say what it lacks. */
export function makeFileRoutes(assets: Assets, onFault: RouteParts['onFault']): Hono {
  const app = newApp(onFault);
  const send = async (context: Context, path: string, asset: Asset, status: 200 | 404 = 200): Promise<Response> => {
    const { bytes, coding } = await assets.packed(path, asset, context.req.header('accept-encoding') ?? '');
    return context.body(Uint8Array.from(bytes), status, {
      ...safeHeaders,
      'content-type': asset.type,
      ...(asset.isHashed ? { 'cache-control': 'private, max-age=31536000, immutable' } : {}),
      ...(coding === undefined ? {} : { 'content-encoding': coding, vary: 'accept-encoding' }),
    });
  };
  const sendPage = (context: Context, status: 200 | 404): Promise<Response> => {
    if (assets.page === undefined) throw new Refusal(503, 'the page is not built', 'run `npm run build`');
    return send(context, '/', assets.page, status);
  };
  for (const route of pageRoutes) app.get(route, (context) => sendPage(context, 200));
  app.get('*', (context, next) => {
    const { path } = context.req;
    const asset = assets.find(path);
    if (asset !== undefined) return send(context, path, asset);
    // The page says that there is nothing at this address. A missing file of the page's own is not a page.
    return path.startsWith('/api/') || /\.\w+$/.test(path) ? next() : sendPage(context, 404);
  });
  return app;
}

function newApp(onFault: RouteParts['onFault']): Hono {
  const app = new Hono({ strict: true });
  const answer = (context: Context, { status, ...failure }: StatusFailure): Response => {
    const code = status as ContentfulStatusCode; // of an error
    if (!wantsPage(context.req.header(), context.req.path)) return context.json(failure, code, safeHeaders);
    return context.body(refusalPage(failure), code, { ...safeHeaders, 'content-type': 'text/html; charset=utf-8' });
  };
  app.onError((error, context) => {
    const failure = failureOf(error);
    if (failure.status === 500) onFault(error.stack ?? String(error));
    return answer(context, failure);
  });
  app.notFound((context) => answer(context, { status: 404, error: 'not found', next: 'go back to the list' }));
  return app;
}

function respond(context: Context, value: unknown): Response {
  if (!isEncoded(value)) return context.json(value as object, 200, safeHeaders); // an output of the API
  // Content of a transcript may be opened in a tab of its own, where nothing of it may run.
  const headers = value.type === 'application/json' ? safeHeaders : sandboxHeaders;
  return context.body(Uint8Array.from(value.bytes), 200, { ...headers, 'content-type': value.type });
}
