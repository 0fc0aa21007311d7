export {
  agentPart,
  formatReference,
  type Reference,
  readReference,
  referenceWords,
  sessionPart,
  turnPart,
} from './reference.ts';
export { AmbiguousTurn, namedTurn, type PlacedTurn, referenceOf } from './session-turns.ts';
