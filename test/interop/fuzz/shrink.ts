// A list of lines on which something fails → fewer lines on which the same fails.

/** Leaves out runs of lines, long ones first, as long as `isSame` says that the failure is still the same. */
export async function shrink(
  lines: readonly string[],
  isSame: (fewer: readonly string[]) => Promise<boolean>,
): Promise<readonly string[]> {
  let left = lines;
  for (let size = Math.ceil(lines.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = 0; at < left.length; ) {
      const fewer = [...left.slice(0, at), ...left.slice(at + size)];
      if (fewer.length > 0 && (await isSame(fewer))) left = fewer;
      else at += size;
    }
  }
  return left;
}
