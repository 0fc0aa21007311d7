export { ConsoleStore, initialConsole } from './console-state.ts';
export { editorWidth, roomOf } from './layout.ts';
export { mountScreen } from './screen.tsx';
