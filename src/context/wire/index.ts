export {
  type Basis,
  type ContextDrop,
  type ContextLedger,
  type ContextRequest,
  type ContextSlice,
  type ContextTurn,
  type LineRange,
  type SliceFree,
  type SliceKind,
  sliceKinds,
  sliceLabels,
} from './ledger.ts';
