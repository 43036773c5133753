import fc from 'fast-check';
import { expect, test } from 'vitest';
import { forgetSecrets, keepSecret, redact } from '../../../src/core/secrets/redact.ts';

const tokenOf = (characters: string): fc.Arbitrary<string> =>
  fc
    .string({ unit: fc.constantFrom(...characters), minLength: 12, maxLength: 64 })
    // An address or a path is masked as a whole only.
    .filter((token) => !/:\/\/|^\.{0,2}\/([^/]+\/|\D*$|.*\.[a-z]+$)/.test(token));
const PLAIN = 'abcxyzABCXYZ0123456789-._~+/=:!@#$^*()<>"\'[]{}|?,;';
const TOKEN = tokenOf(PLAIN);
/** With what begins an encode, which a half of it may look like. */
const ANY_TOKEN = tokenOf(`${PLAIN}%&\\`);
/** Text around it, which is no part of any secret. */
const AROUND = fc.string({ unit: fc.constantFrom(...' \n:{}"é日,'), maxLength: 30 });

const eachCharacter = (secret: string, by: (one: string) => string): string => [...secret].map(by).join('');
const code = (one: string, base: number): string => one.charCodeAt(0).toString(base);
const NAMES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '/': '&sol;',
  '+': '&plus;',
};
/** Each way that another side may write what it was sent. */
const ESCAPES: Readonly<Record<string, (secret: string) => string>> = {
  unchanged: (secret) => secret,
  url: encodeURIComponent,
  'a form of the web': (secret) => new URLSearchParams({ t: secret }).toString().slice(2),
  'every byte of a url': (secret) => eachCharacter(secret, (one) => `%${code(one, 16)}`),
  'html by names': (secret) => eachCharacter(secret, (one) => NAMES[one] ?? one),
  'html by numbers': (secret) => eachCharacter(secret, (one) => `&#${code(one, 10)};`),
  'html by hexadecimal numbers': (secret) => eachCharacter(secret, (one) => `&#x${code(one, 16)};`),
  json: (secret) => JSON.stringify(secret).slice(1, -1),
  'json with slashes': (secret) => JSON.stringify(secret).slice(1, -1).replaceAll('/', '\\/'),
  'json by numbers': (secret) => eachCharacter(secret, (one) => `\\u${code(one, 16).padStart(4, '0')}`),
  base64: (secret) => Buffer.from(secret).toString('base64'),
  base64url: (secret) => Buffer.from(secret).toString('base64url'),
  'base64 of a longer text': (secret) => Buffer.from(`user:${secret}!`).toString('base64'),
  hexadecimal: (secret) => Buffer.from(secret).toString('hex'),
};
const SPLITS: Readonly<Record<string, (first: string, second: string) => string>> = {
  'two lines': (first, second) => `${first}\n${second}`,
  'two indented lines': (first, second) => `${first}\r\n    ${second}`,
  'two strings': (first, second) => `"${first}",\n"${second}"`,
  'two quoted lines': (first, second) => `> ${first}\n> ${second}`,
  'its first half': (first) => first,
  'its second half': (_first, second) => second,
};

/** What remains must not hold half of the secret, however it reads it. */
function leaks(said: string, shown: string): boolean {
  const half = Math.ceil(shown.length / 2);
  return said.includes(shown.slice(0, half)) || said.includes(shown.slice(-half));
}

test.each(Object.entries(ESCAPES))('a secret is masked in any text, escaped as %s', (_name, encode) => {
  fc.assert(
    fc.property(ANY_TOKEN, AROUND, AROUND, (secret, before, after) => {
      forgetSecrets();
      keepSecret(secret);
      const shown = encode(secret);
      expect(leaks(redact(`${before} ${shown} ${after}`), shown)).toBe(false);
    }),
    { numRuns: 200 },
  );
});

test.each(Object.entries(SPLITS))('a secret is masked in any text as %s', (_name, split) => {
  fc.assert(
    fc.property(TOKEN, AROUND, AROUND, (secret, before, after) => {
      forgetSecrets();
      keepSecret(secret);
      const middle = Math.ceil(secret.length / 2);
      const [first, second] = [secret.slice(0, middle), secret.slice(-middle)];
      const said = redact(`${before} ${split(first, second)} ${after}`);
      expect([said.includes(first), said.includes(second)]).toEqual([false, false]);
    }),
    { numRuns: 200 },
  );
});

test.each(Object.entries(ESCAPES).filter(([name]) => !/base64|hexadecimal$/.test(name)))(
  'half of a secret is masked, escaped as %s',
  (_name, encode) => {
    fc.assert(
      fc.property(TOKEN, (secret) => {
        forgetSecrets();
        keepSecret(secret);
        const half = secret.slice(0, Math.ceil(secret.length / 2));
        expect(redact(`a ${encode(half)} z`)).not.toContain(encode(half));
      }),
      { numRuns: 200 },
    );
  },
);
