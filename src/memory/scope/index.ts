export { ancestorsOf, type CallEvidence, CallingSession } from './calling-session.ts';
export { ProjectScope, projectKey } from './project-scope.ts';
