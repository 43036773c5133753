import { expect, test } from 'vitest';
import { HostileProject } from './hostile-project.ts';
import { LISTS, type ListFault } from './lists.ts';
import { CONTENTS, COUNTS, DRIFTS, ENCODINGS, FRAMINGS, HEALTHY, type UnitCase } from './unit-case.ts';

/** Each fault alone, so that none is hidden behind another. */
function alone(): UnitCase[] {
  const each = <K extends keyof UnitCase>(key: K, values: Readonly<Record<string, string>>): UnitCase[] =>
    Object.keys(values).map((value) => ({ ...HEALTHY, [key]: value }));
  return [
    ...each('content', CONTENTS),
    ...each('encoding', ENCODINGS),
    ...each('framing', FRAMINGS),
    ...each('count', COUNTS),
    ...each('drift', DRIFTS),
  ];
}

test.for(['json', 'csv'] as const)(
  'each fault of a response, alone, affects only its own unit (%s)',
  async (format) => {
    const hostile = await HostileProject.open();
    await hostile.play({ units: alone().map(() => HEALTHY), lists: 'right', format });
    await hostile.play({ units: alone(), lists: 'right', format });
    expect(hostile.tally.ended).toBe(0);
  },
);

test('concurrent endless responses do not accumulate memory', async () => {
  const hostile = await HostileProject.open();
  const endless = Array.from({ length: 24 }, (): UnitCase => ({ ...HEALTHY, count: 'endless_answer' }));
  await hostile.play({ units: [...endless, HEALTHY], lists: 'right', format: 'json' });
  expect(hostile.tally).toMatchObject({ loaded: 1, refused: 24 });
});

test('each fault of a list leaves the warehouse unchanged or loads the healthy crawls', async () => {
  const hostile = await HostileProject.open();
  for (const lists of Object.keys(LISTS) as ListFault[])
    await hostile.play({ units: [HEALTHY], lists, format: 'json' });
});
