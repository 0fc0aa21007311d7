// Spans → requests to a destination, in its format, none larger than servers accept.
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Destination } from '../../../trace/config/index.ts';
import { type Attributed, encodeProtobuf, type ResourceSpans, type TraceRequest } from '../otlp/index.ts';
import type { EncodedBatch } from '../queue/index.ts';
import type { ReceivedSpan } from './prepare.ts';

/** As for traces that Clew sends itself. A larger span gets a request of its own. */
const mostBytes = 2_500_000;

const compress = promisify(gzip);

export async function encodeBatches(
  spans: readonly ReceivedSpan[],
  { name, format, project }: Destination,
): Promise<readonly EncodedBatch[]> {
  const batches: EncodedBatch[] = [];
  for (const some of splitSpans(spans)) {
    const request = requestOf(some, project);
    const plain =
      format === 'json' ? Buffer.from(JSON.stringify(request)) : encodeProtobuf('ExportTraceServiceRequest', request);
    // The fastest level: the bytes are stored for less than a second, and go to a server nearby.
    const body = await compress(plain, { level: 1 });
    const contentType = format === 'json' ? 'application/json' : 'application/x-protobuf';
    batches.push({ destination: name, spans: some.length, contentType, body });
  }
  return batches;
}

function splitSpans(spans: readonly ReceivedSpan[]): readonly (readonly ReceivedSpan[])[] {
  const parts: ReceivedSpan[][] = [];
  let room = 0;
  for (const span of spans) {
    const last = parts.at(-1);
    if (last === undefined || span.size > room) {
      parts.push([span]);
      room = mostBytes - span.size;
    } else {
      last.push(span);
      room -= span.size;
    }
  }
  return parts;
}

/** Spans that came together stay together. */
function requestOf(spans: readonly ReceivedSpan[], project: string | undefined): TraceRequest {
  const resources: { of: ResourceSpans; copy: Required<Pick<ResourceSpans, 'scopeSpans'>> & ResourceSpans }[] = [];
  let scope: object | undefined;
  for (const { span, resourceSpans, scopeSpans } of spans) {
    if (resources.at(-1)?.of !== resourceSpans) {
      const { resource, schemaUrl } = resourceSpans;
      const copy = { resource: withProject(resource, project), ...ofUrl(schemaUrl), scopeSpans: [] };
      resources.push({ of: resourceSpans, copy });
      scope = undefined;
    }
    const scopes = resources.at(-1)?.copy.scopeSpans ?? [];
    if (scope !== scopeSpans) {
      scopes.push({ ...(scopeSpans.scope && { scope: scopeSpans.scope }), spans: [], ...ofUrl(scopeSpans.schemaUrl) });
      scope = scopeSpans;
    }
    scopes.at(-1)?.spans?.push(span);
  }
  return { resourceSpans: resources.map(({ copy }) => copy) };
}

function ofUrl(schemaUrl: string | undefined): { schemaUrl?: string } {
  return schemaUrl === undefined ? {} : { schemaUrl };
}

/** The project of a Phoenix server, instead of the one that the sender named. */
function withProject(resource: Attributed | undefined, project: string | undefined): Attributed {
  const attributes = resource?.attributes ?? [];
  if (project === undefined) return { ...resource, attributes };
  const key = 'openinference.project.name';
  const others = attributes.filter((each) => each.key !== key);
  return { ...resource, attributes: [...others, { key, value: { stringValue: project } }] };
}
