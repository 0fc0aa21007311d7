// A working folder's path comes in, the names that Claude Code gives its project folder go out.
// The mapping loses information, so nothing here turns a slug back into a path: read `cwd` from the lines.

const longestSlug = 200;

/** Returns the name of the project folder for a working directory, as current clients write it. */
export function encodeSlug(cwd: string): string {
  const slug = encodeOldSlug(cwd);
  if (slug.length <= longestSlug) return slug;
  return `${slug.slice(0, longestSlug)}-${Math.abs(hashOf(cwd)).toString(36)}`;
}

/** The same for clients up to 2.1.45, which never cut a long name. */
export function encodeOldSlug(cwd: string): string {
  return cwd.replace(/[^A-Za-z0-9]/g, '-');
}

/** Every folder name under which sessions of `cwd` may lie, the current one first. */
export function slugsFor(cwd: string): readonly string[] {
  return [...new Set([encodeSlug(cwd), encodeOldSlug(cwd)])];
}

/** Whether a project folder of this name may belong to `cwd`; other paths may share the name. */
export function slugMatches(slug: string, cwd: string): boolean {
  return slugsFor(cwd).includes(slug);
}

function hashOf(text: string): number {
  let hash = 0;
  for (let at = 0; at < text.length; at++) hash = (Math.imul(hash, 31) + text.charCodeAt(at)) | 0;
  return hash;
}
