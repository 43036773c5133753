import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { type Account, askAccount, askModels } from '../../../../src/app/cli/account/ask-account.ts';
import { redirectAddress } from '../../../../src/app/cli/account/sign-in.ts';
import { redact } from '../../../../src/core/secrets/redact.ts';
import { applicationOf, browse, consent, keyOf } from '../../../service/sandbox/oauth/consent.ts';
import { type Service, service } from '../../../service/support.ts';
import { freePort } from '../../../support/free-port.ts';
import { until } from '../../../support/until.ts';
import { typing } from '../typing.ts';

/** A terminal whose person types a line when a question is there. */
async function terminal(port = 1) {
  const { person, ...typist } = typing();
  const shown: string[] = [];
  const interruption = new AbortController();
  const ended = askAccount(person, { port, show: (url) => void shown.push(url) }, interruption.signal);
  ended.catch(() => {});
  return { ...typist, ended, shown, interruption };
}

test('the token is requested after the address, and never shown on the terminal', async () => {
  const { sandbox } = await service();
  const it = await terminal();
  await it.answer('Address of the service', 'service.example');
  await it.answer('an address is expected', sandbox.baseUrl);
  await it.answer('1 or 2', 'x');
  await it.answer('1 or 2 is expected', '1');
  await it.answer('Access token (not shown)', 'two words');
  await it.answer('Once more', sandbox.accessToken);
  expect(await it.ended).toEqual({
    CRAWLHOUSE_BASE_URL: sandbox.baseUrl,
    CRAWLHOUSE_ACCESS_TOKEN: sandbox.accessToken,
  });
  expect(it.seen()).not.toMatch(/two words/);
  expect(it.seen()).not.toContain(sandbox.accessToken);
  expect(redact(sandbox.accessToken)).toBe('[redacted]');
});

test('a dead address, another website and a wrong token are requested again immediately', async () => {
  const { sandbox } = await service();
  const other = createServer((_request, response) => void response.writeHead(404).end('Not found'));
  await once(other.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void other.close());
  const it = await terminal();
  await it.answer('Address of the service', `http://127.0.0.1:${await freePort()}`);
  await it.answer('cannot be reached', `http://127.0.0.1:${(other.address() as AddressInfo).port}`);
  await it.answer('it is not the service', `${sandbox.baseUrl}/`);
  await it.answer('1 or 2', '1');
  await it.answer('Access token (not shown)', 'token-of-nobody');
  await it.answer('answered 401', sandbox.accessToken);
  expect(await it.ended).toMatchObject({ CRAWLHOUSE_ACCESS_TOKEN: sandbox.accessToken });
});

test('an application that the service refuses is requested again', async () => {
  const it = await service();
  const port = await freePort();
  const asked = await terminal(port);
  const { client_id, client_secret } = it.sandbox.ready.oauth;
  await asked.answer('Address of the service', it.sandbox.baseUrl);
  await asked.answer('1 or 2', '2');
  for (const secret of ['secret-of-another', client_secret]) {
    const rounds = asked.shown.length;
    await asked.answer('client_id of the application', client_id);
    await asked.answer('client_secret (not shown)', secret);
    await until(async () => asked.shown.length > rounds || undefined);
    const query = Object.fromEntries(new URL(String(asked.shown[rounds])).searchParams);
    await browse((await consent(it, query)).href);
  }
  expect(await asked.ended).toMatchObject({ CRAWLHOUSE_OAUTH_CLIENT_SECRET: client_secret });
  expect(asked.seen()).toContain('the token endpoint answered 401');
});

test('Enter means no account', async () => {
  const it = await terminal();
  await it.answer('Address of the service', '');
  expect(await it.ended).toBeNull();
});

test.for([
  ['Ctrl-C', '\x03'],
  ['Ctrl-D', '\x04'],
])('%s ends the questions', async ([, key]) => {
  const it = await terminal();
  await it.answer('Address of the service', (await service()).sandbox.baseUrl);
  await until(async () => it.seen().includes('1 or 2') || undefined);
  it.input.write(key);
  await expect(it.ended).rejects.toMatchObject({ code: 'interrupted' });
});

/** Answers the questions up to the browser, with the sandbox's application. */
async function untilBrowser(it: Service, port: number) {
  const asked = await terminal(port);
  const { client_id, client_secret } = it.sandbox.ready.oauth;
  await asked.answer('Address of the service', it.sandbox.baseUrl);
  await asked.answer('1 or 2', '2');
  await asked.answer(redirectAddress(port), '');
  await asked.answer('an answer is expected', client_id);
  await asked.answer('client_secret (not shown)', client_secret);
  await until(async () => asked.shown.length > 0 || undefined);
  return asked;
}

test('a sign-in opens the browser, and stores only its refresh token', async () => {
  const it = await service();
  const port = await freePort();
  const asked = await untilBrowser(it, port);
  const url = new URL(String(asked.shown[0]));
  expect(url.searchParams.get('code_challenge')).toBeNull();
  const stranger = await browse(`${redirectAddress(port)}?code=stolen&state=of-another`);
  expect(stranger.status).toBe(404);
  const back = await consent(it, Object.fromEntries(url.searchParams));
  expect((await browse(back.href)).text).toContain('You are signed in');
  const account = (await asked.ended) as Account;
  const { client_id, client_secret } = it.sandbox.ready.oauth;
  expect(account).toEqual({
    CRAWLHOUSE_BASE_URL: it.sandbox.baseUrl,
    CRAWLHOUSE_OAUTH_CLIENT_ID: client_id,
    CRAWLHOUSE_OAUTH_CLIENT_SECRET: client_secret,
    CRAWLHOUSE_OAUTH_REFRESH_TOKEN: expect.stringMatching(/^sandbox-refresh-/),
  });
  expect(asked.seen()).not.toContain(client_secret);
});

test('a refused or partial consent writes nothing and shows what to do', async () => {
  const it = await service();
  const port = await freePort();
  const refused = await untilBrowser(it, port);
  const { text } = await browse(String(refused.shown[0]));
  const { back } = await browse(`${it.sandbox.baseUrl}/oauth/authorize`, [
    ['request', keyOf(text)],
    ['decision', 'deny'],
  ]);
  await browse(String(back));
  await expect(refused.ended).rejects.toMatchObject({
    code: 'unauthorized',
    message: 'the sign-in was refused: access_denied',
  });
  const partly = await untilBrowser(it, port);
  const query = Object.fromEntries(new URL(String(partly.shown[0])).searchParams);
  await browse((await consent(it, query, ['account:read'])).href);
  await expect(partly.ended).rejects.toMatchObject({ message: 'not granted: projects:read' });
});

test('a port in use is named, and Ctrl-C ends the wait for the browser', async () => {
  const it = await service();
  const port = await freePort();
  const waits = await untilBrowser(it, port);
  const other = await terminal(port);
  await other.answer('Address of the service', it.sandbox.baseUrl);
  await other.answer('1 or 2', '2');
  await other.answer('client_id', 'x');
  await other.answer('client_secret (not shown)', applicationOf(it).clientSecret);
  await expect(other.ended).rejects.toMatchObject({
    code: 'usage',
    hint: expect.stringContaining('--redirect-port'),
  });
  waits.input.write('\x03');
  await expect(waits.ended).rejects.toMatchObject({ code: 'interrupted' });
});

test.for([
  [[''], 'all'],
  [['none'], 'none'],
  [['some', 'all'], 'all'],
] as const)('the question about shipped models accepts %j: %s', async ([answers, wanted]) => {
  const { person, answer } = typing();
  const asked = askModels(person, new AbortController().signal);
  await answer('Enter for all, or none', answers[0]);
  if (answers[1] !== undefined) await answer('all or none is expected', answers[1]);
  expect(await asked).toBe(wanted);
});
