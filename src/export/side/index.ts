export { fileEdits, type SideOptions, sideView } from './side.ts';
