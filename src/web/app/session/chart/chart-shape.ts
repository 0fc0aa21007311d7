// Turns → the shape of the context chart: the line, its drops, the scale and its numbers. Everything is in per cent of the
// plot, from its upper left corner.
import type { TurnRow } from '../../../../export/wire/index.ts';

export interface ChartInput {
  readonly turns: readonly TurnRow[];
  readonly limit: number | null;
  readonly compactsAt: number | null;
}

export interface ChartShape {
  /** The path of the size over the turns. */
  readonly line: string;
  readonly most: number;
  readonly ticks: readonly Tick[];
  /** Where the limit is; `null` if it is unknown. */
  readonly limitAt: number | null;
  /** From the size above which the client compacts, up to the limit. */
  readonly zone: { readonly from: number; readonly to: number } | null;
  /** The sizes between the line and the limit are left out: the limit is far above them. */
  readonly isBroken: boolean;
  readonly drops: readonly Drop[];
}

export interface Tick {
  readonly tokens: number;
  readonly at: number;
}

export interface Drop {
  /** The turn that it belongs to. */
  readonly turn: number;
  readonly at: number;
  readonly from: number;
  readonly to: number;
}

/** `undefined`: fewer than two turns have a size to compare. */
export function chartShape({ turns, limit, compactsAt }: ChartInput): ChartShape | undefined {
  const levels = levelsOf(turns);
  const most = levels.reduce((largest, { first, second }) => Math.max(largest, first, second), 0);
  if (turns.length < 2 || most <= 0) return undefined;
  const scale = makeScale(most, limit);
  const step = 100 / levels.length;
  let line = '';
  const drops: Drop[] = [];
  for (const [i, { first, second, dropAt }] of levels.entries()) {
    const x = i * step;
    line += `${i === 0 ? 'M' : 'L'}${short(x)},${short(scale.yOf(first))}`;
    if (first !== second) line += ` H${short(x + step / 2)} V${short(scale.yOf(second))}`;
    line += ` H${short(x + step)} `;
    if (dropAt === null) continue;
    const before = dropAt === 'start' ? (levels[i - 1]?.second ?? first) : first;
    drops.push({
      turn: turns[i]?.index ?? 0,
      at: dropAt === 'start' ? x : x + step / 2,
      from: scale.yOf(before),
      to: scale.yOf(second),
    });
  }
  const limitAt = limit === null ? null : scale.yOf(limit);
  const zoneFrom = compactsAt === null || limitAt === null ? null : scale.yOf(compactsAt);
  return {
    line: line.trimEnd(),
    most,
    ticks: scale.ticks.map((tokens) => ({ tokens, at: scale.yOf(tokens) })),
    limitAt,
    zone: zoneFrom === null || limitAt === null ? null : { from: limitAt, to: Math.max(zoneFrom, limitAt + 1) },
    isBroken: scale.isBroken,
    drops,
  };
}

interface Level {
  /** Before and after a drop in the middle of the turn; otherwise the same. */
  readonly first: number;
  readonly second: number;
  readonly dropAt: 'start' | 'middle' | null;
}

/** A turn without an answer leaves the conversation as it was, unless it compacted it. */
function levelsOf(turns: readonly TurnRow[]): readonly Level[] {
  let size = 0;
  return turns.map(({ contextTokens, peakTokens, drops }) => {
    const drop = drops.at(-1);
    const isInside = drop !== undefined && drop.place !== 'start';
    const isAfterRequests = drop !== undefined && (contextTokens === null || drop.place === 'end');
    const end = (isAfterRequests ? drop.after : contextTokens) ?? contextTokens ?? size;
    size = end;
    const dropAt = drop === undefined ? null : isInside ? 'middle' : 'start';
    return { first: isInside ? (peakTokens ?? end) : end, second: end, dropAt };
  });
}

interface Scale {
  readonly ticks: readonly number[];
  readonly isBroken: boolean;
  yOf(tokens: number): number;
}

/** Below this share of the limit the line would be flat on a scale that reaches the limit. */
const smallShare = 0.3;
/** In per cent of the plot: where the limit is, and where the sizes begin if the scale is broken. */
const topAt = 6;
const brokenAt = 28;

function makeScale(most: number, limit: number | null): Scale {
  const isBroken = limit !== null && most < limit * smallShare;
  const top = isBroken || limit === null ? most : Math.max(most, limit);
  const start = isBroken ? brokenAt : topAt;
  const step = niceStep(top / 2.5);
  const ticks = [0];
  for (let tokens = step; tokens <= top; tokens += step) ticks.push(tokens);
  return {
    ticks,
    isBroken,
    yOf: (tokens) => {
      if (isBroken && tokens > top)
        return topAt + (limit === null ? 0 : ((limit - tokens) / limit) * (brokenAt - topAt));
      return 100 - (Math.max(0, tokens) / top) * (100 - start);
    },
  };
}

/** The smallest of 1, 2 and 5 times a power of ten that is not below. */
function niceStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, least)));
  const factor = [1, 2, 5].find((each) => each * power >= least) ?? 10;
  return factor * power;
}

function short(value: number): string {
  return String(Math.round(value * 100) / 100);
}

/** The turn under a place of the plot, from 0 to 1. */
export function turnUnder(turns: readonly TurnRow[], share: number): TurnRow | undefined {
  return turns[Math.min(turns.length - 1, Math.max(0, Math.floor(share * turns.length)))];
}
