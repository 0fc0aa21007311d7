// Spans → the same spans with only as much content as a destination may have, and its secrets cut out. It happens before
// anything is encoded, so that neither the outbox nor the wire ever holds the rest.
import type { JsonValue } from '../base/json.ts';
import { parseJson } from '../base/json.ts';
import type { ContentMode } from './config.ts';
import type { GenerationDetail, SubagentDetail, ToolDetail, TraceSpan, TurnDetail } from './span.ts';

/** A text, or the JSON of a value, with placeholders for its secrets; JSON stays JSON. */
export type Redact = (text: string) => string;

export interface ContentOptions {
  readonly mode: ContentMode;
  readonly redact: Redact | undefined;
  readonly hasThinking: boolean;
}

export function limitContent(span: TraceSpan, options: ContentOptions): TraceSpan {
  const { mode, redact } = options;
  const isTool = span.detail.kind === 'tool';
  const hasError = mode === 'full' || (mode === 'no-tool-content' && !isTool);
  return {
    ...span,
    detail: limitDetail(span.detail, options),
    errorText: hasError ? redacted(span.errorText, redact) : undefined,
  };
}

type Detail = TurnDetail | GenerationDetail | ToolDetail | SubagentDetail;

function limitDetail(detail: Detail, { mode, redact, hasThinking }: ContentOptions): Detail {
  const says = mode !== 'metadata';
  const text = (value: string): string => (says ? (redacted(value, redact) ?? '') : '');
  const toolValue = (value: unknown): unknown => (mode === 'full' ? redactedValue(value, redact) : undefined);
  switch (detail.kind) {
    case 'turn':
      return { ...detail, input: text(detail.input), output: text(detail.output) };
    case 'subagent':
      return { ...detail, input: text(detail.input), output: text(detail.output) };
    case 'tool':
      return { ...detail, input: toolValue(detail.input), output: toolValue(detail.output) };
    case 'generation':
      return {
        ...detail,
        input: detail.input === undefined || !says ? undefined : text(detail.input),
        output: text(detail.output),
        thinking: says && hasThinking ? redacted(detail.thinking, redact) : undefined,
        toolCalls: detail.toolCalls.map((call) => ({ ...call, input: toolValue(call.input) })),
      };
    default:
      return detail satisfies never;
  }
}

function redacted(text: string | undefined, redact: Redact | undefined): string | undefined {
  return text === undefined || redact === undefined ? text : redact(text);
}

/** As one JSON text, because the name beside a value is what tells that it is a password. */
function redactedValue(value: unknown, redact: Redact | undefined): unknown {
  if (redact === undefined || value === undefined || value === null) return value;
  if (typeof value === 'string') return redact(value);
  const text = JSON.stringify(value);
  const clean = redact(text);
  if (clean === text) return value;
  // Where a rule broke the JSON the text is sent as it is: clean comes before pretty.
  return parseJson(clean) ?? (clean satisfies JsonValue);
}
