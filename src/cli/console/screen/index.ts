export { ConsoleStore, initialConsole } from './console-state.ts';
export { consoleKeys } from './key-lines.ts';
export { editorWidth, roomOf } from './layout.ts';
export { type MountedScreen, mountScreen } from './screen.tsx';
