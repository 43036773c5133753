import { expect, test } from 'vitest';
import { type Choice, filterForm } from '../../../../src/app/console/layout/filter-form.ts';

const drawn = (query: string, choices: readonly Choice[]): string =>
  filterForm('/runs', new URLSearchParams(query), choices).text;
const STATUS: Choice = {
  name: 'status',
  label: 'Status',
  options: ['done', { value: 'bad', text: 'Failed' }],
};

test('a form of choices sends itself, and keeps the other parameters except the page', () => {
  const text = drawn('sort=url&page=3&status=done&sort=depth', [STATUS]);
  expect(text).toContain('<form class="choose" method="get" action="/runs" data-sends autocomplete="off">');
  expect(text.match(/type="hidden" name="\w+" value="\w+"/g)).toEqual([
    'type="hidden" name="sort" value="url"',
    'type="hidden" name="sort" value="depth"',
  ]);
  expect(text).toContain(
    '<option value="">all</option><option value="done" selected>done</option><option value="bad">Failed</option>',
  );
});

test('a text field keeps its value, and its form waits for the button', () => {
  const text = drawn('q=%22lamp%22', [STATUS, { name: 'q', label: 'URL contains' }]);
  expect(text).toContain('<input type="search" name="q" value="&quot;lamp&quot;">');
  expect(text).not.toContain('data-sends');
});

test('a choice of the address that is not offered stays selected; a required choice has no empty value', () => {
  expect(drawn('status=other', [STATUS])).toContain('<option value="other" selected>other</option>');
  expect(drawn('', [STATUS]).match(/<option/g)).toHaveLength(3);
  expect(drawn('', [{ ...STATUS, any: null }])).not.toContain('<option value="">');
  expect(drawn('', [{ ...STATUS, any: 'each' }])).toContain('<option value="" selected>each</option>');
});
