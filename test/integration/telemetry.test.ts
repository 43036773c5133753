import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { environmentOf, rawProjectFolder, sandboxFor } from '../support/project.ts';
import { temporaryFolder } from '../support/temporary.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const run = promisify(execFile);

interface OtlpSpan {
  readonly name: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly traceId: string;
  readonly status: { readonly code?: number };
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];
}

/** A receiver of OTLP over HTTP with JSON bodies. */
async function collector() {
  const bodies: { readonly path: string; readonly body: Record<string, never> }[] = [];
  const server = createServer(async (request, response) => {
    bodies.push({ path: request.url ?? '', body: JSON.parse(await text(request)) });
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, bodies };
}

test('with the SDK installed, a run sends its spans and counters', async () => {
  const place = await temporaryFolder();
  const { stdout } = await run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', place], {
    cwd: ROOT,
  });
  const [packed] = Object.values(JSON.parse(stdout) as Record<string, { filename: string }>);
  await writeFile(join(place, 'package.json'), '{"private": true}');
  const tarball = join(place, packed?.filename ?? '');
  await run('npm', ['install', '--no-audit', '--no-fund', tarball, '@opentelemetry/sdk-node@^0.301.0'], {
    cwd: place,
  });
  const { endpoint, bodies } = await collector();
  const sandbox = await sandboxFor({ generate: ['crawls=1,pages=20,links=40,columns=20,seed=3'] });
  const program = join(place, 'node_modules', 'crawlhouse', 'dist', 'app', 'cli', 'main.js');
  const folder = await rawProjectFolder();
  await run(process.execPath, [program, 'run', 'crawl_pages', '--project-dir', folder], {
    env: {
      PATH: process.env.PATH,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
      OTEL_METRICS_EXPORTER: 'otlp',
      ...environmentOf(sandbox),
    },
  });
  const found = (path: string, read: (body: never) => unknown[]): unknown[] =>
    bodies.filter((one) => one.path === path).flatMap(({ body }) => read(body as never));
  const spans = found('/v1/traces', (body: { resourceSpans: { scopeSpans: { spans: [] }[] }[] }) =>
    body.resourceSpans.flatMap((one) => one.scopeSpans.flatMap((scope) => scope.spans)),
  ) as OtlpSpan[];
  const byId = new Map(spans.map((span) => [span.spanId, span]));
  const parents = spans.map((span) => `${byId.get(span.parentSpanId ?? '')?.name} > ${span.name}`);
  expect(new Set(parents)).toEqual(
    new Set([
      'undefined > crawlhouse.run',
      'crawlhouse.run > crawlhouse.unit',
      'crawlhouse.unit > crawlhouse.stage',
      'crawlhouse.unit > crawlhouse.load',
      'crawlhouse.run > crawlhouse.transform',
      'crawlhouse.run > crawlhouse.publish',
    ]),
  );
  const unit = spans.find(({ name }) => name === 'crawlhouse.unit');
  const attributes = Object.fromEntries(unit?.attributes.map(({ key, value }) => [key, value]) ?? []);
  expect(attributes).toMatchObject({
    dataset: { stringValue: 'crawl_pages' },
    status: { stringValue: 'loaded' },
    rows: { intValue: 20 },
  });
  type Metric = { name: string; sum: { dataPoints: { asInt?: number; asDouble?: number }[] } };
  const metrics = found('/v1/metrics', (body: { resourceMetrics: { scopeMetrics: { metrics: [] }[] }[] }) =>
    body.resourceMetrics.flatMap((one) => one.scopeMetrics.flatMap((scope) => scope.metrics)),
  ) as Metric[];
  const value = (name: string): number | undefined => {
    const point = metrics.findLast((one) => one.name === name)?.sum.dataPoints[0];
    return Number(point?.asInt ?? point?.asDouble);
  };
  expect([value('crawlhouse.units'), value('crawlhouse.rows')]).toEqual([1, 20]);
});
