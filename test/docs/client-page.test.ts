import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import type { AddressInfo, Server } from 'node:net';
import { join } from 'node:path';
import { formatWithOptions } from 'node:util';
import { request } from 'undici';
import { expect, onTestFinished, test } from 'vitest';
import * as crawlhouse from '../../src/index.ts';
import { BACK, browse, keyOf } from '../service/sandbox/oauth/consent.ts';
import { sharedService } from '../service/support.ts';
import { temporaryFolder } from '../support/temporary.ts';

const page = await readFile(join(import.meta.dirname, '../../docs/client.md'), 'utf8');
/** The examples, each under the heading that it stands below. */
const examples = [...page.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map((match, index) => {
  const heading = [...page.slice(0, match.index).matchAll(/^#+ (.*)$/gm)].at(-1)?.[1];
  return { name: `${index + 1}, ${heading}`, code: String(match[1]) };
});

const it = await sharedService({ generate: ['crawls=2,pages=40'] });
const { base_url: baseUrl, access_token: accessToken, oauth } = it.sandbox.ready;
const workspaceId = await it.workspace();
const crawlId = await it.crawlId(1);

/** A person who opens the address and leaves everything ticked. */
async function personSaysYesAt(url: string): Promise<string> {
  const { text } = await browse(url);
  const scopes = [...text.matchAll(/name="scope" value="([^"]+)"/g)].map(
    ([, scope = '']) => ['scope', scope] as const,
  );
  const form = [['request', keyOf(text)], ['decision', 'allow'], ...scopes] as const;
  return String((await browse(`${baseUrl}/oauth/authorize`, form)).back);
}

interface Ran {
  readonly printed: readonly string[];
  readonly receiver: Server | undefined;
}

/** Runs an example as the body of a function that has what the page says is given. */
async function run(code: string): Promise<Ran> {
  const printed: string[] = [];
  const client = new crawlhouse.ServiceClient({ baseUrl, accessToken });
  onTestFinished(() => client[Symbol.asyncDispose]());
  const given = {
    crawlhouse,
    client,
    baseUrl,
    accessToken,
    workspaceId,
    crawlId,
    personSaysYesAt,
    clientId: oauth.client_id,
    clientSecret: oauth.client_secret,
    redirectUri: BACK,
    keep: () => {},
    file: join(await temporaryFolder(), 'pages.jsonl.gz'),
    webhookSecret: 'secret of the page',
    console: { log: (...values: unknown[]) => printed.push(formatWithOptions({ colors: false }, ...values)) },
  };
  const body = stripTypeScriptTypes(code)
    .replace(/^import (\{[^}]*\}) from 'crawlhouse';$/gm, 'const $1 = crawlhouse;')
    .replace(/^import (\{[^}]*\}) from '(node:[^']+)';$/gm, "const $1 = await load('$2');");
  const AsyncFunction = (async () => {}).constructor as new (
    ...texts: string[]
  ) => (...values: unknown[]) => Promise<Server | undefined>;
  // In a block of its own, so that it may name what is given anew.
  const text = `{ ${body}\n if (typeof receiver !== 'undefined') return receiver; }`;
  const example = new AsyncFunction('load', ...Object.keys(given), text);
  const receiver = await example((name: string) => import(name), ...Object.values(given));
  return { printed, receiver };
}

test.each(examples)('example $name runs and prints what it says', async ({ code }) => {
  const promised = [...code.matchAll(/^\/\/ → (.*)$/gm)].map((match) => match[1]);
  const { printed, receiver } = await run(code);
  expect(printed).toEqual(promised);
  expect(promised.length > 0 || receiver !== undefined).toBe(true);
});

test('the page contains the expected examples', () => {
  expect(examples.length).toBeGreaterThanOrEqual(9);
});

test('the receiver on the page accepts exactly signed requests', async () => {
  const example = examples.find(({ code }) => code.includes('createServer'));
  const { receiver } = await run(String(example?.code));
  if (receiver === undefined) throw new Error('the example makes no receiver');
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  onTestFinished(() => void receiver.close());
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
  const body = '{"any":  "bytes"}';
  const call = async (headers: Record<string, string>): Promise<number> => {
    const answer = await request(url, { method: 'POST', body, headers, reset: true });
    await answer.body.dump();
    return answer.statusCode;
  };
  const header = crawlhouse.WEBHOOK_SIGNATURE_HEADER;
  expect(await call({ [header]: crawlhouse.signWebhook(body, 'secret of the page') })).toBe(204);
  expect(await call({ [header]: crawlhouse.signWebhook(body, 'another secret') })).toBe(401);
  expect(await call({})).toBe(401);
});
