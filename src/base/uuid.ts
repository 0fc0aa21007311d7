// The form of a UUID, whatever its version: session files are named by one, and lines carry one.

export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(text);
}
