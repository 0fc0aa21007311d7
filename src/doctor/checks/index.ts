export { checkContent, checkHeads, checkImages, type PlacedViolation } from './api.ts';
export { saysSame } from './copies.ts';
export { type ExaminedSession, examine, oldReachOf, reachOf, type Segment, segmentsOf } from './examined-session.ts';
export {
  compareFindings,
  type DamageCode,
  damageClasses,
  type Finding,
  isSevere,
  makeFinding,
  type Severity,
  severities,
} from './finding.ts';
export { checkFolder, type FolderOptions, isMoved, nested } from './folder.ts';
export { checkGraph, strangersOf } from './graph.ts';
export { checkLines, restoredSession } from './lines.ts';
export { isDamagedInside, type Screening, screenSession } from './screen.ts';
export { checkThinking, judgeThinking } from './thinking.ts';
