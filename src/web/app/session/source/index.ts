export { MenusContext, type SessionMenus, useMenus } from './menus.ts';
export {
  ActionsContext,
  LiveContext,
  type PageActions,
  placeName,
  SourceContext,
  type Target,
  TargetContext,
  type TargetLine,
  useActions,
  useFold,
  useIsTarget,
  usePlaceNames,
  useSource,
} from './page-context.ts';
export { PartsStore } from './parts-store.ts';
export {
  type AfterTurn,
  type LinePlace,
  type Printable,
  type RawLine,
  readAddress,
  type SessionAddress,
  type SessionSource,
  type SessionStart,
  type SideSource,
  writeAddress,
  writeQuery,
} from './source.ts';
