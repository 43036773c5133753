import { type Attributes, type Span, type SpanStatus, trace } from '@opentelemetry/api';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { count, runStep } from '../../../src/core/logs/telemetry.ts';
import { retriable } from '../../../src/core/time/retry.ts';

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

test('a span has attributes from before and after its work, and a failed result sets its status', async () => {
  const work = async () => ({ rows: 3, failure: null as string | null });
  const describe = ({ rows, failure }: { rows: number; failure: string | null }) => ({
    attributes: { rows },
    error: failure,
  });
  expect(await runStep('unit', { attributes: { unit: 'a' }, describe }, work)).toEqual({
    rows: 3,
    failure: null,
  });
  await runStep('unit', { attributes: { unit: 'b' }, describe }, async () => ({ rows: 0, failure: 'cut' }));
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

test('an error is passed on, and its span ends as failed', async () => {
  await expect(runStep('load', {}, () => Promise.reject(new Error('disk full')))).rejects.toThrow(
    'disk full',
  );
  expect(seen).toEqual([
    { name: 'crawlhouse.load', attributes: {}, status: { code: 2, message: 'disk full' }, ended: true },
  ]);
});

test('all attempts of a step are one span, and the signal of an isolated step ends with it', async () => {
  const policy = { attempts: 3, baseMs: 0, maxMs: 0 };
  const work = async (attempt: number): Promise<number> => {
    if (attempt < 3) throw retriable('cut_short', 'cut');
    return attempt;
  };
  const failures: number[] = [];
  const onRetry = (_error: Error, failed: number): void => void failures.push(failed);
  expect(await runStep('stage', { policy, onRetry }, work)).toBe(3);
  expect([seen.length, failures]).toEqual([1, [1, 2]]);
  const own = await runStep('unit', { isIsolated: true }, async (_attempt, signal) => {
    expect(signal.aborted).toBe(false);
    return { signal };
  });
  expect(own.signal.aborted).toBe(true);
});

test('without an SDK, work runs and nothing is recorded', async () => {
  trace.disable();
  expect(await runStep('unit', {}, async () => 7)).toBe(7);
  count('rows', 3, { dataset: 'crawl_pages' });
  expect(seen).toEqual([]);
});
