import { expect, onTestFinished, test } from 'vitest';
import { listen, RecentBodies } from '../../../../src/app/operations/schedule/listen.ts';
import { signWebhook } from '../../../../src/client/webhook-signature.ts';
import { createLogger } from '../../../../src/core/logs/logger.ts';

const metrics = async (): Promise<string> => '# TYPE crawlhouse_info gauge\n';
const lines: string[] = [];
const logger = createLogger('error', (line) => lines.push(line));
const SECRET = 'webhook-secret-of-test';

async function ear(secret: string | undefined, now?: () => number, readMetrics = metrics) {
  const stopping = new AbortController();
  const watched = {
    running: 'morning',
    waiting: [],
    broken: null,
    outcomes: new Map([['morning', { exitCode: 3, errors: [] }]]),
    nudges: 0,
    nudge: () => {
      watched.nudges += 1;
    },
    nextFirings: () => [{ name: 'morning', next_at: '2026-01-02T06:00:00.000Z' }],
  };
  const listener = await listen(
    '127.0.0.1:0',
    watched,
    { webhookSecret: secret, metrics: readMetrics, logger, ...(now ? { now } : {}) },
    stopping.signal,
  );
  onTestFinished(() => listener[Symbol.asyncDispose]());
  const ask = async (path: string, init?: RequestInit) => {
    const response = await fetch(`http://127.0.0.1:${listener.port}${path}`, init);
    return [response.status, await response.json()] as const;
  };
  const post = async (body: string, signature?: string) => {
    const headers = signature === undefined ? {} : { 'X-Service-Webhook-Signature': signature };
    return (await ask('/webhook', { method: 'POST', body, headers }))[0];
  };
  return { watched, stopping, listener, ask, post };
}

test('/healthz responds, and /readyz shows due schedules and shutdown', async () => {
  const { ask, stopping } = await ear(undefined);
  expect(await ask('/healthz')).toEqual([200, { status: 'ok' }]);
  expect(await ask('/readyz')).toEqual([
    200,
    {
      status: 'ready',
      running: 'morning',
      waiting: [],
      schedules_error: null,
      schedules: [{ name: 'morning', next_at: '2026-01-02T06:00:00.000Z', last_exit_code: 3 }],
    },
  ]);
  stopping.abort();
  expect(await ask('/readyz')).toMatchObject([503, { status: 'stopping' }]);
  expect((await ask('/other'))[0]).toBe(404);
});

test('a webhook triggers runs only with a valid signature', async () => {
  const { watched, post } = await ear(SECRET);
  const body = '{"event":"crawl.ended"}';
  expect(await post(body)).toBe(401);
  expect(await post(body, signWebhook(body, 'another'))).toBe(401);
  expect(await post(`${body} `, signWebhook(body, SECRET))).toBe(401);
  expect(watched.nudges).toBe(0);
  expect(await post(body, signWebhook(body, SECRET))).toBe(202);
  expect(watched.nudges).toBe(1);
  const large = 'x'.repeat(1_000_001);
  expect(await post(large, signWebhook(large, SECRET))).toBe(413);
});

test('without a secret, webhooks are refused', async () => {
  const { watched, post } = await ear(undefined);
  expect([await post('{}', signWebhook('{}', '')), watched.nudges]).toEqual([404, 0]);
});

test('an address in use is a configuration error', async () => {
  const { listener, watched } = await ear(undefined);
  await expect(
    listen(
      `127.0.0.1:${listener.port}`,
      watched,
      { webhookSecret: undefined, metrics, logger },
      new AbortController().signal,
    ),
  ).rejects.toMatchObject({
    code: 'bad_settings',
    message: expect.stringContaining(': another program listens on it'),
  });
});

test('a replayed webhook triggers once in ten minutes, with the same response', async () => {
  let now = 0;
  const { watched, post } = await ear(SECRET, () => now);
  const body = '{"event":"crawl.ended","crawl_id":"a"}';
  const other = '{"event":"crawl.ended","crawl_id":"b"}';
  const send = (text: string) => post(text, signWebhook(text, SECRET));
  for (let times = 0; times < 50; times++) expect(await send(body)).toBe(202);
  expect(watched.nudges).toBe(1);
  expect([await send(other), watched.nudges]).toEqual([202, 2]);
  now += 9 * 60_000;
  expect([await send(body), watched.nudges]).toEqual([202, 2]);
  now += 60_000;
  expect([await send(body), watched.nudges]).toEqual([202, 3]);
});

test('the memory of received webhooks is limited', () => {
  const recent = new RecentBodies(() => 0);
  for (let index = 0; index < 5000; index++) expect(recent.isNew(Buffer.from(`${index}`))).toBe(true);
  expect(recent.isNew(Buffer.from('4999'))).toBe(false);
  expect(recent.isNew(Buffer.from('0'))).toBe(true);
});

test('/metrics returns the Prometheus text', async () => {
  const { listener } = await ear(undefined);
  const answer = await fetch(`http://127.0.0.1:${listener.port}/metrics`);
  expect([answer.status, answer.headers.get('content-type'), await answer.text()]).toEqual([
    200,
    'text/plain; version=0.0.4; charset=utf-8',
    '# TYPE crawlhouse_info gauge\n',
  ]);
});

test('failing metrics return the identifier under which the cause is logged', async () => {
  const { ask } = await ear(undefined, undefined, async () => {
    throw new Error('no metrics', { cause: new Error('the ledger is gone') });
  });
  const [status, body] = await ask('/metrics');
  const { error } = body as { error: { code: string; hint: string } };
  expect([status, error.code]).toEqual([500, 'internal']);
  const [, id] = /error_id ([0-9a-f]{8})/.exec(error.hint) ?? [];
  expect(lines).toEqual([
    expect.stringMatching(new RegExp(`error_id=${id} .*path=/metrics .*ledger is gone`)),
  ]);
});
