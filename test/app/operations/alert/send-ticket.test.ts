import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import { sendTicket } from '../../../../src/app/operations/alert/send-ticket.ts';
import { silentLogger } from '../../../../src/core/logs/logger.ts';
import { forgetSecrets, keepSecret } from '../../../../src/core/secrets/redact.ts';
import { keepSecrets } from '../../../../src/etl/project/settings/keep-secrets.ts';
import { type Ticket, TicketSettings } from '../../../../src/etl/project/settings/tickets/tickets.ts';
import { temporaryFolder } from '../../../support/temporary.ts';

afterEach(forgetSecrets);

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
}

async function receiver(statuses: number[] = []) {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const piece of request.setEncoding('utf8')) text += piece;
    received.push({ headers: request.headers, body: JSON.parse(text) });
    response.writeHead(statuses.shift() ?? 201).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
  return { received, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/issue` };
}

const TICKET: Ticket = {
  id: 't1',
  project: 'my shop',
  issue: 'client_error',
  crawl: 'c1',
  segmentation: '(directory)',
  segment: '/lamps/',
  owner: 'Ada',
  state: 'open',
  note: 'Look at *this* <b>first</b>',
  due: '2026-12-15',
  created_at: '2026-11-29T09:30:00.000Z',
  changed_at: '2026-11-29T09:30:00.000Z',
};
const forever = new AbortController().signal;

async function send(given: object, isNew = true, folder?: string): Promise<void> {
  const state_dir = folder ?? (await temporaryFolder());
  const tickets = TicketSettings.parse(given);
  await sendTicket({ state_dir, tickets } as never, { ticket: TICKET, isNew }, silentLogger, forever);
}

test('a new ticket creates a Jira issue with the fields of its API and a document as description', async () => {
  const { received, url } = await receiver();
  const headers = { Authorization: 'Basic c2VjcmV0' };
  await send({ webhook: url, headers, template: 'jira', place: 'SEO', issue_type: 'Bug' });
  await expect.poll(() => received.length).toBe(1);
  expect(received[0]?.headers).toMatchObject({
    authorization: 'Basic c2VjcmV0',
    'content-type': 'application/json',
  });
  expect(received[0]?.body).toEqual({
    fields: {
      project: { key: 'SEO' },
      issuetype: { name: 'Bug' },
      summary: 'client error: /lamps/ of my shop',
      duedate: '2026-12-15',
      description: {
        type: 'doc',
        version: 1,
        content: [
          'Look at *this* <b>first</b>',
          'Owner: Ada',
          "Pages: crawlhouse pages --project 'my shop' --crawl c1 --issue client_error",
          'Ticket t1 of crawlhouse',
        ].map((text) => ({ type: 'paragraph', content: [{ type: 'text', text }] })),
      },
    },
  });
});

test('a new ticket creates a Linear issue with a mutation and escaped Markdown', async () => {
  const { received, url } = await receiver();
  await send({ webhook: url, template: 'linear', place: 'team-1' });
  await expect.poll(() => received.length).toBe(1);
  expect(received[0]?.body).toMatchObject({
    query: expect.stringMatching(
      /^mutation IssueCreate\(\$input: IssueCreateInput!\) \{ issueCreate\(input: \$input\)/,
    ),
    variables: {
      input: { teamId: 'team-1', title: 'client error: /lamps/ of my shop', dueDate: '2026-12-15' },
    },
  });
  expect(JSON.stringify(received[0]?.body)).toContain('Look at \\\\*this\\\\* \\\\<b\\\\>first');
});

test('a changed ticket is sent only as plain JSON, because Jira would create a second issue', async () => {
  const { received, url } = await receiver();
  await send({ webhook: url, template: 'jira', place: 'SEO' }, false);
  await send({ webhook: url }, false);
  await expect.poll(() => received.length).toBe(1);
  expect(received[0]?.body).toMatchObject({ event: 'ticket', incident: 'ticket/t1', ticket: TICKET });
  expect(() => TicketSettings.parse({ webhook: url, template: 'linear' })).toThrow('id of the team');
});

test('an unavailable receiver gets the ticket with the next change, and no body contains a secret', async () => {
  const { received, url } = await receiver([503, 503, 503]);
  const folder = await temporaryFolder();
  keepSecret('Look at');
  keepSecrets({ tickets: { headers: { 'X-Key': 'first-secret' } } });
  await send({ webhook: url }, true, folder);
  await expect.poll(() => received.length, { timeout: 10_000 }).toBe(3);
  await expect
    .poll(
      async () => {
        await send({ webhook: url }, true, folder);
        return received.length;
      },
      { timeout: 10_000, interval: 500 },
    )
    .toBeGreaterThanOrEqual(5);
  expect(JSON.stringify(received.map(({ body }) => body))).not.toContain('Look at');
});
