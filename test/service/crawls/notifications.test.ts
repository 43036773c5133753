import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { DAY, living, SECOND, START } from './living.ts';

interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A receiver of webhooks that answers what `answer` says to each request, counted from 0. */
async function receiver(answer: (count: number) => number = () => 204) {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      response.writeHead(answer(received.length)).end();
      received.push({
        path: String(request.url),
        headers: request.headers,
        body: Buffer.concat(pieces).toString(),
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => new Promise<void>((resolve) => void server.close(() => resolve())));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { received, url };
}

const until = <T>(look: () => T | Promise<T>) => expect.poll(look, { timeout: 10_000, interval: 20 });

test('the mail about a finished crawl goes to the owner, the recipients or nobody', async () => {
  const life = await living();
  const { client, projectId } = life;
  const recipients = { owner: undefined, two: ['a@x.example', 'b@x.example'], nobody: [] };
  for (const [name, email_recipients] of Object.entries(recipients)) {
    const notifications = email_recipients === undefined ? {} : { notifications: { email_recipients } };
    await client.call('launchCrawl', {
      project_id: projectId,
      query: { configId: await life.config({ name, ...notifications }) },
    });
  }
  await life.clock(START + 70 * SECOND);
  const mails = await life.list('mails');
  expect(mails.map(({ to }) => to)).toEqual([['owner@sandbox.example'], recipients.two]);
  const [, , first] = await life.crawls();
  expect(mails[0]).toMatchObject({ project_id: projectId, subject: expect.stringContaining('ended: ok') });
  expect(mails.map(({ crawl_id }) => crawl_id)).toContain(first?.id);
});

test('a webhook reports the end of a crawl, signed over the sent bytes if it has a secret', async () => {
  const life = await living();
  const { received, url } = await receiver();
  const secret = 'a secret of the receiver';
  const config = await life.config({
    notifications: {
      email_recipients: [],
      custom_webhooks: [{ url: `${url}/signed`, secret }, { url: `${url}/plain` }],
    },
  });
  const { id } = await life.client.call('launchCrawl', {
    project_id: life.projectId,
    query: { configId: config },
  });
  await life.clock(START + 70 * SECOND);
  await until(() => received.length).toBe(2);
  const crawl = await life.client.call('crawl', { crawl_id: id });
  for (const { body, headers, path } of received) {
    expect(JSON.parse(body)).toEqual({
      event: 'crawl_ended',
      project_id: life.projectId,
      crawl_id: id,
      status: 'done',
      end_reason: 'ok',
      timestamp: crawl.ended_at,
    });
    expect(headers['content-type']).toBe('application/json');
    const signature = createHmac('sha256', secret).update(body).digest('hex');
    expect(headers['x-service-webhook-signature']).toBe(path === '/signed' ? signature : undefined);
  }
  await until(async () => (await life.list('webhook_calls')).length).toBe(2);
  const calls = await life.list('webhook_calls');
  expect(calls).toContainEqual({
    id: expect.any(String),
    url: `${url}/signed`,
    attempt: 1,
    body: received[0]?.body,
    is_signed: true,
    status_code: 204,
    error: null,
  });
  expect(JSON.stringify(calls)).not.toContain(secret);
  // What was taken is not sent again: the first repetition would come after a quarter of a second.
  await sleep(400);
  expect(received).toHaveLength(2);
});

test('a failed webhook is retried with growing waits until it is accepted', async () => {
  const life = await living();
  const { received, url } = await receiver((count) => [500, 404, 200][count] ?? 500);
  const config = await life.config({ notifications: { email_recipients: [], custom_webhooks: [{ url }] } });
  await life.client.call('launchCrawl', { project_id: life.projectId, query: { configId: config } });
  await life.clock(START + 70 * SECOND);
  await until(async () => (await life.list('webhook_calls')).length).toBe(3);
  const calls = await life.list('webhook_calls');
  expect(calls.map(({ attempt, status_code }) => [attempt, status_code])).toEqual([
    [1, 500],
    [2, 404],
    [3, 200],
  ]);
  expect(new Set(received.map(({ body }) => body)).size).toBe(1);
});

test('a crawl ends at its time, even without requests', async () => {
  const life = await living();
  const { received, url } = await receiver();
  const config = await life.config({ notifications: { email_recipients: [], custom_webhooks: [{ url }] } });
  await life.client.call('launchCrawl', { project_id: life.projectId, query: { configId: config } });
  await life.clock(START + 59.9 * SECOND);
  await until(() => received.length).toBe(1);
});

test('cancelled crawls and crawls that never started also send notifications', async () => {
  const life = await living();
  const { client, projectId } = life;
  const { received, url } = await receiver();
  const config = await life.config({ notifications: { custom_webhooks: [{ url }] } });
  const { id } = await client.call('launchCrawl', { project_id: projectId, query: { configId: config } });
  await client.call('pilotCrawl', { crawl_id: id, body: { command: 'cancel' } });
  await client.call('createScheduledCrawl', {
    project_id: projectId,
    body: { scheduled_crawl: { config_id: config, start_date: START + DAY } },
  });
  await life.patch('workspaces', life.workspaceId, { crawl_url_quota: 0 });
  await life.clock(START + DAY + SECOND);
  await until(() => received.map(({ body }) => JSON.parse(body) as unknown).sort()).toMatchObject([
    { event: 'crawl_ended', status: 'cancelled', end_reason: 'user_cancelled' },
    { event: 'crawl_not_started', status: 'cancelled', end_reason: 'quota_reached_before_start' },
  ]);
  expect((await life.list('mails')).map(({ subject }) => subject)).toEqual([
    expect.stringContaining('ended: user_cancelled'),
    expect.stringContaining('did not start: quota_reached_before_start'),
  ]);
});

test('a webhook to this machine or its networks is not sent, and reveals no status, unless allowed', async () => {
  const life = await living({ allowPrivate: false });
  const { received, url } = await receiver((count) => [200, 302, 500][count % 3] ?? 200);
  const { port } = new URL(url);
  const closed = { success: false, status_code: null };
  for (const host of [
    '127.0.0.1',
    'localhost',
    '127.1',
    '0x7f000001',
    '2130706433',
    '0.0.0.0',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '[::]',
    '10.0.0.1',
    '169.254.169.254',
    '[fe80::1]',
    '[64:ff9b::7f00:1]',
    'a.localhost',
  ]) {
    const answer = await life.client.call('validateCustomWebhook', {
      project_id: life.projectId,
      body: { url: `http://${host}:${port}/` },
    });
    expect([host, answer]).toEqual([host, closed]);
  }
  const config = await life.config({
    notifications: { email_recipients: [], custom_webhooks: [{ url: `http://localhost:${port}/` }] },
  });
  await life.client.call('launchCrawl', { project_id: life.projectId, query: { configId: config } });
  await life.clock(START + 70 * SECOND);
  await until(async () =>
    (await life.list('webhook_calls')).some(({ body }) => String(body).includes('crawl_ended')),
  ).toBe(true);
  expect(received).toEqual([]);
});

test('a webhook can be tested before use', async () => {
  const life = await living();
  const { client, projectId } = life;
  const { received, url } = await receiver((count) => (count === 0 ? 200 : 410));
  expect(
    await client.call('validateCustomWebhook', {
      project_id: projectId,
      body: { url, secret: 'long enough' },
    }),
  ).toEqual({ success: true, status_code: 200 });
  const [first] = received;
  expect(JSON.parse(String(first?.body))).toMatchObject({
    event: 'test',
    project_id: projectId,
    crawl_id: null,
  });
  expect(first?.headers['x-service-webhook-signature']).toBe(
    createHmac('sha256', 'long enough').update(String(first?.body)).digest('hex'),
  );
  expect(await client.call('validateCustomWebhook', { project_id: projectId, body: { url } })).toEqual({
    success: false,
    status_code: 410,
  });
  expect(
    await client.call('validateCustomWebhook', {
      project_id: projectId,
      body: { url: 'http://127.0.0.1:1/' },
    }),
  ).toEqual({ success: false, status_code: null });
  const refused = await life.service.api(`/projects/${projectId}/crawl_configs/validate_custom_webhook`, {
    body: { url: 'ftp://x.example/' },
  });
  expect(refused.json).toMatchObject({ type: 'invalid_request_parameters', fields: [{ name: 'url' }] });
});
