export { type AwsKeys, awsCredentials } from './credentials.ts';
