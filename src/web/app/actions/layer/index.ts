export { ActionLayer } from './action-layer.tsx';
export { sessionActions } from './session-actions.ts';
