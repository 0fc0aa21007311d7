export { MenusContext, type SessionMenus, useMenus } from './menus.ts';
export {
  ActionsContext,
  type FoldAll,
  FoldAllContext,
  LiveContext,
  type PageActions,
  placeName,
  RunningContext,
  SourceContext,
  type Target,
  TargetContext,
  type TargetHit,
  type TargetLine,
  useActions,
  useFold,
  useIsOnTrail,
  useIsTarget,
  useIsTargetCall,
  usePlaceNames,
  useSource,
} from './page-context.ts';
export { PartsStore } from './parts-store.ts';
export {
  type AfterTurn,
  type Presence,
  type Printable,
  type RawLine,
  type RelatedSession,
  readAddress,
  type SessionAddress,
  type SessionSource,
  type SessionStart,
  type SideSource,
  type SimilarSession,
  writeAddress,
  writeQuery,
} from './source.ts';
export { isFiltered, plainFilter, type ViewFilter, type ViewName, viewNames } from './view-filter.ts';
