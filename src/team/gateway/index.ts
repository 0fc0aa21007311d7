export { type Forwarding, type ForwardingOptions, startForwarding } from './forwarding.ts';
export { HttpTarget, type HttpTargetOptions } from './http-target.ts';
export {
  addKey,
  type GatewayReport,
  type KeyRow,
  listKeys,
  reportGateway,
  retryParked,
  revokeKeys,
} from './queue/index.ts';
export { type Gateway, type GatewayOptions, startGateway } from './server.ts';
