import { expect, test } from 'vitest';
import { estimateLeft, type RunFacts } from '../../../src/core/progress/meter.ts';
import { type DueUnit, UnitWork } from '../../../src/core/progress/unit-work.ts';

/** A dataset on a simulated machine: rows and columns of a unit, and rows in a second. */
interface Kind {
  readonly dataset: string;
  readonly rows: number;
  readonly columns: number;
  readonly pace: number;
}
/** Paces as measured: rows of few columns come faster (docs/performance.md). */
const PAGES: Kind = { dataset: 'pages', rows: 20_000, columns: 120, pace: 8000 };
const LINKS: Kind = { dataset: 'links', rows: 400_000, columns: 9, pace: 80_000 };
const SMALL: Kind = { dataset: 'lists', rows: 12, columns: 20, pace: 1000 };

/** Of a unit's time, what follows its last row: more if the service is near and fast. */
const AFTER_ROWS = 0.15;

interface Scene {
  readonly units: readonly Kind[];
  /** Seconds of each unit before its first row and after its last one. */
  readonly overhead: number;
  /** Seconds of models, tests and publication. */
  readonly after: number;
  readonly expected: boolean;
  /** Seconds that were expected for them. */
  readonly expectedAfter: number;
}

/** One moment of a run: what was known, and what was truly left. */
function* moments({ units, overhead, after, expected, expectedAfter }: Scene): Generator<[RunFacts, number]> {
  const due = units.map(
    (one, index): DueUnit => ({
      unit: `${one.dataset}/${index}`,
      dataset: one.dataset,
      rows: expected ? one.rows : null,
    }),
  );
  const work = new UnitWork(due);
  const took = units.reduce((all, one) => all + overhead + one.rows / one.pace, 0);
  let seconds = 0;
  const now = (): [RunFacts, number] => [
    { seconds, units: work.work(), after: null, expectedAfter },
    took + after - seconds,
  ];
  for (const [index, { rows, columns, pace }] of units.entries()) {
    const name = due[index]?.unit ?? '';
    seconds += overhead / 2;
    work.opened(name, rows, columns);
    yield now();
    for (let part = 0; part < 10; part++) {
      seconds += (rows / pace / 10) * (1 - AFTER_ROWS);
      work.received(name, (rows / 10) * (part + 1));
      yield now();
    }
    seconds += overhead / 2 + (rows / pace) * AFTER_ROWS;
    work.ended(name, true);
    yield now();
  }
  for (let step = 0; step < 20; step++) {
    const facts = { unitsTook: took, done: step, total: 20 };
    yield [{ seconds, units: work.work(), after: facts, expectedAfter }, took + after - seconds];
    seconds += after / 20;
  }
}

const MIXED = [SMALL, SMALL, ...Array(6).fill([PAGES, LINKS]).flat()] as readonly Kind[];
const LARGE: Kind = { ...LINKS, rows: 20_000_000 };

test.for<[string, Partial<Scene>]>([
  ['one large unit', { units: [LARGE] }],
  ['many of one kind', { units: Array<Kind>(12).fill(PAGES) }],
  ['pages and links in turns', { units: MIXED }],
  ['pages and links in turns whose rows a plan has counted', { units: MIXED, expected: true }],
  ['small lists', { units: Array<Kind>(40).fill(SMALL), overhead: 0.3 }],
  ['models that take as long as the units', { units: MIXED, after: 50, expectedAfter: 50 }],
  ['models that take no time', { units: MIXED, after: 0.5, expectedAfter: 0.5 }],
  ['models that take two thirds longer than expected', { units: MIXED, after: 25 }],
  ['models that take two thirds of what was expected', { units: MIXED, after: 10 }],
])('after a quarter of the time, the estimate of %s is within a factor of two', ([, scene]) => {
  const all = { units: MIXED, overhead: 0.4, after: 15, expected: false, expectedAfter: 15, ...scene };
  const seen = [...moments(all)];
  const whole = (seen[0]?.[1] ?? 0) + (seen[0]?.[0].seconds ?? 0);
  const later = seen.filter(([facts]) => facts.seconds >= whole / 4);
  expect(later.length).toBeGreaterThan(10);
  for (const [facts, truth] of later) {
    const left = estimateLeft(facts) ?? Number.NaN;
    // In the last twentieth the difference is small, whatever the factor.
    const slack = whole / 20;
    expect([left, truth, facts], JSON.stringify(facts)).toSatisfy(
      () => left <= truth * 2 + slack && left >= truth / 2 - slack,
    );
  }
});

test('without data, there is no estimate', () => {
  const facts = { seconds: 5, units: { done: 1, total: 1000 }, after: null, expectedAfter: 2 };
  expect(estimateLeft(facts)).toBeNull();
  expect(estimateLeft({ ...facts, units: { done: 0, total: 0 } })).toBeNull();
});

test('while most units belong to unknown datasets, there is no estimate', () => {
  const unit = (dataset: string, rows: number | null) => ({ unit: dataset, dataset, rows });
  const due = [unit('lists', 1), unit('pages', null), unit('links', null)];
  const work = new UnitWork(due);
  const facts = { seconds: 5, units: work.work(), after: null, expectedAfter: 2 };
  expect(estimateLeft(facts)).toBeNull();
  work.opened('pages', 500, 20);
  expect(estimateLeft({ ...facts, units: work.work() })).toBeGreaterThan(0);
});

test('the time after the units is the expected one, but at least the time spent so far', () => {
  const units = { done: 1, total: 1 };
  const after = { unitsTook: 10, done: 0, total: 18 };
  expect(estimateLeft({ seconds: 10, units, after, expectedAfter: 20 })).toBe(20);
  expect(estimateLeft({ seconds: 60, units, after, expectedAfter: 20 })).toBe(50);
  expect(estimateLeft({ seconds: 12, units, after: { ...after, done: 18 }, expectedAfter: 20 })).toBe(0);
});
