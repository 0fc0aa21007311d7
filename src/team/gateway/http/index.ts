export type { BodyLimits } from './body.ts';
export { ByteBudget, RateLimit, Slots } from './limits.ts';
export { makeRoutes } from './routes.ts';
