export { beginningText, ContentRepair, describeImage, imagesIn, rejectedImages } from './content.ts';
export { repairRequest } from './request.ts';
