import { expect, test } from 'vitest';
import kept from '../oddities/chromium.json' with { type: 'json' };
import { readByChromium } from '../oddities/read-by-chromium.ts';
import { serveOddities } from '../oddities/serve-oddities.ts';
import { CHROMIUM, MISSING } from './chromium.ts';

if (CHROMIUM === undefined) console.warn(MISSING);

test.skipIf(CHROMIUM === undefined)('Chromium reads the site of oddities as it is kept', async () => {
  await using site = await serveOddities();
  expect(await readByChromium(site.origin)).toEqual(kept);
});
