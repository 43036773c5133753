import { expect, test } from 'vitest';
import { testsWith } from './tests-with.ts';

test('tests that contain a text are found by their names', () => {
  const files = ['test/support/tests-with.test.ts', 'test/oddities/issue-pages.test.ts'];
  const found = testsWith('gaps' + '(', files);
  expect(found.files).toEqual(['test/oddities/issue-pages.test.ts']);
  expect('each file of an issue has a page that has it, and one that is near').toMatch(
    new RegExp(`^(?:${found.pattern})$`),
  );
});
