export { Thread, type ThreadOptions } from './thread.ts';
export type { DoctorProgress, LibraryDoctorFound, Role, WorkerEvents } from './worker-methods.ts';
