// Server and tool names → unique names that the Messages API accepts.
import { createHash } from 'node:crypto';

const maxLength = 128;

/** Adds the name to `taken`. */
export function nameTool(server: string, tool: string, taken: Set<string>): string {
  const plain = `mcp__${normaliseName(server)}__${normaliseName(tool)}`;
  const fits = plain.length <= maxLength && !taken.has(plain);
  // A hash of both names, so that a tool has the same name in every session.
  const name = fits ? plain : `${plain.slice(0, maxLength - 9)}_${hash(`${server}\0${tool}`)}`;
  taken.add(name);
  return name;
}

export function normaliseName(name: string): string {
  return name.replace(/[^a-zA-Z0-9_-]/g, '_') || '_';
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 8);
}
