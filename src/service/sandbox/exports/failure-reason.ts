/** The `export_failure_reason` of a failed upload: the store and its message. */
export function failureReason(error: unknown, target: string, secret: string | undefined): string {
  const { name, message, code } = error as { name?: unknown; message?: unknown; code?: unknown };
  const nameless = typeof name !== 'string' || name === 'Error' || name === 'ApiError';
  const what = nameless ? (code === undefined ? '' : String(code)) : name;
  const text = [what, String(message ?? error)].filter((part) => part !== '').join(': ');
  const said = `the upload to ${target} failed: ${text}`.replace(/\s+/g, ' ').slice(0, 500);
  return secret === undefined || secret === '' ? said : said.replaceAll(secret, '[redacted]');
}
