const MASK = '[redacted]';
const secrets = new Set<string>();

/** Registers a secret: from here on `redact` masks its value, also percent-encoded and in base64. */
export function keepSecret(value: string | undefined): void {
  if (value === undefined || value.length < 4) return;
  for (const form of [value, encodeURIComponent(value), Buffer.from(value).toString('base64')])
    secrets.add(form);
}

/** Masks every registered secret in a text, the longest first. */
export function redact(text: string): string {
  let masked = text;
  for (const secret of [...secrets].sort((a, b) => b.length - a.length))
    masked = masked.replaceAll(secret, MASK);
  return masked;
}
