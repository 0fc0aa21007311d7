export { KeyHelp, type KeyMeaning } from './key-help.tsx';
