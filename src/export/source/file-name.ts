// A session → a file name that is safe on every system: its day, the words of its title, and the beginning of its id.

export interface NamedSession {
  readonly shortId: string;
  readonly title: string;
  readonly startedAt: number;
}

export function exportFileName({ shortId, title, startedAt }: NamedSession, extension: string): string {
  const date = new Date(startedAt);
  const day = Number.isNaN(date.getTime()) ? '' : date.toISOString().slice(0, 10);
  const parts = [day, words(title), shortId.replace(/[^\w-]/g, '')];
  return `${parts.filter((part) => part !== '').join('-') || 'session'}.${extension}`;
}

/** Letters and digits of any script; the rest becomes dashes. At most 50 characters and 150 bytes. */
function words(title: string): string {
  const slug = title
    .slice(0, 400)
    .normalize('NFC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-+|-+$/g, '');
  return [...slug].slice(0, 50).join('').replace(/-+$/, '');
}
