// The address of a place in a session ⇄ the place: `/s/KEY?branch=2&turn=5`, `?line=120`, `?line=7&agent=ID`.

export interface SessionAddress {
  readonly branch: number | null;
  readonly turn: number | null;
  readonly line: number | null;
  readonly agentId: string | null;
}

export function readAddress(search: string): SessionAddress {
  const query = new URLSearchParams(search);
  return {
    branch: numberOf(query.get('branch')),
    turn: numberOf(query.get('turn')),
    line: numberOf(query.get('line')),
    agentId: query.get('agent'),
  };
}

function numberOf(text: string | null): number | null {
  return text !== null && /^[1-9]\d{0,8}$/.test(text) ? Number(text) : null;
}

export function writeAddress(key: string, place: Partial<SessionAddress>): string {
  const text = writeQuery(place);
  return `/s/${encodeURIComponent(key)}${text === '' ? '' : `?${text}`}`;
}

export function writeQuery(place: Partial<SessionAddress>): string {
  const query = new URLSearchParams();
  if (place.branch != null && place.branch > 1) query.set('branch', String(place.branch));
  if (place.turn != null) query.set('turn', String(place.turn));
  if (place.line != null && place.line > 0) query.set('line', String(place.line));
  if (place.agentId != null) query.set('agent', place.agentId);
  return query.toString();
}
