import { expect, test } from 'vitest';
import { drawKpis, fixedText, type Kpi } from '../../../../src/app/console/page-parts/kpi.ts';

const KPI: Kpi = { name: 'Pages', value: 1200, change: 3, reason: null, better: 'more' };
const draw = (more: Partial<Kpi>, isStrip = false) => drawKpis([{ ...KPI, ...more }], isStrip).text;

test('a figure has its value, with a link if there is one', () => {
  expect(draw({})).toContain('<dl class="kpis"><div><dt>Pages</dt><dd><strong>1,200</strong>');
  expect(draw({}, true)).toContain('<dl class="kpis strip">');
  expect(draw({ href: '/a' })).toContain('<a href="/a"><strong>1,200</strong></a>');
  expect(draw({ href: '/a', leads: 'all pages' })).toContain('aria-label="1,200, all pages"');
  expect(draw({ href: '/a', value: null })).toContain('<dd><strong>–</strong>');
});

test.each([
  [3, 'more', '<span class="good">+3</span>'],
  [3, 'less', '<span class="bad">+3</span>'],
  [-3, 'more', '<span class="bad">−3</span>'],
  [-3, 'less', '<span class="good">−3</span>'],
  [3, null, '<span class="plain">+3</span>'],
  [0, 'more', '<span class="plain">±0</span>'],
  [null, 'more', '<small>why</small>'],
] as const)('the change %s, where %s is better', (change, better, expected) => {
  expect(draw({ change, better, reason: 'why' })).toContain(expected);
});

test('a long reason opens from its card, a short one is on it', () => {
  const long = 'x'.repeat(33);
  expect(draw({ change: null, reason: 'x'.repeat(32) })).toContain(`<small>${'x'.repeat(32)}</small>`);
  expect(draw({ change: null, reason: long })).toContain(
    `<details><summary>change unknown</summary><p>${long}</p></details>`,
  );
  expect(draw({ value: null, change: null, reason: long })).toContain('<summary>unknown</summary>');
  expect(draw({ reason: long })).not.toContain(long);
  expect(draw({ change: null, reason: null })).not.toContain('<small>');
});

test('days do not break, and open what the card has no place for', () => {
  const days = '2026-03-01 to 2026-03-28';
  expect(draw({ days })).toContain(
    '<small><span class="day">2026-03-01</span> to <span class="day">2026-03-28</span></small>',
  );
  expect(draw({ days, compared: 'with before' })).toContain(
    `<details><summary>${days}</summary><p>with before</p></details>`,
  );
  expect(draw({ compared: 'with before' })).toContain('<summary>more</summary>');
  expect(draw({ days, change: null, reason: 'x'.repeat(33) })).toMatch(/<\/small><details>/);
  expect(draw({})).not.toContain('<details>');
});

test('a figure of pages names that of all URLs', () => {
  expect(draw({ all: { value: 1200, href: '/r' } })).toContain('<p>of 1,200 on all URLs</p>');
  expect(draw({ all: { value: 1500, href: '/r' } })).toMatch(
    /of <a href="\/r" aria-label="1,500, URLs[^>]*>1,500/,
  );
  for (const none of [
    { all: null },
    { all: { value: null, href: '/r' } },
    { all: { value: 1, href: '/r' }, value: null },
  ])
    expect(draw(none)).not.toContain('on all URLs');
});

test('a trend has at least two values', () => {
  expect(draw({ trend: [1, 2] })).toContain('<svg');
  for (const trend of [[1], [1, null], []]) expect(draw({ trend })).not.toContain('<svg');
});

test('fixed findings are followed by missing ones', () => {
  expect(fixedText({ fixed_issues: 2, missing_issues: 1 })).toBe('2 fixed, 1 missing');
  expect(fixedText({ fixed_issues: null, missing_issues: 0 })).toBe('– fixed');
});
