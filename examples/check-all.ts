// Diagnoses all sessions and exits with 1 if one is damaged, for a scheduled job: node check-all.js [ROOT…]
import { diagnoseSession, discoverSessions, loadSession, resolveRoots } from 'clew';

const { sessions } = await discoverSessions(resolveRoots({ roots: process.argv.slice(2) }));
let damaged = 0;
for (const { path, sessionId } of sessions) {
  const { findings, reachable } = await diagnoseSession(await loadSession(path));
  const serious = findings.filter(({ severity }) => severity === 'fatal' || severity === 'loss');
  if (serious.length > 0) damaged += 1;
  console.log(`${sessionId.slice(0, 8)}  a resume loads ${reachable.loaded} of ${reachable.of} entries`);
  for (const { code, line, message } of serious) console.log(`  ${code} line ${line}: ${message}`);
}
console.log(`${damaged} of ${sessions.length} sessions are damaged`);
process.exitCode = damaged > 0 ? 1 : 0;
