// Reads a JSON number.

/** Whether the number that was read last is surely written as `JSON.stringify` would write it. */
export let wasShortest: bool = true;

export function isDigit(byte: u8): bool {
  return byte >= 0x30 && byte <= 0x39;
}

/** Returns the place after the number, or 0. */
export function readNumber(start: usize): usize {
  wasShortest = true;
  let at = start;
  if (load<u8>(at) === 0x2d) at++;
  const whole = at;
  if (load<u8>(at) === 0x30) at++;
  else at = skipDigits(at);
  if (at === whole) return 0;
  const isZero = load<u8>(whole) === 0x30;
  if (isZero && whole !== start) wasShortest = false;
  if (load<u8>(at) === 0x2e) {
    const fraction = at + 1;
    at = skipDigits(fraction);
    if (at === fraction) return 0;
    // A double holds 15 digits exactly; smaller numbers are written with an exponent.
    if (load<u8>(at - 1) === 0x30 || (isZero && load<u32>(fraction) === 0x30303030)) wasShortest = false;
  }
  if (at - whole > 15) wasShortest = false;
  if ((load<u8>(at) | 0x20) !== 0x65) return at;
  wasShortest = false;
  at++;
  if (load<u8>(at) === 0x2b || load<u8>(at) === 0x2d) at++;
  const end = skipDigits(at);
  return end === at ? 0 : end;
}

function skipDigits(start: usize): usize {
  let at = start;
  while (isDigit(load<u8>(at))) at++;
  return at;
}
