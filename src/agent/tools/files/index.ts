export { editTool } from './edit.ts';
export { refuseElsewhere } from './file-access.ts';
export { notebookEditTool } from './notebook-edit.ts';
export { readTool } from './read.ts';
export { writeTool } from './write.ts';
