import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createLogger } from '../../../src/core/logs/logger.ts';
import { forgetSecrets, keepSecret, redact, redactTexts } from '../../../src/core/secrets/redact.ts';
import { parseJson, stringifyJson } from '../../../src/core/text/json.ts';
import { grapheme } from '../../support/characters.ts';

test('a secret is masked by its value in any field', () => {
  keepSecret('s3cr3t-one');
  expect(redact('Bearer s3cr3t-one; again s3cr3t-one.')).toBe('Bearer [redacted]; again [redacted].');
});

test('a secret is masked percent-encoded and in base64', () => {
  const secret = 'p@ss word/+ü';
  keepSecret(secret);
  const text = `?token=${encodeURIComponent(secret)}&b=${Buffer.from(secret).toString('base64')}`;
  expect(redact(text)).toBe('?token=[redacted]&b=[redacted]');
});

test('a secret is masked with the last character of Unicode as an HTML escape', () => {
  keepSecret('last-\u{10ffff}-one');
  expect(redact('a last-&#x10ffff;-one b')).toBe('a [redacted] b');
  expect(redact('a last-&#x110000;-one b')).toBe('a last-&#x110000;-one b');
});

test('if one secret starts with another, the longer one is masked', () => {
  keepSecret('begin');
  keepSecret('begin-and-more');
  expect(redact('begin-and-more begin')).toBe('[redacted] [redacted]');
});

test('short text and unset secrets mask nothing', () => {
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

test('half of a secret, and a secret over two labeled lines, are masked', () => {
  // A short one, one that is usual, one with all characters that HTML names.
  for (const secret of [
    'Kx7-mQ2pWz9v',
    'sbx_4fQ91kLmZ0Tu',
    'tk/9f+Q=2:Z?u@h#o(1)',
    `${'q'.repeat(3)}Zr8tYb1nVc5m`,
  ]) {
    forgetSecrets();
    keepSecret(secret);
    const half = Math.ceil(secret.length / 2);
    const [first, second] = [secret.slice(0, half), secret.slice(half)];
    const named = secret.replaceAll(/[/+=:?@#()]/g, (one) => `&${NAMED[one]};`);
    for (const text of [
      first,
      `${first}…`,
      `…${secret.slice(-half)}`,

      `${first}\n${second}`,
      `"${first}"\n  "${second}"`,
      `> ${first}\n> ${second}`,
      `1: ${first}\r\n2: ${second}`,
      named,
      `<b>${named}</b>`,
    ]) {
      const said = redact(`a ${text} z`);
      expect(said, text).toContain('[redacted]');
      for (const part of [first, secret.slice(-half)]) expect(said, text).not.toContain(part);
    }
  }
});

const NAMED: Readonly<Record<string, string>> = {
  '/': 'sol',
  '+': 'plus',
  '=': 'equals',
  ':': 'colon',
  '?': 'quest',
  '@': 'commat',
  '#': 'num',
  '(': 'lpar',
  ')': 'rpar',
};

test('redacting a megabyte takes linear time', () => {
  for (let n = 0; n < 20; n++) keepSecret(`secret-${n}-${'x'.repeat(n)}`);
  const took = (length: number): number => {
    const text = '"a b\n> '.repeat(length / 7);
    const start = performance.now();
    redact(text);
    return performance.now() - start;
  };
  took(100_000);
  const [short, long] = [took(100_000), took(800_000)];
  expect(long / short).toBeLessThan(40);
});

const TOKEN = 'tk-9fQ/2+x=Zü7 "q\\wE&r<ty>uiop01';

test('a secret is masked in any layers of escaping', () => {
  keepSecret(TOKEN);
  const percent = encodeURIComponent(TOKEN);
  const every = [...Buffer.from(TOKEN)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
  const html = TOKEN.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&#34;');
  for (const form of [
    TOKEN,
    percent,
    percent.toLowerCase().replaceAll('fq', 'fQ').replaceAll('z%', 'Z%').replaceAll('we', 'wE'),
    every,
    every.toUpperCase(),
    encodeURIComponent(percent),
    encodeURIComponent(encodeURIComponent(percent)).replaceAll('%25', '%25'),
    new URLSearchParams({ t: TOKEN }).toString().slice(2),
    JSON.stringify(TOKEN).slice(1, -1),
    JSON.stringify(JSON.stringify(TOKEN)).slice(3, -3),
    JSON.stringify(TOKEN).slice(1, -1).replace('ü', '\\u00fc'),
    html,
  ])
    expect(redact(`before ${form}, after`), form).toBe('before [redacted], after');
});

test('a secret is masked in base64, base64url and hexadecimal, alone and within a longer text', () => {
  const secret = 'pw-\xff\xfe>>>???-0123456789';
  keepSecret(secret);
  const bytes = Buffer.from(secret);
  for (const form of [bytes.toString('base64'), bytes.toString('base64url'), bytes.toString('hex')])
    expect(redact(`a ${form} b`)).toBe('a [redacted] b');
  expect(redact(bytes.toString('hex').toUpperCase())).toBe('[redacted]');
  expect(redact(`auth=${encodeURIComponent(bytes.toString('base64'))};`)).toBe('auth=[redacted];');
  for (const user of ['u', 'us', 'use', 'user', 'sömeone'])
    for (const encoding of ['base64', 'base64url'] as const) {
      const basic = Buffer.from(`${user}:${secret}!`).toString(encoding);
      expect(redact(`Authorization: Basic ${basic}`)).toBe('Authorization: Basic [redacted]');
    }
});

test('a secret wrapped over lines, colors, fields or strings is masked', () => {
  const secret = 'wrapped-secret-of-test';
  keepSecret(secret);
  const [a, b] = ['wrapped-sec', 'ret-of-test'];
  for (const text of [
    `${a}\n${b}`,
    `${a}\r\n    ${b}`,
    `${a}\\n${b}`,
    `${a}\x1b[1m${b}`,
    `${a} part=${b}`,
    `${a}" part="${b}`,
    `${a}","${b}`,
    `${a}", "part": "${b}`,
    `${a}" + "${b}`,
    [...secret].join('\n'),
  ])
    expect(redact(`x ${text} y`), text).toBe('x [redacted] y');
  const lines = Buffer.from(`someone:${secret}`).toString('base64').replaceAll(/.{10}/g, '$&\n');
  expect(redact(lines)).toContain('[redacted]');
  expect(redact(lines).replaceAll(/\s/g, '')).not.toContain(
    Buffer.from(secret).toString('base64').slice(4, -4),
  );
});

test('a long part of a secret is masked if the rest is in another text', () => {
  keepSecret('0f1e2d3c4b5a69788796a5b4c3d2e1f0');
  expect(redact('first 0f1e2d3c4b5a6978')).toBe('first [redacted]');
  expect(redact('8796a5b4c3d2e1f0 ends')).toBe('[redacted] ends');
  keepSecret('https://hooks.example/services/T0/B0/secret-path');
  expect(redact('https://hooks.example/other')).toBe('https://hooks.example/other');
});

test('a redacted document keeps its keys, numbers and dates', () => {
  keepSecret('units');
  keepSecret('12345');
  keepSecret('": "');
  const document = { units: [{ unit: 'units/a', rows: 12345, big: 12345n, at: new Date(0), none: null }] };
  expect(parseJson(stringifyJson(redactTexts(document)))).toEqual({
    units: [{ unit: '[redacted]/a', rows: 12345, big: 12345, at: '1970-01-01T00:00:00.000Z', none: null }],
  });
});

test('a secret split over two adjacent texts is masked in both', () => {
  keepSecret('split-two');
  expect(redactTexts({ a: 'x split', b: ['-two y', 'z'] })).toEqual({
    a: '[redacted]',
    b: ['[redacted]', 'z'],
  });
});

test('any secret is masked in any context, and other text stays', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: grapheme, minLength: 8, maxLength: 40 }),
      fc.string({ unit: grapheme }),
      fc.string({ unit: grapheme }),
      (secret, before, after) => {
        keepSecret(secret);
        expect(redact(`${before}${secret}${after}`)).not.toContain(secret);
        expect(redact(`${before}${encodeURIComponent(secret)}${after}`)).not.toContain(
          encodeURIComponent(secret),
        );
      },
    ),
    { numRuns: 100, seed: 1 },
  );
  expect(redact('12 rows, all staged')).toBe('12 rows, all staged');
});
