import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readTokens, writeTokens } from '../../../src/client/http/stored-tokens.ts';
import { redact } from '../../../src/core/secrets/redact.ts';
import { temporaryFolder } from '../../support/temporary.ts';

const ORIGIN = { tokenUrl: 'https://a.example/token', clientId: 'c', refreshToken: 'first-token-1' };
const TOKENS = { refreshToken: 'second-token-2', accessToken: 'access-token-3', usableUntil: 5 };

test('stored tokens are private, and read only for the setting they descend from', async () => {
  const file = join(await temporaryFolder(), 'state', 'oauth.json');
  expect(await readTokens(file, ORIGIN)).toBeUndefined();
  await writeTokens(file, ORIGIN, TOKENS);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readFileSync(file, 'utf8')).not.toContain('first-token-1');
  expect(await readTokens(file, ORIGIN)).toEqual(TOKENS);
  expect(redact('second-token-2 access-token-3')).toBe('[redacted] [redacted]');
  for (const other of [{ tokenUrl: 'https://b.example' }, { clientId: 'd' }, { refreshToken: 'e' }])
    expect(await readTokens(file, { ...ORIGIN, ...other })).toBeUndefined();
  await writeTokens(file, ORIGIN, { refreshToken: 'third-token-4' });
  expect(await readTokens(file, ORIGIN)).toEqual({ refreshToken: 'third-token-4' });
});

test('a damaged file of tokens counts as missing', async () => {
  const file = join(await temporaryFolder(), 'oauth.json');
  for (const text of ['', '{', '{"refresh_token":1}']) {
    writeFileSync(file, text);
    expect(await readTokens(file, ORIGIN)).toBeUndefined();
  }
});
