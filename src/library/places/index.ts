export { knownPlaces, openPlaces, type PlacedFiles } from './hit-place.ts';
export type { Place, SessionPlaces } from './place-table.ts';
