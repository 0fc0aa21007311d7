// Describes a destination in text: its address, what it gets, and an example.
import { oneLine } from '../../base/text/index.ts';
import { version } from '../../base/version/index.ts';
import type { Destination, TraceConfig } from '../../trace/config/index.ts';
import { exampleSpans, exampleWire } from '../../trace/index.ts';
import type { Redact, WireSpan } from '../../trace/span/index.ts';

/** The query of an address may hold a key. */
export function shownUrl({ url }: Destination): string {
  return url.replace(/\?.*$/, '?…');
}

export function describeDestination(destination: Destination): string {
  const { profile, content, isRedacted } = destination;
  const mode = content === 'full' ? [] : [content];
  return [profile, shownUrl(destination), ...mode, ...(isRedacted ? [] : ['secrets are sent'])].join(', ');
}

const contentText = {
  full: 'prompts, answers, and inputs and outputs of tools',
  'no-tool-content': 'prompts and answers, without inputs and outputs of tools',
  metadata: 'no content: names, times, tokens and ids',
} as const;

/** What the destination would get of the example turn, one line per attribute. */
export function exampleLines(destination: Destination, config: TraceConfig, redact: Redact): readonly string[] {
  const spans = exampleOf(destination, config, redact);
  return [
    `${destination.name} (${describeDestination(destination)}) gets ${contentText[destination.content]}.`,
    'For example, of a turn with the prompt "What is in notes.txt?":',
    ...spans.flatMap(({ name, attributes }) => [
      `  ${name}`,
      ...attributes.map(({ key, value }) => `    ${key} = ${oneLine(valueText(value), maxColumns)}`),
    ]),
  ];
}

export function exampleJson(destination: Destination, config: TraceConfig, redact: Redact): object {
  const { name, profile, content } = destination;
  const spans = exampleOf(destination, config, redact).map((span) => ({
    name: span.name,
    attributes: span.attributes.map(({ key, value }) => ({ key, value: plain(value) })),
  }));
  return { name, profile, url: shownUrl(destination), content, spans };
}

function exampleOf(destination: Destination, { labels, strictSeed }: TraceConfig, redact: Redact): readonly WireSpan[] {
  const nowMs = Date.now();
  const options = { redact, labels, nowMs, isBackfill: true, strictSeed };
  return exampleWire(destination, exampleSpans(nowMs, version), options).spans;
}

const maxColumns = 100;

function valueText(value: WireSpan['attributes'][number]['value']): string {
  return Array.isArray(value) ? value.join(', ') : String(value);
}

function plain(value: WireSpan['attributes'][number]['value']): unknown {
  return typeof value === 'bigint' ? Number(value) : value;
}
