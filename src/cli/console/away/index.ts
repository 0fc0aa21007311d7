export { Away } from './away.ts';
export { editFile, editText } from './text-editor.ts';
