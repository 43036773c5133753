import { expect, onTestFinished, test } from 'vitest';
import { ServiceClient } from '../../../src/client/http/service-client.ts';
import { signWebhook } from '../../../src/client/webhook-signature.ts';
import type { Sandbox } from '../../../src/service/sandbox/start-sandbox.ts';
import { project, service } from '../../app/operations/schedule/service.ts';
import { crawlhouse, sandboxFor } from '../../support/project.ts';
import { until } from '../../support/until.ts';

const SECRET = 'secret-of-the-webhook';
const START = Date.parse('2027-03-01T08:00:00Z');

async function setClock(sandbox: Sandbox, now: number): Promise<void> {
  const answer = await fetch(`${sandbox.baseUrl}/_sandbox/clock`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ now }),
  });
  if (!answer.ok) throw new Error(await answer.text());
}

/** A project folder's service that is not due for hours, and a client of the sandbox it looks at. */
async function listening() {
  const sandbox = await sandboxFor({
    generate: ['projects=1,crawls=1,pages=60,links=0,columns=10,seed=5'],
    allowPrivate: true,
  });
  await setClock(sandbox, START);
  const hour = (new Date().getUTCHours() + 12) % 24;
  const folder = await project(`cron: "0 ${hour} * * *"`);
  const it = service(folder, sandbox, {
    CRAWLHOUSE_SCHEDULE_LISTEN: '127.0.0.1:0',
    CRAWLHOUSE_WEBHOOK_SECRET: SECRET,
  });
  const [, port] = await it.heard(/listening port=(\d+)/);
  const client = new ServiceClient({ baseUrl: sandbox.baseUrl, accessToken: sandbox.accessToken });
  onTestFinished(() => client[Symbol.asyncDispose]());
  const runs = (): number => it.said.text.split('run ended schedule=morning exit_code=0').length - 1;
  return { ...it, sandbox, folder, client, url: `http://127.0.0.1:${port}/webhook`, runs };
}

test('a finished crawl is loaded after the signed webhook of the service, long before its cron time', async () => {
  const { sandbox, folder, client, url, heard, runs } = await listening();
  const [workspace] = await Array.fromAsync(client.list('workspaces', {}));
  const [site] = await Array.fromAsync(client.list('projects', { workspace_id: String(workspace?.id) }));
  const config = await client.call('createCrawlConfig', {
    project_id: String(site?.id),
    body: {
      crawl_config: {
        name: 'with a webhook',
        start_url: 'https://www.gentle-harbour-1.example/',
        user_agent: 'TestBot',
        max_speed: 1,
        notifications: { email_recipients: [], custom_webhooks: [{ url, secret: SECRET }] },
      },
    },
  });
  const crawl = await client.call('launchCrawl', {
    project_id: String(site?.id),
    query: { configId: config.id },
  });
  expect(runs()).toBe(0);
  await setClock(sandbox, START + 10 * 60_000);
  await heard(/run starts schedule=morning why=nudge/);
  await heard(/run ended schedule=morning exit_code=0/);
  const { stdout } = await crawlhouse(folder, null, [
    'query',
    `SELECT count(*) > 0 AS loaded FROM raw.crawl_pages WHERE _crawl_id = '${crawl.id}'`,
    '--format',
    'json',
  ]);
  expect(JSON.parse(stdout)).toEqual([{ loaded: true }]);
});

test('many webhooks cause one discovery, and a wrong signature none', async () => {
  const { sandbox, url, runs, said } = await listening();
  const body = '{"event":"crawl_ended"}';
  const post = async (secret: string): Promise<number> => {
    const headers = { 'X-Service-Webhook-Signature': signWebhook(body, secret) };
    return (await fetch(url, { method: 'POST', body, headers })).status;
  };
  expect(await post('another secret')).toBe(401);
  const answers = await Promise.all(Array.from({ length: 100 }, () => post(SECRET)));
  expect(new Set(answers)).toEqual(new Set([202]));
  await until(async () => (runs() > 0 ? true : undefined), 60_000);
  expect(await post('another secret')).toBe(401);
  const looks = (await (await fetch(`${sandbox.baseUrl}/_sandbox/requests`)).json()) as { path: string }[];
  expect(looks.filter(({ path }) => path.startsWith('/api/v2/workspaces?'))).toHaveLength(1);
  expect(said.text.match(/run starts/g)).toHaveLength(1);
  expect(said.text).not.toContain(SECRET);
});
