// temporary
export function skipWhitespace(bytes: Buffer, at: number): number {
  let i = at;
  for (;;) {
    const c = bytes[i];
    if (c === 0x20 || c === 0x0a || c === 0x0d || c === 0x09) i++;
    else return i;
  }
}
/** `at` is the position after the opening quote; answers the position after the closing one, or -1. */
export function skipString(bytes: Buffer, at: number): number {
  let i = at;
  const near = Math.min(bytes.length, at + 14);
  for (; i < near; i++) {
    const c = bytes[i];
    if (c === 0x22) return i + 1;
    if (c === 0x5c) i++;
  }
  for (;;) {
    const quote = bytes.indexOf(0x22, i);
    if (quote < 0) return -1;
    let back = quote - 1;
    while (back >= i && bytes[back] === 0x5c) back--;
    if (((quote - back) & 1) === 1) return quote + 1;
    i = quote + 1;
  }
}
export function skipValue(bytes: Buffer, at: number): number {
  const first = bytes[at];
  if (first === 0x22) return skipString(bytes, at + 1);
  if (first !== 0x7b && first !== 0x5b) {
    let i = at;
    for (; ; i++) {
      const c = bytes[i];
      if (c === undefined || c === 0x2c || c === 0x7d || c === 0x5d || c <= 0x20) return i === at ? -1 : i;
    }
  }
  let depth = 0;
  for (let i = at; ; ) {
    const c = bytes[i];
    if (c === 0x22) {
      i = skipString(bytes, i + 1);
      if (i < 0) return -1;
      continue;
    }
    if (c === undefined) return -1;
    if (c === 0x7b || c === 0x5b) depth++;
    else if ((c === 0x7d || c === 0x5d) && --depth === 0) return i + 1;
    i++;
  }
}
