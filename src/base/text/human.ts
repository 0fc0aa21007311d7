// Numbers → short texts for lists: ages, sizes, counts, tokens, durations. No locale, so that the output of a command
// is the same on every machine.

const secondMs = 1000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const monthMs = 30.44 * dayMs;
const yearMs = 365.25 * dayMs;
const unknown = '?';

/** How long ago, in the largest whole unit: `now`, `3 min`, `2 h`, `5 d`, `4 mo`, `2 y`. */
export function formatAge(fromMs: number, nowMs: number): string {
  const age = nowMs - fromMs;
  if (!Number.isFinite(age)) return unknown;
  // Clocks differ: a moment in the future is shown as the present one.
  if (age < minuteMs) return 'now';
  if (age < hourMs) return `${Math.floor(age / minuteMs)} min`;
  if (age < dayMs) return `${Math.floor(age / hourMs)} h`;
  if (age < 2 * monthMs) return `${Math.floor(age / dayMs)} d`;
  if (age < 2 * yearMs) return `${Math.floor(age / monthMs)} mo`;
  return `${Math.floor(age / yearMs)} y`;
}

/** `512 B`, `1.5 KB`, `34 MB`: steps of 1024, one decimal below 10. */
export function formatBytes(sizeBytes: number): string {
  if (!Number.isFinite(sizeBytes)) return unknown;
  if (sizeBytes < 1024) return `${Math.round(sizeBytes)} B`;
  return scale(sizeBytes / 1024, 1024, 10, [' KB', ' MB', ' GB', ' TB']);
}

/** `1,234,567`. */
export function formatCount(count: number): string {
  if (!Number.isFinite(count)) return unknown;
  return String(Math.round(count)).replace(/\B(?=(?:\d{3})+$)/g, ',');
}

/** `1 turn`, `2,300 turns`. */
export function counted(count: number, noun: string, plural: string = `${noun}s`): string {
  return `${formatCount(count)} ${count === 1 ? noun : plural}`;
}

/** `987`, `12.3k`, `123k`, `1.2M`, `1.7B`: one decimal below 100. */
export function formatTokens(tokens: number): string {
  if (!Number.isFinite(tokens)) return unknown;
  if (Math.round(tokens) < 1000) return String(Math.round(tokens));
  return scale(tokens / 1000, 1000, 100, ['k', 'M', 'B']);
}

/** `850 ms`, `3.2 s`, `45 s`, `4 min 5 s`, `2 h 13 min`, `3 d 4 h`: the two largest units. */
export function formatDuration(durationMs: number): string {
  if (!Number.isFinite(durationMs)) return unknown;
  const ms = Math.max(0, Math.round(durationMs));
  if (ms < secondMs) return `${ms} ms`;
  // 9.95 s and more would round to "10.0 s".
  if (ms < 9950) return `${(ms / secondMs).toFixed(1)} s`;
  const seconds = Math.round(ms / secondMs);
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return twoUnits(seconds, 60, 'min', 's');
  const minutes = Math.round(seconds / 60);
  if (minutes < 24 * 60) return twoUnits(minutes, 60, 'h', 'min');
  const hours = Math.round(minutes / 60);
  return twoUnits(hours, 24, 'd', 'h');
}

function twoUnits(amount: number, size: number, large: string, small: string): string {
  const rest = amount % size;
  const whole = `${Math.floor(amount / size)} ${large}`;
  return rest === 0 ? whole : `${whole} ${rest} ${small}`;
}

/** Divides by `step` until the rounded number is below it, so that 1023.9 KB reads 1.0 MB and not 1024 KB. */
function scale(amount: number, step: number, decimalBelow: number, units: readonly string[]): string {
  let rest = amount;
  for (const [index, unit] of units.entries()) {
    const fits = Math.round(rest) < step || index === units.length - 1;
    if (fits)
      return Number(rest.toFixed(1)) < decimalBelow ? `${rest.toFixed(1)}${unit}` : `${Math.round(rest)}${unit}`;
    rest /= step;
  }
  return unknown;
}

/** Quotes a word for a POSIX shell, for commands that users copy. */
export function shellQuote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** Any version of UUID; session files and lines have one. */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(text);
}
