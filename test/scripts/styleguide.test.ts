import { expect, test } from 'vitest';
import { stylePage } from '../../scripts/styleguide.ts';

test('the style guide shows every block of the first screen, in each of its states', () => {
  const page = stylePage();
  for (const block of ['kpis strip', 'weight bad', 'charts', 'quiet figures', 'incident', 'notice', 'choose'])
    expect(page, block).toMatch(new RegExp(`class="${block}["]`));
  expect(page).toContain('unknown: no log files for its days');
  expect(page).toContain('Loading.');
  expect(page).toContain('It could not be read: no table mart.pages');
  expect(page).not.toMatch(/undefined|NaN|\[object|<style|\sstyle=/);
});
