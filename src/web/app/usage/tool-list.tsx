// What the output of each tool cost, with its calls. The transcripts are read for it, so it comes after the rest of the
// page.
import { useCallback } from 'react';
import { counted, formatCount, formatTokens } from '../../../base/text/index.ts';
import { readJson } from '../../client/index.ts';
import type { SpendingRow, ToolsAnswer } from '../../wire/index.ts';
import { type Abortable, ProblemNote, useAnswer, useServices } from '../page/index.ts';
import { formatKnownMoney } from '../session/format/index.ts';
import { BarList, type BarRow } from './bar-list.tsx';
import { rangeQuery, type UsageAddress } from './usage-address.ts';

export interface ToolListProps {
  readonly address: UsageAddress;
  readonly tools: ToolsAnswer['tools'];
}

export function ToolList({ address, tools }: ToolListProps) {
  const { client } = useServices();
  // `tools` is new with every answer of the page: what the output cost is asked for again with it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above
  const ask = useCallback(
    (options: Abortable) => readJson(client.usage.spending.$get({ query: rangeQuery(address) }, options)),
    [client, address, tools],
  );
  const { answer, problem, askAgain } = useAnswer(ask);
  const spending = new Map((answer?.tools ?? []).map((row) => [row.tool, row]));
  const names = new Set([...tools.map(({ name }) => name), ...spending.keys()]);
  const calls = new Map(tools.map((tool) => [tool.name, tool]));
  const rows = [...names].map((name) => toolRow(name, calls.get(name), spending.get(name), address));
  return (
    <div>
      <BarList title="By tool: what its output cost" rows={rows} />
      {problem === null ? null : <ProblemNote problem={problem} onRetry={askAgain} />}
      {answer === null && problem === null ? <p className="quiet">Reading the transcripts…</p> : null}
    </div>
  );
}

function toolRow(
  name: string,
  calls: ToolsAnswer['tools'][number] | undefined,
  spent: SpendingRow | undefined,
  { measure }: UsageAddress,
): BarRow {
  const tokens = spent === undefined ? 0 : spent.addedTokens + spent.rereadTokens;
  const cost = spent === undefined ? 0 : spent.addedMicroUsd + spent.rereadMicroUsd;
  const facts = [
    calls === undefined ? '' : counted(calls.calls, 'call'),
    calls === undefined || calls.errors === 0 ? '' : counted(calls.errors, 'error'),
    spent === undefined || tokens === 0
      ? ''
      : `${formatTokens(spent.addedTokens)} tokens, sent again as ${formatTokens(spent.rereadTokens)}`,
  ];
  const money = spent === undefined || tokens === 0 ? '' : formatKnownMoney(cost, spent.unpricedTokens > 0);
  return {
    key: name,
    name,
    value: measure === 'cost' ? cost : tokens,
    text: measure === 'cost' ? money : formatTokens(tokens),
    facts: facts.filter((fact) => fact !== '').join(' · '),
    isProblem: false,
  };
}

/** How often each tool was called: what its output cost is counted from transcripts, which a store has no sums of. */
export function ToolCalls({ tools }: { readonly tools: ToolsAnswer['tools'] }) {
  const rows = tools.map(({ name, calls, errors }) => ({
    key: name,
    name,
    value: calls,
    text: formatCount(calls),
    facts: errors === 0 ? '' : counted(errors, 'error'),
  }));
  return <BarList title="By tool: calls" rows={rows} />;
}
