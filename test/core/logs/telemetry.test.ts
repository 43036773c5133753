import { type Attributes, type Span, type SpanStatus, trace } from '@opentelemetry/api';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { count, inSpan } from '../../../src/core/logs/telemetry.ts';

interface Seen {
  readonly name: string;
  readonly attributes: Attributes;
  readonly status?: SpanStatus;
  readonly ended: boolean;
}
let seen: Seen[] = [];

/** What the API asks of a provider; the integration suite has the real one. */
const provider = {
  getTracer: () => ({
    startSpan: () => {
      throw new Error('not used');
    },
    startActiveSpan: (name: string, options: { attributes: Attributes }, ...rest: unknown[]) => {
      const own: Seen = { name, attributes: { ...options.attributes }, ended: false };
      seen.push(own);
      const span = {
        setAttributes: (more: Attributes) => void Object.assign(own.attributes, more),
        setStatus: (status: SpanStatus) => void Object.assign(own, { status }),
        end: () => void Object.assign(own, { ended: true }),
      } as unknown as Span;
      return (rest.at(-1) as (span: Span) => unknown)(span);
    },
  }),
};

beforeEach(() => {
  seen = [];
  trace.setGlobalTracerProvider(provider as never);
});
afterEach(() => trace.disable());

test('a span has what is known before and after its work, and a failure in its result as its status', async () => {
  const work = async () => ({ rows: 3, failure: null as string | null });
  const describe = ({ rows, failure }: { rows: number; failure: string | null }) => ({
    attributes: { rows },
    error: failure,
  });
  expect(await inSpan('unit', { unit: 'a' }, work, describe)).toEqual({ rows: 3, failure: null });
  await inSpan('unit', { unit: 'b' }, async () => ({ rows: 0, failure: 'cut' }), describe);
  expect(seen).toEqual([
    { name: 'crawlhouse.unit', attributes: { unit: 'a', rows: 3 }, ended: true },
    {
      name: 'crawlhouse.unit',
      attributes: { unit: 'b', rows: 0 },
      status: { code: 2, message: 'cut' },
      ended: true,
    },
  ]);
});

test('an error goes on, and its span ends as failed', async () => {
  await expect(inSpan('load', {}, () => Promise.reject(new Error('disk full')))).rejects.toThrow('disk full');
  expect(seen).toEqual([
    { name: 'crawlhouse.load', attributes: {}, status: { code: 2, message: 'disk full' }, ended: true },
  ]);
});

test('without an SDK work is done and nothing is recorded', async () => {
  trace.disable();
  expect(await inSpan('unit', {}, async () => 7)).toBe(7);
  count('rows', 3, { dataset: 'crawl_pages' });
  expect(seen).toEqual([]);
});
