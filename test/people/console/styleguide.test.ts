import { expect, test } from 'vitest';
import { stylePage } from '../../../scripts/styleguide.ts';

test('the style guide shows every block of the first screen, in each of its states', () => {
  const page = stylePage();
  for (const block of ['kpis strip', 'weight bad', 'charts', 'quiet figures', 'incident', 'notice', 'choose'])
    expect(page, block).toMatch(new RegExp(`class="${block}["]`));
  expect(page).toContain('not known: no log files of its days');
  expect(page).toContain('It is being read.');
  expect(page).toContain('It could not be read: no table mart.pages');
  expect(page).not.toMatch(/undefined|NaN|\[object|<style|\sstyle=/);
});
