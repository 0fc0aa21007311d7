export { type Diagnosis, diagnoseSession, healthOf, verdictOf } from './diagnose.ts';
export { diagnoseLibrary, findFolderDamage, type LibraryDiagnosis } from './library.ts';
