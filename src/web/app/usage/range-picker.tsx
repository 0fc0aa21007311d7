// Chooses the days, and cost or tokens.
import { addressWith, dayBefore, goTo } from '../page/index.ts';
import { type Measure, measures, periods, type UsageAddress } from './usage-address.ts';

const ranges = [
  { name: '7 days', days: 6 },
  { name: '30 days', days: 29 },
  { name: '90 days', days: 89 },
  { name: 'All time', days: null },
] as const;

const measureNames: Readonly<Record<Measure, string>> = { cost: 'Cost', tokens: 'Tokens' };
const periodNames = { daily: 'By day', weekly: 'By week', monthly: 'By month' } as const;

export function RangePicker({ address }: { readonly address: UsageAddress }) {
  const change = (name: string, value: string | null): void => goTo(addressWith({ [name]: value }));
  return (
    <div className="list-tools range-picker">
      <fieldset className="filters">
        <legend className="unseen">Range</legend>
        {ranges.map(({ name, days }) => {
          const since = days === null ? null : dayBefore(days);
          return (
            <button
              key={name}
              type="button"
              aria-pressed={address.since === since && address.until === null}
              onClick={() => goTo(addressWith({ since, until: null }))}
            >
              {name}
            </button>
          );
        })}
      </fieldset>
      {(['since', 'until'] as const).map((end) => (
        <label key={end}>
          <span className="quiet">{end === 'since' ? 'From' : 'to'}</span>
          <input
            type="date"
            value={address[end] ?? ''}
            {...(end === 'since' ? { max: address.until ?? undefined } : { min: address.since ?? undefined })}
            onChange={(event) => change(end, event.currentTarget.value)}
          />
        </label>
      ))}
      <select
        aria-label="Period of each bar"
        value={address.period ?? ''}
        onChange={(event) => change('by', event.currentTarget.value)}
      >
        <option value="">Automatic periods</option>
        {periods.map((period) => (
          <option key={period} value={period}>
            {periodNames[period]}
          </option>
        ))}
      </select>
      <fieldset className="filters">
        <legend className="unseen">Measure</legend>
        {measures.map((measure) => (
          <button
            key={measure}
            type="button"
            aria-pressed={address.measure === measure}
            onClick={() => change('show', measure === 'cost' ? null : measure)}
          >
            {measureNames[measure]}
          </button>
        ))}
      </fieldset>
    </div>
  );
}
