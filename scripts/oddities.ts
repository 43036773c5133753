import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readByChromium } from '../test/oddities/read-by-chromium.ts';
import { serveOddities } from '../test/oddities/serve-oddities.ts';

/** `npm run oddities`: keeps how the Chromium of this machine reads the site of oddities. */
await using site = await serveOddities();
const readings = await readByChromium(site.origin);
await writeFile(
  join(import.meta.dirname, '..', 'test', 'oddities', 'chromium.json'),
  `${JSON.stringify(readings, null, 1)}\n`,
);
