import { expect, test } from 'vitest';
import { ODDITIES } from '../oddities/cases.ts';
import kept from '../oddities/chromium.json' with { type: 'json' };
import { readByChromium } from '../oddities/read-by-chromium.ts';
import type { Reading } from '../oddities/reading.ts';
import { serveOddities } from '../oddities/serve-oddities.ts';
import { ALL_ROUNDS, roundSeed } from '../support/random.ts';
import { CHROMIUM, MISSING } from './chromium.ts';

if (CHROMIUM === undefined) console.warn(MISSING);

const KEPT: Readonly<Record<string, Reading | undefined>> = kept;
/** A usual run reads every fourth case. */
const cases = ODDITIES.filter((_one, index) => ALL_ROUNDS || index % 4 === roundSeed() % 4);

test.skipIf(CHROMIUM === undefined)(
  'Chromium reads the site of oddities as it is kept',
  { timeout: 20 * 60_000 },
  async () => {
    await using site = await serveOddities();
    const wanted = Object.fromEntries(cases.map(({ path }) => [path, KEPT[path]]));
    expect(await readByChromium(site.origin, cases)).toEqual(wanted);
  },
);
