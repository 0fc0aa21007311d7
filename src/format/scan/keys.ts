// The keys of the lazy scanner, found by their bytes without creating a string: a table over the length and three bytes
// gives one candidate, and a comparison confirms it. A key is its number.

/** In the order of their numbers, from 1; 0 is any other key. */
export const keyNames: readonly string[] = `
  type subtype uuid parentUuid logicalParentUuid timestamp sessionId agentId cwd version requestId leafUuid
  explicit isSidechain isMeta isCompactSummary isApiErrorMessage permissionMode message toolUseResult attachment id
  role model stop_reason usage parts content name tool_use_id is_error text input file_path input_tokens
  output_tokens cache_read_input_tokens cache_creation_input_tokens cache_creation ephemeral_5m_input_tokens
  ephemeral_1h_input_tokens server_tool_use web_search_requests speed inference_geo service_tier iterations
  forkedFrom
`
  .trim()
  .split(/\s+/);
const longest = 27;

const tableSize = 4096;
const table = new Uint8Array(tableSize);
const spellings: readonly Uint8Array[] = keyNames.map((name) => Buffer.from(name));

for (const [i, name] of keyNames.entries()) {
  const slot = slotOf(Buffer.from(name), 0, name.length);
  if (table[slot] !== 0) throw new Error(`the key ${name} shares its slot with another: change slotOf`);
  table[slot] = i + 1;
}

/** The number of the key in [start, end), 0 for any other key. */
export function keyNumber(bytes: Uint8Array, start: number, end: number): number {
  const length = end - start;
  if (length < 2 || length > longest) return 0;
  const found = table[slotOf(bytes, start, end)] as number;
  if (found === 0) return 0;
  const spelling = spellings[found - 1] as Uint8Array;
  if (spelling.length !== length) return 0;
  for (let i = 0; i < length; i++) if (bytes[start + i] !== spelling[i]) return 0;
  return found;
}

function slotOf(bytes: Uint8Array, start: number, end: number): number {
  const length = end - start;
  const first = bytes[start] as number; // all three are within the key
  const inner = bytes[start + (((length * 2) / 5) | 0)] as number;
  const last = bytes[end - 1] as number;
  return (length * 131 + first * 37 + inner * 11 + last * 5) & (tableSize - 1);
}
