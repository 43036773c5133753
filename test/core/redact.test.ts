import { expect, test } from 'vitest';
import { createLogger } from '../../src/core/logger.ts';
import { keepSecret, redact } from '../../src/core/redact.ts';

test('a secret is masked by its value wherever it stands', () => {
  keepSecret('s3cr3t-one');
  expect(redact('Bearer s3cr3t-one; again s3cr3t-one.')).toBe('Bearer [redacted]; again [redacted].');
});

test('a secret is masked percent-encoded and in base64', () => {
  const secret = 'p@ss word/+ü';
  keepSecret(secret);
  const text = `?token=${encodeURIComponent(secret)}&b=${Buffer.from(secret).toString('base64')}`;
  expect(redact(text)).toBe('?token=[redacted]&b=[redacted]');
});

test('where one secret begins with another, the longer one goes whole', () => {
  keepSecret('begin');
  keepSecret('begin-and-more');
  expect(redact('begin-and-more begin')).toBe('[redacted] [redacted]');
});

test('a text too short to be a secret and an unset one mask nothing', () => {
  keepSecret('abc');
  keepSecret('');
  keepSecret(undefined);
  expect(redact('abc def')).toBe('abc def');
});

test('a log line masks secrets in its message, fields and scope', () => {
  keepSecret('logged-token');
  const lines: string[] = [];
  const logger = createLogger(
    'debug',
    (line) => lines.push(line),
    () => new Date(0),
  );
  logger
    .with({ token: 'logged-token' })
    .warn('about logged-token', { url: 'https://x/?t=logged-token', n: 2n ** 60n });
  expect(lines).toEqual([
    '1970-01-01T00:00:00.000Z warn  about [redacted] token=[redacted] url="https://x/?t=[redacted]" n=1152921504606846976',
  ]);
});
