import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { withLineage } from '../../../../src/app/operations/openlineage/with-lineage.ts';
import { loadSettings } from '../../../../src/app/settings/load-settings.ts';
import { CrawlhouseError } from '../../../../src/core/errors/errors.ts';
import { silentLogger } from '../../../../src/core/logs/logger.ts';
import { crawlhouse, rawProjectFolder, sandboxFor } from '../../../support/project.ts';
import { temporaryFolder } from '../../../support/temporary.ts';
import { type CheckedEvent, EventContract } from './event-contract.ts';

const never = new AbortController().signal;

/** A receiver of events that answers with a status. */
async function receiver(status: number) {
  const got: { readonly key: string | undefined; readonly body: string }[] = [];
  const server = createServer(async (request: IncomingMessage, response) => {
    got.push({ key: request.headers.authorization, body: await text(request) });
    response.writeHead(status).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1/lineage`, got };
}

async function eventsOf(file: string): Promise<CheckedEvent[]> {
  const lines = (await readFile(file, 'utf8')).trim().split('\n');
  return lines.map((line) => EventContract.parse(JSON.parse(line)));
}

test('a run emits file and address events of its units with counts, in order', async () => {
  const sandbox = await sandboxFor({ generate: ['crawls=1,pages=5,links=5,columns=8,seed=3'] });
  const folder = await rawProjectFolder();
  const { url, got } = await receiver(201);
  const settings = {
    CRAWLHOUSE_OPENLINEAGE_URL: url,
    CRAWLHOUSE_OPENLINEAGE_API_KEY: 'planted-key',
    CRAWLHOUSE_OPENLINEAGE_FILE: 'events.jsonl',
    CRAWLHOUSE_OPENLINEAGE_NAMESPACE: 'seo',
  };
  const run = await crawlhouse(folder, sandbox, ['run', 'crawl_pages', '--json'], settings);
  expect([run.status, run.stderr]).toEqual([0, expect.not.stringContaining('planted-key')]);
  const events = await eventsOf(join(folder, 'events.jsonl'));
  expect(events.map(({ job, eventType }) => `${job.name} ${eventType}`)).toEqual([
    'run START',
    'crawl_pages START',
    'crawl_pages COMPLETE',
    'run COMPLETE',
  ]);
  const [begun, , loaded, ended] = events as [CheckedEvent, CheckedEvent, CheckedEvent, CheckedEvent];
  const report = JSON.parse(run.stdout);
  expect(loaded.run.facets.crawlhouse_unit?.counts).toEqual(report.units[0].counts);
  expect(loaded.outputs[0]?.facets?.schema?.fields.map(({ name }) => name)).toContain('url');
  expect(ended.run.facets.crawlhouse_run?.run_id).toBe(report.run_id);
  expect(ended.run.runId).toBe(begun.run.runId);
  expect(got.map(({ body }) => JSON.parse(body))).toEqual(events);
  expect(new Set(got.map(({ key }) => key))).toEqual(new Set(['Bearer planted-key']));
});

test('an unavailable receiver does not affect a run', async () => {
  const folder = await temporaryFolder();
  const { url, got } = await receiver(400);
  const settings = await loadSettings(folder, { CRAWLHOUSE_OPENLINEAGE_URL: url });
  const errors: unknown[] = [];
  const logger = { ...silentLogger, error: (...words: unknown[]) => void errors.push(words) };
  const failure = new CrawlhouseError('usage', 'not like this');
  const run = withLineage(settings, 'run', logger, never, () => Promise.reject(failure));
  await expect(run).rejects.toBe(failure);
  expect(got.map(({ body }) => JSON.parse(body).eventType)).toEqual(['START', 'FAIL']);
  expect(errors).toEqual([
    ['lineage not delivered', { error: 'the receiver answered 400' }],
    ['lineage not delivered', { error: 'the receiver answered 400' }],
  ]);
});

test('an interrupted run emits its event, even after its signal has aborted', async () => {
  const folder = await temporaryFolder();
  const settings = await loadSettings(folder, { CRAWLHOUSE_OPENLINEAGE_FILE: 'events.jsonl' });
  const interruption = new AbortController();
  const run = withLineage(settings, 'backfill', silentLogger, interruption.signal, () => {
    interruption.abort(new CrawlhouseError('interrupted', 'interrupted'));
    return Promise.reject(interruption.signal.reason);
  });
  await expect(run).rejects.toThrow('interrupted');
  const events = await eventsOf(join(folder, 'events.jsonl'));
  expect(events.map(({ job, eventType }) => `${job.name} ${eventType}`)).toEqual([
    'backfill START',
    'backfill ABORT',
  ]);
});
