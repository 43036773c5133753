import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ODDITIES } from '../test/oddities/cases.ts';
import { readByChromium } from '../test/oddities/read-by-chromium.ts';
import type { Reading } from '../test/oddities/reading.ts';
import { serveOddities } from '../test/oddities/serve-oddities.ts';

/** `npm run oddities`: keeps how the Chromium of this machine reads the site of oddities, and where it reads it otherwise without scripts. */
await using site = await serveOddities();
const write = (name: string, readings: Readonly<Record<string, Reading>>): Promise<void> =>
  writeFile(
    join(import.meta.dirname, '..', 'test', 'oddities', name),
    `${JSON.stringify(readings, null, 1)}\n`,
  );
const readings = await readByChromium(site.origin);
const without = await readByChromium(site.origin, ODDITIES, { javaScriptEnabled: false });
await write('chromium.json', readings);
const differing = Object.entries(without).filter(
  ([path, reading]) => JSON.stringify(reading) !== JSON.stringify(readings[path]),
);
await write('chromium-without-scripts.json', Object.fromEntries(differing));
