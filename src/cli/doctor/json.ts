// A diagnosis → the JSON of docs/json.md: every field is present, unknown ones are null.
import type { Finding, PlacedViolation } from '../../doctor/checks/index.ts';
import type { Diagnosis } from '../../doctor/diagnosis/index.ts';
import { IndexHandle, type JudgedSession, saveVerdicts } from '../../library/index/index.ts';
import { stateFolder } from '../../store/index.ts';
import type { CommandIo } from '../command/index.ts';

export function diagnosisJson(diagnosis: Diagnosis): object {
  const { sessionId, path, findings, reachable, reachableOld, compactsFirst, violations, chain } = diagnosis;
  return {
    sessionId,
    path,
    findings: findings.map(findingJson),
    reachable,
    reachableOld,
    compactsFirst,
    violations: violations.map(violationJson),
    chain,
  };
}

export function findingJson({ code, severity, file, line, offset, uuid, message, effect, fix }: Finding): object {
  return { code, severity, file, line, offset, uuid: uuid ?? null, message, effect, fix };
}

function violationJson(violation: PlacedViolation): object {
  const { rule, status, message, messageIndex, blockIndex, toolUseId, line, uuid } = violation;
  return {
    rule,
    status,
    message,
    messageIndex: messageIndex ?? null,
    blockIndex: blockIndex ?? null,
    toolUseId: toolUseId ?? null,
    line,
    uuid: uuid ?? null,
  };
}

export function keepVerdicts({ env }: Pick<CommandIo, 'env'>, judged: readonly JudgedSession[]): void {
  if (judged.length === 0) return;
  try {
    const index = new IndexHandle({ folder: stateFolder(env) });
    index.ask((database) => saveVerdicts(database, judged));
    index.close();
  } catch {
    // Doctor works without an index; other commands report why it cannot be written.
  }
}
