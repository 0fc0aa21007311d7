// The headers of every response. Only the page's own files may run or load, no site may frame or embed it, and no other
// site learns its addresses.

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

export const safeHeaders: Readonly<Record<string, string>> = {
  'content-security-policy': policy,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'x-frame-options': 'DENY',
  'cache-control': 'no-store',
};

/** For content of a transcript that is opened in a tab of its own: nothing in it may run. */
export const sandboxHeaders: Readonly<Record<string, string>> = {
  ...safeHeaders,
  'content-security-policy': "default-src 'none'; sandbox; frame-ancestors 'none'",
};
