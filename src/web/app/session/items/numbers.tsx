// The numbers of a turn, each with what it counts: on hover, and for screen readers.
import { counted, formatCount, formatDuration, formatTokens } from '../../../../base/text/index.ts';
import type { TurnRow } from '../../../../export/wire/index.ts';
import { formatKnownMoney, formatTime } from '../format/index.ts';

interface Fact {
  readonly text: string;
  readonly meaning: string;
  readonly className?: string;
}

export function TurnFacts({ row }: { readonly row: TurnRow }) {
  return (
    <span className="turn-numbers">
      {factsOf(row).map((fact, i) => (
        <span key={fact.meaning}>
          {i === 0 ? '' : ' · '}
          <Explained {...fact} />
        </span>
      ))}
    </span>
  );
}

/** A number with its meaning. */
export function Explained({ text, meaning, className = '' }: Fact) {
  return (
    <span className={`explained ${className}`} title={meaning}>
      {text}
      <span className="unseen"> ({meaning})</span>
    </span>
  );
}

function factsOf(row: TurnRow): readonly Fact[] {
  const { usage, costMicros, unpriced } = row;
  const written = usage.cacheWrite5mTokens + usage.cacheWrite1hTokens;
  const input = usage.inputTokens + usage.cacheReadTokens + written;
  const facts: Fact[] = [{ text: formatTime(row.startedAt), meaning: 'When the turn began' }];
  if (row.durationMs >= 1000)
    facts.push({ text: formatDuration(row.durationMs), meaning: 'From the prompt to the last line of the turn' });
  if (usage.messages > 0) {
    facts.push({
      text: `${formatTokens(input)} in`,
      meaning: [
        `Tokens sent to the model in ${counted(usage.messages, 'request')}`,
        `${formatCount(usage.cacheReadTokens)} read from the cache`,
        `${formatCount(written)} written to it`,
        `${formatCount(usage.inputTokens)} neither`,
      ].join(', '),
    });
    facts.push({
      text: `${usage.outputIsLowerBound ? '≥ ' : ''}${formatTokens(usage.outputTokens)} out`,
      meaning: `Tokens that the model wrote${usage.outputIsLowerBound ? ', at least: this client did not store the final number' : ''}`,
    });
  }
  if (costMicros !== null) {
    facts.push({
      text: formatKnownMoney(costMicros, unpriced > 0),
      meaning: `Cost of the turn and its sub-agents at the prices of the API${unpriced > 0 ? ', without models that have no known price' : ''}`,
      className: 'cost',
    });
  }
  return facts.filter(({ text }) => text !== '');
}
