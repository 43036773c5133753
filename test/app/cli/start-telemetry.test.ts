import { expect, test } from 'vitest';
import { crawlhouse, rawProjectFolder } from '../../support/project.ts';

test('without the OpenTelemetry SDK, a command works and shows how to install it', async () => {
  const folder = await rawProjectFolder();
  const transform = (environment: object) => crawlhouse(folder, null, ['transform'], environment);
  const receiver = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' };
  const told = await transform(receiver);
  expect(told.stderr).toContain('telemetry is off: npm install @opentelemetry/sdk-node');
  expect(told.status).toBe(0);
  const silent = await transform({ ...receiver, OTEL_SDK_DISABLED: 'true' });
  expect([silent.status, silent.stderr]).toEqual([0, expect.not.stringContaining('telemetry')]);
});
