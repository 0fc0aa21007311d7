// Times and money in the few words that the page has room for, in the reader's own time zone.

export function formatTime(timeMs: number | null): string {
  if (timeMs === null) return '';
  const date = new Date(timeMs);
  if (Number.isNaN(date.getTime())) return '';
  const two = (value: number): string => String(value).padStart(2, '0');
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** `$0.0042`, `$1.23`, `$1,234`: as many digits as say something. */
/** Money, marked where some messages have no known price and are not in it. */
export function formatKnownMoney(micros: number, isPart: boolean): string {
  return `${isPart ? '≥ ' : ''}${formatMoney(micros)}`;
}

export function formatMoney(micros: number): string {
  const dollars = micros / 1_000_000;
  if (dollars === 0) return '$0';
  if (dollars < 0.01) return `$${dollars.toFixed(4)}`;
  return dollars < 1000 ? `$${dollars.toFixed(2)}` : `$${Math.round(dollars).toLocaleString('en')}`;
}
