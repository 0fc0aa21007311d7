// A password → what PostgreSQL stores of it (SCRAM-SHA-256, RFC 5803), so that the password is neither sent nor in the log of
// the server.
import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import { UserError } from '../../base/errors/index.ts';

const iterations = 4096;

export function scramVerifier(password: string, salt: Uint8Array = randomBytes(16)): string {
  // Clients prepare other characters in ways that differ (SASLprep), and the login would fail.
  if (!/^[\x20-\x7e]{8,}$/.test(password))
    throw new UserError('the password on stdin is not usable', 'use at least 8 printable ASCII characters');
  const salted = pbkdf2Sync(password, salt, iterations, 32, 'sha256');
  const keyed = (text: string): Buffer => createHmac('sha256', salted).update(text).digest();
  const stored = createHash('sha256').update(keyed('Client Key')).digest();
  const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
  return `SCRAM-SHA-256$${iterations}:${base64(salt)}$${base64(stored)}:${base64(keyed('Server Key'))}`;
}
