// The active block with its pace, and what the prompt cache saved.
import { formatDuration, formatTokens } from '../../../base/text/index.ts';
import type { CacheAnswer, UsageAnswer } from '../../wire/index.ts';
import { formatMoney, formatTime } from '../session/format/index.ts';
import { costText } from './usage-address.ts';

export function ActiveBlock({ row }: { readonly row: UsageAnswer['rows'][number] | null }) {
  const pace = row?.block?.pace ?? null;
  if (row === null || row.block === null || pace === null) {
    return (
      <section aria-label="Active block">
        <h2>Active block</h2>
        <p className="quiet">Nothing was used in the last five hours.</p>
      </section>
    );
  }
  const { costMicroUsdPerHour: perHour, projectedCostMicroUsd: atEnd } = pace;
  return (
    <section aria-label="Active block">
      <h2>Active block</h2>
      <dl>
        <Fact name="So far" value={costText(row)} note={`since ${formatTime(Date.parse(row.key ?? '')).slice(-5)}`} />
        <Fact
          name="Per hour"
          value={perHour === null ? '–' : formatMoney(perHour)}
          note={`${formatTokens(pace.tokensPerHour)} tokens`}
        />
        <Fact
          name={`By ${formatTime(row.block.endsAt).slice(-5)} at this pace`}
          value={atEnd === null ? '–' : formatMoney(atEnd)}
          note={`${formatTokens(pace.projectedTokens)} tokens, ${formatDuration(pace.remainingMs)} left`}
        />
      </dl>
    </section>
  );
}

export function CacheFacts({ cache }: { readonly cache: CacheAnswer }) {
  const { inputTokens, cacheReadTokens, cacheWriteTokens, savedMicroUsd, uncachedMicroUsd } = cache;
  const input = inputTokens + cacheReadTokens + cacheWriteTokens;
  const share = (part: number): string => (input === 0 ? '–' : `${((100 * part) / input).toFixed(1)} %`);
  return (
    <section aria-label="Cache">
      <h2>Cache</h2>
      <dl>
        <Fact
          name="Read from the cache"
          value={share(cacheReadTokens)}
          note={`${formatTokens(cacheReadTokens)} tokens`}
        />
        <Fact name="Written to it" value={share(cacheWriteTokens)} note={`${formatTokens(cacheWriteTokens)} tokens`} />
        {savedMicroUsd === null || uncachedMicroUsd === null ? null : (
          <Fact
            name={savedMicroUsd < 0 ? 'Cost more than without' : 'Saved'}
            value={formatMoney(Math.abs(savedMicroUsd))}
            note={`of ${formatMoney(uncachedMicroUsd)} without a cache`}
          />
        )}
      </dl>
    </section>
  );
}

interface FactProps {
  readonly name: string;
  readonly value: string;
  readonly note: string;
}

function Fact({ name, value, note }: FactProps) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        {value} <span className="quiet">{note}</span>
      </dd>
    </div>
  );
}
