export { isFolderAccepted, type OfferItem, readProjectOffer, summariseOffer } from './trust.ts';
