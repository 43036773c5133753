import { expect, test } from 'vitest';
import { ODDITIES } from '../oddities/cases.ts';
import kept from '../oddities/chromium.json' with { type: 'json' };
import without from '../oddities/chromium-without-scripts.json' with { type: 'json' };
import { readByChromium } from '../oddities/read-by-chromium.ts';
import type { Reading } from '../oddities/reading.ts';
import { serveOddities } from '../oddities/serve-oddities.ts';
import { ALL_ROUNDS, roundSeed } from '../support/random.ts';
import { CHROMIUM, MISSING } from './chromium.ts';

if (CHROMIUM === undefined) console.warn(MISSING);

const KEPT: Readonly<Record<string, Reading | undefined>> = kept;
const WITHOUT_SCRIPTS: Readonly<Record<string, Reading | undefined>> = { ...kept, ...without };
/** A usual run reads every fourth case. */
const cases = ODDITIES.filter((_one, index) => ALL_ROUNDS || index % 4 === roundSeed() % 4);

test.skipIf(CHROMIUM === undefined).each([
  ['with scripts', true, KEPT],
  ['without scripts', false, WITHOUT_SCRIPTS],
])(
  'Chromium reads the oddities of %s as recorded',
  { timeout: 20 * 60_000 },
  async (_name, javaScriptEnabled, readings) => {
    await using site = await serveOddities();
    const wanted = Object.fromEntries(cases.map(({ path }) => [path, readings[path]]));
    expect(await readByChromium(site.origin, cases, { javaScriptEnabled })).toEqual(wanted);
  },
);
