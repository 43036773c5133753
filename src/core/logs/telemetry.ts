import { type Attributes, type Counter, metrics, SpanStatusCode, trace } from '@opentelemetry/api';

const NAME = 'crawlhouse';

/** The attributes of a span for its work's result; an error marks it as failed. */
export interface SpanResult {
  readonly attributes?: Attributes;
  readonly error?: string | null;
}

/** Does work within a span of OpenTelemetry. Without an SDK (docs/operate.md) nothing is recorded. */
export function inSpan<T>(
  name: string,
  attributes: Attributes,
  work: () => Promise<T>,
  describe: (result: T) => SpanResult = () => ({}),
): Promise<T> {
  return trace.getTracer(NAME).startActiveSpan(`${NAME}.${name}`, { attributes }, async (span) => {
    try {
      const result = await work();
      const { attributes: found = {}, error = null } = describe(result);
      span.setAttributes(found);
      if (error !== null) span.setStatus({ code: SpanStatusCode.ERROR, message: error });
      return result;
    } catch (thrown) {
      const message = thrown instanceof Error ? thrown.message : String(thrown);
      span.setStatus({ code: SpanStatusCode.ERROR, message });
      throw thrown;
    } finally {
      span.end();
    }
  });
}

const counters = new Map<string, Counter>();

/** Adds to a counter of OpenTelemetry, such as `crawlhouse.rows`. */
export function count(name: string, value: number, attributes: Attributes): void {
  const counter = counters.get(name) ?? metrics.getMeter(NAME).createCounter(`${NAME}.${name}`);
  counters.set(name, counter);
  counter.add(value, attributes);
}
