export { isPrivateAddress, PrivateAddressError, publicLookup } from './address.ts';
export {
  type FileContent,
  isInside,
  readContent,
  readText,
  realPath,
  resolvePath,
  smallerPictureCommand,
} from './file.ts';
export { readGitBranch, runGit } from './git.ts';
export { foldName, matchesHost, matchesPath, matchesText } from './wildcard.ts';
