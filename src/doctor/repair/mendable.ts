// Which findings a repair of the file can repair.
import type { Finding } from '../checks/finding.ts';

/** Where a session lies, and that it is too long, other commands repair; notes about thinking tell what has happened. */
export function isMendable({ code }: Pick<Finding, 'code'>): boolean {
  return !/^[FIW]-/.test(code) && code !== 'A-too-long' && code !== 'L-oversize';
}
