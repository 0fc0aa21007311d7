// The version, as a constant, so that `clew --version` reads no file. A test holds it equal to package.json.
/** The version of this package. */
export const version = '0.1.0';
