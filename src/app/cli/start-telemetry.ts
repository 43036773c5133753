import type { Logger } from '../../core/logs/logger.ts';

/** The telemetry SDK. It is not a dependency; users who want telemetry install it. */
const SDK = '@opentelemetry/sdk-node';
/** Each of these variables configures a receiver. */
const RECEIVERS = [
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
  'OTEL_EXPORTER_OTLP_METRICS_ENDPOINT',
  'OTEL_TRACES_EXPORTER',
  'OTEL_METRICS_EXPORTER',
];
/** An unavailable receiver delays the end of a command by at most this time. */
const LAST_MS = 5_000;

interface Sdk {
  start(): void;
  shutdown(): Promise<void>;
}

/**
 * Starts the OpenTelemetry SDK if its variables configure a receiver (docs/operate.md); disposing sends the remaining
 * data. A missing SDK or receiver is a warning: telemetry fails no command.
 */
export async function startTelemetry(logger: Logger): Promise<AsyncDisposable> {
  const nothing = { [Symbol.asyncDispose]: async () => {} };
  if (process.env.OTEL_SDK_DISABLED === 'true' || !RECEIVERS.some((name) => process.env[name]))
    return nothing;
  const loaded = await import(SDK).catch((cause: unknown) => {
    logger.warn('telemetry is off: npm install @opentelemetry/sdk-node', { error: String(cause) });
  });
  if (!loaded) return nothing;
  const sdk: Sdk = new loaded.NodeSDK({ serviceName: process.env.OTEL_SERVICE_NAME ?? 'crawlhouse' });
  sdk.start();
  return {
    async [Symbol.asyncDispose]() {
      const late = Promise.withResolvers<string>();
      const timer = setTimeout(() => late.resolve(`no answer within ${LAST_MS / 1000} s`), LAST_MS);
      const ended = sdk.shutdown().then(
        () => null,
        (cause: unknown) => String(cause),
      );
      const error = await Promise.race([ended, late.promise]);
      clearTimeout(timer);
      if (error !== null) logger.warn('telemetry not sent', { error });
    },
  };
}
