import { chmod, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { findLighthouse } from '../../../../src/site/crawler/vitals/find-lighthouse.ts';
import { type RequestGate, VitalsMeter } from '../../../../src/site/crawler/vitals/vitals-meter.ts';
import { temporaryFolder } from '../../../support/temporary.ts';

/** A meter whose browser is a program of a test. */
async function meterOf(program: string, signal = new AbortController().signal) {
  const folder = await temporaryFolder();
  const browser = join(folder, 'chrome');
  await writeFile(browser, `#!/bin/sh\n${program}\n`);
  await chmod(browser, 0o755);
  const data = { browser, proxyPort: 1, userAgent: 'test', formFactor: 'desktop' } as const;
  const gate = { begin: () => {} } as unknown as RequestGate;
  const meter = new VitalsMeter(data, gate, signal);
  onTestFinished(() => meter[Symbol.asyncDispose]());
  return { meter, folder };
}

test('a browser that does not start ends the measurement, with an error that shows how to investigate', async () => {
  const { meter, folder } = await meterOf('echo no display >&2; exit 1');
  vi.stubEnv('TMPDIR', folder);
  onTestFinished(() => void vi.unstubAllEnvs());
  await expect(meter.load('https://site.example/')).rejects.toMatchObject({
    code: 'missing_feature',
    message: `web vitals cannot be measured: ${join(folder, 'chrome')} does not start`,
    hint: expect.stringContaining('--headless --dump-dom about:blank'),
  });
  expect(await readdir(folder)).toEqual(['chrome']);
});

test('an interruption ends a load immediately', async () => {
  const interruption = new AbortController();
  const { meter } = await meterOf('sleep 100', interruption.signal);
  const loading = meter.load('https://site.example/');
  setTimeout(() => interruption.abort(), 100);
  await expect(loading).rejects.toMatchObject({ name: 'AbortError' });
  await expect(meter.load('https://site.example/')).rejects.toMatchObject({ name: 'AbortError' });
});

test('Lighthouse is found with its version, and a missing browser is named', async () => {
  const folder = await temporaryFolder();
  const browser = join(folder, 'chrome');
  await expect(findLighthouse(browser)).rejects.toMatchObject({
    code: 'missing_feature',
    message: `rendering.browser: there is no ${browser}`,
  });
  await writeFile(browser, '');
  expect(await findLighthouse(browser)).toEqual({ version: expect.stringMatching(/^13\./), browser });
});
