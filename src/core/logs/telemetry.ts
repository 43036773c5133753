import { type Attributes, type Counter, metrics, SpanStatusCode, trace } from '@opentelemetry/api';
import { isolateUnit } from '../errors/catch-uncaught.ts';
import { type RetryOptions, type RetryPolicy, retry } from '../time/retry.ts';

const NAME = 'crawlhouse';

/** The attributes of a span for its work's result; an error marks it as failed. */
export interface SpanResult {
  readonly attributes?: Attributes;
  readonly error?: string | null;
}

interface StepOptions<T> {
  readonly attributes?: Attributes;
  /** Returns the span's attributes for the result. */
  readonly describe?: (result: T) => SpanResult;
  readonly signal?: AbortSignal;
  /** Whether every fault in the work belongs to the step, and nothing of the work stays open (`isolateUnit`). */
  readonly isIsolated?: boolean;
  /** Retries work that fails with a retriable error. */
  readonly policy?: RetryPolicy;
  readonly onRetry?: RetryOptions['onRetry'];
}

const NEVER = new AbortController().signal;

/**
 * Runs a step of a run, with all its attempts in one span of OpenTelemetry. Without an SDK (docs/operate.md), nothing
 * is recorded.
 *
 * @param work receives the number of the attempt, and the signal that ends it
 */
export function runStep<T>(
  name: string,
  { attributes = {}, describe = () => ({}), isIsolated, policy, onRetry, ...rest }: StepOptions<T>,
  work: (attempt: number, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const retried = (signal: AbortSignal): Promise<T> =>
    policy ? retry((attempt) => work(attempt, signal), { policy, signal, onRetry }) : work(1, signal);
  const spanned = (signal: AbortSignal): Promise<T> =>
    trace.getTracer(NAME).startActiveSpan(`${NAME}.${name}`, { attributes }, (span) => {
      const fail = (message: string): unknown => span.setStatus({ code: SpanStatusCode.ERROR, message });
      // Not an async function, which would appear in every stack below.
      return Promise.try(retried, signal)
        .then((result) => {
          const { attributes: more = {}, error = null } = describe(result);
          span.setAttributes(more);
          if (error !== null) fail(error);
          return result;
        })
        .catch((thrown: unknown) => {
          fail(thrown instanceof Error ? thrown.message : String(thrown));
          throw thrown;
        })
        .finally(() => span.end());
    });
  const { signal = NEVER } = rest;
  return isIsolated ? isolateUnit(signal, spanned) : spanned(signal);
}

const counters = new Map<string, Counter>();

/** Adds to an OpenTelemetry counter, such as `crawlhouse.rows`. */
export function count(name: string, value: number, attributes: Attributes): void {
  const counter = counters.get(name) ?? metrics.getMeter(NAME).createCounter(`${NAME}.${name}`);
  counters.set(name, counter);
  counter.add(value, attributes);
}
