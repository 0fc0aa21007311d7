// A signature of a thinking block, in the shape the API gives them: a field with its length, noise, and a short end.

export function signature(noiseBytes: number): string {
  const noise = Buffer.alloc(noiseBytes, 0x5a);
  const length = [(noiseBytes & 0x7f) | 0x80, noiseBytes >> 7];
  return Buffer.concat([Buffer.from([0x12, ...length]), noise, Buffer.from([0x18, 0x01])]).toString('base64');
}
